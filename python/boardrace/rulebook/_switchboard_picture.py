"""Switchboard's table as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .._svg import FAINT, INK, LAST, PATH, PLAYERS, Svg
from ._switchboard_tiles import LABELS

if TYPE_CHECKING:
    from .switchboard import Layout

CELL = 100.0
TILE = 92.0
MARGIN = 30.0
FOOT = 62.0
CENTRE = 4
#: Where the five spots of a tile lie, from its middle.
_PLACES = ((0.0, -34.0), (34.0, 0.0), (0.0, 34.0), (-34.0, 0.0), (0.0, 0.0))
_OUT = ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))
_SPOTS = {"Y": "#f0e442", "G": "#35b779", "R": "#d55e00", "F": "#ffffff"}


class Picture:
    """The table with room for cells around the tiles that marks need."""

    def __init__(self, layout: Layout, title: str, cells: Iterable[tuple[int, int]]) -> None:
        shown = [*layout.at, *cells]
        self.left = min(column for column, _ in shown)
        self.top = min(row for _, row in shown)
        self.right = max(column for column, _ in shown)
        self.bottom = max(row for _, row in shown)
        self.layout = layout
        self.title = title

    def start(self, size: float) -> None:
        """An empty sheet with numbered columns and rows."""
        columns, rows = self.right - self.left + 1, self.bottom - self.top + 1
        self.width = columns * CELL + 2 * MARGIN
        self.height = rows * CELL + 2 * MARGIN + FOOT
        self.svg = Svg(self.width, self.height, self.title, size)
        for column in range(self.left, self.right + 1):
            self.svg.label(self.middle(column, 0)[0], MARGIN / 2, str(column), 15, fill="#77706a")
        for row in range(self.top, self.bottom + 1):
            self.svg.label(MARGIN / 2, self.middle(0, row)[1], str(row), 15, fill="#77706a")

    def middle(self, column: int, row: int) -> tuple[float, float]:
        """The middle of a cell."""
        return (
            MARGIN + (column - self.left + 0.5) * CELL,
            MARGIN + (row - self.top + 0.5) * CELL,
        )

    def place(self, spot: int) -> tuple[float, float]:
        """Where a spot lies."""
        tile, side = divmod(spot, 5)
        x, y = self.middle(*self.layout.tiles[tile][:2])
        return x + _PLACES[side][0], y + _PLACES[side][1]

    def draw_tiles(self, lit: set[int]) -> None:
        """All tiles, those in `lit` on the colour of the last action."""
        layout, svg = self.layout, self.svg
        for tile, (column, row, _) in enumerate(layout.tiles):
            x, y = self.middle(column, row)
            svg.rect(
                x - TILE / 2,
                y - TILE / 2,
                TILE,
                TILE,
                rx=9,
                fill=LAST if tile in lit else "#ffffff",
                stroke="#8a8378",
                stroke_width=1.5,
            )
            for side in layout.arms(tile):
                out = TILE / 2 if layout.joined(tile, side) is None else CELL / 2
                dx, dy = _OUT[side]
                svg.line(x, y, x + dx * out, y + dy * out, stroke="#9a938a", stroke_width=9)
        for tile, (column, row, _) in enumerate(layout.tiles):
            x, y = self.middle(column, row)
            svg.label(x - 33, y - 35, LABELS[tile], 15, font_weight="bold", fill="#5f5850")
            for side in (*layout.arms(tile), CENTRE):
                self.draw_spot(tile * 5 + side)
        self.draw_entry()

    def draw_spot(self, spot: int) -> None:
        """A spot: + on green, x on red, a chequered finish, nothing on yellow."""
        svg, colour = self.svg, self.layout.colour(spot)
        x, y = self.place(spot)
        svg.circle(x, y, 10.5, fill=_SPOTS[colour], stroke=INK, stroke_width=1.5)
        if colour == "G":
            svg.path(
                f"M{x - 5:.1f} {y:.1f}h10M{x:.1f} {y - 5:.1f}v10", stroke=INK, stroke_width=2.2
            )
        elif colour == "R":
            svg.path(
                f"M{x - 4:.1f} {y - 4:.1f}l8 8M{x - 4:.1f} {y + 4:.1f}l8 -8",
                stroke=INK,
                stroke_width=2.2,
            )
        elif colour == "F":
            for k in (-1, 0, 1):
                for j in (-1, 0, 1):
                    if (k + j) % 2 == 0:
                        svg.rect(x + 4.6 * k - 2.3, y + 4.6 * j - 2.3, 4.6, 4.6, fill=INK)

    def draw_entry(self) -> None:
        """A wedge that points to the entry spot from outside of its tile."""
        entry = self.layout.entry()
        x, y = self.place(entry)
        dx, dy = _OUT[entry % 5]
        tip, back = (x + dx * 9, y + dy * 9), (x + dx * 20, y + dy * 20)
        self.svg.polygon(
            [tip, (back[0] - dy * 8, back[1] + dx * 8), (back[0] + dy * 8, back[1] - dx * 8)],
            fill=INK,
        )

    def draw_token(self, x: float, y: float, player: int) -> None:
        look = PLAYERS[player]
        self.svg.circle(x, y, 16, fill=look.fill, stroke="#ffffff", stroke_width=4.5)
        self.svg.circle(x, y, 16, fill="none", stroke=look.line, stroke_width=2)
        self.svg.label(x, y, look.mark, 18, fill=look.text, font_weight="bold")

    def draw_tokens(self) -> None:
        for player, token in enumerate(self.layout.tokens):
            if token < 180:
                self.draw_token(*self.place(token), player)

    def draw_foot(self, words: str) -> None:
        """What is to be done, and the tokens that are not on the table, with the flags."""
        y = self.height - FOOT + 6
        self.svg.line(MARGIN, y - 16, self.width - MARGIN, y - 16, stroke=FAINT, stroke_width=1)
        self.svg.label(self.width / 2, y, words, 17)
        x = MARGIN + 20
        for player, (token, flag) in enumerate(
            zip(self.layout.tokens, self.layout.flags, strict=True)
        ):
            notes = []
            if token >= 180:
                notes.append("in hand" if token == 254 else "off the table")
            if flag:
                notes.append("another turn" if flag == 1 else "loses a turn")
            if not notes:
                continue
            self.draw_token(x, y + 32, player)
            self.svg.label(x + 24, y + 32, ", ".join(notes), 15)
            # the label is centred on its point: begin it there instead
            self.svg.parts[-1] = self.svg.parts[-1].replace("middle", "start", 1)
            x += 52 + 8.6 * len(", ".join(notes))

    # ---- marks

    def mark_path(self, spots: list[int]) -> None:
        """A walk: its line, with a ring where it ends."""
        points = [self.place(spot) for spot in spots]
        self.svg.polyline(
            points,
            stroke=PATH,
            stroke_width=5,
            stroke_linejoin="round",
            stroke_linecap="round",
            stroke_opacity=0.85,
        )
        self.mark_spot(spots[-1])

    def mark_trail(self, spots: list[int]) -> None:
        """The last walk, beneath the tokens."""
        for spot in spots:
            self.svg.circle(*self.place(spot), 15, fill="none", stroke=LAST, stroke_width=6)

    def mark_spot(self, spot: int) -> None:
        x, y = self.place(spot)
        self.svg.circle(x, y, 19, fill="none", stroke=PATH, stroke_width=4)

    def mark_turn(self, tile: int, turns: int) -> None:
        """The tile's rim, with an arc clockwise for each quarter turn."""
        x, y = self.middle(*self.layout.tiles[tile][:2])
        self._rim(x, y, None)
        self._arc(x, y, turns)

    def mark_shift(self, tile: int, column: int, row: int, turns: int) -> None:
        """The tile's arms on its new cell, and a line from the old one."""
        x, y = self.middle(*self.layout.tiles[tile][:2])
        then = self.middle(column, row)
        self._rim(x, y, "6 5")
        if then != (x, y):
            self.svg.line(x, y, *then, stroke=PATH, stroke_width=3, stroke_dasharray="3 6")
            for side in self.layout.arms(tile):
                dx, dy = _OUT[(side + turns) % 4]
                self.svg.line(
                    *then,
                    then[0] + dx * TILE / 2,
                    then[1] + dy * TILE / 2,
                    stroke=PATH,
                    stroke_width=9,
                    stroke_opacity=0.45,
                )
            self.svg.label(then[0] - 33, then[1] - 35, LABELS[tile], 15, fill=PATH)
        self._rim(*then, None)
        self._arc(*then, turns)

    def _rim(self, x: float, y: float, dashes: str | None) -> None:
        self.svg.rect(
            x - TILE / 2,
            y - TILE / 2,
            TILE,
            TILE,
            rx=9,
            fill="none",
            stroke=PATH,
            stroke_width=4,
            stroke_dasharray=dashes,
        )

    def _arc(self, x: float, y: float, turns: int) -> None:
        if not turns:
            return
        radius, begin, end = 24.0, -math.pi / 4, -math.pi / 4 + turns * math.pi / 2
        x1, y1 = x + radius * math.cos(begin), y + radius * math.sin(begin)
        x2, y2 = x + radius * math.cos(end), y + radius * math.sin(end)
        self.svg.path(
            f"M{x1:.1f} {y1:.1f}A{radius:g} {radius:g} 0 {int(turns > 1)} 1 {x2:.1f} {y2:.1f}",
            fill="none",
            stroke=PATH,
            stroke_width=4,
        )
        # the tip, along the circle
        along = end + math.pi / 2
        tip = (x2 + 9 * math.cos(along), y2 + 9 * math.sin(along))
        self.svg.polygon(
            [
                tip,
                (x2 + 7 * math.cos(end), y2 + 7 * math.sin(end)),
                (x2 - 7 * math.cos(end), y2 - 7 * math.sin(end)),
            ],
            fill=PATH,
        )
