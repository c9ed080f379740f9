"""Octiles: paths traced over turning tiles, tiles hidden until they are lifted."""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar, NamedTuple, TypeAlias, cast

import numpy as np

from .._core.engine import State
from .._core.octiles import OctilesRules
from .._errors import IllegalActionError, PositionError
from .._fields import read_items, read_number, split_fields
from .._svg import FAINT, INK, LAST, PAPER, PATH, PLAYERS, Look, Marks, Svg, marked_texts
from ..game import Game, Option, choice, plain, whole

EDGES = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
SIDES = "SWNE"
#: The sides that two, three and four players sit at, in turn order.
SEATS = {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}
USUAL_CIRCLES = {3: "135", 4: "1245", 5: "12345"}
STOPS, SPACES, PLACES, TILES = 16, 17, 36, 18
BEYOND = 64  # values of leads_to from here on: 64 + the port that the path goes on at
FACE_DOWN = 8
LETTERS = "ABCDEFGHIJKLMNOPQR"

#: Names of the places by number: stops, then the circles of S, W, N and E.
PLACE_NAMES = tuple(
    [f"s{k}" for k in range(STOPS)] + [f"{side}{k}" for side in SIDES for k in range(1, 6)]
)
PLACE_NUMBERS = {name: number for number, name in enumerate(PLACE_NAMES)}

Point: TypeAlias = tuple[float, float]
#: hand, tiles, turned, runners, turn, passes, last, finished: see OctilesRules.pack.
Parts: TypeAlias = tuple[int, list[int], list[int], list[int], int, int, int | None, list[int]]

_ACTION = re.compile(r"o(\d|1[0-6])\.([0-7]):([sSWNE]\d{1,2})-([sSWNE]\d{1,2})")
_TOKEN = re.compile(r"[a-r]|[A-R][0-7]")


class Board(NamedTuple):
    """The board and the tiles, from boards/octiles.json."""

    leads_to: tuple[int, ...]  # by port, 8 * space + edge
    printed: frozenset[int]  # ports joined by a printed path
    touching: tuple[tuple[int, ...], ...]  # by place: its ports
    space_at: tuple[tuple[float, float], ...]  # centres, x to the east and y to the north
    stop_at: tuple[tuple[float, float], ...]
    chords: tuple[tuple[int, ...], ...]  # by tile: the edge out by the edge in, unturned
    turns: tuple[int, ...]  # by tile


@cache
def board() -> Board:
    data = json.loads((files("boardrace") / "boards" / "octiles.json").read_text("utf-8"))
    spaces = {octagon["id"]: k for k, octagon in enumerate(data["octagons"])}
    leads_to: list[int] = []
    printed = set()
    touching: list[list[int]] = [[] for _ in range(PLACES)]
    for k, octagon in enumerate(data["octagons"]):
        for edge, there in enumerate(octagon["edges"]):
            if there["to"] in spaces:
                leads_to.append(BEYOND + 8 * spaces[there["to"]] + there["edge"])
                if there["printed"]:
                    printed.add(8 * k + edge)
            else:
                leads_to.append(PLACE_NUMBERS[there["to"]])
                touching[leads_to[-1]].append(8 * k + edge)
    chords = []
    for tile in data["tiles"]:
        across = [0] * 8
        for a, b in tile["chords"]:
            across[a], across[b] = b, a
        chords.append(tuple(across))
    return Board(
        tuple(leads_to),
        frozenset(printed),
        tuple(map(tuple, touching)),
        tuple((octagon["x"], octagon["y"]) for octagon in data["octagons"]),
        tuple((stop["x"], stop["y"]) for stop in data["stops"]),
        tuple(chords),
        tuple(tile["turns"] for tile in data["tiles"]),
    )


def quarter(x: float, y: float) -> tuple[float, float]:
    """A point after a quarter turn clockwise."""
    return y, -x


@cache
def spaces_turned() -> tuple[int, ...]:
    """Where each space goes in a quarter turn clockwise."""
    where = {at: k for k, at in enumerate(board().space_at)}
    return tuple(where[quarter(*at)] for at in board().space_at)


@cache
def places_turned() -> tuple[int, ...]:
    """Where each place goes in a quarter turn clockwise: S to W, W to N, N to E, E to S."""
    where = {at: k for k, at in enumerate(board().stop_at)}
    stops = [where[quarter(*at)] for at in board().stop_at]
    return tuple(stops + [STOPS + (k + 5) % 20 for k in range(20)])


