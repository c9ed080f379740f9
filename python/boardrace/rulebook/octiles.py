"""Octiles: paths traced over turning tiles, tiles hidden until they are lifted."""

from __future__ import annotations

import json
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
        parts = self._octiles._rules.action_parts(operator.index(action))
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

    def _traces(self, start: int, space: int, tile: int, r: int) -> list[Trace]:
        """The paths from a place, with a tile laid."""
        return [self._trace(start, port, space, tile, r) for port in board().touching[start]]

    def _trace(self, start: int, port: int, space: int = -1, tile: int = 0, r: int = 0) -> Trace:
        rules = self._octiles._rules
        steps, end, blocked = rules.trace(self._bytes(), port, space, tile, r)
        turned = self._parts()[2]
        if space >= 0:
            turned[space] = r
        crossings = tuple(
            Crossing(f"o{at}", f"{LETTERS[lies]}{turned[at]}", enter, leave)
            for at, lies, enter, leave in steps
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
        """A text picture for a terminal."""
        hand, tiles, turned, runners, turn, _, _, _ = self._parts()
        lines = [f"Octiles: player {turn} to move, switch tile {LETTERS[hand]}"]
        lines.append(
            " ".join(
                f"o{k}:{'?' if r == FACE_DOWN else LETTERS[tile] + str(r)}"
                for k, (tile, r) in enumerate(zip(tiles, turned, strict=True))
            )
        )
        for player, places in enumerate(runners):
            names = [PLACE_NAMES[k] for k in self._places(player, places)]
            lines.append(f"player {player}: {' '.join(names)}")
        return "\n".join(lines)

    def svg(self, **options: Any) -> str:
        """A picture as SVG text."""
        raise NotImplementedError


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
