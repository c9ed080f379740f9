"""Sorry!: options, texts, reasons, queries and pictures (the moves are in _core/sorry.pyx)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._core.engine import State
from .._core.sorry import SorryRules
from .._errors import IllegalActionError, PositionError
from .._fields import read_items, read_number, split_fields
from .._svg import FAINT, INK, LAST, PAPER, PATH, Look, Marks, Svg, marked_texts
from ..game import Game, choice, whole

CARDS = ("1", "2", "3", "4", "5", "7", "8", "10", "11", "12", "S")
FULL = (5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4)
COLOURS = "RBYG"
NAMES = ("red", "blue", "yellow", "green")
SEATS = {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}
#: How many squares a card moves one pawn.
COUNTS: dict[str, tuple[int, ...]] = {
    "1": (1,), "2": (2,), "3": (3,), "4": (-4,), "5": (5,), "7": (7,), "8": (8,),
    "10": (10, -1), "11": (11,), "12": (12,), "S": (),
}  # fmt: skip

# Steps: 66 less the forward steps that a pawn still needs (see sorry.pxd).
START, BEFORE, CIRCLE, ENTRY, HOME = 0, 1, 2, 60, 66
PASS, DECLINE, ENTER, MOVE, EXCHANGE, TAKE, SPLIT = range(7)

Part = tuple[int, int, int, int]  # colour, steps, signed count, steps of the target

_PLACE = r"(?:S|H|s[0-4]|[0-9]|[1-5][0-9])"
_COUNT = r"[+-][1-9][0-9]?"
_MOVE = re.compile(rf"([RBYG])({_PLACE})({_COUNT})(?:,([RBYG])({_PLACE})({_COUNT}))?")
_ENTER = re.compile(r"([RBYG])S")
_EXCHANGE = re.compile(rf"([RBYG])({_PLACE})x([0-9]|[1-5][0-9])")
_TAKE = re.compile(r"([RBYG])S>([0-9]|[1-5][0-9])")
_GRAMMAR = (
    "a play is written RS (from Start), R12+5, R10+3,R30+4 (a split 7), R12x40 (exchange), "
    "RS>40 (Sorry!), decline or pass"
)


def square_of(colour: int, steps: int) -> int:
    """The track square of a pawn with 1 to 60 steps."""
    return (15 * colour + steps + 2) % 60


def steps_at(colour: int, square: int) -> int:
    """The steps, 1 to 60, of a pawn of that colour on a track square."""
    return (square - 3 - 15 * colour) % 60 + 1


def place_text(colour: int, steps: int) -> str:
    """A pawn's place as it is written: S, a track square, s0 to s4, or H."""
    if steps == START:
        return "S"
    if steps == HOME:
        return "H"
    return f"s{steps - ENTRY - 1}" if steps > ENTRY else str(square_of(colour, steps))


def place_words(colour: int, steps: int) -> str:
    """A pawn's place in a sentence."""
    if steps == START:
        return f"{NAMES[colour]}'s Start"
    if steps == HOME:
        return f"{NAMES[colour]}'s Home"
    if steps > ENTRY:
        return f"s{steps - ENTRY - 1} of {NAMES[colour]}'s safety zone"
    return f"square {square_of(colour, steps)}"


def slide_length(steps: int) -> int:
    """How far a pawn that lands here slides."""
    return {14: 3, 29: 3, 44: 3, 22: 4, 37: 4, 52: 4}.get(steps, 0)


def play_text(kind: int, parts: Sequence[Part]) -> str:
    """The text of a play."""
    if kind == PASS:
        return "pass"
    if kind == DECLINE:
        return "decline"
    words = []
    for colour, steps, count, target in parts:
        word = COLOURS[colour] + place_text(colour, steps)
        if kind in (MOVE, SPLIT):
            word += f"{count:+d}"
        elif kind == EXCHANGE:
            word += f"x{square_of(colour, target)}"
        elif kind == TAKE:
            word += f">{square_of(colour, target)}"
        words.append(word)
    return ",".join(words)


class _Wanted(NamedTuple):
    """A play as its text says it: (colour, place's text, signed count) a part, and a target."""

    kind: int
    parts: tuple[tuple[int, str, int], ...]
    square: int


def _read_play(text: str) -> _Wanted | None:
    if text == "pass":
        return _Wanted(PASS, (), -1)
    if text == "decline":
        return _Wanted(DECLINE, (), -1)
    if match := _ENTER.fullmatch(text):
        return _Wanted(ENTER, ((COLOURS.index(match[1]), "S", 0),), -1)
    if match := _MOVE.fullmatch(text):
        one = (COLOURS.index(match[1]), match[2], int(match[3]))
        if match[4] is None:
            return _Wanted(MOVE, (one,), -1)
        return _Wanted(SPLIT, (one, (COLOURS.index(match[4]), match[5], int(match[6]))), -1)
    if match := _EXCHANGE.fullmatch(text):
        return _Wanted(EXCHANGE, ((COLOURS.index(match[1]), match[2], 0),), int(match[3]))
    if match := _TAKE.fullmatch(text):
        return _Wanted(TAKE, ((COLOURS.index(match[1]), "S", 0),), int(match[2]))
    return None


