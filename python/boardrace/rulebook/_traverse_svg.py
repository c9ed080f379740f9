"""Traverse as an SVG picture."""

from __future__ import annotations

from collections.abc import Sequence

from .._svg import FAINT, INK, LAST, PATH, PLAYERS, Svg
from ._traverse_hops import FIELD, FILES, FORWARD, OPPOSITE, row_of

CELL = 40.0
EDGE = 26.0
WIDTH = 10 * CELL + 2 * EDGE


class Drawing:
    """The board, turned by quarters so that a side lies at the bottom."""

    def __init__(self, sides: str, bottom: str, title: str, size: float) -> None:
        self.sides, self.bottom = sides, bottom
        self.svg = Svg(WIDTH, WIDTH, title, size)

    def column_row(self, square: int) -> tuple[int, int]:
        """From the left and from the top."""
        file, rank = square % 10, square // 10
        return {
            "S": (file, 9 - rank),
            "W": (9 - rank, 9 - file),
            "N": (9 - file, rank),
            "E": (rank, file),
        }[self.bottom]

    def centre(self, square: int) -> tuple[float, float]:
        column, row = self.column_row(square)
        return EDGE + (column + 0.5) * CELL, EDGE + (row + 0.5) * CELL

    def _square(self, square: int, fill: str, **attributes: object) -> None:
        x, y = self.centre(square)
        self.svg.rect(x - CELL / 2, y - CELL / 2, CELL, CELL, fill=fill, **attributes)

    def board(self, last: Sequence[int]) -> None:
        owners = {}
        for player, side in enumerate(self.sides):
            for square in row_of(side):
                owners[square] = player
            for square in row_of(OPPOSITE[side]):
                owners.setdefault(square, -1)
        for square in range(100):
            if square in FIELD:
                light = (square % 10 + square // 10) % 2
                fill = "#ffffff" if light else "#efe9db"
                self._square(square, fill, stroke=FAINT, stroke_width=0.6)
            elif square in owners:
                self._square(square, "#e2dccb", stroke=FAINT, stroke_width=0.6)
                if owners[square] >= 0:
                    look = PLAYERS[owners[square]]
                    self._square(square, look.fill, fill_opacity=0.16)
            else:
                self._square(square, "#d3cbb8", stroke=FAINT, stroke_width=0.6)
        for square in last:
            self._square(square, LAST, fill_opacity=0.75)
        left = min(self.centre(11)[0], self.centre(88)[0]) - CELL / 2
        top = min(self.centre(11)[1], self.centre(88)[1]) - CELL / 2
        self.svg.rect(left, top, 8 * CELL, 8 * CELL, fill="none", stroke=INK, stroke_width=1.4)
        self.svg.rect(EDGE, EDGE, 10 * CELL, 10 * CELL, fill="none", stroke=INK, stroke_width=2)
        upright = self.bottom in "SN"
        for k in range(10):
            file_x, file_y = self.centre(k)
            rank_x, rank_y = self.centre(10 * k)
            for place in (EDGE / 2, WIDTH - EDGE / 2):
                file_at = (file_x, place) if upright else (place, file_y)
                rank_at = (place, rank_y) if upright else (rank_x, place)
                self.svg.label(*file_at, FILES[k], 12)
                self.svg.label(*rank_at, str(k + 1), 12)

    def piece(self, square: int, player: int, shape: int) -> None:
        x, y = self.centre(square)
        look = PLAYERS[player]
        paint = {
            "fill": look.fill,
            "stroke": look.line,
            "stroke_width": 2,
            "stroke_linejoin": "round",
        }
        label_x, label_y = x, y
        if shape == 0:
            self.svg.rect(x - 12.5, y - 12.5, 25, 25, **paint)
        elif shape == 1:
            self.svg.polygon([(x, y - 17), (x + 17, y), (x, y + 17), (x - 17, y)], **paint)
        elif shape == 3:
            self.svg.circle(x, y, 14.5, **paint)
        else:
            # The point shows the way forward.
            ahead = self._on_picture(*FORWARD[self.sides[player]])
            across = (-ahead[1], ahead[0])
            points = [(16.0, 0.0), (-12.5, 15.5), (-12.5, -15.5)]
            self.svg.polygon(
                [
                    (x + a * ahead[0] + b * across[0], y + a * ahead[1] + b * across[1])
                    for a, b in points
                ],
                **paint,
            )
            label_x, label_y = x - 3.5 * ahead[0], y - 3.5 * ahead[1]
        self.svg.label(label_x, label_y + 0.5, look.mark, 13, fill=look.text, font_weight="bold")

    def _on_picture(self, file: int, rank: int) -> tuple[int, int]:
        """A direction on the board as one on the picture, down being positive."""
        at = self.column_row(44)
        to = self.column_row(44 + file + 10 * rank)
        return to[0] - at[0], to[1] - at[1]

    def way(self, squares: Sequence[int], colour: str, width: float) -> None:
        """A path from square to square, its end an arrow."""
        points = [self.centre(square) for square in squares]
        for k in range(len(points) - 1):
            (x1, y1), (x2, y2) = points[k], points[k + 1]
            length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
            dx, dy = (x2 - x1) / length, (y2 - y1) / length
            away = 18 if k == 0 else 0  # the piece at the start stays legible
            self.svg.line(
                x1 + away * dx,
                y1 + away * dy,
                x2 - 5 * dx,
                y2 - 5 * dy,
                stroke=colour,
                stroke_width=width,
                stroke_linecap="round",
                stroke_opacity=0.9,
            )
            self.svg.polygon(
                [
                    (x2, y2),
                    (x2 - 11 * dx - 6 * dy, y2 - 11 * dy + 6 * dx),
                    (x2 - 11 * dx + 6 * dy, y2 - 11 * dy - 6 * dx),
                ],
                fill=colour,
            )

    def removed(self, square: int, colour: str = PATH) -> None:
        """A cross over a circle that is taken off."""
        x, y = self.centre(square)
        for sign in (1, -1):
            self.svg.line(
                x - 15, y - 15 * sign, x + 15, y + 15 * sign, stroke=colour, stroke_width=3
            )

    def ring(self, square: int, colour: str = PATH) -> None:
        x, y = self.centre(square)
        self.svg.circle(x, y, 17.5, fill="none", stroke=colour, stroke_width=3)