@cache
def rows() -> tuple[tuple[int, ...], ...]:
    """For each side and place the rows advanced by a player who starts at that side."""
    result = []
    for side in range(4):
        ahead = []
        for x, y in board().stop_at:
            for _ in range((4 - side) % 4):
                x, y = quarter(x, y)
            ahead.append(int(y + 2.5))
        ahead += [5 if k // 5 == (side + 2) % 4 else 0 for k in range(20)]
        result.append(tuple(ahead))
    return tuple(result)


def _members(places: int) -> list[int]:
    return [k for k in range(PLACES) if places >> k & 1]


def _check_circles(value: Any) -> str | tuple[str, ...]:
    """One text of digits, or one a player."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, (str, int, list, tuple)):
        raise ValueError(f"circles is {value!r}: it must be a text like 135, or one a player")
    if isinstance(value, str) and "," in value:
        value = value.split(",")
    texts = [str(plain(one)) for one in (value if isinstance(value, (list, tuple)) else [value])]
    for text in texts:
        if not re.fullmatch(r"12?3?4?5", text) or len(text) < 3:
            raise ValueError(
                f"circles is {text[:40]!r}: it must be 3 to 5 of the digits 1 to 5, ascending,"
                " 1 and 5 among them"
            )
    if len({len(text) for text in texts}) > 1:
        raise ValueError("circles must name the same number of circles for every player")
    if len(set(texts)) == 1 and isinstance(value, (str, int)):
        return texts[0]
    return tuple(texts)


class Crossing(NamedTuple):
    """One tile crossed on a path.

    Attributes
    ----------
    octagon : str
        The space, ``"o0"`` to ``"o16"``.
    tile : str
        The tile and its turn, as in the position's text: ``"B3"``.
    enter, leave : int
        The edges in and out, 0 to 7 = N, NE, E, SE, S, SW, W, NW.
    """

    octagon: str
    tile: str
    enter: int
    leave: int


class Trace(NamedTuple):
    """A path.

    Attributes
    ----------
    start : str
        The stop or circle where it starts.
    steps : tuple of Crossing
    end : str or None
        The stop or circle where it ends; None when it cannot.
    why : str
        ``"stop"``, ``"circle"`` or ``"face_down"``: what ends it.
    at : str
        Where it ends: the place, or the space of the face-down tile.
    """

    start: str
    steps: tuple[Crossing, ...]
    end: str | None
    why: str
    at: str

    def __str__(self) -> str:
        """As a player would show it: ``S2 > o15 S-NW > s13``."""
        parts = [self.start]
        parts += [f"{one.octagon} {EDGES[one.enter]}-{EDGES[one.leave]}" for one in self.steps]
        return " > ".join([*parts, self.at if self.end else f"{self.at} (face down)"])


class OctilesState(State):
    """A position of Octiles."""

    # ---- text

    def _parts(self) -> Parts:
        return self._octiles._rules.unpack(self._bytes())

    @property
    def _octiles(self) -> OctilesGame:
        return cast("OctilesGame", self.game)

    def _places(self, player: int, runners: int) -> list[int]:
        """A player's runners in the order of the text."""
        side = self._octiles.seats[player]
        first = STOPS + 5 * side
        starting = 0x1F << first
        places = _members(runners & starting)
        places += _members(runners & 0xFFFF)
        return places + _members(runners & ~starting & ~0xFFFF)

    def __str__(self) -> str:
        hand, tiles, turned, runners, turn, passes, last, finished = self._parts()
        tokens = [
            LETTERS[tile].lower() if r == FACE_DOWN else f"{LETTERS[tile]}{r}"
            for tile, r in zip(tiles, turned, strict=True)
        ]
        fields = ["octiles", str(turn), LETTERS[hand], ",".join(tokens)]
        for player, places in enumerate(runners):
            fields.append(",".join(PLACE_NAMES[k] for k in self._places(player, places)))
        fields += [str(passes), "-" if last is None else str(last)]
        if self._octiles.options["play_on"]:
            fields.append(",".join(map(str, finished)) or "-")
        return " ".join(fields)

    def action_to_str(self, action: int) -> str:
        """The text of an action: space, turn, from and to, or ``pass``.

        >>> import boardrace as br
        >>> state = br.load("octiles").new_state(seed=7)
        >>> state.action_to_str(state.game.num_actions - 1)
        'pass'
        """
        parts = self._octiles._rules.action_parts(self.game._action_number(action))
        if parts is None:
            return "pass"
        space, r, start, end = parts
        return f"o{space}.{r}:{PLACE_NAMES[start]}-{PLACE_NAMES[end]}"

    def parse_action(self, text: str) -> int:
        """The action with that text.

        Raises
        ------
        IllegalActionError
            When it is not legal now, with the reason.
        """
        verdict = self.explain(text)
        if not verdict:
            raise IllegalActionError(verdict.code, f"{text[:60]}: {verdict.message}")
        return self._number(text)

    def _number(self, text: str) -> int:
        if text == "pass":
            return self.game.num_actions - 1
        space, r, start, end = _read_action(text)
        return self._octiles._rules.action_number(space, r, start, end)

    # ---- why not

    def _bad_text(self, text: str) -> str | None:
        if text == "pass":
            return None
        found = _ACTION.fullmatch(text)
        if found is None:
            return (
                f"{text[:60]!r} is no action: write space, turn, from and to like o15.3:S2-s13,"
                " or pass."
            )
        for name in found.groups()[2:]:
            if name not in PLACE_NUMBERS:
                return (
                    f"There is no place {name}: stops are s0 to s15, circles S1 to S5 and W, N, E."
                )
        return None

    def _reason(self, text: str) -> tuple[str, str]:
        hand, tiles, turned, runners, turn, _, _, _ = self._parts()
        legal = self.legal_actions()
        if text == "pass":
            if int(legal[0]) == self.game.num_actions - 1:
                return "legal", "No other action is possible: the switch tile goes on unturned."
            return "must_move", (
                f"A pass is allowed only where nothing else is: {self.action_to_str(int(legal[0]))}"
                " is possible."
            )
        space, r, start, end = _read_action(text)
        here, there, over = PLACE_NAMES[start], PLACE_NAMES[end], f"o{space}"
        side = self._octiles.seats[turn]
        finishing = 0x1F << (STOPS + 5 * ((side + 2) % 4))
        occupied = 0
        for player, places in enumerate(runners):
            occupied |= places
            if places >> start & 1 and player != turn:
                return "not_yours", f"The runner on {here} is player {player}'s, not {turn}'s."
        if not occupied >> start & 1:
            return "no_runner", f"No runner stands on {here}."
        if finishing >> start & 1:
            return "finished", f"The runner on {here} is in a finishing circle and moves no more."
        tile = LETTERS[hand]
        turns = board().turns[hand]
        if r >= turns:
            return "wrong_turn", (
                f"Tile {tile} has only {turns} different turn{'s' * (turns > 1)}, 0"
                + (f" to {turns - 1}." if turns > 1 else ".")
            )
        traces = self._traces(start, space, hand, r)
        reaching = [one for one in traces if one.end == there]
        across = [one for one in reaching if any(step.octagon == over for step in one.steps)]
        cut = [one for one in traces if one.end is None]
        if cut and not reaching:
            return "face_down", (
                f"With {tile}{r} on {over} no path from {here} ends at {there}, and {cut[0]} runs"
                f" into a face-down tile on {cut[0].at}, which cannot be crossed."
            )
        if reaching and not across:
            return "misses_tile", (
                f"The path {reaching[0]} does not cross the tile just laid on {over}."
            )
        if end >= STOPS and not finishing >> end & 1:
            return "wrong_circle", (
                f"{there} is not one of player {turn}'s finishing circles,"
                f" {SIDES[(side + 2) % 4]}1 to {SIDES[(side + 2) % 4]}5."
            )
        if start != end and occupied >> end & 1:
            return "occupied", f"A runner stands on {there} already."
        if not reaching:
            ends = ", ".join(dict.fromkeys(one.end for one in traces if one.end))
            return "no_path", f"With {tile}{r} on {over} the paths from {here} end at {ends}."
        number = self._octiles._rules.action_number(space, r, start, end)
        if number not in legal:
            return "must_open_finish", (
                f"All five starting circles {SIDES[side]}1 to {SIDES[side]}5 are taken, so a runner"
                f" must leave them while one can: {self.action_to_str(int(legal[0]))} is possible."
            )
        return "legal", f"The runner goes {across[0]}."

    # ---- queries

    def _traces(self, start: int, space: int = -1, tile: int = 0, r: int = 0) -> list[Trace]:
        """The paths from a place, with a tile laid or as the tiles lie."""
        return [self._trace(start, port, space, tile, r) for port in board().touching[start]]

    def _trace(self, start: int, port: int, space: int = -1, tile: int = 0, r: int = 0) -> Trace:
        rules = self._octiles._rules
        steps, end, blocked = rules.trace(self._bytes(), port, space, tile, r)
        crossings = tuple(
            Crossing(f"o{at}", f"{LETTERS[lies]}{turned}", enter, leave)
            for at, lies, turned, enter, leave in steps
        )
        if end < 0:
            return Trace(PLACE_NAMES[start], crossings, None, "face_down", f"o{blocked}")
        name = PLACE_NAMES[end]
        return Trace(PLACE_NAMES[start], crossings, name, "stop" if end < STOPS else "circle", name)

    def trace(
        self,
        place: str,
        octagon: str | int,
        edge: int | str,
        *,
        space: str | int | None = None,
        tile: str | None = None,
    ) -> Trace:
        """Follow a path from a stop or circle, whoever stands where.

        Parameters
        ----------
        place : str
            A stop or a circle.
        octagon : str or int
            A space that touches it, ``"o7"`` or 7.
        edge : int or str
            That space's edge towards it, 0 to 7 or N, NE, E, SE, S, SW, W, NW.
        space, tile : str, optional
            Lay this tile, like ``"B3"``, on this space first; a letter without a turn is turn 0.

        Returns
        -------
        Trace
            The tiles crossed with the edges in and out, and where it ends or why it cannot.

        Examples
        --------
        >>> import boardrace as br
        >>> game = br.load("octiles")
        >>> state = game.parse(
        ...     "octiles 0 E a,b,c,d,f,g,h,i,j,k,l,m,n,o,p,q,r S1,S2,S3,S4,S5 N1,N2,N3,N4,N5 0 -")
        >>> str(state.trace("S1", "o15", "SW"))
        'S1 > o15 (face down)'
        >>> path = state.trace("S1", "o15", 5, space="o15", tile="E3")
        >>> path.steps, path.end, path.why
        ((Crossing(octagon='o15', tile='E3', enter=5, leave=7),), 's13', 'stop')
        """
        start = _place(place)
        port = 8 * _octagon(octagon) + _edge(edge)
        if port not in board().touching[start]:
            touching = ", ".join(f"o{k // 8} {EDGES[k % 8]}" for k in board().touching[start])
            raise ValueError(
                f"o{port // 8}'s edge {EDGES[port % 8]} does not touch {place};"
                f" the edges that do: {touching}"
            )
        if (space is None) != (tile is None):
            raise ValueError("give both the tile to lay and its space, or neither")
        if space is None or tile is None:
            return self._trace(start, port)
        return self._trace(start, port, _octagon(space), *_tile(tile))

    def paths(self, action: int | str) -> tuple[Trace, ...]:
        """The ways to run a legal action: two where two paths lead to the same place.

        Parameters
        ----------
        action : int or str

        Examples
        --------
        >>> import boardrace as br
        >>> state = br.load("octiles").parse(
        ...     "octiles 0 E a,b,c,d,f,g,h,i,j,k,l,m,n,o,p,q,r S1,S2,S3,S4,S5 N1,N2,N3,N4,N5 0 -")
        >>> [str(path) for path in state.paths("o15.3:S1-s13")]
        ['S1 > o15 SW-NW > s13']
        """
        text = action if isinstance(action, str) else self.action_to_str(action)
        self.parse_action(text)
        if text == "pass":
            return ()
        space, r, start, end = _read_action(text)
        hand = self._parts()[0]
        return tuple(
            one
            for one in self._traces(start, space, hand, r)
            if one.end == PLACE_NAMES[end]
            and any(step.octagon == f"o{space}" for step in one.steps)
        )

    # ---- pictures

    def render(self) -> str:
        """A text picture, 79 columns wide, on which one can follow the paths.

        Each space shows its name, its tile and at its eight edges letters: a path that comes in
        at a letter goes out at the other edge with the same letter. Stops and circles show
        their names, and behind ``=`` the player whose runner stands there. The switch tile is
        drawn in the corner as it lies at turn 0.

        >>> import boardrace as br
        >>> picture = br.load("octiles").new_state(seed=7).render()
        >>> print("\\n".join(line[:60] for line in picture.splitlines()[:7]))
        Octiles, player 0 to move from S to N, tile Q has 2 turns
        switch tile       N4=1   N3=1  .---.   N2=1   N1=1
         .d--a--b.            .-------.     .-------.
         |       |            |       |     |       |
         b  Q    c       N5=1-|  o0   |-----|  o1   |---------.
         |  Q0   |            |  ???  |     |  ???  |         |
         'c--d--a'            '-------'     '-------'         |
        """
        hand, tiles, turned, runners, turn, passes, _, _ = self._parts()
        canvas = [[" "] * 80 for _ in range(31)]

        def write(column: int, row: int, text: str) -> None:
            canvas[row][column : column + len(text)] = text

        def centre(x: float, y: float) -> tuple[int, int]:
            return int(40 + 14 * x), int(15 - 6 * y)

        def write_tile(column: int, row: int, name: str, tile: int, r: int) -> None:
            marks = "-" * 8 if r == FACE_DOWN else _chord_letters(tile, r)
            side = "|" if r == FACE_DOWN else None
            nw, n, ne, e = marks[7], marks[0], marks[1], marks[2]
            sw, s, se, w = marks[5], marks[4], marks[3], marks[6]
            write(column - 4, row - 2, f".{nw}--{n}--{ne}.")
            write(column - 4, row - 1, "|       |")
            write(column - 4, row, f"{side or w}  {name:<5}{side or e}")
            what = "???" if r == FACE_DOWN else f"{LETTERS[tile]}{r}"
            write(column - 4, row + 1, f"|  {what:<5}|")
            write(column - 4, row + 2, f"'{sw}--{s}--{se}'")

        on = {k: player for player, places in enumerate(runners) for k in _members(places)}
        names = [name + (f"={on[k]}" if k in on else "") for k, name in enumerate(PLACE_NAMES)]
        for k, (x, y) in enumerate(board().space_at):
            column, row = centre(x, y)
            write_tile(column, row, f"o{k}", tiles[k], turned[k])
            for edge in range(8):
                there = board().leads_to[8 * k + edge]
                if edge == 2 and there >= BEYOND and 8 * k + edge not in board().printed:
                    write(column + 5, row, "-----")
                elif edge == 4 and there >= BEYOND and 8 * k + edge not in board().printed:
                    write(column, row + 3, "|")
                elif STOPS <= there < PLACES and edge == 2:
                    write(column + 5, row, "-" + names[there])
                elif STOPS <= there < PLACES and edge == 6:
                    write(column - 5 - len(names[there]), row, names[there] + "-")
                elif STOPS <= there < PLACES:
                    across, up = _DIRECTIONS[edge]
                    write(
                        column + (across > 0) * 7 - (across < 0) * 7 - 1,
                        row - (3 if up > 0 else -3),
                        names[there],
                    )
        for k, (x, y) in enumerate(board().stop_at):
            column, row = centre(x, y)
            write(column - len(names[k]) // 2, row, names[k])
        for column, row, text in _PRINTED_LINES:
            for step, line in enumerate(text.split("/")):
                write(column, row + step, line)
        write(0, 0, "switch tile")
        write_tile(5, 3, LETTERS[hand], hand, 0)
        if self.is_terminal:
            won = ", ".join(f"player {k}: {value:g}" for k, value in enumerate(self.returns()))
            head = f"Octiles, over. {won}"
        else:
            head = f"Octiles, player {turn} to move"
            side = self._octiles.seats[turn]
            head += f" from {SIDES[side]} to {SIDES[(side + 2) % 4]}"
            head += f", tile {LETTERS[hand]} has {board().turns[hand]} turn"
            head += "s" * (board().turns[hand] > 1)
            head += f", {passes} passed" * (passes > 0)
        return "\n".join([head, *("".join(line).rstrip() for line in canvas)])

    def svg(
        self,
        *,
        size: float = 480,
        mark: Marks = None,
        player: int | None = None,
        show_hidden: bool = False,
        last: bool = True,
    ) -> str:
        """A picture as SVG text.

        Parameters
        ----------
        size : float
            Width and height in pixels.
        mark : str, int or iterable of them, optional
            Legal actions: their tile is drawn laid, their paths marked.
        player : int, optional
            Turn the board so that this player sits at the bottom.
        show_hidden : bool
            Draw the face-down tiles too, faintly.
        last : bool
            Mark the tile, the path and the runner of the last action of the history.
        """
        hand, tiles, turned, runners, turn, _, _, _ = self._parts()
        side = 0 if player is None else self._octiles.seats[self._seat(player)]
        draw = _Drawing(size, (4 - side) % 4)
        texts = marked_texts(self, mark)
        marked: list[Trace] = []
        laid: dict[int, str] = {}
        for text in texts:
            marked += self.paths(text)
            if text != "pass":
                space, r, _, _ = _read_action(text)
                tiles[space], turned[space] = hand, r
                laid[space] = PATH
        gone: list[Trace] = []
        moved: tuple[int, ...] = ()
        parts = (
            self._octiles._rules.action_parts(self.history[-1]) if last and self.history else None
        )
        if parts is not None:
            space, _, start, end = parts
            laid.setdefault(space, LAST)
            moved = (start, end)
            if not texts:
                gone = [
                    one
                    for one in self._traces(start)
                    if one.end == PLACE_NAMES[end]
                    and any(step.octagon == f"o{space}" for step in one.steps)
                ][:1]
        draw.ground()
        for k, (x, y) in enumerate(board().space_at):
            hidden = turned[k] == FACE_DOWN
            r = 0 if hidden else turned[k]
            chords = show_hidden or not hidden
            draw.tile(x, y, 0.5, tiles[k], r, chords=chords, hidden=hidden, name=f"o{k}")
        for k in [*range(SPACES), *laid]:  # those marked once more, over their neighbours
            x, y = board().space_at[k]
            draw.outline(x, y, 0.5, laid.get(k))
        lit = dict.fromkeys(moved, LAST)
        for one in gone:
            draw.route(one, LAST)
        for one in marked:
            draw.route(one, PATH)
            lit[PLACE_NUMBERS[one.start]] = lit[PLACE_NUMBERS[one.at]] = PATH
        for k in range(PLACES):
            draw.place(k, lit.get(k))
        for seat, places in enumerate(runners):
            for k in _members(places):
                draw.runner(k, PLAYERS[seat])
        if not self.is_terminal:
            draw.corner(hand, f"player {turn} to move", PLAYERS[turn])
        elif self.winners:
            draw.corner(hand, f"player {self.winners[0]} wins", PLAYERS[self.winners[0]])
        else:
            draw.corner(hand, "a draw", None)
        return draw.picture.text()

    def _seat(self, player: int) -> int:
        number = operator.index(player)
        if not 0 <= number < self.game.num_players:
            raise ValueError(f"no player {number}: they are 0 to {self.game.num_players - 1}")
        return number


#: One step through each edge: east, north.
_DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))