def _steps(colour: int, place: str) -> int:
    if place == "S":
        return START
    if place == "H":
        return HOME
    return ENTRY + 1 + int(place[1:]) if place[0] == "s" else steps_at(colour, int(place))


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


class SorryState(State):
    """A position of Sorry!.

    >>> import boardrace as br
    >>> state = br.load("sorry").parse("sorry 0 7 5,4,4,4,4,3,4,4,4,4,4 S,S,21,26 S,S,S,S")
    >>> [state.action_to_str(action) for action in state.legal_actions()][:3]
    ['R21+7', 'R26+7', 'R21+1,R26+6']
    """

    game: Game[SorryState]

    # ---- what the position says

    @property
    def _plain(self) -> tuple[int, int, tuple[int, ...], tuple[tuple[int, ...], ...]]:
        return self._sorry.unpack(self._bytes())

    @property
    def _sorry(self) -> SorryRules:
        rules = self.game._rules
        assert isinstance(rules, SorryRules)
        return rules

    @property
    def _colours(self) -> tuple[int, ...]:
        return SEATS[self.game.num_players]

    def _team(self, player: int) -> tuple[int, ...]:
        """The colours that a player moves."""
        if self.game.options["teams"]:
            return (0, 2) if player % 2 == 0 else (1, 3)
        return (self._colours[player],)

    def _by_colour(self) -> dict[int, tuple[int, ...]]:
        return dict(zip(self._colours, self._plain[3], strict=True))

    @property
    def card(self) -> str | None:
        """The card to be played; None when one is to be drawn.

        >>> import boardrace as br
        >>> state = br.load("sorry").new_state()
        >>> state.card is None
        True
        >>> state.apply("12")
        >>> state.card
        '12'
        """
        card = self._plain[1]
        return None if card < 0 else CARDS[card]

    @property
    def pile(self) -> dict[str, int]:
        """How many of each card are left in the pile (all 0: it is shuffled anew when drawn from).

        >>> import boardrace as br
        >>> state = br.load("sorry").new_state()
        >>> state.apply("1")
        >>> state.pile["1"], state.pile["S"]
        (4, 4)
        """
        return dict(zip(CARDS, self._plain[2], strict=True))

    def pawns(self, player: int) -> tuple[str, ...]:
        """A player's four pawns, in the order of the text.

        >>> import boardrace as br
        >>> br.load("sorry", quick_start=True).new_state().pawns(1)
        ('S', 'S', 'S', '34')
        """
        if isinstance(player, bool) or not hasattr(player, "__index__"):
            raise TypeError(f"a player is a whole number, not {type(player).__name__}")
        if not 0 <= player < self.game.num_players:
            last = self.game.num_players - 1
            raise ValueError(f"there is no player {player}: they are 0 to {last}")
        colour = self._colours[player]
        return _in_order(colour, self._plain[3][player])

    def plays(self, card: str | None = None) -> dict[str, str]:
        """What the player whose turn it is could play with a card.

        Parameters
        ----------
        card : str, optional
            Any card; by default the one to be played.

        Returns
        -------
        dict
            Each legal play's text with the pawns after it, as the position's text writes them.

        Examples
        --------
        >>> import boardrace as br
        >>> state = br.load("sorry").parse("sorry 0 - 5,4,4,4,4,4,4,4,4,4,4 S,S,S,16 S,S,S,17")
        >>> state.plays("S")
        {'RS>17': 'S,S,16,17 S,S,S,S'}
        >>> state.plays("4")
        {'R16-4': 'S,S,S,12 S,S,S,17'}
        """
        if card is None:
            card = self.card
            if card is None:
                raise ValueError(f"no card is to be played now: give one of {', '.join(CARDS)}")
        if not isinstance(card, str):
            raise TypeError(f"a card is a str, not {type(card).__name__}")
        if card not in CARDS:
            raise ValueError(f"there is no card {card!r}: they are {', '.join(CARDS)}")
        if self.is_terminal:
            return {}
        found = self._sorry.plays(self._bytes(), CARDS.index(card), kept=True)
        return {
            play_text(kind, parts): " ".join(
                ",".join(_in_order(colour, after[4 * colour : 4 * colour + 4]))
                for colour in self._colours
            )
            for kind, parts, _, after in sorted(found, key=lambda play: play[2])
        }

    def outlook(self) -> dict[str, dict[str, list[str]]]:
        """What each pawn of the player whose turn it is could do with each card.

        Returns
        -------
        dict
            By pawn, written with its colour and place, by card: the plays that move it. Cards
            that cannot move it are left out; pawns in one Start, or at Home, are one entry.

        Examples
        --------
        >>> import boardrace as br
        >>> state = br.load("sorry").parse("sorry 0 - 5,4,4,4,4,4,4,4,4,4,4 S,S,S,s1 S,S,S,S")
        >>> state.outlook()["RS"]
        {'1': ['RS'], '2': ['RS']}
        >>> state.outlook()["Rs1"]
        {'1': ['Rs1+1'], '2': ['Rs1+2'], '3': ['Rs1+3'], '4': ['Rs1-4'], '10': ['Rs1-1']}
        """
        here = self._by_colour()
        outlook: dict[str, dict[str, list[str]]] = {
            COLOURS[colour] + place: {}
            for colour in self._team(self.turn)
            for place in _in_order(colour, here[colour])
        }
        for number, card in enumerate(CARDS):
            if self.is_terminal:
                break
            found = self._sorry.plays(self._bytes(), number, kept=True)
            for kind, parts, _, _ in sorted(found, key=lambda play: play[2]):
                for colour, steps, _, _ in parts:
                    pawn = COLOURS[colour] + place_text(colour, steps)
                    outlook[pawn].setdefault(card, []).append(play_text(kind, parts))
        return outlook

    # ---- texts

    def __str__(self) -> str:
        turn, card, deck, pawns = self._plain
        fields = ["sorry", str(turn), "-" if card < 0 else CARDS[card], ",".join(map(str, deck))]
        for colour, steps in zip(self._colours, pawns, strict=True):
            fields.append(",".join(_in_order(colour, steps)))
        return " ".join(fields)

    def action_to_str(self, action: int) -> str:
        """The text of an action: a card, or a play.

        >>> import boardrace as br
        >>> state = br.load("sorry").new_state()
        >>> [state.action_to_str(outcome) for outcome in state.legal_actions()]
        ['1', '2', '3', '4', '5', '7', '8', '10', '11', '12', 'S']
        """
        action = self.game._action_number(action)
        if action < len(CARDS):
            return CARDS[action]
        return play_text(*self._sorry.describe(action))

    def parse_action(self, text: str) -> int:
        """The action with that text; any way of writing a legal play gives the one kept.

        Raises
        ------
        IllegalActionError
            When it is not legal now, with the reason.

        Examples
        --------
        >>> import boardrace as br
        >>> state = br.load("sorry").parse("sorry 0 7 5,4,4,4,4,3,4,4,4,4,4 S,S,21,31 S,S,S,S")
        >>> state.action_to_str(state.parse_action("R31+2,R21+5"))
        'R21+5,R31+2'
        """
        if not isinstance(text, str):
            raise TypeError(f"an action's text is a str, not {type(text).__name__}")
        if self.is_chance:
            if text in CARDS and (number := CARDS.index(text)) in self.legal_actions():
                return number
        elif not self.is_terminal and (wanted := _read_play(text)) is not None:
            action = self._find(wanted)
            if action is not None:
                return action
        verdict = self.explain(text)
        raise IllegalActionError(verdict.code, verdict.message)

    def _find(self, wanted: _Wanted) -> int | None:
        """The kept action with the same end as a play that a text says, None when not legal."""
        found = self._find_play(wanted)
        return None if found is None else found[2]

    def _find_play(
        self, wanted: _Wanted
    ) -> tuple[int, tuple[Part, ...], int, tuple[int, ...]] | None:
        parts = tuple(
            (
                colour, _steps(colour, place), count,
                steps_at(colour, wanted.square) if wanted.square >= 0 else 0,
            )
            for colour, place, count in wanted.parts
        )  # fmt: skip
        for play in self._sorry.plays(self._bytes(), self._plain[1]):
            if play[0] == wanted.kind and play[1] == parts:
                return play
        return None

    def _bad_text(self, text: str) -> str | None:
        if text in CARDS:
            if self.is_chance:
                return None
            return f"{text} is a card: it is drawn, not played; {_GRAMMAR}."
        if _read_play(text) is None:
            return f"{text[:40]!r} is no play: {_GRAMMAR}."
        return None

    # ---- why and why not

    def _reason(self, text: str) -> tuple[str, str]:
        wanted = _read_play(text)
        assert wanted is not None
        play = self._find_play(wanted)
        if play is not None:
            return "legal", self._legal_words(text, play)
        turn, number, _, _ = self._plain
        card = CARDS[number]
        kind, parts, square = wanted
        here = self._by_colour()
        team = self._team(turn)
        steps = [_steps(colour, place) for colour, place, _ in parts]
        if kind in (PASS, DECLINE):
            return self._why_not_idle(kind, card)

        for (colour, _, _), at in zip(parts, steps, strict=True):
            if at not in here.get(colour, ()):
                if colour not in here:
                    return "no_pawn", f"Nobody plays {NAMES[colour]} in this game."
                return "no_pawn", f"No {NAMES[colour]} pawn stands on {place_words(colour, at)}."
        if len(parts) == 2 and parts[0][:2] == parts[1][:2]:
            colour, at = parts[0][0], steps[0]
            if here[colour].count(at) < 2:
                return "no_pawn", (
                    f"There is one pawn on {place_words(colour, at)}: "
                    "the two parts of a 7 are for two pawns."
                )
        for colour, _, _ in parts:
            if colour not in team:
                own = _and([NAMES[one] for one in team])
                return "not_yours", f"You move {own}: the {NAMES[colour]} pawns are not yours."
        if wrong := _wrong_card(kind, parts, card):
            return "wrong_card", wrong
        for (colour, _, _), at in zip(parts, steps, strict=True):
            if at == HOME:
                return "at_home", f"A pawn at Home stays there: {NAMES[colour]}'s cannot move."
        for (colour, _, _), at in zip(parts, steps, strict=True):
            if at == START and kind in (MOVE, SPLIT):
                return "in_start", (
                    f"A pawn in Start cannot move by squares: {NAMES[colour]}'s comes out with "
                    "a 1, a 2 or a Sorry! card."
                )
            if at == START and kind == EXCHANGE:
                return "in_start", (
                    "An exchange is between pawns on the track: "
                    f"{NAMES[colour]}'s pawn is still in Start."
                )
        if kind == EXCHANGE and steps[0] > ENTRY:
            return "safe", (
                "A pawn in its safety zone takes no part in an exchange: "
                f"{NAMES[parts[0][0]]}'s is on {parts[0][1]}."
            )
        if kind in (EXCHANGE, TAKE):
            return "no_target", self._why_no_target(kind, parts[0][0], square, team, here)
        for (colour, _, count), at in zip(parts, steps, strict=True):
            if at + count > HOME:
                return "overshoots_home", (
                    f"Home needs the exact count: from {place_words(colour, at)} it is "
                    f"{HOME - at} away, not {count}."
                )
        if kind == ENTER:
            colour = parts[0][0]
            return "own_pawn", (
                f"A pawn of your own stands on the circle, square {square_of(colour, CIRCLE)}, "
                "and two pawns of one colour never share a square."
            )
        return self._why_blocked(parts, steps, here)

    def _why_not_idle(self, kind: int, card: str) -> tuple[str, str]:
        plays = [name for name in self.plays() if name not in ("pass", "decline")]
        some = plays[0] if plays else ""
        if kind == PASS:
            idle = "" if "decline" not in self.plays() else " or decline"
            return "must_move", (
                f"You may not pass: with a {card} there is a play that must be made, "
                f"{some} for one{idle}."
            )
        if card != "11":
            return "wrong_card", f"Only an 11 can be declined; the card in hand is {_card(card)}."
        if not plays:
            return "no_target", "There is nothing to decline: no exchange is possible. Pass."
        return "must_move", (
            "An 11 may be declined only when no pawn of yours can go forward 11 and an exchange "
            f"is possible: here {some} can be played."
        )

    def _why_no_target(
        self, kind: int, colour: int, square: int, team: tuple[int, ...],
        here: Mapping[int, tuple[int, ...]],
    ) -> str:  # fmt: skip
        there = [
            one for one, pawns in here.items()
            if steps_at(one, square) in pawns
        ]  # fmt: skip
        if not there:
            return f"No pawn stands on square {square}."
        owner = NAMES[there[0]]
        if there[0] == colour:
            return f"The pawn on square {square} is {owner} too: it takes an opponent's."
        what = "An exchange is with" if kind == EXCHANGE else "A Sorry! takes"
        if kind == TAKE and there[0] in team:
            return (
                f"The {owner} pawn on square {square} is your team's: while an opponent's pawn is "
                "on the track a Sorry! takes one of those."
            )
        return f"{what} an opponent's pawn: the {owner} one on square {square} is your team's."

    def _why_blocked(
        self, parts: tuple[tuple[int, str, int], ...], steps: list[int],
        here: Mapping[int, tuple[int, ...]],
    ) -> tuple[str, str]:  # fmt: skip
        """Why a move by squares that keeps all the rules before it cannot be carried out."""
        pawns = {colour: list(places) for colour, places in here.items()}
        for number, ((colour, place, count), at) in enumerate(zip(parts, steps, strict=True)):
            which = "" if len(parts) == 1 else (" first", " then")[number]
            if at not in pawns[colour]:
                one = parts[0]
                return "rest_of_seven", (
                    f"The first part, {COLOURS[one[0]]}{one[1]}{one[2]:+d}, slides over "
                    f"{COLOURS[colour]}{place} and sends it to Start: nobody is left to go the "
                    f"other {count}."
                )
            to = at + count if at + count >= 1 else at + count + 60
            if to != HOME and to in pawns[colour]:
                return "own_pawn", (
                    f"{COLOURS[colour]}{place}{count:+d}{which} lands on "
                    f"{place_words(colour, to)}, where a pawn of its own colour stands."
                )
            pawns[colour].remove(at)
            pawns[colour].append(_slide_python(pawns, colour, to))
        (colour, place, count) = parts[0]
        return "rest_of_seven", (
            f"{COLOURS[colour]}{place}{count:+d} is only a part of the 7: the other {7 - count} "
            "must be moved too, by another pawn."
        )

    def _legal_words(
        self, text: str, play: tuple[int, tuple[Part, ...], int, tuple[int, ...]]
    ) -> str:
        kind, parts, number, after = play
        kept = self.action_to_str(number)
        same = "" if kept == text else f" It ends like {kept}, which is the name kept for it."
        if kind == PASS:
            return "There is no play with this card: you pass."
        if kind == DECLINE:
            return "No pawn of yours can go forward 11, so you may decline the exchange."
        words = []
        for colour, steps, count, target in parts:
            pawn = f"the {NAMES[colour]} pawn"
            if kind == ENTER:
                words.append(f"{pawn} comes out to its circle, square {square_of(colour, CIRCLE)}")
            elif kind == EXCHANGE:
                words.append(
                    f"{pawn} on {place_words(colour, steps)} changes places with the one on "
                    f"{place_words(colour, target)}"
                )
            elif kind == TAKE:
                words.append(
                    f"a {NAMES[colour]} pawn leaves Start and takes the place of the pawn on "
                    f"{place_words(colour, target)}"
                )
            else:
                to = steps + count if steps + count >= 1 else steps + count + 60
                way = f"{count} forward" if count > 0 else f"{-count} back"
                there = place_words(colour, to)
                words.append(f"{pawn} on {place_words(colour, steps)} goes {way} to {there}")
            to = target or (CIRCLE if kind == ENTER else (steps + count - 1) % 60 + 1)
            if steps + count <= ENTRY and slide_length(to):
                words[-1] += f" and slides on to square {square_of(colour, to + slide_length(to))}"
        sentence = "; then ".join(words)
        sent = self._sent_to_start(kind, parts, after)
        if sent:
            sentence += f"; {_and(sent)} to Start"
        return sentence[0].upper() + sentence[1:] + "." + same

    def _sent_to_start(
        self, kind: int, parts: Sequence[Part], after: Sequence[int]
    ) -> list[str]:  # fmt: skip
        """The pawns that a play sends to Start, each with its square."""
        sent = []
        moved = {(colour, steps) for colour, steps, _, _ in parts}
        for colour, places in self._by_colour().items():
            more = after[4 * colour : 4 * colour + 4].count(START) - places.count(START)
            more += sum(1 for one, steps, _, _ in parts if one == colour and steps == START)
            if more <= 0:
                continue
            now = list(after[4 * colour : 4 * colour + 4])
            gone = [
                steps
                for steps in places
                if 0 < steps <= ENTRY and (colour, steps) not in moved and steps not in now
            ]
            squares = [f"{COLOURS[colour]}{square_of(colour, steps)}" for steps in gone[:more]]
            sent += squares if len(squares) == more else [f"{more} of {NAMES[colour]}"]
        return sent

    # ---- pictures

    def render(self) -> str:
        """The track, the safety zones, the pawns and the card in hand, in 80 columns."""
        cells: dict[tuple[int, int], str] = {}
        for square in range(60):
            cells[_grid(square)] = "."
        for colour in range(4):
            letter = COLOURS[colour].lower() if colour in self._colours else " "
            for first, last in ((1, 4), (9, 13)):
                for u in range(first, last + 1):
                    arrow = "<^>v"[colour] if u == first else ("-|-|"[colour] if u < last else "o")
                    cells[_grid(15 * colour + u)] = letter.strip() + arrow
            if colour in self._colours:
                for k in range(5):
                    cells[_point(colour, 2, k + 1)] = "_"
        for colour, places in self._by_colour().items():
            letter = COLOURS[colour]
            for steps in places:
                if 0 < steps <= ENTRY:
                    cells[_grid(square_of(colour, steps))] = f"({letter})"
                elif ENTRY < steps < HOME:
                    cells[_point(colour, 2, steps - ENTRY)] = f"({letter})"
            cells[_point(colour, 2, 6)] = f"H{places.count(HOME)}"
            cells[_point(colour, 4, 1)] = f"S{places.count(START)}"
        lines = []
        for y in range(16):
            line = "".join(cells.get((x, y), "").center(4) for x in range(16))
            left, right = _edge_number(0, y), _edge_number(15, y)
            lines.append(f"{left:>3} {line} {right}".rstrip())
        top = "    " + "".join(_edge_number(x, 0).center(4) for x in range(16))
        bottom = "    " + "".join(_edge_number(x, 15).center(4) for x in range(16))
        lines = [top.rstrip(), *lines, bottom.rstrip(), ""]
        turn, card, deck, _ = self._plain
        names = _and([NAMES[colour] for colour in self._team(turn)])
        if self.is_terminal:
            lines.append(_won(self))
        elif card < 0:
            lines.append(f"{NAMES[self._colours[turn]]} (player {turn}) is to draw")
        else:
            who = NAMES[self._colours[turn]]
            more = f", for {names}" if self.game.options["teams"] else ""
            lines.append(f"{who} (player {turn}) plays {_card(CARDS[card])}{more}")
        lines.append(
            "pile: " + "  ".join(f"{name}:{n}" for name, n in zip(CARDS, deck, strict=True))
            + ("" if any(deck) else "  (shuffled anew for the next draw)")
        )  # fmt: skip
        return "\n".join(lines)

    def svg(
        self,
        *,
        size: float = 480,
        mark: Marks = None,
        player: int | None = None,
        show_hidden: bool = False,
        last: bool = True,
        **other: Any,
    ) -> str:
        """A picture of the board.

        Parameters
        ----------
        size : float
            Width in pixels.
        mark : str, int or iterable of them, optional
            Legal plays whose way is drawn.
        player : int, optional
            Who sits at the bottom; player 0 by default.
        show_hidden : bool
            Nothing is hidden in Sorry!: no effect.
        last : bool
            Whether the last play of the history is marked.
        """
        if other:
            raise TypeError(f"svg has no option {next(iter(other))!r}")
        return _draw(self, size, mark, player, last)


