"""Hops square by square: the series behind an action, and why a move is not allowed.

Slow and plain beside the compiled core, which floods whole planes: here every hop has a name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

SHAPES = "SDTC"
SHAPE_NAMES = ("square", "diamond", "triangle", "circle")
#: The sides of the board on which 2, 3 and 4 players sit, by player.
SIDES = {2: "SN", 3: "SWN", 4: "SWNE"}
OPPOSITE = {"S": "N", "N": "S", "W": "E", "E": "W"}
FORWARD = {"S": (0, 1), "W": (1, 0), "N": (0, -1), "E": (-1, 0)}
FILES = "abcdefghij"
FIELD = frozenset(10 * rank + file for rank in range(1, 9) for file in range(1, 9))
#: What may happen to circles.
STAY, RETURN, RETURN_ALL = "stay", "return", "return_all"


def square_name(square: int) -> str:
    """The file's letter and the rank.

    >>> square_name(1)
    'b1'
    """
    return f"{FILES[square % 10]}{square // 10 + 1}"


def square_number(name: str) -> int:
    """The square with that name, 10 * (rank - 1) + file.

    >>> square_number("b1")
    1
    """
    return 10 * (int(name[1:]) - 1) + FILES.index(name[0])


def names(squares: list[int] | tuple[int, ...]) -> list[str]:
    return [square_name(square) for square in squares]


def spoken(words: list[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def row_of(side: str) -> list[int]:
    """A side's row from its player's own left to right (traverse.md, Set-up)."""
    return {
        "S": [1 + k for k in range(8)],
        "W": [10 * (8 - k) for k in range(8)],
        "N": [98 - k for k in range(8)],
        "E": [10 * (1 + k) + 9 for k in range(8)],
    }[side]


def directions_of(shape: int, side: str) -> list[tuple[int, int]]:
    """The ways a piece goes, as steps of file and rank (traverse.md, Pieces)."""
    straight = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    diagonal = [(1, 1), (-1, -1), (-1, 1), (1, -1)]
    if shape == 0:
        return straight
    if shape == 1:
        return diagonal
    if shape == 3:
        return straight + diagonal
    x, y = FORWARD[side]
    return [d for d in diagonal if d[0] * x + d[1] * y == 1] + [(-x, -y)]


class Leg(NamedTuple):
    """One hop: where it lands, and the square hopped over."""

    landing: int
    hopped: int


class Mover:
    """One piece lifted from the board, and what it can do.

    Parameters
    ----------
    board : dict of int to (player, shape)
        All pieces, this one included.
    origin : int
        Its square.
    sides : str
        By player.
    long_hops : bool
    circles : str
    """

    def __init__(
        self,
        board: dict[int, tuple[int, int]],
        origin: int,
        sides: str,
        long_hops: bool,
        circles: str,
    ) -> None:
        self.board = {square: piece for square, piece in board.items() if square != origin}
        self.origin = origin
        self.player, self.shape = board[origin]
        self.sides = sides
        self.side = sides[self.player]
        self.long_hops = long_hops
        self.circles = circles
        self.directions = directions_of(self.shape, self.side)
        self.start_row = frozenset(row_of(self.side))
        self.finish_row = frozenset(row_of(OPPOSITE[self.side]))
        #: Where it may rest whatever the way there (traverse.md, Rest).
        self.rest = FIELD | self.finish_row

    def removable(self, square: int) -> bool:
        """Whether hopping over what stands here removes it (traverse.md, Circles)."""
        player, shape = self.board[square]
        if self.circles == STAY or shape != 3 or player == self.player:
            return False
        side = self.sides[player]
        safe = row_of(side) + (row_of(OPPOSITE[side]) if self.circles == RETURN else [])
        return square not in safe

    def hops(self, square: int, removed: frozenset[int]) -> Iterator[Leg]:
        """Every hop from a square, once some circles are gone."""
        file, rank = square % 10, square // 10
        for x, y in self.directions:
            for away in range(1, 5 if self.long_hops else 2):
                f, r = file + 2 * away * x, rank + 2 * away * y
                if not (0 <= f <= 9 and 0 <= r <= 9):
                    break
                line = [square + k * (x + 10 * y) for k in range(1, 2 * away + 1)]
                standing = [one for one in line if one in self.board and one not in removed]
                if standing == [line[away - 1]]:
                    yield Leg(line[-1], line[away - 1])

    def after(self, leg: Leg, removed: frozenset[int]) -> frozenset[int]:
        return removed | {leg.hopped} if self.removable(leg.hopped) else removed

    def ways(
        self, within: frozenset[int] | None = None
    ) -> dict[tuple[int, frozenset[int]], tuple[int, ...]]:
        """By square and circles removed, a shortest series; of several the least by squares."""
        found: dict[tuple[int, frozenset[int]], tuple[int, ...]] = {}
        edge: list[tuple[int, frozenset[int], tuple[int, ...]]] = [(self.origin, frozenset(), ())]
        seen: set[tuple[int, frozenset[int]]] = {(self.origin, frozenset())}
        while edge:
            # The edge is ordered by the squares on the way, so the first to arrive is the least.
            following = []
            for square, removed, path in edge:
                for leg in sorted(self.hops(square, removed)):
                    state = leg.landing, self.after(leg, removed)
                    if state in seen or (within is not None and leg.landing not in within):
                        continue
                    seen.add(state)
                    found[state] = (*path, leg.landing)
                    following.append((*state, found[state]))
            edge = following
        return found

    def only_within(self, target: int) -> frozenset[int] | None:
        """Where a series that ends on this square must stay; None: anywhere."""
        if target in self.start_row and self.origin in self.start_row:
            return self.start_row
        return None

    def may_rest(self, target: int, path: tuple[int, ...]) -> bool:
        """Whether a turn by this way may end here."""
        if target in self.rest:
            return True
        return self.origin in self.start_row and self.start_row.issuperset(path)

    def is_step(self, target: int) -> bool:
        x = target % 10 - self.origin % 10
        y = target // 10 - self.origin // 10
        return max(abs(x), abs(y)) == 1

    def series(self, target: int, removed: frozenset[int]) -> tuple[int, ...] | None:
        """The squares landed on by a shortest series with just that removed set."""
        if self.is_step(target):
            return (target,)
        return self.ways(self.only_within(target)).get((target, removed))

    def series_all(self, target: int, removed: frozenset[int]) -> Iterator[tuple[int, ...]]:
        """Every series without a repeated square, ordered by the squares."""
        if self.is_step(target):
            yield (target,)
            return
        within = self.only_within(target)

        def can_arrive(square: int, gone: frozenset[int], path: tuple[int, ...]) -> bool:
            """Whether any way, square by square, still leads to the end: no dead ends then."""
            edge = [(square, gone)]
            seen = {edge[0]}
            while edge:
                here, now = edge.pop()
                if (here, now) == (target, removed):
                    return True
                for leg in self.hops(here, now):
                    state = leg.landing, self.after(leg, now)
                    if (
                        state not in seen
                        and state[1] <= removed
                        and leg.landing != self.origin
                        and leg.landing not in path
                        and (within is None or leg.landing in within)
                    ):
                        seen.add(state)
                        edge.append(state)
            return False

        def walk(
            square: int, gone: frozenset[int], path: tuple[int, ...]
        ) -> Iterator[tuple[int, ...]]:
            if path and (square, gone) == (target, removed):
                yield path
            for leg in sorted(self.hops(square, gone)):
                if leg.landing == self.origin or leg.landing in path:
                    continue
                if within is not None and leg.landing not in within:
                    continue
                now = self.after(leg, gone)
                further = (*path, leg.landing)
                if now <= removed and can_arrive(leg.landing, now, further):
                    yield from walk(leg.landing, now, further)

        yield from walk(self.origin, frozenset(), ())

    # ---- why not

    def leg_fault(
        self, square: int, target: int, removed: frozenset[int]
    ) -> tuple[str, str] | None:
        """Why the piece cannot go from one square straight to another; None when it can.

        A step counts as possible here, wherever it begins.
        """
        here, there = square_name(square), square_name(target)
        name = SHAPE_NAMES[self.shape]
        x, y = target % 10 - square % 10, target // 10 - square // 10
        far = max(abs(x), abs(y))
        if x and y and abs(x) != abs(y):
            return "not_straight", f"{here} to {there} is not a straight line."
        way = (x // far, y // far)
        if way not in self.directions:
            return "direction", f"A {name} does not go from {here} towards {there}: {self._goes()}."
        standing = {one for one in self.board if one not in removed}
        if target in standing:
            return "occupied", f"{there} is occupied, so the {name} cannot land there."
        if far == 1:
            return None
        line = [square + k * (way[0] + 10 * way[1]) for k in range(1, far)]
        between = [one for one in line if one in standing]
        if not between:
            return "nothing_hopped", (
                f"Between {here} and {there} there is no piece to hop over, "
                "and a step goes one square only."
            )
        middle = line[far // 2 - 1] if far % 2 == 0 else None
        if len(between) > 1:
            where = spoken(names(between))
            if middle in between:
                others = spoken(names([one for one in between if one != middle]))
                return "line_blocked", (
                    f"{here} to {there} is blocked on {others}: all squares on the line must be "
                    f"empty but {square_name(middle)}, the one hopped."
                )
            return "two_pieces", (
                f"{here} to {there} would hop over the pieces on {where}: "
                "one hop goes over exactly one piece."
            )
        if middle not in between:
            before = line.index(between[0])
            behind = len(line) - 1 - before
            return "not_symmetric", (
                f"{here} to {there} is not symmetric: {_empty(before)} before the piece on "
                f"{square_name(between[0])}, {_empty(behind, short=True)} after it."
            )
        if far > 2 and not self.long_hops:
            return "too_far", (
                f"{here} to {there} is a long hop over {square_name(between[0])}: in this game "
                "the hopped piece must be adjacent."
            )
        return None

    def _goes(self) -> str:
        return (
            "it goes along ranks and files",
            "it goes diagonally",
            "it goes diagonally forward and straight back",
            "",
        )[self.shape]

    def rest_fault(self, target: int) -> str:
        """Why the turn may not end here."""
        there = square_name(target)
        if target in self.start_row:
            if self.origin in self.start_row:
                return (
                    f"The turn may not end on {there}: a piece that begins in its start row stops "
                    "there only if every square it lands on lies in that row."
                )
            return f"The turn may not end on {there}, in the piece's own start row."
        return (
            f"The turn may not end on {there}: on the edge, pieces rest only in their own finish "
            "row; other squares there are for passing over."
        )

    def path_fault(self, path: list[int]) -> tuple[str, str] | frozenset[int]:
        """What is wrong with a way given square by square, or the circles that it removes."""
        removed: frozenset[int] = frozenset()
        square = self.origin
        for target in path:
            if target == square:
                return "same_square", f"{square_name(target)} is where the piece stands already."
            fault = self.leg_fault(square, target, removed)
            if fault:
                return fault
            x, y = target % 10 - square % 10, target // 10 - square // 10
            if max(abs(x), abs(y)) == 1:
                if len(path) > 1:
                    return "step_after_hop", (
                        f"{square_name(square)} to {square_name(target)} is a step: a turn is one "
                        "step or a series of hops, never both."
                    )
            else:
                leg = Leg(target, (square + target) // 2)
                removed = self.after(leg, removed)
            square = target
        if not self.may_rest(square, tuple(path)):
            return "may_not_rest", self.rest_fault(square)
        return removed

    def ends_fault(self, target: int) -> tuple[str, str]:
        """Why no action leads to a square, when none does."""
        here, there = square_name(self.origin), square_name(target)
        ways = self.ways()
        if any(square == target for square, _ in ways) and target not in self.board:
            return "may_not_rest", self.rest_fault(target)
        x, y = target % 10 - self.origin % 10, target // 10 - self.origin // 10
        straight = not x or not y or abs(x) == abs(y)
        if straight or x % 2 or y % 2:
            fault = self.leg_fault(self.origin, target, frozenset())
            if fault:
                return fault
            return "may_not_rest", self.rest_fault(target)
        if target in self.board:
            return "occupied", f"{there} is occupied, so the piece cannot land there."
        if not self.may_rest(target, (target,)):
            return "may_not_rest", self.rest_fault(target)
        return "no_series", f"No series of hops leads from {here} to {there}."


def _empty(count: int, short: bool = False) -> str:
    if short:
        return "none" if count == 0 else str(count) if count > 1 else "one"
    if count == 0:
        return "no empty square"
    return "one empty square" if count == 1 else f"{count} empty squares"
