"""Traverse: series of hops over a crowded board."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from .._core.engine import State
from .._core.traverse import TraverseRules
from .._errors import IllegalActionError, PositionError
from .._fields import read_items, read_number, split_fields
from .._svg import INK, PATH, Marks, marked_texts
from ..game import Game, Option, choice, plain, whole
from ._traverse_hops import (
    FIELD,
    OPPOSITE,
    SHAPE_NAMES,
    SHAPES,
    SIDES,
    Mover,
    names,
    row_of,
    spoken,
    square_name,
    square_number,
)

DEFAULT_ORDER = "SDTCCTDS"
#: What rules= sets, unless an option of its own says otherwise.
RULES: dict[str, dict[str, Any]] = {
    "basic": {"long_hops": False, "circles": "stay", "finish": "open"},
    "advanced": {"long_hops": True, "circles": "return", "finish": "frozen"},
}
_SQUARE = re.compile(r"[a-j](?:10|[1-9])")
_MOVE = re.compile(rf"({_SQUARE.pattern}(?:-{_SQUARE.pattern})+)((?:\*{_SQUARE.pattern})*)")


@functools.cache
def all_orders() -> tuple[str, ...]:
    """The 2,520 orders, ascending."""
    return tuple(_arrangements("CCDDSSTT"))


def _arrangements(letters: str) -> Iterator[str]:
    if not letters:
        yield ""
    for one in sorted(set(letters)):
        for rest in _arrangements(letters.replace(one, "", 1)):
            yield one + rest


def _check_order(value: Any) -> str | tuple[str, ...]:
    """One order for all, or one a player."""
    value = plain(value)
    right = (
        "order must be eight letters, two each of S, D, T, C, or a list of one such text a player"
    )
    if isinstance(value, str):
        if sorted(value) != sorted(DEFAULT_ORDER):
            raise ValueError(f"order is {value!r}: {right}")
        return value
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"order is of type {type(value).__name__}: {right}")
    if not all(isinstance(one, str) and sorted(one) == sorted(DEFAULT_ORDER) for one in value):
        raise ValueError(f"order is {value!r}: {right}")
    return tuple(value)


class TraverseState(State):
    """A position of Traverse.

    >>> import boardrace as br
    >>> state = br.load("traverse").new_state()
    >>> state.apply("c1-b2")
    >>> print(state)
    traverse 1 Sb1,Td1,Ce1,Cf1,Tg1,Dh1,Si1,Db2 Sb10,Dc10,Td10,Ce10,Cf10,Tg10,Dh10,Si10 - 0,0 0
    """

    @property
    def _rules(self) -> TraverseRules:
        rules: TraverseRules = self.game._rules  # type: ignore[assignment]
        return rules

    def _parts(self) -> dict[str, Any]:
        return self._rules.unpack(self._bytes())

    # ---- texts

    def __str__(self) -> str:
        parts = self._parts()
        fields = ["traverse", str(parts["turn"])]
        for pieces in parts["pieces"]:
            items = [SHAPES[shape] + square_name(square) for square, shape in pieces]
            fields.append(",".join(items) or "-")
        fields.append("".join(map(str, parts["pending"])) or "-")
        fields.append(",".join(map(str, parts["blocks"])))
        fields.append(str(parts["passes"]))
        return " ".join(fields)

    def action_to_str(self, action: int) -> str:
        """The text of a legal action, like b1-c2, c5-g5*d5*f5, @d10, =SDTCCTDS or pass.

        >>> import boardrace as br
        >>> state = br.load("traverse").new_state()
        >>> state.action_to_str(int(state.legal_actions()[0]))
        'b1-b2'
        """
        action = self.game._action_number(action)
        if action == 0:
            return "pass"
        parts = self._parts()
        if parts["choosing"]:
            order = self._rules.order_number(action)
            if order < 0:
                raise ValueError(f"action {action} chooses no order")
            return "=" + all_orders()[order]
        origin, target, removed = self._read_number(parts, action)
        if origin == target:
            return "@" + square_name(origin)
        return f"{square_name(origin)}-{square_name(target)}" + "".join(
            "*" + name for name in names(sorted(removed))
        )

    def _read_number(self, parts: dict[str, Any], action: int) -> tuple[int, int, frozenset[int]]:
        """Where a move comes from, goes to, and the circles it removes."""
        removed, rest = divmod(action, 10_000)
        bits = self._circle_bits(parts) if removed else {}
        return *divmod(rest, 100), frozenset(square for square in bits if removed & bits[square])

    def _circle_bits(self, parts: dict[str, Any]) -> dict[int, int]:
        """The others' circles: by square, the bit that stands for it in an action."""
        bits = {}
        others = [player for player in range(self.game.num_players) if player != parts["turn"]]
        for k, player in enumerate(others):
            circles = [square for square, shape in parts["pieces"][player] if shape == 3]
            for j, square in enumerate(circles):
                bits[square] = 1 << (2 * k + j)
        return bits

    def _move_number(
        self, parts: dict[str, Any], origin: int, target: int, removed: Iterable[int]
    ) -> int | None:
        """The action with these ends and removed circles, if it is legal."""
        number = 100 * origin + target
        if removed:
            bits = self._circle_bits(parts)
            if not set(removed) <= set(bits):
                return None
            number += 10_000 * sum(bits[square] for square in removed)
        return number if self._legal(number) else None

    def parse_action(self, text: str) -> int:
        """The action with that text; a whole way, square by square, is one too.

        >>> import boardrace as br
        >>> state = br.load("traverse").new_state()
        >>> state.action_to_str(state.parse_action("c1-b2"))
        'c1-b2'
        """
        if not isinstance(text, str):
            raise TypeError(f"an action's text is a str, not {type(text).__name__}")
        number = self._number(text)
        if number is None:
            verdict = self.explain(text)
            raise IllegalActionError(verdict.code, verdict.message)
        return number

    def _number(self, text: str) -> int | None:
        """The legal action that a text stands for."""
        parts = self._parts()
        number: int | None = None
        if text == "pass":
            number = 0
        elif text[:1] == "=":
            if parts["choosing"] and text[1:] in all_orders():
                number = self._rules.order_action(all_orders().index(text[1:]))
        elif text[:1] == "@":
            if parts["pending"] and _SQUARE.fullmatch(text[1:]):
                number = 101 * square_number(text[1:])
        elif (move := _read_move(text)) and not parts["pending"] and not parts["choosing"]:
            squares, removed = move
            if squares[0] != squares[-1]:
                if len(squares) == 2:
                    return self._move_number(parts, squares[0], squares[1], removed or ())
                mover = self._mover(parts, squares[0])
                if mover is not None and mover.player == parts["turn"]:
                    taken = mover.path_fault(squares[1:])
                    if isinstance(taken, frozenset) and removed in (None, taken):
                        return self._move_number(parts, squares[0], squares[-1], taken)
        return number if number is not None and self._legal(number) else None

    # ---- queries

    def _mover(self, parts: dict[str, Any], square: int) -> Mover | None:
        """The piece on a square, lifted."""
        board = {
            at: (player, shape)
            for player, pieces in enumerate(parts["pieces"])
            for at, shape in pieces
        }
        if square not in board:
            return None
        options = self.game.options
        return Mover(
            board, square, SIDES[options["players"]], options["long_hops"], options["circles"]
        )

    def _move(self, action: int | str) -> tuple[Mover, int, frozenset[int]]:
        """The mover, the target and the removed circles of a legal move."""
        if isinstance(action, str):
            number = self.parse_action(action)
        elif isinstance(action, (int, np.integer)) and not isinstance(action, bool):
            number = int(action)
            if not self._legal(number):
                raise IllegalActionError("bad_text", f"action {number} is not legal now")
        else:
            raise TypeError(f"an action is an int or a text, not {type(action).__name__}")
        parts = self._parts()
        origin, target, removed = self._read_number(parts, number)
        mover = self._mover(parts, origin)
        if origin == target or parts["choosing"] or parts["pending"] or mover is None:
            raise ValueError(f"{self.action_to_str(number)} moves no piece: it has no series")
        return mover, target, removed

    def series(self, action: int | str) -> list[str]:
        """The squares that a legal move lands on, one after the other.

        Parameters
        ----------
        action : int or str
            A step or a series.

        Returns
        -------
        list of str
            A shortest series that removes just the action's circles; of several, the one that
            comes first by square numbers.

        Examples
        --------
        >>> import boardrace as br
        >>> state = br.load("traverse").parse(
        ...     "traverse 0 Sb1,Dd1,Tg1,Dh1,Si1,Tc4,Cd5,Cf7 "
        ...     "Cc6,Sc10,Dd10,Te10,Cf10,Tg10,Dh10,Si10 - 0,0 0")
        >>> state.series("c4-g8")
        ['e6', 'g8']
        """
        mover, target, removed = self._move(action)
        found = mover.series(target, removed)
        assert found is not None
        return names(found)

    def series_all(self, action: int | str, limit: int | None = 1000) -> list[list[str]]:
        """Every series behind a legal move that lands on no square twice.

        Parameters
        ----------
        action : int or str
        limit : int or None
            No more than so many; crowded boards can have very many.

        Returns
        -------
        list of list of str
            By square numbers. All remove just the action's circles.
        """
        if limit is not None and (isinstance(limit, bool) or not hasattr(limit, "__index__")):
            raise TypeError(f"limit is a whole number or None, not {type(limit).__name__}")
        if limit is not None and limit < 0:
            raise ValueError(f"limit is {limit}: it must be 0 or more")
        mover, target, removed = self._move(action)
        return [names(path) for path in islice(mover.series_all(target, removed), limit)]

    def reachable(self, square: int | str) -> list[str]:
        """All squares where a piece could end a turn, were it its player's now.

        Parameters
        ----------
        square : int or str
            Where the piece stands, any player's.

        Returns
        -------
        list of str
            By square number.

        Examples
        --------
        >>> import boardrace as br
        >>> state = br.load("traverse").new_state()
        >>> state.reachable("d1")
        ['c2', 'e2']
        """
        if isinstance(square, str):
            if not _SQUARE.fullmatch(square):
                raise ValueError(f"{square[:20]!r} is no square: they are a1 to j10")
            number = square_number(square)
        elif isinstance(square, bool) or not hasattr(square, "__index__"):
            raise TypeError(f"a square is a name or a number, not {type(square).__name__}")
        else:
            number = square.__index__()
            if not 0 <= number < 100:
                raise ValueError(f"there is no square {number}: they are 0 to 99")
        found = self._rules.reach(self._bytes(), number)
        if found is None:
            raise ValueError(f"no piece stands on {square_name(number)}")
        return names(found)

    # ---- why not

    def _bad_text(self, text: str) -> str | None:
        if text == "pass" or (text[:1] == "@" and _SQUARE.fullmatch(text[1:])):
            return None
        if text[:1] == "=":
            if text[1:] in all_orders():
                return None
            return f"{text[:40]!r} is no order: write = and two each of S, D, T and C."
        if _read_move(text):
            return None
        return (
            f"{text[:40]!r} is no action: write b1-c2 for a move, b1-b3-d5 for a whole way, "
            "*d5 behind it for a circle removed, @d10 to put one back, or pass."
        )

    def _reason(self, text: str) -> tuple[str, str]:
        parts = self._parts()
        if parts["pending"]:
            return self._put_back_reason(parts, text)
        if parts["choosing"] and text[:1] == "=":
            return "legal", f"Player {parts['turn']} sets up {text[1:]} from its own left."
        if text == "pass":
            if self._legal(0):
                return "legal", "No piece can move, so the turn is passed."
            return "must_move", "A player who can move must: passing is not allowed."
        if text[:1] == "@":
            return "must_move", "No circle is waiting to be put back: move a piece."
        if text[:1] == "=":
            return "must_move", "Orders are chosen before the first move only: move a piece."
        move = _read_move(text)
        assert move is not None
        return self._move_reason(parts, *move)

    def _put_back_reason(self, parts: dict[str, Any], text: str) -> tuple[str, str]:
        owner = parts["pending"][0]
        if text[:1] != "@":
            return "must_put_back", (
                f"First the circle of player {owner} must be put back: write @ and a square."
            )
        square = square_number(text[1:])
        if self._legal(101 * square):
            return "legal", f"The circle of player {owner} is put back on {text[1:]}."
        if any(square == at for pieces in parts["pieces"] for at, _ in pieces):
            return "occupied", f"{text[1:]} is occupied, so no circle can be put there."
        row = row_of(SIDES[self.game.num_players][owner])
        full = {at for pieces in parts["pieces"] for at, _ in pieces}.issuperset(row)
        where = "on the field, b2 to i9, as its start row is full" if full else "in its start row"
        return "may_not_rest", (
            f"The circle of player {owner} must be put back {where}, not on {text[1:]}."
        )

    def _move_reason(
        self, parts: dict[str, Any], squares: list[int], removed: frozenset[int] | None
    ) -> tuple[str, str]:
        origin, target = squares[0], squares[-1]
        here, there = square_name(origin), square_name(target)
        mover = self._mover(parts, origin)
        if mover is None:
            return "no_piece", f"No piece stands on {here}."
        if mover.player != parts["turn"]:
            return "not_yours", (
                f"The {SHAPE_NAMES[mover.shape]} on {here} is player {mover.player}'s, "
                f"and it is player {parts['turn']}'s turn."
            )
        if self.game.options["finish"] == "frozen" and origin in mover.finish_row:
            return "frozen", (
                f"The {SHAPE_NAMES[mover.shape]} on {here} is home: in this game a piece in its "
                "finish row stays there."
            )
        if origin == target:
            return "same_square", f"A turn may not end on {there}, where it began."
        if len(squares) > 2:
            found = mover.path_fault(squares[1:])
            if not isinstance(found, frozenset):
                return found
            if removed not in (None, found):
                return "wrong_circles", f"This way {_takes(found)}."
            return "legal", self._legal_words(mover, squares[1:], found)
        if self._move_number(parts, origin, target, removed or ()) is not None:
            path = mover.series(target, removed or frozenset())
            assert path is not None
            return "legal", self._legal_words(mover, list(path), removed or frozenset())
        within = mover.only_within(target)
        sets = [taken for square, taken in mover.ways(within) if square == target]
        if mover.is_step(target) and target not in mover.board:
            sets = [frozenset()] if mover.leg_fault(origin, target, frozenset()) is None else []
        if sets and (target in mover.rest or within is not None):
            ways = " or ".join(_takes(taken) for taken in sorted(sets, key=sorted))
            return "wrong_circles", f"Going from {here} to {there} {ways}."
        return mover.ends_fault(target)

    def _legal_words(self, mover: Mover, path: list[int], removed: frozenset[int]) -> str:
        name = SHAPE_NAMES[mover.shape]
        way = "-".join(names([mover.origin, *path]))
        if mover.is_step(path[0]):
            return f"The {name} steps {way}."
        words = f"The {name} hops {way}"
        return f"{words} and {_takes(removed)}." if removed else f"{words}."

    # ---- pictures

    def render(self) -> str:
        """A text picture: shape and player on each square, rank 10 at the top.

        Squares of the field are dots, rows are lines, squares for passing over only are blank.
        """
        parts = self._parts()
        sides = SIDES[self.game.num_players]
        shown = {square: " ." for square in FIELD}
        for side in sides:
            for square in [*row_of(side), *row_of(OPPOSITE[side])]:
                shown[square] = " _"
        for player, pieces in enumerate(parts["pieces"]):
            for square, shape in pieces:
                shown[square] = f"{SHAPES[shape]}{player}"
        lines = []
        for rank in reversed(range(10)):
            row = " ".join(shown.get(10 * rank + file, "  ") for file in range(10))
            lines.append(f"{rank + 1:2} {row}".rstrip())
        lines.append("    " + "  ".join("abcdefghij"))
        lines.append(self._status(parts))
        return "\n".join(lines)

    def _status(self, parts: dict[str, Any]) -> str:
        if parts["result"] == "draw":
            return "draw: all have passed"
        if parts["result"] is not None:
            return f"player {parts['result']} has won"
        words = f"player {parts['turn']} to "
        if parts["choosing"]:
            words += "choose an order"
        elif parts["pending"]:
            words += f"put back a circle of player {parts['pending'][0]}"
        else:
            words += "move"
        if any(parts["blocks"]):
            words += "; begun blocked: " + ", ".join(map(str, parts["blocks"]))
        if parts["passes"]:
            words += f"; passes in a row: {parts['passes']}"
        return words

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
            Actions, or whole ways like b1-b3-d5, to draw as arrows; they need not be legal.
        player : int, optional
            Turn the board so that this player sits at the bottom.
        show_hidden : bool
            Nothing is hidden in Traverse; other games need it.
        last : bool
            Mark the last action of the history.
        """
        from ._traverse_svg import Drawing

        parts = self._parts()
        sides = SIDES[self.game.num_players]
        if player is not None:
            self.progress(player)  # refuses what is no player
        title = f"Traverse: {self._status(parts)}"
        draw = Drawing(sides, sides[player or 0], title, size)
        ways = [self._way(text) for text in marked_texts(self, mark)]
        way, taken = self._last_way() if last else ([], [])
        draw.board([*way, *taken])
        for seat, pieces in enumerate(parts["pieces"]):
            for square, shape in pieces:
                draw.piece(square, seat, shape)
        if len(way) > 1:
            draw.way(way, INK, 2)
        for squares, crossed in ways:
            for square in crossed:
                draw.removed(square)
            if len(squares) == 1:
                draw.ring(squares[0])
            elif squares:
                draw.way(squares, PATH, 4)
        return draw.svg.text()

    def _way(self, text: str) -> tuple[list[int], list[int]]:
        """The squares that an action passes, and the circles it removes, as far as can be said."""
        if not isinstance(text, str):
            raise TypeError(f"mark is a text or a list of texts, not {type(text).__name__}")
        bad = self._bad_text(text)
        if bad is not None:
            raise ValueError(bad)
        if text[0] == "@":
            return [square_number(text[1:])], []
        move = _read_move(text)
        if move is None or move[0][0] == move[0][-1]:
            return [], []
        squares, removed = move
        if len(squares) == 2 and self._number(text) is not None:
            squares = [squares[0], *map(square_number, self.series(text))]
        return squares, sorted(removed or ())

    def _last_way(self) -> tuple[list[int], list[int]]:
        """The same for the last action of the history."""
        history = self.history
        if not history:
            return [], []
        before = self._at(len(history) - 1)
        return before._way(before.action_to_str(history[-1]))


def _read_move(text: str) -> tuple[list[int], frozenset[int] | None] | None:
    """The squares of a move's text, and the circles named behind it (None: no word of them)."""
    match = _MOVE.fullmatch(text)
    if match is None:
        return None
    removed = [square_number(name) for name in match[2].split("*")[1:]]
    if len(set(removed)) != len(removed):
        return None
    squares = [square_number(name) for name in match[1].split("-")]
    return squares, frozenset(removed) if removed else None