def _slide_python(pawns: dict[int, list[int]], colour: int, to: int) -> int:
    """Where a pawn that lands comes to rest; own-team pawns met on the way go to Start."""
    if to > ENTRY:
        return to
    for one, places in pawns.items():
        met = range(to if one != colour else to + 1, to + slide_length(to) + 1)
        squares = {square_of(colour, steps) for steps in met}
        for k, steps in enumerate(places):
            if 0 < steps <= ENTRY and square_of(one, steps) in squares:
                places[k] = START
    return to + slide_length(to)


def _won(state: SorryState) -> str:
    names = [NAMES[SEATS[state.game.num_players][winner]] for winner in state.winners]
    return f"{_and(names)} {'have' if len(names) > 1 else 'has'} won"


def _card(card: str) -> str:
    if card == "S":
        return "a Sorry!"
    return f"an {card}" if card in ("8", "11") else f"a {card}"


def _wrong_card(kind: int, parts: Sequence[tuple[int, str, int]], card: str) -> str:
    """Why the card in hand is not for this kind of play; empty when it is."""
    hand = f"the card in hand is {_card(card)}"
    if kind == ENTER and card not in ("1", "2"):
        more = " (a Sorry! takes an opponent's place, as in RS>40)" if card == "S" else ""
        return f"A pawn leaves Start with a 1 or a 2; {hand}{more}."
    if kind == EXCHANGE and card != "11":
        return f"Pawns are exchanged with an 11; {hand}."
    if kind == TAKE and card != "S":
        return f"An opponent's place is taken with a Sorry! card; {hand}."
    if kind == SPLIT:
        one, two = parts[0][2], parts[1][2]
        if card != "7":
            return f"Only a 7 is split between two pawns; {hand}."
        if one < 0 or two < 0 or one + two != 7:
            return (
                f"The two parts of a 7 go forward, exactly 7 together, not {one:+d} and {two:+d}."
            )
    if kind == MOVE:
        count = parts[0][2]
        if card == "7" and 1 <= count <= 6:
            return ""  # a part of the seven: see rest_of_seven
        if count not in COUNTS[card]:
            ways = " or ".join(
                f"{n} forward" if n > 0 else f"{-n} back" for n in COUNTS[card]
            ) or "takes an opponent's place from Start"  # fmt: skip
            way = f"{count} forward" if count > 0 else f"{-count} back"
            moves = f"moves {ways}" if COUNTS[card] else ways
            return f"{_card(card)[0].upper()}{_card(card)[1:]} {moves}, not {way}."
    return ""


