"""Inner Circle: options, boards, texts, reasons, pictures."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NoReturn

import numpy as np

from .._core.engine import State
from .._core.inner_circle import InnerCircleRules
from .._errors import IllegalActionError, PositionError
from .._fields import read_items, read_number, split_fields
from .._svg import Marks
from ..game import Game, Option, choice, plain, whole

# ---------------------------------------------------------------- the hexagon

LEVELS = 4
ROW_LENGTHS = (4, 5, 6, 7, 6, 5, 4)
#: The spaces' names in reading order.
SPACES = tuple(f"{row}{column}" for row, n in enumerate(ROW_LENGTHS) for column in range(n))
NUMBER = {name: number for number, name in enumerate(SPACES)}
CENTRE = NUMBER["33"]
#: (q, z) of each space: z the row from the middle one, q along the row on a slanted axis.
AXIAL = tuple(
    (column - 3 + max(0, 3 - row), row - 3)
    for row, n in enumerate(ROW_LENGTHS)
    for column in range(n)
)
_AT = {place: number for number, place in enumerate(AXIAL)}
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


def _line(space: int, step: tuple[int, int]) -> tuple[int, ...]:
    """The spaces at distance 1 to 4 in one direction, as far as the board goes."""
    q, z = AXIAL[space]
    return tuple(
        _AT[place] for k in range(1, 5) if (place := (q + k * step[0], z + k * step[1])) in _AT
    )


LINES = tuple(tuple(_line(space, step) for step in STEPS) for space in range(len(SPACES)))
RIM = frozenset(space for space in range(len(SPACES)) if not all(LINES[space]))


def turned(letters: str, sixths: int) -> str:
    """A board of 37 letters turned clockwise by that many sixths."""
    for _ in range(sixths):
        found = [""] * len(letters)
        for (q, z), letter in zip(AXIAL, letters, strict=True):
            found[_AT[-z, q + z]] = letter
        letters = "".join(found)
    return letters


def as_rows(letters: str) -> tuple[str, ...]:
    """The seven rows of a board of 37 letters."""
    rows, start = [], 0
    for n in ROW_LENGTHS:
        rows.append(letters[start : start + n])
        start += n
    return tuple(rows)


def _under_a_hole(above: str, below: str) -> int | None:
    """The first space where a hole or the inner circle of `below` lies under a hole of `above`."""
    for space, (over, under) in enumerate(zip(above, below, strict=True)):
        if over == "H" and under in "HC":
            return space
    return None


@lru_cache(maxsize=64)
def _turned_boards(boards: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(turned(letters, sixths) for sixths in range(6)) for letters in boards)


@lru_cache(maxsize=64)
def _fits(boards: tuple[str, ...]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For each level but the last and each of its turns, the turns the board below may have."""
    every = _turned_boards(boards)
    return tuple(
        tuple(
            tuple(b for b in range(6) if _under_a_hole(above[a], below[b]) is None)
            for a in range(6)
        )
        for above, below in zip(every, every[1:], strict=False)
    )


# ---------------------------------------------------------------- boards from a file or a mapping

_MOST_BYTES = 1 << 20
_SEATS = (2, 3, 4)