def _takes(removed: frozenset[int]) -> str:
    if not removed:
        return "removes no circle"
    circles = "circle" if len(removed) == 1 else "circles"
    return f"removes the {circles} on {spoken(names(sorted(removed)))}"


class TraverseGame(Game[TraverseState]):
    """Traverse (also sold as Taifho), 2 to 4 players."""

    name = "traverse"
    summary = "series of hops over a crowded 10x10 board, 2 to 4 players"
    option_list = (
        choice("players", (2, 3, 4), "how many play"),
        choice(
            "long_hops", (False, True), "hop over a piece further away, landing as far behind it"
        ),
        choice(
            "circles",
            ("stay", "return", "return_all"),
            "hopped circles of others go back to their start row",
        ),
        choice("finish", ("open", "frozen"), "frozen: a piece in its finish row stays there"),
        whole("block_limit", 3, 0, 255, "turns begun blocked that win the game; 0 = never"),
        choice("setup", ("fixed", "random", "choose"), "how the rows are set up"),
        Option(
            "order",
            DEFAULT_ORDER,
            _check_order,
            "the row from the player's own left, with setup=fixed",
            "eight letters, two each of S, D, T, C; or a list of one a player",
        ),
    )
    state_class = TraverseState

    @classmethod
    def shorthands(cls) -> tuple[str, ...]:
        return ("rules",)

    @classmethod
    def resolve(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        rules = plain(given.get("rules", "basic"))
        if not isinstance(rules, str) or rules not in RULES:
            raise ValueError(f'rules is {rules!r}: it must be one of "basic", "advanced"')
        options = super().resolve(
            {**RULES[rules], **{k: v for k, v in given.items() if k != "rules"}}
        )
        order = options["order"]
        if options["setup"] != "fixed":
            options["order"] = DEFAULT_ORDER  # counts only with setup="fixed"
        elif isinstance(order, tuple):
            if len(order) != options["players"]:
                raise ValueError(
                    f"order has {len(order)} texts: it must be one, or one for each of "
                    f"{options['players']} players"
                )
            if len(set(order)) == 1:
                options["order"] = order[0]
        return options

    def make_rules(self) -> TraverseRules:
        options = self.options
        orders = options["order"]
        if isinstance(orders, str):
            orders = (orders,) * options["players"]
        return TraverseRules(
            options["players"],
            options["long_hops"],
            ("stay", "return", "return_all").index(options["circles"]),
            options["finish"] == "frozen",
            options["block_limit"],
            ("fixed", "random", "choose").index(options["setup"]),
            [[SHAPES.index(letter) for letter in order] for order in orders],
        )

    def describe_observation(self) -> None:
        players = self.options["players"]
        planes = 6 * players + 2 + (2 * (players - 1) if self.options["circles"] != "stay" else 0)
        object.__setattr__(self, "observation_shape", (planes, 10, 10))
        object.__setattr__(self, "observation_dtype", np.dtype(np.uint8))

    def _parse(self, text: str) -> bytes:
        options = self.options
        players: int = options["players"]
        limit: int = options["block_limit"]
        names = ("traverse", "TURN", *["PIECES"] * players, "PENDING", "BLOCKS", "PASSES")
        fields = split_fields(text, names)
        turn = read_number("TURN", fields[0], 0, players - 1)
        sides = SIDES[players]
        taken: dict[int, int] = {}
        pieces = [
            self._read_pieces(player, sides[player], field, taken)
            for player, field in enumerate(fields[1 : 1 + players])
        ]
        pending = self._read_pending(fields[1 + players], turn)
        items = read_items("BLOCKS", fields[2 + players])
        if len(items) != players:
            raise PositionError(
                "BLOCKS",
                f"{len(items)} counts: there must be one for each of {players} players",
            )
        blocks = [read_number("BLOCKS", item, 0, limit) for item in items]
        passes = read_number("PASSES", fields[3 + players], 0, players)
        choosing = any(not own for own in pieces)
        if choosing:
            self._check_choosing(turn, pieces, pending, blocks, passes)
            return self._pack(turn, pieces, pending, blocks, passes, None, True)
        finish = [set(row_of(OPPOSITE[side])) for side in sides]
        home = [sum(square in finish[p] for square, _ in pieces[p]) for p in range(players)]
        missing = [8 - len(own) for own in pieces]
        result: int | str | None = None
        winners = [p for p in range(players) if home[p] == 8]
        if len(winners) > 1:
            raise PositionError(
                "PIECES",
                f"players {winners[0]} and {winners[1]} both have all pieces home",
            )
        if winners:
            result = winners[0]
            if turn != (result + 1) % players:
                raise PositionError(
                    "TURN",
                    f"player {result} has won: the next turn would be {(result + 1) % players}'s",
                )
            if passes:
                raise PositionError(
                    "PASSES", f"player {result} has just won: nobody has passed since"
                )
            if pending:
                raise PositionError(
                    "PENDING", "the game is over, so no circle is put back any more"
                )
        full = [p for p in range(players) if limit and blocks[p] == limit]
        for p in full:
            held = sum(square in finish[p] for square in taken)
            if result is not None or p != turn or not (home[p] == 7 and held == 8) or len(full) > 1:
                raise PositionError(
                    "BLOCKS",
                    f"player {p}'s count is at the limit of {limit}, but the game is not won by it",
                )
        if full:
            result = full[0]
            if pending:
                raise PositionError(
                    "PENDING", "the game is over, so no circle is put back any more"
                )
        if passes == players:
            if result is not None:
                raise PositionError("PASSES", "all have passed, but the game is over otherwise")
            result = "draw"
        if pending and passes:
            raise PositionError("PASSES", f"player {turn} has just hopped: nobody has passed since")
        for p in range(players):
            if result is None or p == result or result == "draw" or full:
                if missing[p] != pending.count(p):
                    raise PositionError(
                        "PIECES",
                        f"player {p} has {len(pieces[p])} pieces on the board and "
                        f"{pending.count(p)} circles to be put back: there must be eight together",
                    )
            elif missing[p] and options["circles"] == "stay":
                raise PositionError(
                    "PIECES", f"player {p} has {len(pieces[p])} pieces instead of eight"
                )
        return self._pack(turn, pieces, pending, blocks, passes, result, False)

    def _pack(self, *parts: Any) -> bytes:
        rules: TraverseRules = self._rules  # type: ignore[assignment]
        return rules.pack(*parts)

    def _read_pieces(
        self, player: int, side: str, field: str, taken: dict[int, int]
    ) -> list[tuple[int, int]]:
        own: list[tuple[int, int]] = []
        allowed = FIELD.union(row_of(side), row_of(OPPOSITE[side]))
        counts = [0, 0, 0, 0]
        for item in read_items("PIECES", field, none="-"):
            shape = SHAPES.find(item[0])
            if shape < 0 or not _SQUARE.fullmatch(item[1:]):
                raise PositionError(
                    "PIECES",
                    f"{item[:20]!r} is no piece: write a letter of {SHAPES} and a square",
                )
            square = square_number(item[1:])
            if square in taken:
                raise PositionError("PIECES", f"two pieces stand on {item[1:]}")
            if square not in allowed:
                raise PositionError(
                    "PIECES",
                    f"player {player}'s piece cannot rest on {item[1:]}: only on b2 to i9, "
                    "its start row and its finish row",
                )
            if own and own[-1][0] > square:
                raise PositionError(
                    "PIECES", f"{item} is out of order: pieces ascend rank by rank from a1"
                )
            taken[square] = player
            counts[shape] += 1
            if counts[shape] > 2:
                raise PositionError(
                    "PIECES", f"player {player} has more than two {SHAPE_NAMES[shape]}s"
                )
            own.append((square, shape))
        if own and counts[:3] != [2, 2, 2]:
            lacking = next(shape for shape in range(3) if counts[shape] < 2)
            raise PositionError("PIECES", f"player {player} lacks a {SHAPE_NAMES[lacking]}")
        if own and counts[3] < 2 and self.options["circles"] == "stay":
            raise PositionError("PIECES", f"player {player} lacks a circle")
        if not own and self.options["setup"] != "choose":
            raise PositionError(
                "PIECES", f"player {player} has no pieces, but orders are not chosen in this game"
            )
        return own

    def _read_pending(self, field: str, turn: int) -> list[int]:
        if field == "-":
            return []
        players = self.options["players"]
        if self.options["circles"] == "stay":
            raise PositionError("PENDING", "no circle is ever removed in this game: it must be -")
        if not set(field) <= set("0123"[:players]):
            raise PositionError("PENDING", f"{field[:20]!r} must be players' digits, or -")
        pending = [int(digit) for digit in field]
        if turn in pending:
            raise PositionError("PENDING", f"player {turn} cannot have removed a circle of its own")
        for player in range(players):
            if pending.count(player) > 2:
                raise PositionError("PENDING", f"player {player} has only two circles")
        return pending

    def _check_choosing(
        self,
        turn: int,
        pieces: list[list[tuple[int, int]]],
        pending: list[int],
        blocks: list[int],
        passes: int,
    ) -> None:
        """While orders are chosen (traverse.md, Set-up)."""
        players = self.options["players"]
        chosen = next(p for p in range(players) if not pieces[p])
        if any(pieces[chosen:]):
            raise PositionError(
                "PIECES", "the players choose their orders in turn, beginning with player 0"
            )
        if turn != chosen:
            raise PositionError("TURN", f"player {chosen} is the next to choose an order")
        for p in range(chosen):
            if {square for square, _ in pieces[p]} != set(row_of(SIDES[players][p])):
                raise PositionError(
                    "PIECES", f"player {p} cannot have moved before all orders are chosen"
                )
        if pending:
            raise PositionError(
                "PENDING", "no circle can have been removed before all orders are chosen"
            )
        if any(blocks):
            raise PositionError(
                "BLOCKS", "nobody can have been blocked before all orders are chosen"
            )
        if passes:
            raise PositionError("PASSES", "nobody can have passed before all orders are chosen")


GAME = TraverseGame