def _in_order(colour: int, steps: Sequence[int]) -> tuple[str, ...]:
    """The texts of pawns as a position's text orders them."""

    def key(one: int) -> int:
        if 0 < one <= ENTRY:
            return square_of(colour, one)
        return -1 if one == START else 100 + one

    return tuple(place_text(colour, one) for one in sorted(steps, key=key))


# ---------------------------------------------------------------- pictures


def _point(side: int, u: float, d: float) -> tuple[Any, Any]:
    """Column and row, 0 to 15, of a place u squares along a side and d squares inwards from it."""
    return ((15 - u, 15 - d), (d, 15 - u), (u, d), (15 - d, u))[side]


def _grid(square: int) -> tuple[int, int]:
    """Column and row of a track square; 0 is at the bottom right, the way goes clockwise."""
    return _point(square // 15, square % 15, 0)


def _edge_number(x: int, y: int) -> str:
    """The number to write beside a track square: every fifth one's."""
    for square in range(0, 60, 5):
        if _grid(square) == (x, y):
            return str(square)
    return ""


LOOKS = (
    Look("#d55e00", "#7a2f00", "#ffffff", "R"),
    Look("#0072b2", "#003f63", "#ffffff", "B"),
    Look("#f0e442", "#7d7500", "#000000", "Y"),
    Look("#009e73", "#00523c", "#ffffff", "G"),
)
_CELL = 30.0
_EDGE = 20.0


def _draw(state: SorryState, size: float, mark: Marks, player: int | None, last: bool) -> str:
    game = state.game
    seats = SEATS[game.num_players]
    turn, card, deck, _ = state._plain
    if player is None:
        base = seats[0]
    else:
        state.pawns(player)  # refuses what is no player
        base = seats[player]
    side_of = [(colour - base) % 4 for colour in range(4)]
    extent = 16 * _CELL + 2 * _EDGE
    picture = Svg(extent, extent, f"Sorry!: {state}", size)

    def at(colour: int, u: float, d: float) -> tuple[float, float]:
        """The middle of a place u squares along a colour's side and d inwards."""
        x, y = _point(side_of[colour], u, d)
        return _EDGE + (x + 0.5) * _CELL, _EDGE + (y + 0.5) * _CELL

    def middle(colour: int, steps: int) -> tuple[float, float]:
        if steps == START:
            return at(colour, 4.35, 1.95)
        if steps == HOME:
            return at(colour, 2, 6.85)
        if steps > ENTRY:
            return at(colour, 2, steps - ENTRY)
        square = square_of(colour, steps)
        return at(square // 15, square % 15, 0)

    def cell(colour: int, u: float, d: float, fill: str, line: str = FAINT) -> None:
        x, y = at(colour, u, d)
        half = _CELL / 2
        picture.rect(x - half, y - half, _CELL, _CELL, fill=fill, stroke=line, stroke_width=1)

    marked = _touched(state) if last else ([], [])
    for square in range(60):
        fill = LAST if square in marked[0] else "#ffffff"
        cell(square // 15, square % 15, 0, fill)
    for colour in range(4):
        look = LOOKS[colour]
        for k in range(1, 6):
            fill = LAST if (colour, ENTRY + k) in marked[1] else _pale(look.fill)
            cell(colour, 2, k, fill, look.line)
        for steps, word in ((START, "Start"), (HOME, "Home")):
            x, y = middle(colour, steps)
            fill = LAST if (colour, steps) in marked[1] else _pale(look.fill)
            picture.circle(x, y, 1.3 * _CELL, fill=fill, stroke=look.line, stroke_width=2)
            picture.label(x, y - 0.95 * _CELL, word, 9, fill=INK)
        circle = middle(colour, CIRCLE)
        picture.circle(*circle, 0.42 * _CELL, fill="none", stroke=look.fill, stroke_width=2)
        for first, end in ((1, 4), (9, 13)):
            start, stop = at(colour, first, 0), at(colour, end, 0)
            picture.line(*start, *stop, stroke=look.fill, stroke_width=7, stroke_linecap="round")
            ahead = at(colour, first + 0.42, 0), at(colour, first - 0.36, 0.38)
            other = at(colour, first - 0.36, -0.38)
            picture.polygon([ahead[0], ahead[1], other], fill=look.fill, stroke=look.line)
            picture.circle(*stop, 0.24 * _CELL, fill=look.fill, stroke=look.line)
    for square in range(0, 60, 5):
        x, y = at(square // 15, square % 15, -0.82)
        picture.label(x, y, str(square), 10, fill="#6b6557")

    for number, text in enumerate(marked_texts(state, mark)):
        _draw_way(state, picture, middle, text, number)

    for colour, places in state._by_colour().items():
        look = LOOKS[colour]
        for steps in sorted(set(places)):
            x, y = middle(colour, steps)
            spots = [(x, y)]
            if steps in (START, HOME):
                n, gap = places.count(steps), 0.46 * _CELL
                corners = [(-gap, -gap), (gap, -gap), (-gap, gap), (gap, gap)]
                spots = [(x + dx, y + dy + 0.12 * _CELL) for dx, dy in corners[:n]]
            for spot in spots:
                picture.circle(
                    spot[0], spot[1], 0.38 * _CELL, fill=look.fill, stroke=look.line, stroke_width=2
                )
                picture.label(spot[0], spot[1], look.mark, 12, fill=look.text, font_weight="bold")

    centre = extent / 2
    if state.is_terminal:
        line = _won(state)
    elif card < 0:
        line = f"{NAMES[seats[turn]]} is to draw"
    else:
        line = f"{NAMES[seats[turn]]} plays"
    picture.label(centre, centre - 44, line, 14)
    if not state.is_terminal:
        look = LOOKS[seats[turn]]
        back = _pale(look.fill) if card < 0 else "#ffffff"
        picture.rect(
            centre - 22, centre - 31, 44, 60, rx=5, fill=back, stroke=look.line, stroke_width=2
        )
        word = "?" if card < 0 else ("Sorry!" if CARDS[card] == "S" else CARDS[card])
        picture.label(centre, centre - 1, word, 13 if word == "Sorry!" else 24, font_weight="bold")
    picture.label(centre, centre + 43, f"{sum(deck)} cards in the pile", 10)

    return picture.text()


def _pale(colour: str) -> str:
    """A light tint of a colour."""
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{255 - (255 - part) // 4:02x}" for part in parts)


def _touched(state: SorryState) -> tuple[list[int], list[tuple[int, int]]]:
    """Where the last play of the history began and ended.

    Squares of the track, and beside them (colour, steps).
    """
    squares: list[int] = []
    others: list[tuple[int, int]] = []
    history = state.history
    number = next((k for k in range(len(history) - 1, -1, -1) if history[k] > 12), None)
    if number is None:
        return squares, others
    before = state._at(number)
    kind, parts = before._sorry.describe(history[number])
    places = []
    for part in parts:
        way = _way(kind, part)
        places += [(part[0], way[0]), (part[0], way[-1])]
    for colour, steps in places:
        if 0 < steps <= ENTRY:
            squares.append(square_of(colour, steps))
        else:
            others.append((colour, steps))
    return squares, others


def _way(kind: int, part: Part) -> list[int]:
    """The steps that a moved pawn comes by, its slide's end last."""
    colour, steps, count, target = part
    if kind in (EXCHANGE, TAKE):
        way = [steps, target]
    elif kind == ENTER:
        way = [START, CIRCLE]
    else:
        way = [steps]
        for _ in range(abs(count)):
            to = way[-1] + (1 if count > 0 else -1)
            way.append(to if to >= 1 else to + 60)
    return way + [way[-1] + k for k in range(1, slide_length(way[-1]) + 1)]


def _draw_way(state: SorryState, picture: Svg, middle: Any, text: str, number: int) -> None:
    state.parse_action(text)  # refuses what is not legal
    if state.is_chance:
        return
    wanted = _read_play(text)
    play = None if wanted is None else state._find_play(wanted)
    if play is None:
        return
    kind, parts, _, _ = play
    for part in parts:
        points = [middle(part[0], steps) for steps in _way(kind, part)]
        picture.polyline(
            points, stroke=PATH, stroke_width=4, stroke_linejoin="round", stroke_linecap="round",
            stroke_opacity=0.8, stroke_dasharray=None if number == 0 else "7 5",
        )  # fmt: skip
        (x, y), (to_x, to_y) = points[0], points[-1]
        picture.circle(x, y, 4, fill=PATH)
        picture.circle(to_x, to_y, 7, fill=PAPER, stroke=PATH, stroke_width=3)


class SorryGame(Game[SorryState]):
    """Sorry!, the classic edition: cards, slides, sevens split between two pawns.

    >>> import boardrace as br
    >>> br.load("sorry", teams=True).num_players
    4
    """

    name = "sorry"
    summary = "Sorry!: cards drawn from a pile, slides, split sevens; 2 to 4 players, or two teams"
    option_list = (
        whole("players", 2, 2, 4, "how many play; four is the default, and needed, in teams"),
        choice("teams", (False, True), "red and yellow play against blue and green"),
        choice("exchange_slides", ("mover", "both"), "whose pawn slides after an exchange"),
        choice("quick_start", (False, True), "each colour begins with one pawn on its circle"),
    )
    state_class = SorryState

    @classmethod
    def resolve(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        options = super().resolve(given)
        if options["teams"]:
            if "players" in given and options["players"] != 4:
                raise ValueError(f"players is {options['players']}: in teams it must be 4")
            options["players"] = 4
        return options

    def defaults(self) -> Mapping[str, Any]:
        usual = dict(super().defaults())
        if self.options["teams"]:
            usual["players"] = 4
        return usual

    def make_rules(self) -> SorryRules:
        options = self.options
        return SorryRules(
            options["players"],
            options["teams"],
            options["exchange_slides"] == "both",
            options["quick_start"],
        )

    def describe_observation(self) -> None:
        n = self.num_players
        object.__setattr__(self, "observation_shape", (n * 67 + 22 + n,))
        object.__setattr__(self, "observation_dtype", np.dtype(np.uint8))

    def _parse(self, text: str) -> bytes:
        rules = self._rules
        assert isinstance(rules, SorryRules)
        n = self.num_players
        colours = SEATS[n]
        fields = split_fields(text, ("sorry", "TURN", "CARD", "DECK", *["PAWNS"] * n))
        turn = read_number("TURN", fields[0], 0, n - 1)
        card = -1
        if fields[1] != "-":
            if fields[1] not in CARDS:
                cards = ", ".join(CARDS)
                raise PositionError(
                    "CARD", f"{fields[1][:40]!r} is no card: it must be - or one of {cards}"
                )
            card = CARDS.index(fields[1])
        items = read_items("DECK", fields[2])
        if len(items) != len(CARDS):
            raise PositionError("DECK", f"{len(items)} counts where there must be {len(CARDS)}")
        deck = [read_number("DECK", item, 0, FULL[k]) for k, item in enumerate(items)]
        if card >= 0 and deck[card] == FULL[card]:
            raise PositionError(
                "DECK", f"{deck[card]} cards {CARDS[card]} in the pile and one in hand: there are "
                f"{FULL[card]}",
            )  # fmt: skip
        pawns = [_read_pawns(colour, fields[3 + k]) for k, colour in enumerate(colours)]
        squares: dict[int, int] = {}
        for colour, places in zip(colours, pawns, strict=True):
            for steps in places:
                if 0 < steps <= ENTRY:
                    square = square_of(colour, steps)
                    if square in squares:
                        raise PositionError("PAWNS", f"two pawns on square {square}")
                    squares[square] = colour
        done = [all(steps == HOME for steps in places) for places in pawns]
        if self.options["teams"]:
            winners = [team for team in (0, 1) if done[team] and done[team + 2]]
        else:
            winners = [player for player in range(n) if done[player]]
        if len(winners) > 1:
            raise PositionError("PAWNS", "all pawns of two sides are at Home: the first has won")
        if winners and card >= 0:
            raise PositionError("CARD", "the game is over: no card is in hand")
        return rules.pack(turn, card, deck, pawns)


def _read_pawns(colour: int, field: str) -> list[int]:
    items = read_items("PAWNS", field)
    if len(items) != 4:
        raise PositionError("PAWNS", f"{len(items)} {NAMES[colour]} pawns where there must be 4")
    for item in items:
        if not re.fullmatch(_PLACE, item):
            raise PositionError(
                "PAWNS", f"{item[:40]!r} is no place: S, a square 0 to 59, s0 to s4 or H"
            )
    pawns = [_steps(colour, item) for item in items]
    for steps in pawns:
        if START < steps < HOME and pawns.count(steps) > 1:
            raise PositionError("PAWNS", f"two pawns on {place_words(colour, steps)}")
    if tuple(items) != _in_order(colour, pawns):
        right = ",".join(_in_order(colour, pawns))
        raise PositionError("PAWNS", f"{field[:40]!r} is out of order: it must be {right}")
    return pawns


GAME = SorryGame