class _Frozen(dict[str, Any]):
    """A dictionary for reading only, which JSON still writes."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("the boards of a game cannot be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


class Boards(_Frozen):
    """The content of a board file after checking: ``levels`` and ``pawns``, read-only."""

    @property
    def letters(self) -> tuple[str, ...]:
        """The four boards, level 1 first, each as 37 letters in reading order."""
        return tuple("".join(level["rows"]) for level in self["levels"])

    @property
    def pawns(self) -> dict[int, int]:
        """How many pawns each player has, by the number of players."""
        return {n: self["pawns"][str(n)] for n in _SEATS}


def _make_boards(letters: Sequence[str], pawns: Sequence[int]) -> Boards:
    return Boards(
        levels=tuple(
            _Frozen(level=number, rows=as_rows(board)) for number, board in enumerate(letters, 1)
        ),
        pawns=_Frozen({str(n): count for n, count in zip(_SEATS, pawns, strict=True)}),
    )


def read_boards(source: Any) -> Boards:
    """Boards from a file, from its text, or from what the text says.

    Parameters
    ----------
    source : str, path or mapping
        A path to a file like ``boards/inner_circle.json`` of this package, its text (which begins
        with a brace), or the mapping that it holds. Each level has its number under ``level`` and
        seven rows under ``rows``; ``pawns`` (how many each of 2, 3, 4 players has) may be left out.

    Raises
    ------
    ValueError
        What is wrong, naming level, row and column.
    TypeError
        When it is none of these.
    """
    if isinstance(source, Boards):
        return source
    if isinstance(source, (str, os.PathLike)):
        source = _read_json(source)
        if not isinstance(source, Mapping):
            raise ValueError("boards: the file must hold an object with levels")
    if not isinstance(source, Mapping):
        raise TypeError(f"boards must be a path, a text or a mapping, not {type(source).__name__}")
    if source.get("side", 4) != 4:
        raise ValueError(f"boards: side is {source['side']!r}: a board has 4 spaces a side")
    if source.get("rows_top_to_bottom", True) is not True:
        raise ValueError("boards: the rows must be listed from top to bottom")
    levels = source.get("levels")
    if not isinstance(levels, (list, tuple)) or len(levels) != LEVELS:
        raise ValueError("boards: levels must be a list of four boards")
    letters = [""] * LEVELS
    for place, level in enumerate(levels, 1):
        if not isinstance(level, Mapping):
            raise ValueError(f"boards: number {place} of levels must hold level and rows")
        number = plain(level.get("level"))
        if type(number) is not int or not 1 <= number <= LEVELS:
            raise ValueError(
                f"boards: number {place} of levels has level {number!r}: it must be 1 to 4"
            )
        if letters[number - 1]:
            raise ValueError(f"boards: level {number} is there twice")
        letters[number - 1] = _read_rows(number, level.get("rows"))
    return _make_boards(letters, _read_pawns(source.get("pawns")))


def _read_json(source: str | os.PathLike[str]) -> Any:
    if isinstance(source, str) and source.lstrip().startswith("{"):
        name, text = "boards", source
    else:
        name = f"boards: {os.fspath(source)}"
        try:
            with open(source, "rb") as file:
                data = file.read(_MOST_BYTES + 1)
            text = data.decode("utf-8-sig")
        except (OSError, ValueError) as error:
            raise ValueError(f"{name} cannot be read: {error}") from None
    if len(text) > _MOST_BYTES:
        raise ValueError(f"{name} is longer than {_MOST_BYTES} bytes: this is no board file")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name} is no JSON: {error}") from None


def _read_rows(level: int, rows: Any) -> str:
    """The 37 letters of a level, or ValueError."""
    where = f"boards: level {level}"
    if not isinstance(rows, (list, tuple)) or len(rows) != len(ROW_LENGTHS):
        raise ValueError(f"{where} must have 7 rows")
    for number, (row, n) in enumerate(zip(rows, ROW_LENGTHS, strict=True)):
        if not isinstance(row, str):
            raise ValueError(f"{where}, row {number} must be a text of {n} letters")
        if len(row) != n:
            raise ValueError(f"{where}, row {number} has {len(row)} spaces where there must be {n}")
        for column, letter in enumerate(row):
            place = f"{where}, row {number}, column {column}"
            if letter not in ("1", "2", "3", "4", "H", "C"):
                raise ValueError(f"{place} is {letter!r}: it must be 1 to 4, H or C")
            if letter == "C" and (level == LEVELS or (number, column) != (3, 3)):
                raise ValueError(
                    f"{place} is the inner circle: it lies at row 3, column 3 of levels 1 to 3 only"
                )
            if letter == "H" and level == LEVELS and (number, column) != (3, 3):
                raise ValueError(f"{place} is a hole: level 4 has one hole, at row 3, column 3")
    letters = "".join(rows)
    holes = {space for space, letter in enumerate(letters) if letter == "H"}
    if not holes:
        raise ValueError(
            f"{where} has no hole" + (" at row 3, column 3" if level == LEVELS else "")
        )
    if level == 1 and holes <= RIM:
        raise ValueError(
            f"{where} has holes on the rim only: placing the pawns could fill them all"
        )
    return letters


def _read_pawns(pawns: Any) -> list[int]:
    """How many pawns each of 2, 3 and 4 players has, or ValueError."""
    if pawns is None:
        return [9, 6, 4]
    if not isinstance(pawns, Mapping):
        raise ValueError("boards: pawns must give a number for 2, 3 and 4 players")
    given = {str(key): plain(value) for key, value in pawns.items()}
    counts = []
    for n in _SEATS:
        count = given.get(str(n))
        if type(count) is not int or not 1 <= count <= len(RIM) // n:
            raise ValueError(
                f"boards: pawns for {n} players is {count!r}: it must be 1 to {len(RIM) // n}"
            )
        counts.append(count)
    return counts


@cache
def usual_boards() -> Boards:
    """The boards that come with the package."""
    text = (files("boardrace") / "boards" / "inner_circle.json").read_text("utf-8")
    return read_boards(json.loads(text))


# ---------------------------------------------------------------- options


def _check_turns(value: Any) -> str:
    value = plain(value)
    if type(value) is int and 1000 <= value <= 5555:
        value = str(value)  # turns=1234 in a game's text is read as a number
    if isinstance(value, str) and (value == "random" or re.fullmatch("[0-5]{4}", value)):
        return value
    raise ValueError(f'turns is {value!r}: it must be four digits 0 to 5, or "random"')


def _check_boards(value: Any) -> Boards | None:
    """The boards; None for those of the package, also when their content is given."""
    if value is None:
        return None
    boards = read_boards(value)
    return None if boards == usual_boards() else boards


# ---------------------------------------------------------------- states

_ACTION = re.compile(r"@(\d\d)|(\d\d)-(\d\d)|lift(\d\d)|pass", re.ASCII)
_HOW_MANY = ("no", "one", "two", "three", "four")


def names_of(spaces: int) -> list[str]:
    """The names of a set of spaces, one bit a space."""
    return [name for number, name in enumerate(SPACES) if spaces >> number & 1]


class InnerCircleState(State):
    """A position of Inner Circle.

    >>> import boardrace as br
    >>> state = br.load("inner_circle").new_state()
    >>> state.apply("@03")
    >>> str(state)
    'inner_circle 1 0 0000 - 03 - 0 0'
    """

    __slots__ = ()

    @property
    def _circle(self) -> InnerCircleGame:
        assert isinstance(self.game, InnerCircleGame)
        return self.game

    def _parts(self) -> tuple[int, int, tuple[int, ...], bool, tuple[int, ...], int, int]:
        return self._circle._rules.unpack(self._bytes())

    # ---- texts

    def __str__(self) -> str:
        turn, level, turns, again, pawns, passes, stall = self._parts()
        fields = ["inner_circle", str(turn), str(level), "".join(map(str, turns))]
        fields.append("33" if again else "-")
        fields += [",".join(names_of(own)) or "-" for own in pawns]
        return " ".join([*fields, str(passes), str(stall)])

    def action_to_str(self, action: int) -> str:
        """The text of an action.

        >>> import boardrace as br
        >>> br.load("inner_circle").new_state().action_to_str(0)
        '@00'
        """
        kind, origin, target = self.action_parts(action)
        if kind == "place":
            return "@" + SPACES[target]
        if kind == "move":
            return f"{SPACES[origin]}-{SPACES[target]}"
        if kind == "lift":
            return "lift" + SPACES[origin]
        return "pass"

    def parse_action(self, text: str) -> int:
        """The action with that text.

        >>> import boardrace as br
        >>> br.load("inner_circle").new_state().parse_action("@03")
        3
        """
        verdict = self.explain(text)
        if not verdict:
            raise IllegalActionError(verdict.code, verdict.message)
        match = _ACTION.fullmatch(text)
        assert match is not None
        place, origin, target, lifted = match.groups()
        find = self._circle._rules.find_action
        if place:
            return find("place", -1, NUMBER[place])
        if origin:
            return find("move", NUMBER[origin], NUMBER[target])
        if lifted:
            return find("lift", NUMBER[lifted], -1)
        return find("pass", -1, -1)

    # ---- why not

    def _bad_text(self, text: str) -> str | None:
        if _ACTION.fullmatch(text):
            return None
        return (
            f"{text[:40]!r} is no action: write @03 to place a pawn, 03-25 to move one, "
            "lift03 to lift one that is stuck, or pass."
        )

    def _reason(self, text: str) -> tuple[str, str]:
        match = _ACTION.fullmatch(text)
        assert match is not None
        place, origin, target, lifted = match.groups()
        turn, level, _, again, pawns, _, _ = self._parts()
        if again and (origin != "33"):
            return "must_move_again", (
                "The pawn that ended on the inner circle must move on from 33 at once: "
                "1 to 4 spaces straight in any direction."
            )
        if place:
            return self._reason_to_place(place, level, pawns)
        if origin:
            return self._reason_to_move(origin, target)
        if lifted:
            return self._reason_to_lift(lifted)
        if level == 0:
            return (
                "must_move",
                "There is no passing while pawns are being placed: put one on the rim.",
            )
        n = self._count()
        if self.legal_actions()[0] == self._circle._rules.find_action("pass", -1, -1):
            return "legal", f"Player {turn} can do nothing else."
        return "must_move", (
            f"Player {turn} may pass only without any other action, and has {n}: "
            f"{self.action_to_str(int(self.legal_actions()[0]))} is one."
        )

    def _reason_to_place(self, place: str, level: int, pawns: tuple[int, ...]) -> tuple[str, str]:
        space = NUMBER.get(place)
        if space is None:
            return "not_rim", f"There is no space {place}: pawns are placed on the rim of level 1."
        if space not in RIM:
            return "not_rim", f"{place} is not on the rim, where pawns are placed."
        for player, own in enumerate(pawns):
            if own >> space & 1:
                return "occupied", f"A pawn of player {player} is on {place} already."
        if level:
            return "must_move", "All pawns have been placed: it is time to move one."
        return "legal", f"{place} is an empty space of the rim."

    def _own_pawn(self, name: str) -> tuple[str, str] | None:
        """Why the player may do nothing with a pawn on that space, or None."""
        turn, _, _, _, pawns, _, _ = self._parts()
        space = NUMBER.get(name)
        if space is None:
            return "no_pawn", f"There is no space {name}, so no pawn on it."
        owners = [player for player, own in enumerate(pawns) if own >> space & 1]
        if not owners:
            return "no_pawn", f"There is no pawn on {name}."
        if owners[0] != turn:
            return "not_yours", (
                f"The pawn on {name} belongs to player {owners[0]}; player {turn} is to move."
            )
        if self.board()[space] == "H":
            return (
                "in_hole",
                f"The pawn on {name} is in a hole and stays there until the level ends.",
            )
        return None

    def _reason_to_move(self, origin: str, target: str) -> tuple[str, str]:
        _, level, _, again, pawns, _, _ = self._parts()
        bad = self._own_pawn(origin)
        if bad:
            return bad
        if target not in NUMBER:
            return "off_board", f"There is no space {target} on the board."
        start, end = NUMBER[origin], NUMBER[target]
        if not _straight(start, end):
            return "not_straight", f"{origin} and {target} are not in one straight line."
        distance = _distance(start, end)
        if again:
            if distance == 0:
                return (
                    "wrong_distance",
                    "The second move goes 1 to 4 spaces, so it may not stay on 33.",
                )
        else:
            dots = int(self.board()[start])
            if distance != dots:
                return "wrong_distance", (
                    f"{origin} has {_number_of(dots, 'dot')}, so its pawn moves exactly "
                    f"{_number_of(dots, 'space')}; {target} is {_number_of(distance, 'space')} off."
                )
        for player, own in enumerate(pawns):
            if own >> end & 1:
                return (
                    "occupied",
                    f"A pawn of player {player} is on {target}: a move ends on an empty space.",
                )
        if level == 0:
            return "must_move", "Pawns are still being placed: put one on the rim."
        what = {"H": "the hole on ", "C": "the inner circle on "}.get(self.board()[end], "")
        second = " It moves on at once." if self.board()[end] == "C" else ""
        return "legal", (
            f"The pawn on {origin} moves {_number_of(distance, 'space')} straight to "
            f"{what}{target}.{second}"
        )

    def _reason_to_lift(self, name: str) -> tuple[str, str]:
        bad = self._own_pawn(name)
        if bad:
            return bad
        ends = self.targets(name)
        if ends:
            return "can_move", (
                f"The pawn on {name} can move to {', '.join(ends)}: only stuck pawns may be lifted."
            )
        if self.level == 0:
            return "must_move", "Pawns are still being placed: put one on the rim."
        if not self.game.options["blocked_lift"]:
            return "must_move", (
                f"The pawn on {name} is stuck, but lifting it to lose the turn is no part of this "
                "game (its option blocked_lift is off)."
            )
        return "legal", f"The pawn on {name} cannot move: lifting it loses the turn."

    # ---- pictures

    def render(self) -> str:
        """A text picture of the board in play, at most 80 columns wide.

        Digits are dots, ``( )`` is a hole, ``< >`` the inner circle; pawns are letters, A for
        player 0. Dots under a pawn are shown only in games with ``hide_covered=False``.

        >>> import boardrace as br
        >>> game = br.load("inner_circle")
        >>> print(game.parse("inner_circle 0 4 0000 - 12,13 51 0 0").render())
        level 4, player 0 to act, 0 of 200 actions without a hole
          00           3     2     1     1
          10        1     2     A     A     3
          20     1     2     3     2     2     3
          30  2     1     3    ( )    2     3     2
          40     1     4     2     3     4     1
          50        3     B     2     1     2
          60           1     1     3     3
        A player 0: 12, 13
        B player 1: 51
        """
        turn, level, _, again, pawns, passes, stall = self._parts()
        letters = self.board()
        owner = {
            space: "ABCD"[player]
            for player, own in enumerate(pawns)
            for space in range(len(SPACES))
            if own >> space & 1
        }
        hidden = self.game.options["hide_covered"]
        lines = [headline(self)]
        space = 0
        for row, n in enumerate(ROW_LENGTHS):
            cells = []
            for _ in range(n):
                letter, pawn = letters[space], owner.get(space)
                if letter in "HC":
                    left, right = "()" if letter == "H" else "<>"
                    cells.append(left + (pawn or " ") + right)
                elif pawn:
                    cells.append(pawn.rjust(2) + (" " if hidden else letter))
                else:
                    cells.append(f" {letter} ")
                space += 1
            lines.append(f"  {row}0 " + "   " * (7 - n) + "   ".join(cells))
        for player, own in enumerate(pawns):
            lines.append(
                f"{'ABCD'[player]} player {player}: {', '.join(names_of(own)) or 'no pawns'}"
            )
        return "\n".join(line.rstrip() for line in lines)

    def svg(
        self,
        *,
        size: float = 480,
        mark: Marks = None,
        player: int | None = None,
        show_hidden: bool = False,
        last: bool = True,
    ) -> str:
        """A picture of the board in play, as SVG text.

        Parameters
        ----------
        size : float, default 480
            Height or width in pixels, the greater of them.
        mark : str, int or iterable of them, optional
            Actions whose ways are drawn.
        player : int, optional
            Turn the board so that this player's side of the table is below.
        show_hidden : bool, default False
            Show the dots under pawns also in a game that hides them.
        last : bool, default True
            Mark the last action of the history.

        >>> import boardrace as br
        >>> br.load("inner_circle").new_state().svg(mark="@03").startswith("<svg")
        True
        """
        from ._inner_circle_svg import draw

        return draw(self, size, mark, player, show_hidden, last)

    def action_parts(self, action: int) -> tuple[str, int, int]:
        """The kind of an action and the spaces from and to as numbers, -1 for none.

        >>> import boardrace as br
        >>> br.load("inner_circle").new_state().action_parts(3)
        ('place', -1, 3)
        """
        return self._circle._rules.action_parts(self.game._action_number(action))

    # ---- queries

    def pawn_sets(self) -> tuple[int, ...]:
        """Each player's pawns as a set of spaces, one bit a space in reading order.

        >>> import boardrace as br
        >>> state = br.load("inner_circle").new_state()
        >>> state.apply("@02")
        >>> state.pawn_sets()
        (4, 0)
        """
        return self._parts()[4]

    @property
    def level(self) -> int:
        """int: the level in play, 1 to 4; 0 while pawns are being placed on level 1.

        >>> import boardrace as br
        >>> br.load("inner_circle").new_state().level
        0
        """
        return self._parts()[1]

    def board(self, level: int | None = None) -> str:
        """A board as it lies: 37 letters in reading order, 1 to 4, H a hole, C the inner circle.

        Parameters
        ----------
        level : int, optional
            1 to 4; without it the one in play.

        >>> import boardrace as br
        >>> br.load("inner_circle").new_state().board()
        '23212H124122HH21HHCHH141H3124H1H21223'
        """
        turns = self._parts()[2]
        if level is None:
            level = max(self.level, 1)
        return self._circle.board(level, turns[level - 1] if 1 <= level <= LEVELS else 0)

    def targets(self, space: str) -> tuple[str, ...]:
        """Where a pawn on a space could go now: the empty spaces its dots lead to.

        From the inner circle all that a second move reaches; from a hole nothing.

        >>> import boardrace as br
        >>> state = br.load("inner_circle").parse(
        ...     "inner_circle 0 1 0000 - 00,03 63 0 0")
        >>> state.targets("00")
        ('02', '20', '22')
        """
        number = self._circle.space_number(space)
        taken = 0
        for own in self._parts()[4]:
            taken |= own
        return tuple(SPACES[end] for end in ends_from(self.board(), number) if not taken >> end & 1)

    def sources(self, space: str) -> tuple[str, ...]:
        """The spaces from which a move may end on a space, pawns left aside.

        33 is among them where a second move from the inner circle leads there.

        >>> import boardrace as br
        >>> state = br.load("inner_circle").parse("inner_circle 0 2 0000 - 00 01 0 0")
        >>> state.sources("63")
        ('33',)
        """
        number = self._circle.space_number(space)
        letters = self.board()
        return tuple(
            name for start, name in enumerate(SPACES) if number in ends_from(letters, start)
        )

    def reach(self, space: str, turns: int = 1) -> dict[str, int]:
        """Where a pawn on a space could come in some own turns, if nobody else moved.

        A move to the inner circle and on from it is one turn. A hole is the end of a way.

        Parameters
        ----------
        space : str
            Where the pawn starts, with or without a pawn on it now.
        turns : int, default 1

        Returns
        -------
        dict
            The spaces in reading order, each with the fewest turns that lead there.

        >>> import boardrace as br
        >>> state = br.load("inner_circle").parse("inner_circle 0 4 0000 - 13 12,63 0 0")
        >>> state.reach("13", 5)
        {'51': 1}
        """
        start = self._circle.space_number(space)
        if isinstance(turns, bool) or not isinstance(turns, int):
            raise TypeError(f"turns must be a whole number, not {type(turns).__name__}")
        if turns < 0:
            raise ValueError(f"turns is {turns}: it must be 0 or more")
        letters = self.board()
        taken = {s for own in self._parts()[4] for s in range(len(SPACES)) if own >> s & 1}
        taken.discard(start)
        found: dict[int, int] = {}
        edge = {start}
        for turn in range(1, turns + 1):
            ends = {end for at in edge for end in ends_from(letters, at) if end not in taken}
            if letters[CENTRE] == "C" and CENTRE in ends:
                ends.remove(CENTRE)
                ends |= {end for end in ends_from(letters, CENTRE) if end not in taken}
            edge = ends - found.keys() - {start}
            if not edge:
                break
            found.update(dict.fromkeys(edge, turn))
        return {SPACES[end]: found[end] for end in sorted(found)}

    def open_holes(self) -> tuple[str, ...]:
        """The holes of the level in play that are still empty.

        >>> import boardrace as br
        >>> br.load("inner_circle").parse("inner_circle 0 3 0000 - 00,21 63 0 0").open_holes()
        ('24', '44')
        """
        taken = 0
        for own in self._parts()[4]:
            taken |= own
        return tuple(
            SPACES[space]
            for space, letter in enumerate(self.board())
            if letter == "H" and not taken >> space & 1
        )


def headline(state: InnerCircleState) -> str:
    """What is going on, in a line."""
    turn, level, _, again, _, passes, stall = state._parts()
    parts = [f"level {level}" if level else "placing on level 1"]
    if state.is_terminal:
        parts.append(f"player {state.winners[0]} has won" if state.winners else "a draw")
    else:
        parts.append(f"player {turn} {'moves again' if again else 'to act'}")
        if passes:
            parts.append(f"{passes} {'pass' if passes == 1 else 'passes'}")
        limit = state.game.options["stall_limit"]
        if limit and level:
            parts.append(f"{stall} of {limit} actions without a hole")
    return ", ".join(parts)


def read_action_text(text: str) -> tuple[int, int]:
    """The spaces from and to of an action's text, -1 for none; ValueError when it is none."""
    if not isinstance(text, str):
        raise TypeError(f"an action's text is a str, not {type(text).__name__}")
    match = _ACTION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} is no action: write @03, 03-25, lift03 or pass")
    for name in match.groups():
        if name and name not in NUMBER:
            raise ValueError(f"there is no space {name} in {text}")
    place, origin, target, lifted = match.groups()
    start, end = origin or lifted, target or place
    return NUMBER[start] if start else -1, NUMBER[end] if end else -1


