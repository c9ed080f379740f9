"""Traverse: series of hops over a crowded board."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .._core.engine import State
from .._core.traverse import TraverseRules
from .._errors import IllegalActionError, PositionError
from .._fields import read_items, read_number, split_fields
from ..game import Game, Option, choice, plain, whole

SHAPES = "SDTC"
SHAPE_NAMES = ("square", "diamond", "triangle", "circle")
SIDES = {2: "SN", 3: "SWN", 4: "SWNE"}
DEFAULT_ORDER = "SDTCCTDS"
#: What rules= sets, unless an option of its own says otherwise.
RULES: dict[str, dict[str, Any]] = {
    "basic": {"long_hops": False, "circles": "stay", "finish": "open"},
    "advanced": {"long_hops": True, "circles": "return", "finish": "frozen"},
}
_SQUARE = re.compile(r"([a-j])(10|[1-9])")
_ACTION = re.compile(r"([a-j](?:10|[1-9]))-([a-j](?:10|[1-9]))((?:\*[a-j](?:10|[1-9]))*)")


def square_name(square: int) -> str:
    """``b1`` for 1: the file's letter and the rank."""
    return f"{'abcdefghij'[square % 10]}{square // 10 + 1}"


def square_number(name: str) -> int:
    """1 for ``b1``."""
    return 10 * (int(name[1:]) - 1) + "abcdefghij".index(name[0])


def row_of(side: str) -> list[int]:
    """A side's row from its player's own left to right (traverse.md, Set-up)."""
    return {
        "S": [1 + k for k in range(8)],
        "W": [10 * (8 - k) for k in range(8)],
        "N": [98 - k for k in range(8)],
        "E": [10 * (1 + k) + 9 for k in range(8)],
    }[side]


OPPOSITE = {"S": "N", "N": "S", "W": "E", "E": "W"}
FIELD = frozenset(10 * rank + file for rank in range(1, 9) for file in range(1, 9))


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
    right = "order must be eight letters, two each of S, D, T, C, or a list of one such text a player"
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
    """A position of Traverse."""

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
            fields.append(
                ",".join(SHAPES[shape] + square_name(square) for square, shape in pieces) or "-"
            )
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
        action = int(action)
        if action == 0:
            return "pass"
        parts = self._parts()
        if parts["choosing"]:
            return "=" + all_orders()[self._rules.order_number(action)]
        removed, rest = divmod(action, 10_000)
        origin, target = divmod(rest, 100)
        if origin == target:
            return "@" + square_name(origin)
        squares = sorted(
            square for square, bit in self._circle_bits(parts).items() if removed & bit
        )
        return f"{square_name(origin)}-{square_name(target)}" + "".join(
            "*" + square_name(square) for square in squares
        )

    def parse_action(self, text: str) -> int:
        """The action with that text.

        >>> import boardrace as br
        >>> state = br.load("traverse").new_state()
        >>> state.action_to_str(state.parse_action("c1-b2"))
        'c1-b2'
        """
        if not isinstance(text, str):
            raise TypeError(f"an action's text is a str, not {type(text).__name__}")
        action = self._number(text)
        if action is None or action not in self.legal_actions():
            raise IllegalActionError("bad_text", f"{text!r} is not legal now")
        return action

    def _number(self, text: str) -> int | None:
        """The number that an action of this text would have now, legal or not."""
        parts = self._parts()
        if text == "pass":
            return 0
        if text[:1] == "=" and text[1:] in all_orders():
            return (
                self._rules.order_action(all_orders().index(text[1:]))
                if parts["choosing"]
                else None
            )
        if text[:1] == "@" and _SQUARE.fullmatch(text[1:]):
            return 101 * square_number(text[1:]) if parts["pending"] else None
        match = _ACTION.fullmatch(text)
        if match is None or match[1] == match[2] or parts["pending"] or parts["choosing"]:
            return None
        wanted = [square_number(name) for name in match[3].split("*")[1:]]
        removed = 0
        if wanted:
            numbers = self._circle_bits(parts)
            if sorted(set(wanted)) != wanted or not set(wanted) <= set(numbers):
                return None
            removed = sum(numbers[square] for square in wanted)
        return 10_000 * removed + 100 * square_number(match[1]) + square_number(match[2])

    def _circle_bits(self, parts: dict[str, Any]) -> dict[int, int]:
        """The others' circles: by square, the bit that stands for it in an action."""
        bits = {}
        others = [player for player in range(self.game.num_players) if player != parts["turn"]]
        for k, player in enumerate(others):
            circles = [square for square, shape in parts["pieces"][player] if shape == 3]
            for j, square in enumerate(circles):
                bits[square] = 1 << (2 * k + j)
        return bits


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
                        f"player {p} has {len(pieces[p])} pieces and {pending.count(p)} circles to put back: "
                        "there must be eight together",
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