#: The printed paths in the text picture: column, row, lines.
_PRINTED_LINES = (
    (31, 0, ".---."), (45, 3, "---------."), (54, 4, "|/|/|"), (73, 12, ")"),
    (68, 18, "|/|/|"), (59, 21, "---------'"), (45, 30, "'---'"), (26, 24, "|/|/|"),
    (26, 27, "'---------"), (7, 18, "("), (12, 9, ".---------/|/|/|"),
)  # fmt: skip


def _chord_letters(tile: int, r: int) -> list[str]:
    """For each edge the letter of its chord, as the tile lies."""
    letters = [""] * 8
    free = iter("abcd")
    for edge in range(8):
        if not letters[edge]:
            letters[edge] = next(free)
            letters[(board().chords[tile][(edge - r) % 8] + r) % 8] = letters[edge]
    return letters


class _Drawing:
    """The board as SVG: a unit, the distance of two spaces, is 100."""

    FACE, BACK, LINE, HIDDEN_LINE = "#fff9ec", "#8d99a6", "#6b4a2b", "#b9c3cd"

    def __init__(self, size: float, quarters: int) -> None:
        self.quarters = quarters
        self.picture = Svg(600, 600, "Octiles", size)

    # ---- geometry

    def at(self, x: float, y: float) -> Point:
        """A point of the board, as it is turned, in the picture."""
        for _ in range(self.quarters):
            x, y = quarter(x, y)
        return 300 + 100 * x, 300 - 100 * y

    def edge(self, x: float, y: float, edge: int, away: float) -> Point:
        """A point some way out from a centre through an edge."""
        across, up = _DIRECTIONS[edge]
        scale = away / math.hypot(across, up)
        return self.at(x + across * scale, y + up * scale)

    def place_at(self, place: int) -> Point:
        if place < STOPS:
            return self.at(*board().stop_at[place])
        port = board().touching[place][0]
        return self.edge(*board().space_at[port // 8], port % 8, 0.7071)

    def corners(self, x: float, y: float, reach: float) -> list[Point]:
        """Those of an octagon."""
        short, long = reach * math.tan(math.pi / 8), reach
        ways = ((short, long), (long, short), (long, -short), (short, -long))
        return [self.at(x + sign * a, y + sign * b) for sign in (1, -1) for a, b in ways]

    def chord(self, x: float, y: float, reach: float, a: int, b: int) -> str:
        """The curve of a chord, from where the pen is: the middle of edge a."""
        # Neighbouring edges bend close to the rim, opposite ones go straight through.
        inner = reach * (0.5, 0.5, 0.4, 0.3, 0.2)[min((a - b) % 8, (b - a) % 8)]
        return _curve(
            self.edge(x, y, a, inner), self.edge(x, y, b, inner), self.edge(x, y, b, reach)
        )

    def printed(self, port: int) -> str:
        """The curve of a printed path, from the middle of a port's edge."""
        there = board().leads_to[port] - BEYOND
        (x, y), (to_x, to_y) = board().space_at[port // 8], board().space_at[there // 8]
        start, end = self.edge(x, y, port % 8, 0.5), self.edge(to_x, to_y, there % 8, 0.5)
        away = 0.5 + 0.0045 * math.dist(start, end)
        return _curve(self.edge(x, y, port % 8, away), self.edge(to_x, to_y, there % 8, away), end)

    # ---- parts of the board

    def ground(self) -> None:
        """The printed paths, and the short ways from spaces to stops and circles."""
        for port in sorted(board().printed):
            if port < board().leads_to[port] - BEYOND:
                x, y = self.edge(*board().space_at[port // 8], port % 8, 0.5)
                d = f"M {x:.1f} {y:.1f}{self.printed(port)}"
                self.picture.path(d, fill="none", stroke=FAINT, stroke_width=11)
                self.picture.path(d, fill="none", stroke=self.LINE, stroke_width=5)
        for place in range(PLACES):
            for port in board().touching[place]:
                x, y = self.edge(*board().space_at[port // 8], port % 8, 0.5)
                self.picture.line(x, y, *self.place_at(place), stroke=self.LINE, stroke_width=5)

    def tile(
        self,
        x: float,
        y: float,
        reach: float,
        tile: int,
        r: int,
        *,
        chords: bool = True,
        hidden: bool = False,
        name: str = "",
    ) -> None:
        """A tile on a space: chords drawn later pass over those drawn before."""
        fill, line = (self.BACK, self.HIDDEN_LINE) if hidden else (self.FACE, self.LINE)
        self.picture.polygon(self.corners(x, y, reach), fill=fill)
        across = board().chords[tile]
        for a in range(8):
            if chords and a < across[a]:
                start, end = (a + r) % 8, (across[a] + r) % 8
                left, top = self.edge(x, y, start, reach)
                d = f"M {left:.1f} {top:.1f}{self.chord(x, y, reach, start, end)}"
                self.picture.path(d, fill="none", stroke=fill, stroke_width=20 * reach)
                self.picture.path(d, fill="none", stroke=line, stroke_width=10 * reach)
        left, top = self.at(x, y)
        if name:
            ink = "#ffffff" if hidden else "#8a8171"
            self.note(left - 77 * reach, top - 32 * reach, name, ink, fill)
        if chords:
            what = LETTERS[tile].lower() if hidden else f"{LETTERS[tile]}{r}"
            self.note(left + 77 * reach, top + 32 * reach, what, INK, fill)

    def outline(self, x: float, y: float, reach: float, rim: str | None) -> None:
        """An octagon's edge, thick and coloured where it is marked."""
        width = 5 if rim else 1.5
        corners = self.corners(x, y, reach)
        self.picture.polygon(corners, fill="none", stroke=rim or INK, stroke_width=width)

    def note(self, x: float, y: float, text: str, ink: str, under: str) -> None:
        """Small text with a rim of the colour under it."""
        self.picture.label(x, y, text, 8.5, fill=under, stroke=under, stroke_width=3)
        self.picture.label(x, y, text, 8.5, fill=ink, font_weight="bold")

    def place(self, place: int, lit: str | None) -> None:
        """A stop, or a circle with its ring."""
        x, y = self.place_at(place)
        if lit:
            self.picture.circle(x, y, 19, fill=lit)
        fill = "#ffffff" if place >= STOPS else PAPER
        self.picture.circle(x, y, 15, fill=fill, stroke=INK, stroke_width=1.5)
        if place >= STOPS:
            self.picture.circle(x, y, 12, fill="none", stroke=FAINT, stroke_width=1.5)
        self.picture.label(x, y, PLACE_NAMES[place], 10, fill="#6f6757")

    def runner(self, place: int, look: Look) -> None:
        x, y = self.place_at(place)
        self.picture.circle(x, y, 12.5, fill=look.fill, stroke=look.line, stroke_width=2.5)
        self.picture.label(x, y, look.mark, 14, fill=look.text, font_weight="bold")

    def route(self, path: Trace, colour: str) -> None:
        """A traced path, from its start to its end."""
        left, top = self.place_at(PLACE_NUMBERS[path.start])
        d = f"M {left:.1f} {top:.1f}"
        for step in path.steps:
            space = int(step.octagon[1:])
            x, y = board().space_at[space]
            left, top = self.edge(x, y, step.enter, 0.5)
            d += f" L {left:.1f} {top:.1f}" + self.chord(x, y, 0.5, step.enter, step.leave)
            if 8 * space + step.leave in board().printed:
                d += self.printed(8 * space + step.leave)
        left, top = self.place_at(PLACE_NUMBERS[path.at])
        d += f" L {left:.1f} {top:.1f}"
        self.picture.path(
            d,
            fill="none",
            stroke=colour,
            stroke_width=8,
            stroke_linejoin="round",
            stroke_opacity=0.75,
        )

    def corner(self, hand: int, text: str, look: Look | None) -> None:
        """The switch tile and who is to move, where the board leaves room."""
        self.quarters = 0
        self.tile(-2.4, 2.38, 0.4, hand, 0)
        self.outline(-2.4, 2.38, 0.4, None)
        self.picture.label(60, 112, "switch tile", 11)
        if look:
            self.picture.circle(540, 34, 11, fill=look.fill, stroke=look.line, stroke_width=2)
            self.picture.label(540, 34, look.mark, 12, fill=look.text, font_weight="bold")
        self.picture.label(540, 60, text, 11)


def _curve(first: Point, second: Point, end: Point) -> str:
    """A cubic curve in a path, by its two control points and its end."""
    return " C" + "".join(f" {x:.1f} {y:.1f}" for x, y in (first, second, end))


def _read_action(text: str) -> tuple[int, int, int, int]:
    found = _ACTION.fullmatch(text)
    assert found is not None
    space, r, start, end = found.groups()
    return int(space), int(r), PLACE_NUMBERS[start], PLACE_NUMBERS[end]


def _place(name: str) -> int:
    if not isinstance(name, str):
        raise TypeError(f"a place is a text like s5 or N3, not {type(name).__name__}")
    if name not in PLACE_NUMBERS:
        raise ValueError(f"no place {name!r}: stops are s0 to s15, circles S1 to S5 and W, N, E")
    return PLACE_NUMBERS[name]


def _octagon(name: str | int) -> int:
    if isinstance(name, str):
        if not re.fullmatch(r"o(\d|1[0-6])", name):
            raise ValueError(f"there is no space {name!r}: they are o0 to o16")
        return int(name[1:])
    number = operator.index(name)
    if not 0 <= number < SPACES:
        raise ValueError(f"there is no space {number}: they are o0 to o16")
    return number


def _edge(edge: int | str) -> int:
    if isinstance(edge, str):
        if edge not in EDGES:
            raise ValueError(f"there is no edge {edge!r}: they are 0 to 7 or {', '.join(EDGES)}")
        return EDGES.index(edge)
    number = operator.index(edge)
    if not 0 <= number < 8:
        raise ValueError(f"there is no edge {number}: they are 0 to 7 or {', '.join(EDGES)}")
    return number


def _tile(text: str) -> tuple[int, int]:
    if not isinstance(text, str):
        raise TypeError(f"a tile is a text like B3, not {type(text).__name__}")
    if not re.fullmatch(r"[A-R][0-7]?", text):
        raise ValueError(f"{text!r} is no tile and turn: write one like B3, A to R and 0 to 7")
    tile, r = LETTERS.index(text[0]), int(text[1:] or 0)
    if r >= board().turns[tile]:
        raise ValueError(f"tile {text[0]} has only the turns 0 to {board().turns[tile] - 1}")
    return tile, r


class OctilesGame(Game[OctilesState]):
    """Octiles with its options.

    >>> import boardrace as br
    >>> game = br.load("octiles", players=3, play_on=True)
    >>> game.num_players, game.options["circles"]
    (3, '12345')
    """

    name = "octiles"
    summary = "Paths traced over turning tiles, tiles hidden until they are lifted; 2 to 4 players."
    option_list: ClassVar[tuple[Option, ...]] = (
        whole("players", 2, 2, 4, "how many play"),
        whole("runners", 5, 3, 5, "runners a player; 4 with four players unless given"),
        Option(
            "circles",
            "12345",
            _check_circles,
            "the circles that the runners start on",
            "digits as 135, 1 and 5 among them; or a list with one a player",
        ),
        choice("play_on", (False, True), "whether the others go on for places when one has won"),
    )
    state_class = OctilesState
    _rules: OctilesRules

    @classmethod
    def resolve(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        checks = {option.name: option.check for option in cls.option_list}
        found = {name: checks[name](value) for name, value in given.items()}
        players = found.get("players", 2)
        circles = found.get("circles")
        if isinstance(circles, tuple):
            if len(circles) != players:
                raise ValueError(
                    f"circles has {len(circles)} texts: it must be one text, or one for each of the"
                    f" {players} players"
                )
            if len(set(circles)) == 1:
                circles = circles[0]
        if circles is not None:
            named = len(circles if isinstance(circles, str) else circles[0])
            runners = found.get("runners", named)
            if runners != named:
                raise ValueError(f"circles names {named}: runners must be {named}, not {runners}")
        else:
            runners = found.get("runners", _usual_runners(players))
            circles = USUAL_CIRCLES[runners]
        play_on = found.get("play_on", False)
        if play_on and players == 2:
            raise ValueError("play_on is for three or four players: two have no further places")
        return {"players": players, "runners": runners, "circles": circles, "play_on": play_on}

    def defaults(self) -> Mapping[str, Any]:
        return {
            "players": 2,
            "runners": _usual_runners(self.options["players"]),
            "circles": USUAL_CIRCLES[self.options["runners"]],
            "play_on": False,
        }

    @property
    def seats(self) -> tuple[int, ...]:
        """tuple of int: each player's side, 0 to 3 = S, W, N, E."""
        return SEATS[self.options["players"]]

    def _start_places(self) -> list[list[int]]:
        """Each player's places at the start."""
        circles = self.options["circles"]
        texts: Sequence[str] = [circles] * len(self.seats) if isinstance(circles, str) else circles
        return [
            [STOPS + 5 * side + int(digit) - 1 for digit in text]
            for side, text in zip(self.seats, texts, strict=True)
        ]

    def make_rules(self) -> OctilesRules:
        data = board()
        return OctilesRules(
            self.options["players"],
            self.options["play_on"],
            self._start_places(),
            self.seats,
            data.leads_to,
            data.chords,
            data.turns,
            rows(),
            spaces_turned(),
            places_turned(),
        )

    def describe_observation(self) -> None:
        n = self.options["players"]
        size = 26 * SPACES + TILES + n * (PLACES + 2 + n) + 1
        object.__setattr__(self, "observation_shape", (size,))
        object.__setattr__(self, "observation_dtype", np.dtype(np.uint8))

    def _parse(self, text: str) -> bytes:
        n, play_on = self.options["players"], self.options["play_on"]
        names = ["octiles", "TURN", "HAND", "TILES", *["RUNNERS"] * n, "PASSES", "LAST"]
        fields = split_fields(text, names + ["FINISHED"] * play_on)
        turn = read_number("TURN", fields[0], 0, n - 1)
        if fields[1] not in tuple(LETTERS):
            raise PositionError("HAND", f"{fields[1][:40]!r} is no tile: they are A to R")
        hand = LETTERS.index(fields[1])
        tiles, turned = _read_tiles(fields[2], hand)
        runners: list[int] = []
        for player, field in enumerate(fields[3 : 3 + n]):
            runners.append(self._read_runners(player, field, runners))
        home = [k for k in range(n) if not runners[k] & ~self._finishing(k)]
        last = None if fields[4 + n] == "-" else read_number("LAST", fields[4 + n], 0, n - 1)
        finished: list[int] = []
        if play_on:
            for item in read_items("FINISHED", fields[5 + n], "-"):
                finished.append(read_number("FINISHED", item, 0, n - 1))
            if sorted(finished) != home:
                raise PositionError(
                    "FINISHED",
                    f"{fields[5 + n]} must list once each player with all runners home:"
                    f" {','.join(map(str, home)) or '-'} in some order",
                )
            if len(home) == n:
                raise PositionError(
                    "RUNNERS", "all are home: the game ends when one player is left"
                )
            if turn in finished:
                raise PositionError("TURN", f"player {turn} has all runners home and is left out")
        elif len(home) > 1:
            raise PositionError(
                "RUNNERS",
                f"players {home[0]} and {home[1]} are home: the game ends with the first",
            )
        over = len(home) >= (n - 1 if play_on else 1)
        most = 0 if over else n - len(finished)
        passes = read_number("PASSES", fields[3 + n], 0, n)
        if passes > most:
            raise PositionError(
                "PASSES",
                f"{passes} must be 0 to {most}: "
                + ("the game is over by runners home" if over else "then all in play have passed"),
            )
        return self._rules.pack(hand, tiles, turned, runners, turn, passes, last, finished)

    def _finishing(self, player: int) -> int:
        return 0x1F << (STOPS + 5 * ((self.seats[player] + 2) % 4))

    def _read_runners(self, player: int, text: str, others: Iterable[int]) -> int:
        """A player's places, or PositionError."""
        side = self.seats[player]
        starting = self._start_places()[player]
        whose = f"player {player}'s runners"
        places = 0
        before = -1
        for item in read_items("RUNNERS", text):
            if item not in PLACE_NUMBERS:
                raise PositionError("RUNNERS", f"{whose}: there is no place {item[:40]!r}")
            place = PLACE_NUMBERS[item]
            if place < STOPS:
                order = 100 + place
            elif (place - STOPS) // 5 == side:
                order = place
                if place not in starting:
                    raise PositionError(
                        "RUNNERS",
                        f"{whose} start on {', '.join(PLACE_NAMES[k] for k in starting)}:"
                        f" none can stand on {item}",
                    )
            elif (place - STOPS) // 5 == (side + 2) % 4:
                order = 200 + place
            else:
                raise PositionError(
                    "RUNNERS", f"{whose}: {item} is a circle of neither their side nor its opposite"
                )
            if any(taken >> place & 1 for taken in others) or places >> place & 1:
                raise PositionError("RUNNERS", f"{whose}: two runners on {item}")
            if order < before:
                raise PositionError(
                    "RUNNERS",
                    f"{whose}: starting circles come first, then stops, then finishing circles,"
                    " each ascending",
                )
            before = order
            places |= 1 << place
        if places.bit_count() != self.options["runners"]:
            must = self.options["runners"]
            raise PositionError("RUNNERS", f"{whose} are {places.bit_count()}: they must be {must}")
        return places


def _usual_runners(players: int) -> int:
    return 4 if players == 4 else 5


def _read_tiles(text: str, hand: int) -> tuple[list[int], list[int]]:
    """The tiles by space and how they are turned, or PositionError."""
    tokens = read_items("TILES", text)
    if len(tokens) != SPACES:
        raise PositionError("TILES", f"{len(tokens)} tiles where there must be {SPACES}, o0 to o16")
    tiles, turned = [], []
    for space, token in enumerate(tokens):
        if not _TOKEN.fullmatch(token):
            raise PositionError(
                "TILES", f"o{space}: {token[:40]!r} must be a to r face down, or like B3 face up"
            )
        tile = LETTERS.index(token[0].upper())
        r = int(token[1:]) if token[1:] else FACE_DOWN
        if token[1:] and r >= board().turns[tile]:
            raise PositionError(
                "TILES", f"o{space}: tile {token[0]} has the turns 0 to {board().turns[tile] - 1}"
            )
        if tile == hand or tile in tiles:
            raise PositionError("TILES", f"o{space}: tile {token[0].upper()} is there twice")
        tiles.append(tile)
        turned.append(r)
    return tiles, turned


GAME = OctilesGame
