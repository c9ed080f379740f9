"""Switchboard: options, texts, reasons, queries and pictures. See docs/games/switchboard.md."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._core.engine import Rules, State
from .._core.switchboard import SwitchboardRules
from .._errors import IllegalActionError, PositionError
from .._fields import read_items, read_number, split_fields
from .._svg import Marks, marked_texts
from ..game import Game, Option, whole
from ._switchboard_tiles import COLOURS, LABELS, SIDES, STANDARD, Printing, read_printing

FIELDS = ("switchboard", "TURN", "PHASE", "DICE", "TILES", "TOKENS", "FLAGS", "BUMPED")
PHASES = ("roll", "move", "bump", "turn", "shift")
ROLL, MOVE, BUMP, TURN, SHIFT = range(5)
FLAGS = ".+x"
OFF_TABLE, IN_HAND = 255, 254
ROLLS = tuple(f"{a}+{b}" for a in range(1, 7) for b in range(a, 7))
STAY = 21
CENTRE = 4
#: Column and row of the cell beyond each side.
BEYOND = ((0, -1), (1, 0), (0, 1), (-1, 0))
_SIDE_NAMES = ("north", "east", "south", "west", "centre")

_ROLL = re.compile(r"([1-6])\+([1-6])")
_SPOT = re.compile(r"([1-6][1-6])([NESWC])")
_NUMBER = r"0|-?[1-9][0-9]{0,3}"
_SHIFT = re.compile(rf"([1-6][1-6]):({_NUMBER}),({_NUMBER}),([0-3])")
_TILE = re.compile(r"([0-9]+)\.([0-9]+)\.([0-3])")


def write_spot(spot: int) -> str:
    """A spot's text: the label of its tile and the side as it lies."""
    return LABELS[spot // 5] + SIDES[spot % 5]


def read_spot(text: str) -> int | None:
    """The spot with that text, whether the tile has one there or not; None for other texts."""
    match = _SPOT.fullmatch(text)
    return None if match is None else LABELS.index(match[1]) * 5 + SIDES.index(match[2])


#: A spot of a walk and the spot before it, -1 where it began.
_Pair = tuple[int, int]


class Layout:
    """A position as plain values, with what lies where."""

    def __init__(self, game: SwitchboardGame, position: bytes) -> None:
        (
            self.tiles,
            self.tokens,
            self.flags,
            self.seat,
            self.phase,
            self.dice,
            self.bumped,
        ) = game._rules.unpack(position)
        self.game = game
        self.at = {(column, row): tile for tile, (column, row, _) in enumerate(self.tiles)}
        self.columns = 1 + max(column for column, _, _ in self.tiles)
        self.rows = 1 + max(row for _, row, _ in self.tiles)
        self.total = sum(self.dice)

    def colour(self, spot: int) -> str:
        """Y, G, R or F; empty where the tile has no spot."""
        tile, side = divmod(spot, 5)
        if side != CENTRE:
            side = (side - self.tiles[tile][2]) % 4
        return self.game._colours[tile][side].replace(".", "")

    def arms(self, tile: int) -> list[int]:
        """The open sides of a tile, as it lies."""
        return [side for side in range(4) if self.colour(tile * 5 + side)]

    def entry(self) -> int:
        """The entry spot, as it lies."""
        tile, side = self.game._entry
        return tile * 5 + (side + self.tiles[tile][2]) % 4

    def joined(self, tile: int, side: int) -> int | None:
        """The tile joined at a side."""
        column, row, _ = self.tiles[tile]
        other = self.at.get((column + BEYOND[side][0], row + BEYOND[side][1]))
        if other is None or not self.colour(tile * 5 + side):
            return None
        return other if self.colour(other * 5 + (side ^ 2)) else None

    def next_spots(self, spot: int) -> list[int]:
        """The spots one step away."""
        tile, side = divmod(spot, 5)
        if side == CENTRE:
            return [tile * 5 + arm for arm in self.arms(tile)]
        other = self.joined(tile, side)
        return [tile * 5 + CENTRE] + ([] if other is None else [other * 5 + (side ^ 2)])

    def walk(self, start: int, end: int, steps: int) -> list[int] | None:
        """The spots of one walk of that many steps, the first of them `start` where that is one."""
        if start == OFF_TABLE:
            entry = self.entry()
            layers: list[dict[_Pair, _Pair | None]] = [
                {(entry, -1): None},
                {(entry - entry % 5 + CENTRE, entry): (entry, -1)},
            ]
        else:
            layers = [{(start, -1): None}]
            steps += 1
        while len(layers) < steps:
            reached: dict[_Pair, _Pair | None] = {}
            for now, before in layers[-1]:
                for then in self.next_spots(now):
                    if then != before:
                        reached.setdefault((then, now), (now, before))
            layers.append(reached)
        here = next((pair for pair in layers[-1] if pair[0] == end), None)
        if here is None:
            return None
        spots = []
        for layer in reversed(layers):
            spots.append(here[0])
            here = layer[here] or here
        return spots[::-1]

    def tokens_on_sides(self, tile: int) -> bool:
        """Whether a token stands on a side of the tile."""
        return any(0 <= token - tile * 5 < 4 for token in self.tokens)

    def turns(self, tile: int) -> int:
        """How many turns of the tile are different positions."""
        return 4 if self.tokens_on_sides(tile) else self.game._rules.periods[tile]

    def whose(self, spot: int) -> int | None:
        """The player whose token stands there."""
        return self.tokens.index(spot) if spot in self.tokens else None

    def rolled(self) -> list[int]:
        """The tiles that may be shifted."""
        low, high = self.dice
        return sorted({(low - 1) * 6 + high - 1, (high - 1) * 6 + low - 1})


class SwitchboardState(State):
    """A position of Switchboard.

    Examples
    --------
    >>> import boardrace as br
    >>> state = br.load("switchboard").new_state()
    >>> state.apply("4+5")
    >>> [state.action_to_str(int(action)) for action in state.legal_actions()]
    ['>31S']
    """

    game: SwitchboardGame

    def _layout(self) -> Layout:
        return Layout(self.game, self._bytes())

    # ---- texts

    def __str__(self) -> str:
        layout = self._layout()
        tokens = ",".join(
            "-" if token == OFF_TABLE else "*" if token == IN_HAND else write_spot(token)
            for token in layout.tokens
        )
        bumped = "-"
        if layout.phase == BUMP:
            bumped = str(layout.bumped)
        elif layout.phase == TURN:
            bumped = LABELS[layout.bumped]
        return " ".join(
            (
                "switchboard",
                str(layout.seat),
                PHASES[layout.phase],
                "-" if layout.phase == ROLL else f"{layout.dice[0]}+{layout.dice[1]}",
                ",".join(f"{column}.{row}.{turns}" for column, row, turns in layout.tiles),
                tokens,
                ",".join(FLAGS[flag] for flag in layout.flags),
                bumped,
            )
        )

    def action_to_str(self, action: int) -> str:
        """The text of an action.

        Examples
        --------
        >>> import boardrace as br
        >>> br.load("switchboard").new_state().action_to_str(16)
        '4+5'
        """
        action = self.game._action_number(action)
        rules = self.game._rules
        if action < STAY:
            return ROLLS[action]
        if action == STAY:
            return "stay"
        if action < rules.first_bump:
            return ">" + write_spot(rules.spot_of_move(action))
        if action < rules.first_turn:
            return "*" + write_spot(rules.spot_of_bump(action))
        if action < rules.none:
            return f"t{action - rules.first_turn}"
        if action == rules.none:
            return "none"
        tile, column, row, turns = rules.shift_parts(action)
        return f"{LABELS[tile]}:{column},{row},{turns}"

    def parse_action(self, text: str) -> int:
        """The action with that text.

        A turn or a shift that does the same as one with a shorter text is accepted, and the
        action is that one.

        Raises
        ------
        IllegalActionError
            When it is not legal now, with the reason.
        """
        verdict = self.explain(text)
        if verdict.code not in ("legal", "same_position"):
            raise IllegalActionError(verdict.code, verdict.message)
        if verdict.code == "same_position":
            text = self._same_as(self._layout(), text)
        number = self._number(text)
        assert number is not None
        return number

    def _number(self, text: str) -> int | None:
        """The action with a well-formed text; None where it has no number."""
        rules = self.game._rules
        if text in ROLLS:
            return ROLLS.index(text)
        if text == "stay":
            return STAY
        if text == "none":
            return rules.none
        if text[0] in ">*":
            spot = read_spot(text[1:])
            assert spot is not None
            return rules.move_to(spot) if text[0] == ">" else rules.bump_to(spot)
        if text[0] == "t":
            return rules.first_turn + int(text[1])
        return rules.shift_to(*_read_shift(text))

    def _same_as(self, layout: Layout, text: str) -> str:
        """The text kept of a turn or a shift."""
        if text[0] == "t":
            return f"t{int(text[1]) % layout.turns(layout.bumped)}"
        tile, column, row, turns = _read_shift(text)
        turns %= layout.turns(tile)
        if turns == 0 and (column, row) == layout.tiles[tile][:2]:
            return "none"
        return f"{LABELS[tile]}:{column},{row},{turns}"

    # ---- reasons

    def _bad_text(self, text: str) -> str | None:
        if text in ("stay", "none") or re.fullmatch("t[0-3]", text) or _SHIFT.fullmatch(text):
            return None
        if text[:1] in (">", "*") and read_spot(text[1:]) is not None:
            return None
        if text in ROLLS:
            return None
        match = _ROLL.fullmatch(text)
        if match is not None:
            return f"A roll is written with the smaller die first: {match[2]}+{match[1]}."
        return (
            f"{text[:40]!r} is no action. Written are a move >21C or stay, the place of a bumped "
            "token *21C, a turn t0 to t3, a shift 45:6,-1,2 (tile, column, row, quarter turns) "
            "or none."
        )

    def _reason(self, text: str) -> tuple[str, str]:
        layout = self._layout()
        phase = _phase_of(text)
        if phase != layout.phase:
            return "wrong_phase", f"{_DUE[layout.phase]}; {text} {_KINDS[phase]}."
        if phase == MOVE:
            return self._reason_move(layout, text)
        if phase == BUMP:
            return self._reason_bump(layout, text)
        if phase == TURN:
            return self._reason_turn(layout, text)
        return self._reason_shift(layout, text)

    def _reason_move(self, layout: Layout, text: str) -> tuple[str, str]:
        token = layout.tokens[layout.seat]
        total = layout.total
        where = "off the table" if token == OFF_TABLE else f"{write_spot(token)}"
        if text == "stay":
            ends = self.walks(total)
            if ends:
                return (
                    "must_move",
                    f"A walk of {total} steps from {where} is possible, to {_either(ends)}: "
                    "one must be taken.",
                )
            return "legal", f"No walk of {total} steps from {where} is possible: the token stays."
        spot = read_spot(text[1:])
        assert spot is not None
        if not layout.colour(spot):
            return _no_spot(layout, spot)
        path = layout.walk(token, spot, total)
        if path is None:
            others = [
                str(steps)
                for steps in range(2, 13)
                if spot in self.game._rules.walk_ends(self._bytes(), token, steps)
            ]
            hint = f"; one of {_either(others)} does" if others else ""
            return (
                "no_walk",
                f"No walk of {total} steps from {where} ends on {write_spot(spot)}{hint}.",
            )
        return "legal", f"The walk {'-'.join(write_spot(one) for one in path)} has {total} steps."

    def _reason_bump(self, layout: Layout, text: str) -> tuple[str, str]:
        spot = read_spot(text[1:])
        assert spot is not None
        name = write_spot(spot)
        if not layout.colour(spot):
            return _no_spot(layout, spot)
        if layout.colour(spot) != "Y":
            return (
                "not_yellow",
                f"{name} is {COLOURS[layout.colour(spot)]}: a bumped token goes to a yellow spot.",
            )
        owner = layout.whose(spot)
        if owner is not None:
            return "occupied", f"The token of player {owner} stands on {name}."
        return "legal", f"{name} is yellow and free."

    def _reason_turn(self, layout: Layout, text: str) -> tuple[str, str]:
        label = LABELS[layout.bumped]
        if int(text[1]) >= layout.turns(layout.bumped):
            kept = self._same_as(layout, text)
            return "same_position", f"Tile {label} then lies as after {kept}, the text kept."
        return "legal", f"Tile {label}, where the bumped token is now, may be turned."

    def _reason_shift(self, layout: Layout, text: str) -> tuple[str, str]:
        if text == "none":
            return "legal", "A shift is always optional."
        tile, column, row, turns = _read_shift(text)
        label, cell = LABELS[tile], f"column {column} row {row}"
        other = layout.at.get((column, row))
        if other is not None and other != tile:
            return "occupied", f"Tile {LABELS[other]} lies at {cell}."
        if tile not in layout.rolled():
            names = _either([LABELS[one] for one in layout.rolled()])
            return "not_rolled", f"Tile {label} was not rolled: it is {names} that may be shifted."
        arms = [(side + turns) % 4 for side in layout.arms(tile)]
        faces = []
        for side in arms:
            beside = layout.at.get((column + BEYOND[side][0], row + BEYOND[side][1]))
            if beside is not None and beside != tile and (side ^ 2) in layout.arms(beside):
                faces.append(beside)
        if not faces:
            return (
                "not_joined",
                f"At {cell}, turned {turns} times, no spot of tile {label} faces a spot of "
                "another tile.",
            )
        cells = [where[:2] for one, where in enumerate(layout.tiles) if one != tile]
        for kind, values in (
            ("wide", [one for one, _ in cells] + [column]),
            ("high", [one for _, one in cells] + [row]),
        ):
            size = max(values) - min(values) + 1
            limit = self.game.options["table"]
            if size > limit:
                return (
                    "off_table",
                    f"The tiles would lie {size} cells {kind}; the table has room for {limit}.",
                )
        kept = self._same_as(layout, text)
        if kept != text:
            return "same_position", f"{text} leaves the same position as {kept}, the text kept."
        names = _all_of([LABELS[one] for one in faces])
        return "legal", f"Tile {label} is joined to {names} there."

    # ---- queries

    def walks(self, total: int, player: int | None = None) -> tuple[str, ...]:
        """Where a token may end a walk of that many steps.

        Parameters
        ----------
        total : int
            2 to 12.
        player : int, optional
            Whose token; by default that of the player whose turn it is.

        Returns
        -------
        tuple of str
            Spots, by tile and side; empty where no walk fits, or the token is in hand.

        Examples
        --------
        >>> import boardrace as br
        >>> state = br.load("switchboard").new_state()
        >>> state.walks(3)
        ('11E', '11S')
        """
        if isinstance(total, bool) or not hasattr(total, "__index__"):
            raise TypeError(f"total is a whole number, not {type(total).__name__}")
        if not 2 <= total <= 12:
            raise ValueError(f"total is {total}: two dice show 2 to 12")
        layout = self._layout()
        token = layout.tokens[self._whose(layout, player)]
        if token == IN_HAND:
            return ()
        return tuple(
            write_spot(spot)
            for spot in self.game._rules.walk_ends(self._bytes(), token, int(total))
        )

    def path(self, total: int, end: str, player: int | None = None) -> tuple[str, ...]:
        """A walk of that many steps, spot by spot.

        Parameters
        ----------
        total : int
            2 to 12.
        end : str
            One of ``walks(total)``.
        player : int, optional
            Whose token; by default that of the player whose turn it is.

        Returns
        -------
        tuple of str
            The token's spot first; a token off the table begins with the entry spot.

        Examples
        --------
        >>> import boardrace as br
        >>> br.load("switchboard").new_state().path(4, "21N")
        ('11N', '11C', '11S', '21N')
        """
        layout = self._layout()
        if end not in self.walks(total, player):
            raise ValueError(f"no walk of {total} steps ends on {end!r}")
        spot = read_spot(end)
        assert spot is not None
        found = layout.walk(layout.tokens[self._whose(layout, player)], spot, int(total))
        assert found is not None
        return tuple(write_spot(one) for one in found)

    def distance(self, player: int | None = None) -> int | None:
        """The least number of steps from a token to the finish, over spots as they are joined.

        Parameters
        ----------
        player : int, optional
            Whose token; by default that of the player whose turn it is.

        Returns
        -------
        int or None
            From off the table one more than from the entry spot; None where no way leads.

        Examples
        --------
        >>> import boardrace as br
        >>> br.load("switchboard").new_state().distance()
        108
        """
        layout = self._layout()
        token = layout.tokens[self._whose(layout, player)]
        return self.game._rules.steps_to_finish(self._bytes(), token)

    def where(self, player: int) -> str | None:
        """The spot of a player's token, None off the table or in hand.

        Examples
        --------
        >>> import boardrace as br
        >>> state = br.load("switchboard").new_state()
        >>> state.apply("1+1"); state.apply(">11C")
        >>> state.where(0), state.where(1)
        ('11C', None)
        """
        layout = self._layout()
        token = layout.tokens[self._whose(layout, player)]
        return None if token >= IN_HAND else write_spot(token)

    def colour(self, spot: str) -> str | None:
        """The colour of a spot by its text, as its tile lies: Y, G, R or F; None for no spot.

        Examples
        --------
        >>> import boardrace as br
        >>> state = br.load("switchboard").new_state()
        >>> state.colour("34N"), state.colour("34E")
        ('F', None)
        """
        number = read_spot(spot)
        if number is None:
            raise ValueError(f"{spot!r} is no spot: write a label and a side, like 21C")
        return self._layout().colour(number) or None

    def joins(self) -> tuple[tuple[str, str], ...]:
        """The pairs of side spots at which tiles are joined.

        Examples
        --------
        >>> import boardrace as br
        >>> joins = br.load("switchboard").new_state().joins()
        >>> len(joins), joins[0]
        (35, ('11S', '21N'))
        """
        layout = self._layout()
        found = []
        for tile in range(36):
            for side in (1, 2):
                other = layout.joined(tile, side)
                if other is not None:
                    found.append((write_spot(tile * 5 + side), write_spot(other * 5 + (side ^ 2))))
        return tuple(found)

    def _whose(self, layout: Layout, player: int | None) -> int:
        if player is None:
            return layout.seat
        if isinstance(player, bool) or not hasattr(player, "__index__"):
            raise TypeError(f"a player is a whole number, not {type(player).__name__}")
        if not 0 <= player < self.game.num_players:
            raise ValueError(
                f"there is no player {player}: they are 0 to {self.game.num_players - 1}"
            )
        return int(player)

    # ---- pictures

    def render(self) -> str:
        """A text picture: 75 columns wide in the first layout, wider when the table grows.

        Spots are G, R, Y and F; (0) is the token of player 0; a line between two tiles is a join;
        the entry spot has a > before it.
        """
        layout = self._layout()
        return "\n".join([*_describe(self, layout), *_draw(layout)])

    def svg(
        self,
        *,
        size: float = 480,
        mark: Marks = None,
        player: int | None = None,
        show_hidden: bool = False,
        last: bool = True,
    ) -> str:
        """The table as SVG.

        Green spots have a +, red ones an x, the finish is chequered, a wedge points to the entry
        spot; tokens carry their player's number.

        Parameters
        ----------
        size : float
            Width or height in pixels, the larger of the two.
        mark : str, int or iterable of them, optional
            Texts of actions of this position to draw: a walk, the place of a bumped token, a
            turn, a shift.
        player : int, optional
            For the same call in all games: no player has a side of the table, so nothing turns.
        show_hidden : bool
            For the same call in all games: nothing is hidden.
        last : bool
            Whether the last action of the history is marked.

        Returns
        -------
        str

        Examples
        --------
        >>> import boardrace as br
        >>> br.load("switchboard").new_state().svg()[:4]
        '<svg'
        """
        from ._switchboard_picture import Picture

        layout = self._layout()
        if player is not None:
            self._whose(layout, player)
        marks = marked_texts(self, mark)
        shifts = []
        for text in marks:
            bad = self._bad_text(text)
            if bad is not None:
                raise IllegalActionError("bad_text", bad)
            if ":" in text:
                shifts.append(_read_shift(text))
        lit: set[int] = set()
        trail: list[int] = []
        if last and self.history:
            lit, trail = self._last()
        first, *_ = _describe(self, layout)
        picture = Picture(layout, f"Switchboard: {first}", [shift[1:3] for shift in shifts])
        picture.start(size)
        picture.draw_tiles(lit)
        if trail:
            picture.mark_trail(trail)
        for text in marks:
            if ":" in text:
                picture.mark_shift(*_read_shift(text))
            elif text[0] == "t" and layout.phase == TURN:
                picture.mark_turn(layout.bumped, int(text[1]))
            elif text[0] in ">*":
                spot = read_spot(text[1:])
                assert spot is not None
                path = None
                if text[0] == ">" and layout.phase == MOVE:
                    path = layout.walk(layout.tokens[layout.seat], spot, layout.total)
                picture.mark_path(path or [spot])
        picture.draw_tokens()
        picture.draw_foot(first)
        return picture.svg.text()

    def _last(self) -> tuple[set[int], list[int]]:
        """The tile that the last action laid or turned, or the spots that its walk went over."""
        before = self._at(len(self.history) - 1)
        text = before.action_to_str(self.history[-1])
        layout = before._layout()
        if ":" in text:
            return {_read_shift(text)[0]}, []
        if text[0] == "t":
            return {layout.bumped}, []
        if text[0] in ">*":
            spot = read_spot(text[1:])
            assert spot is not None
            if text[0] == "*":
                return {spot // 5}, []
            return set(), layout.walk(layout.tokens[layout.seat], spot, layout.total) or []
        return set(), []


def _describe(state: SwitchboardState, layout: Layout) -> list[str]:
    """What the picture of the tiles does not show."""
    roll = f"{layout.dice[0]}+{layout.dice[1]}"
    if state.is_terminal:
        first = f"Player {layout.seat} is on the finish and has won."
    elif layout.phase == ROLL:
        first = f"Player {layout.seat} is to roll."
    elif layout.phase == MOVE:
        first = f"Player {layout.seat} rolled {roll} and is to move."
    elif layout.phase == BUMP:
        first = f"Player {layout.seat} rolled {roll} and puts the token of player {layout.bumped}."
    elif layout.phase == TURN:
        first = f"Player {layout.seat} rolled {roll} and may turn tile {LABELS[layout.bumped]}."
    else:
        names = _either([LABELS[tile] for tile in layout.rolled()])
        first = f"Player {layout.seat} rolled {roll} and may shift tile {names}."
    notes = []
    for player, (token, flag) in enumerate(zip(layout.tokens, layout.flags, strict=True)):
        if token == OFF_TABLE:
            notes.append(f"{player} is off the table")
        elif token == IN_HAND:
            notes.append(f"{player} is in hand")
        if flag:
            notes.append(f"{player} {'has another turn' if flag == 1 else 'loses the next turn'}")
    return [first, *([", ".join(notes)] if notes else [])]


def _draw(layout: Layout) -> list[str]:
    wide, high, margin = 12, 5, 4
    canvas = [[" "] * (margin + layout.columns * wide) for _ in range(1 + layout.rows * high)]

    def put(line: int, column: int, text: str) -> None:
        canvas[line][column : column + len(text)] = text

    for column in range(layout.columns):
        put(0, margin + column * wide + 4, f"{column:2d}")
    for row in range(layout.rows):
        put(1 + row * high + 2, 0, f"{row:2d}")
    # Where the five spots of a tile stand: line and column.
    places = ((0, 5), (2, 9), (4, 5), (2, 1), (2, 5))
    for tile, (column, row, _) in enumerate(layout.tiles):
        left, top = margin + column * wide, 1 + row * high
        arms = layout.arms(tile)
        for line in (0, 4):
            put(top + line, left, "+---------+")
        for line in (1, 2, 3):
            put(top + line, left, "|         |")
        put(top + 1, left + 1, LABELS[tile])
        for side in arms:
            if side in (0, 2):
                put(top + (1 if side == 0 else 3), left + 5, "|")
            else:
                put(top + 2, left + (6 if side == 1 else 0), "----" if side == 1 else "-----")
                put(top + 2, left + (10 if side == 1 else 0), "-")
        if layout.joined(tile, 1) is not None:
            put(top + 2, left + 11, "-")
        for side in (*arms, CENTRE):
            spot = tile * 5 + side
            line, place = places[side]
            owner = layout.whose(spot)
            if owner is not None:
                put(top + line, left + place - 1, f"({owner})")
            else:
                put(top + line, left + place, layout.colour(spot))
                if spot == layout.entry():
                    put(top + line, left + place - 1, ">")
    return ["".join(line).rstrip() for line in canvas]


_DUE = (
    "The dice are to be rolled",
    "A move is due, or stay",
    "The bumped token is to be put on a yellow spot",
    "The tile of the bumped token may be turned now, t0 to t3",
    "A shift is due, or none",
)
_KINDS = (
    "is a roll",
    "is a move",
    "puts a bumped token",
    "turns the tile of a bumped token",
    "is a shift",
)


def _phase_of(text: str) -> int:
    """The phase in which a well-formed text can be played."""
    if text == "stay" or text[0] == ">":
        return MOVE
    if text in ROLLS:
        return ROLL
    return {"*": BUMP, "t": TURN}.get(text[0], SHIFT)


def _read_shift(text: str) -> tuple[int, int, int, int]:
    match = _SHIFT.fullmatch(text)
    assert match is not None
    return LABELS.index(match[1]), int(match[2]), int(match[3]), int(match[4])


def _no_spot(layout: Layout, spot: int) -> tuple[str, str]:
    tile, side = divmod(spot, 5)
    sides = "".join(SIDES[arm] for arm in layout.arms(tile)) + "C"
    return (
        "no_spot",
        f"Tile {LABELS[tile]} as it lies has no spot at its {_SIDE_NAMES[side]}; "
        f"it has {_all_of(list(sides))}.",
    )


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _all_of(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


_TILES = Option(
    "tiles",
    STANDARD,
    read_printing,
    "another printing of the tiles",
    "the path of a JSON file, or a mapping, in the form of boards/switchboard.json",
    file=True,
)


class SwitchboardGame(Game[SwitchboardState]):
    """Switchboard with its options.

    Examples
    --------
    >>> import boardrace as br
    >>> br.load("switchboard", table=8)
    <Game switchboard(table=8)>
    """

    name = "switchboard"
    summary = "dice, and paths over 36 tiles that move on an open table"
    option_list = (
        whole("players", 2, 2, 4, "how many play"),
        whole("table", 24, 6, 64, "how many cells wide and high the table is"),
        _TILES,
    )
    state_class = SwitchboardState

    _rules: SwitchboardRules
    _printing: Printing
    _colours: tuple[str, ...]
    _entry: tuple[int, int]

    @classmethod
    def resolve(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        options = super().resolve(given)
        tiles = options["tiles"]["tiles"]
        yellow = sum(list(tile["spots"].values()).count("Y") for tile in tiles)
        if yellow < options["players"]:
            raise ValueError(
                f"tiles: there are {yellow} yellow spots: for {options['players']} players "
                "there must be at least as many"
            )
        size = 1 + max(max(tile["col"], tile["row"]) for tile in tiles)
        if size > options["table"]:
            raise ValueError(
                f"table is {options['table']}: the first layout of the tiles needs {size}"
            )
        return options

    def make_rules(self) -> Rules:
        printing = self.options["tiles"]
        tiles = printing["tiles"]
        colours = tuple("".join(tile["spots"].get(side, ".") for side in SIDES) for tile in tiles)
        entry = LABELS.index(printing["entry"]["tile"]), SIDES.index(printing["entry"]["side"])
        object.__setattr__(self, "_colours", colours)
        object.__setattr__(self, "_entry", entry)
        return SwitchboardRules(
            self.options["players"],
            self.options["table"],
            colours,
            [tile["col"] for tile in tiles],
            [tile["row"] for tile in tiles],
            *entry,
        )

    def describe_observation(self) -> None:
        object.__setattr__(self, "observation_shape", (3 * 36 + 3 * self.options["players"] + 5,))
        object.__setattr__(self, "observation_dtype", np.dtype(np.uint8))

    def _parse(self, text: str) -> bytes:
        fields = split_fields(text, FIELDS)
        players = self.options["players"]
        seat = read_number("TURN", fields[0], 0, players - 1)
        if fields[1] not in PHASES:
            raise PositionError("PHASE", f"{fields[1][:40]!r} must be one of {', '.join(PHASES)}")
        phase = PHASES.index(fields[1])
        dice = (0, 0)
        if phase == ROLL:
            if fields[2] != "-":
                raise PositionError("DICE", "in phase roll the dice are not rolled yet: -")
        elif fields[2] not in ROLLS:
            raise PositionError(
                "DICE", f"{fields[2][:40]!r} must be a roll, the smaller die first: 4+5"
            )
        else:
            dice = int(fields[2][0]), int(fields[2][2])
        tiles = self._parse_tiles(fields[3])
        tokens = self._parse_tokens(fields[4], tiles, seat, phase)
        flags = self._parse_flags(fields[5], seat, phase)
        bumped = self._parse_bumped(fields[6], tiles, tokens, seat, phase)
        return self._rules.pack(tiles, tokens, flags, seat, phase, dice, bumped)

    def _parse_tiles(self, text: str) -> list[tuple[int, int, int]]:
        items = read_items("TILES", text)
        if len(items) != 36:
            raise PositionError("TILES", f"{len(items)} tiles where there must be 36")
        limit = self.options["table"]
        tiles: list[tuple[int, int, int]] = []
        taken: dict[tuple[int, int], str] = {}
        for label, item, period in zip(LABELS, items, self._rules.periods, strict=True):
            parts = item.split(".")
            if len(parts) != 3:
                raise PositionError("TILES", f"{item[:40]!r} of tile {label} must be COL.ROW.TURN")
            column = read_number("TILES", parts[0], 0, limit - 1)
            row = read_number("TILES", parts[1], 0, limit - 1)
            turns = read_number("TILES", parts[2], 0, 3)
            if turns >= period:
                raise PositionError(
                    "TILES",
                    f"tile {label} turned {turns} times shows the same spots as turned "
                    f"{turns % period} times, which is how it is written",
                )
            if (column, row) in taken:
                raise PositionError("TILES", f"{taken[column, row]} and {label} lie on one cell")
            taken[column, row] = label
            tiles.append((column, row, turns))
        if min(column for column, _, _ in tiles) or min(row for _, row, _ in tiles):
            raise PositionError("TILES", "the least column and the least row must be 0")
        return tiles

    def _spot_colour(self, tiles: list[tuple[int, int, int]], spot: int) -> str:
        tile, side = divmod(spot, 5)
        return self._colours[tile][side if side == CENTRE else (side - tiles[tile][2]) % 4]

    def _parse_tokens(
        self, text: str, tiles: list[tuple[int, int, int]], seat: int, phase: int
    ) -> list[int]:
        items = read_items("TOKENS", text)
        if len(items) != self.options["players"]:
            raise PositionError(
                "TOKENS", f"{len(items)} tokens where there must be {self.options['players']}"
            )
        tokens: list[int] = []
        for player, item in enumerate(items):
            if item == "-":
                tokens.append(OFF_TABLE)
                continue
            if item == "*":
                if phase != BUMP or player == seat or IN_HAND in tokens:
                    raise PositionError(
                        "TOKENS", "* is the token to be put in phase bump, one that was bumped"
                    )
                tokens.append(IN_HAND)
                continue
            spot = read_spot(item)
            if spot is None:
                raise PositionError("TOKENS", f"{item[:40]!r} must be a spot like 21C, or -")
            colour = self._spot_colour(tiles, spot)
            if colour == ".":
                raise PositionError(
                    "TOKENS", f"tile {item[:2]} as it lies has no spot at {item[2]}"
                )
            if spot in tokens:
                raise PositionError("TOKENS", f"two tokens on {item}")
            if colour == "F" and (phase != MOVE or player != seat):
                raise PositionError(
                    "TOKENS", f"{item} is the finish: only who has just moved there stands on it"
                )
            tokens.append(spot)
        if phase in (BUMP, TURN) and tokens[seat] == OFF_TABLE:
            raise PositionError(
                "TOKENS", f"player {seat} has bumped a token, so it is on the table"
            )
        return tokens

    def _parse_flags(self, text: str, seat: int, phase: int) -> list[int]:
        items = read_items("FLAGS", text)
        if len(items) != self.options["players"]:
            raise PositionError(
                "FLAGS", f"{len(items)} flags where there must be {self.options['players']}"
            )
        flags = []
        for player, item in enumerate(items):
            if len(item) != 1 or item not in FLAGS:
                raise PositionError("FLAGS", f"{item[:40]!r} must be one of . + x")
            if item == "+" and (player != seat or phase != SHIFT):
                raise PositionError("FLAGS", "+ is the mover's alone, in phase shift")
            if item == "x" and player == seat and phase != SHIFT:
                raise PositionError(
                    "FLAGS", "who plays a turn has not lost it: x in phase shift only"
                )
            flags.append(FLAGS.index(item))
        return flags

    def _parse_bumped(
        self,
        text: str,
        tiles: list[tuple[int, int, int]],
        tokens: list[int],
        seat: int,
        phase: int,
    ) -> int:
        if phase == BUMP:
            if IN_HAND not in tokens:
                raise PositionError("TOKENS", "in phase bump one token is in hand: *")
            bumped = read_number("BUMPED", text, 0, self.options["players"] - 1)
            if tokens[bumped] != IN_HAND:
                raise PositionError("BUMPED", f"the token of player {bumped} is not in hand")
            return bumped
        if phase == TURN:
            if text not in LABELS:
                raise PositionError("BUMPED", f"{text[:40]!r} must be the label of a tile")
            tile = LABELS.index(text)
            for player, token in enumerate(tokens):
                if player != seat and token // 5 == tile and self._spot_colour(tiles, token) == "Y":
                    return tile
            raise PositionError(
                "BUMPED", f"no other player's token is on a yellow spot of tile {text}"
            )
        if text != "-":
            raise PositionError("BUMPED", f"in phase {PHASES[phase]} no token is bumped: -")
        return 0


GAME = SwitchboardGame
