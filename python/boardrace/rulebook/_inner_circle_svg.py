"""The picture of an Inner Circle board."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

from .. import _svg
from .inner_circle import AXIAL, CENTRE, SPACES, InnerCircleState, headline, read_action_text

_STEP = 62.0  # between the middles of two spaces
_SPACE = 26.0  # radius of a space
_PAWN = 17.0
_DOT = 3.4
_BOARD = ("#e8dcc3", "#d9e2d0", "#d3dde8", "#e6d3dc")  # one colour a level
_EDGE = ("#b39b6d", "#8aa278", "#7d93ad", "#ad8097")
_HOLE = "#3a332b"
#: By how many sixths the picture is turned for each player: the sides of the table, clockwise.
_SIDES = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4)}
#: Where the dots of a space are, in parts of its radius.
_PIPS = {
    1: ((0.0, 0.0),),
    2: ((-0.3, 0.0), (0.3, 0.0)),
    3: ((0.0, -0.32), (-0.3, 0.22), (0.3, 0.22)),
    4: ((-0.28, -0.28), (0.28, -0.28), (-0.28, 0.28), (0.28, 0.28)),
}


def draw(
    state: InnerCircleState,
    size: float,
    mark: _svg.Marks,
    player: int | None,
    show_hidden: bool,
    last: bool,
) -> str:
    """See InnerCircleState.svg."""
    players = state.game.num_players
    sixths = 0
    if player is not None:
        if isinstance(player, bool) or not hasattr(player, "__index__"):
            raise TypeError(f"a player is a whole number, not {type(player).__name__}")
        if not 0 <= player < players:
            raise ValueError(f"there is no player {player}: they are 0 to {players - 1}")
        sixths = _SIDES[players][operator.index(player)]
    marked = [read_action_text(text) for text in _svg.marked_texts(state, mark)]

    width, height = 6 * _STEP + 2 * 56, 6 * _STEP * math.sqrt(3) / 2 + 2 * 56 + 62
    middle = (width / 2, 6 * _STEP * math.sqrt(3) / 4 + 56)
    places = [_place(q, z, sixths, middle) for q, z in AXIAL]
    picture = _svg.Svg(width, height, f"Inner Circle: {headline(state)}", size)

    number = max(state.level, 1) - 1
    reach = 3.72 * _STEP
    angles = [k * math.pi / 3 for k in range(6)]
    corners = [(middle[0] + reach * math.cos(a), middle[1] + reach * math.sin(a)) for a in angles]
    picture.polygon(
        corners, fill=_BOARD[number], stroke=_EDGE[number], stroke_width=5, stroke_linejoin="round"
    )

    owner = {
        space: seat
        for seat, own in enumerate(state.pawn_sets())
        for space in range(len(SPACES))
        if own >> space & 1
    }
    shown = show_hidden or not state.game.options["hide_covered"]
    moved: set[int] = set()
    if last and state.history:
        kind, start, end = state.action_parts(state.history[-1])
        moved = {space for space in (start, end) if space >= 0}
    for space, letter in enumerate(state.board()):
        x, y = places[space]
        _draw_space(picture, x, y, space, letter, space in moved, space in owner, shown, number)
        if space in owner:
            look = _svg.PLAYERS[owner[space]]
            radius = _PAWN - 3 if letter == "H" else _PAWN
            picture.circle(x, y, radius, fill=look.fill, stroke=look.line, stroke_width=2.5)
            picture.label(x, y, look.mark, radius, fill=look.text, font_weight="bold")
    for origin, target in marked:
        _draw_way(picture, places, origin, target)
    _draw_below(picture, state, owner, width, height)
    return picture.text()


def _place(q: int, z: int, sixths: int, middle: tuple[float, float]) -> tuple[float, float]:
    for _ in range(sixths):
        q, z = -z, q + z
    return middle[0] + (q + z / 2) * _STEP, middle[1] + z * _STEP * math.sqrt(3) / 2


def _draw_space(
    picture: _svg.Svg, x: float, y: float, space: int, letter: str, moved: bool, covered: bool,
    shown: bool, number: int,
) -> None:  # fmt: skip
    if moved:
        picture.circle(x, y, _SPACE + 4, fill=_svg.LAST)
    if letter == "H":
        picture.circle(x, y, _SPACE, fill="none", stroke=_EDGE[number], stroke_width=1)
        picture.circle(x, y, _PAWN + 1, fill=_HOLE, stroke="#14110e", stroke_width=2)
    elif space == CENTRE and letter == "C":
        picture.circle(x, y, _SPACE, fill=_svg.PAPER, stroke=_svg.PATH, stroke_width=4)
        picture.circle(x, y, _SPACE - 6, fill="none", stroke=_svg.PATH, stroke_width=2)
    else:
        picture.circle(x, y, _SPACE, fill=_svg.PAPER, stroke=_EDGE[number], stroke_width=1.5)
        n = int(letter)
        if not covered:
            for dx, dy in _PIPS[n]:
                picture.circle(x + dx * _SPACE, y - 2 + dy * _SPACE, _DOT, fill=_svg.INK)
        elif shown:  # around the pawn
            for k in range(n):
                angle = math.pi * (1.5 + 0.24 * (k - (n - 1) / 2))
                reach = (_PAWN + _SPACE) / 2 + 0.6
                picture.circle(
                    x + reach * math.cos(angle), y + reach * math.sin(angle), 2.6, fill=_svg.INK
                )
    if not covered and letter in "HC":
        picture.label(x, y, SPACES[space], 8, fill="#b9ae9c" if letter == "H" else "#8d8474")
    elif not covered:
        picture.label(x, y + _SPACE * 0.68, SPACES[space], 8, fill="#8d8474")


def _draw_way(
    picture: _svg.Svg, places: Sequence[tuple[float, float]], origin: int, target: int
) -> None:
    """An arrow from space to space; a ring where only one of them is given."""
    if origin < 0 or target < 0:
        space = max(origin, target)
        if space >= 0:
            x, y = places[space]
            picture.circle(
                x, y, _SPACE, fill="none", stroke=_svg.PATH, stroke_width=4,
                stroke_dasharray=None if origin < 0 else "7 5",
            )  # fmt: skip
        return
    (x1, y1), (x2, y2) = places[origin], places[target]
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    x1, y1 = x1 + ux * _PAWN, y1 + uy * _PAWN
    x2, y2 = x2 - ux * 6, y2 - uy * 6
    back_x, back_y = x2 - ux * 15, y2 - uy * 15
    picture.line(
        x1, y1, back_x, back_y, stroke=_svg.PATH, stroke_width=5, stroke_linecap="round",
        stroke_opacity=0.8,
    )  # fmt: skip
    picture.polygon(
        [(x2, y2), (back_x - uy * 9, back_y + ux * 9), (back_x + uy * 9, back_y - ux * 9)],
        fill=_svg.PATH,
    )


def _draw_below(
    picture: _svg.Svg, state: InnerCircleState, owner: dict[int, int], width: float, height: float
) -> None:
    """Who plays which pawns, and what is going on."""
    players = state.game.num_players
    for seat in range(players):
        look = _svg.PLAYERS[seat]
        x = width * (seat + 0.5) / players
        acts = seat == state.current_player
        if acts:
            picture.rect(
                x - 46, height - 62, 92, 30, rx=8, fill=_svg.LAST, fill_opacity=0.6, stroke="none"
            )
        picture.circle(x - 26, height - 47, 11, fill=look.fill, stroke=look.line, stroke_width=2)
        picture.label(x - 26, height - 47, look.mark, 12, fill=look.text, font_weight="bold")
        pawns = sum(1 for one in owner.values() if one == seat)
        picture.label(x + 14, height - 47, "1 pawn" if pawns == 1 else f"{pawns} pawns", 12)
    picture.label(width / 2, height - 16, headline(state), 13)