def ends_from(letters: str, space: int) -> list[int]:
    """Where a move from that space may end on a board without pawns, ascending."""
    letter = letters[space]
    if letter == "H":
        return []
    if letter == "C":
        return sorted(end for line in LINES[space] for end in line)
    n = int(letter)
    return sorted(line[n - 1] for line in LINES[space] if len(line) >= n)


def _straight(start: int, end: int) -> bool:
    (q, z), (r, y) = AXIAL[start], AXIAL[end]
    return q == r or z == y or q + z == r + y


def _distance(start: int, end: int) -> int:
    (q, z), (r, y) = AXIAL[start], AXIAL[end]
    return max(abs(q - r), abs(z - y), abs(q + z - r - y))


def _number_of(n: int, what: str) -> str:
    return f"{_HOW_MANY[n] if n < len(_HOW_MANY) else n} {what}{'' if n == 1 else 's'}"


# ---------------------------------------------------------------- the game


class InnerCircleGame(Game[InnerCircleState]):
    """Inner Circle with its options.

    >>> import boardrace as br
    >>> game = br.load("inner_circle", players=3, turns="random")
    >>> str(game)
    'inner_circle(players=3,turns=random)'
    """

    name = "inner_circle"
    summary = (
        "Four stacked boards, moves by dots, holes that save pawns, second moves; 2 to 4 players."
    )
    option_list = (
        choice("players", (2, 3, 4), "how many play"),
        Option(
            "turns", "0000", _check_turns,
            "by how many sixths each level's board is turned", 'four digits 0 to 5, or "random"',
        ),
        choice("blocked_lift", (False, True), "a stuck pawn may be lifted to lose the turn"),
        whole("stall_limit", 200, 0, 1_000_000, "actions without a hole filled for a draw; 0: off"),
        choice("hide_covered", (True, False), "observations hide the dots under pawns"),
        Option(
            "boards", None, _check_boards, "boards of another printing",
            "a path to, or the content of, a file like boards/inner_circle.json", file=True,
        ),
    )  # fmt: skip
    state_class = InnerCircleState
    _rules: InnerCircleRules

    @classmethod
    def resolve(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        options = super().resolve(given)
        letters = (options["boards"] or usual_boards()).letters
        if options["turns"] == "random":
            _check_some_turns_fit(letters)
        else:
            _check_turns_fit(letters, [int(digit) for digit in options["turns"]], "turns")
        return options

    def make_rules(self) -> InnerCircleRules:
        boards = self.options["boards"] or usual_boards()
        turns = self._fixed_turns
        every = _turned_boards(boards.letters)
        used = [
            [
                board if turns is None or sixths == turns[k] else None
                for sixths, board in enumerate(level)
            ]
            for k, level in enumerate(every)
        ]
        return InnerCircleRules(
            self.options["players"], boards.pawns[self.options["players"]], used, LINES, turns,
            _fits(boards.letters), self.options["blocked_lift"], self.options["stall_limit"],
            self.options["hide_covered"],
        )  # fmt: skip

    def describe_observation(self) -> None:
        planes = 2 * self.options["players"] + 14
        object.__setattr__(self, "observation_shape", (planes, 7, 7))
        object.__setattr__(self, "observation_dtype", np.dtype(np.float32))

    @property
    def _fixed_turns(self) -> tuple[int, ...] | None:
        turns = self.options["turns"]
        return None if turns == "random" else tuple(int(digit) for digit in turns)

    # ---- the boards

    @property
    def pawns_each(self) -> int:
        """int: how many pawns each player has.

        >>> import boardrace as br
        >>> br.load("inner_circle", players=4).pawns_each
        4
        """
        boards = self.options["boards"] or usual_boards()
        return int(boards.pawns[self.options["players"]])

    def board(self, level: int, turn: int = 0) -> str:
        """A level's board turned clockwise by that many sixths, 37 letters in reading order.

        >>> import boardrace as br
        >>> br.load("inner_circle").board(4)[:9]
        '321112443'
        """
        if not 1 <= level <= LEVELS:
            raise ValueError(f"there is no level {level}: they are 1 to {LEVELS}")
        if not 0 <= turn < 6:
            raise ValueError(f"turn is {turn}: it must be 0 to 5 sixths")
        boards = self.options["boards"] or usual_boards()
        return _turned_boards(boards.letters)[level - 1][turn]

    def space_number(self, space: str) -> int:
        """The number of a space in reading order, 0 to 36.

        >>> import boardrace as br
        >>> br.load("inner_circle").space_number("33")
        18
        """
        if not isinstance(space, str):
            raise TypeError(f"a space is named by a text like '03', not {type(space).__name__}")
        if space not in NUMBER:
            raise ValueError(f"there is no space {space[:20]!r}: they are 00 to 63")
        return NUMBER[space]

    # ---- reading positions

    def _parse(self, text: str) -> bytes:
        players = self.options["players"]
        names = (
            "inner_circle",
            "TURN",
            "LEVEL",
            "TURNS",
            "AGAIN",
            *["PAWNS"] * players,
            "PASSES",
            "STALL",
        )
        fields = split_fields(text, names)
        turn = read_number("TURN", fields[0], 0, players - 1)
        level = read_number("LEVEL", fields[1], 0, LEVELS)
        turns = self._read_turns(fields[2])
        if fields[3] not in ("-", "33"):
            raise PositionError("AGAIN", f"{fields[3][:40]!r} must be 33 or -")
        again = fields[3] == "33"
        pawns = self._read_all_pawns(fields[4 : 4 + players])
        passes = read_number("PASSES", fields[-2], 0, players)
        limit = self.options["stall_limit"]
        stall = read_number("STALL", fields[-1], 0, limit + 1 if limit else 0)
        if level == 0:
            self._check_placing(turn, again, pawns, passes, stall)
        else:
            self._check_playing(turn, level, turns, again, pawns, passes, stall)
        return self._rules.pack(turn, level, turns, again, pawns, passes, stall)

    def _read_turns(self, text: str) -> list[int]:
        if not re.fullmatch("[0-5]{4}", text):
            raise PositionError("TURNS", f"{text[:40]!r} must be four digits 0 to 5")
        turns = [int(digit) for digit in text]
        fixed = self._fixed_turns
        if fixed is not None and tuple(turns) != fixed:
            raise PositionError(
                "TURNS", f"{text} must be {self.options['turns']}, as the game's option says"
            )
        boards = self.options["boards"] or usual_boards()
        try:
            _check_turns_fit(boards.letters, turns, text)
        except ValueError as error:
            raise PositionError("TURNS", str(error)) from None
        return turns

    def _read_all_pawns(self, fields: Sequence[str]) -> list[int]:
        """The set of each player's spaces, one bit a space."""
        sets: list[int] = []
        taken = 0
        for player, text in enumerate(fields):
            own, last = 0, -1
            for name in read_items("PAWNS", text, none="-"):
                space = NUMBER.get(name)
                if space is None:
                    raise PositionError(
                        "PAWNS", f"player {player}: there is no space {name[:20]!r}"
                    )
                if space <= last:
                    raise PositionError(
                        "PAWNS",
                        f"player {player}: {name} must come before {SPACES[last]}"
                        if space < last
                        else f"player {player}: {name} is there twice",
                    )
                if taken >> space & 1:
                    raise PositionError("PAWNS", f"there are two pawns on {name}")
                own |= 1 << space
                last = space
            if own.bit_count() > self.pawns_each:
                raise PositionError(
                    "PAWNS", f"player {player} has {own.bit_count()} pawns of {self.pawns_each}"
                )
            taken |= own
            sets.append(own)
        return sets

    def _check_placing(
        self, turn: int, again: bool, pawns: Sequence[int], passes: int, stall: int
    ) -> None:
        players = len(pawns)
        if again:
            raise PositionError("AGAIN", "it must be - while pawns are being placed")
        placed = sum(own.bit_count() for own in pawns)
        if placed == players * self.pawns_each:
            raise PositionError("LEVEL", "it must be 1 when all pawns have been placed")
        if turn != placed % players:
            raise PositionError("TURN", f"after {placed} placings it must be {placed % players}")
        for player, own in enumerate(pawns):
            fair = placed // players + (player < placed % players)
            if own.bit_count() != fair:
                raise PositionError(
                    "PAWNS",
                    f"players place in turn: player {player} must have {fair} of {placed} pawns",
                )
            for name in names_of(own):
                if NUMBER[name] not in RIM:
                    raise PositionError(
                        "PAWNS", f"{name} is not on the rim, where pawns are placed"
                    )
        if passes:
            raise PositionError("PASSES", "it must be 0 while pawns are being placed")
        if stall:
            raise PositionError("STALL", "it must be 0 while pawns are being placed")

    def _check_playing(
        self, turn: int, level: int, turns: Sequence[int], again: bool, pawns: Sequence[int],
        passes: int, stall: int,
    ) -> None:  # fmt: skip
        boards = self.options["boards"] or usual_boards()
        letters = _turned_boards(boards.letters)[level - 1][turns[level - 1]]
        holes = sum(1 << space for space, letter in enumerate(letters) if letter == "H")
        taken = 0
        for own in pawns:
            taken |= own
        still_in = sum(own != 0 for own in pawns)
        most = min(
            [
                self.pawns_each * len(pawns),
                *(board.count("H") for board in boards.letters[: level - 1]),
            ]
        )
        if taken.bit_count() > most:
            raise PositionError(
                "PAWNS",
                f"{taken.bit_count()} pawns on level {level}, which {most} at most can reach",
            )
        if not still_in:
            raise PositionError("PAWNS", "there are no pawns at all")
        if not pawns[turn]:
            raise PositionError("TURN", f"player {turn} has no pawns and is out")
        if level < LEVELS and not holes & ~taken:
            raise PositionError("LEVEL", f"all holes of level {level} are filled: it is over")
        on_circle = letters[CENTRE] == "C" and taken >> CENTRE & 1
        if again:
            if not on_circle:
                raise PositionError("AGAIN", "there is no pawn on the inner circle to move again")
            if not pawns[turn] >> CENTRE & 1:
                raise PositionError(
                    "AGAIN", f"the pawn on the inner circle is not one of player {turn}"
                )
            if passes:
                raise PositionError("PASSES", "it must be 0 in the middle of a turn")
        elif on_circle:
            raise PositionError("AGAIN", "it must be 33: no pawn rests on the inner circle")
        self._check_counters(
            turn, level, again, pawns, passes, stall, bool(level == LEVELS and holes & taken)
        )

    def _check_counters(
        self, turn: int, level: int, again: bool, pawns: Sequence[int], passes: int, stall: int,
        won: bool,
    ) -> None:  # fmt: skip
        """What the end of the game says about TURN, PASSES and STALL."""
        still_in = sum(own != 0 for own in pawns)
        limit = self.options["stall_limit"]
        if won:
            winner = next(player for player, own in enumerate(pawns) if own >> CENTRE & 1)
            order = [(winner + k) % len(pawns) for k in range(1, len(pawns) + 1)]
            following = next(player for player in order if pawns[player])
            if turn != following:
                raise PositionError("TURN", f"player {winner} has won: {following} would be next")
        if (won or still_in == 1) and passes:
            raise PositionError("PASSES", "it must be 0: the game was won by a move")
        if passes > still_in:
            raise PositionError("PASSES", f"{passes} passes in a row of {still_in} players")
        # Only a second move goes beyond the limit: the move before it reached the limit.
        if limit and stall > limit and (again or passes or level == LEVELS):
            raise PositionError("STALL", f"the game was over at {limit}")


def _check_turns_fit(letters: Sequence[str], turns: Sequence[int], what: str) -> None:
    """ValueError when a hole or the inner circle lies under a hole."""
    every = _turned_boards(tuple(letters))
    for k in range(LEVELS - 1):
        space = _under_a_hole(every[k][turns[k]], every[k + 1][turns[k + 1]])
        if space is not None:
            thing = "a hole" if every[k + 1][turns[k + 1]][space] == "H" else "the inner circle"
            row, column = SPACES[space][0], SPACES[space][1]
            raise ValueError(
                f"{what}: with the boards turned by {''.join(map(str, turns))}, {thing} of level "
                f"{k + 2}, row {row}, column {column} lies under a hole of level {k + 1}"
            )


def _check_some_turns_fit(letters: Sequence[str]) -> None:
    """ValueError when the boards cannot be turned so that they fit."""
    fits = _fits(tuple(letters))
    usable = set(range(6))
    for k in range(LEVELS - 1):
        usable = {below for above in usable for below in fits[k][above]}
        if not usable:
            raise ValueError(
                f"boards: however they are turned, a hole or the inner circle of level {k + 2} "
                f"lies under a hole of the level above"
            )


GAME = InnerCircleGame
