"""Dash: a game for boardrace that lives in a package of its own."""

import re

import numpy as np

from boardrace import Game, IllegalActionError, PositionError, State
from boardrace._fields import read_items, read_number, split_fields

from .core import DashRules

HOME, PASS = 12, 12
FIELDS = ("dash", "TURN", "DIE", "TOKENS0", "TOKENS1")


class DashState(State):
    def __str__(self):
        turn, die, *tokens = self._bytes()[:6]
        return f"dash {turn} {die or '-'} {tokens[0]},{tokens[1]} {tokens[2]},{tokens[3]}"

    def action_to_str(self, action):
        action = int(action)
        if action == PASS:
            return "pass"
        return f"m{action}" if action < PASS else f"d{action - PASS}"

    def parse_action(self, text):
        verdict = self.explain(text)
        if not verdict:
            raise IllegalActionError(verdict.code, verdict.message)
        if text == "pass":
            return PASS
        return int(text[1:]) + (PASS if text[0] == "d" else 0)

    def _bad_text(self, text):
        if text == "pass" or re.fullmatch(r"m(\d|1[01])|d[1-4]", text):
            return None
        return f"{text[:20]!r} is neither a move (m3), a roll (d2) nor pass."

    def _reason(self, text):
        legal = [self.action_to_str(action) for action in self.legal_actions()]
        if text in legal:
            return "legal", f"{text} may be played."
        if text == "pass":
            return "must_move", "A player who can move must."
        if text[0] == "d":
            return "no_roll", "The die has been rolled."
        return "no_move", f"No token of yours can move from square {text[1:]}."

    def render(self):
        _, _, a, b, c, d = self._bytes()[:6]
        rows = ("".join(".X"[k in pair] for k in range(HOME + 1)) for pair in ((a, b), (c, d)))
        return "\n".join(rows)

    def svg(self, **options):
        text = f'<text y="20">{self}</text><text y="40">{self.legal_actions()}</text>'
        return f'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="90">{text}</svg>'


class Dash(Game[DashState]):
    name = "dash"
    summary = "two tokens a player, twelve squares, a four-sided die"
    option_list = ()
    state_class = DashState

    def make_rules(self):
        return DashRules()

    def describe_observation(self):
        object.__setattr__(self, "observation_shape", (5,))
        object.__setattr__(self, "observation_dtype", np.dtype(np.uint8))

    def _parse(self, text):
        turn, die, *pairs = split_fields(text, FIELDS)
        numbers = [read_number("TURN", turn, 0, 1)]
        numbers.append(0 if die == "-" else read_number("DIE", die, 1, 4))
        for field, pair in zip(FIELDS[3:], pairs, strict=True):
            tokens = [read_number(field, item, 0, HOME) for item in read_items(field, pair)]
            if len(tokens) != 2 or tokens != sorted(tokens):
                raise PositionError(field, "two tokens a player, the rear one first")
            numbers += tokens
        if (both := set(numbers[2:4]) & set(numbers[4:6])) and not both <= {0, HOME}:
            raise PositionError("TOKENS1", "two players' tokens cannot share a square")
        if numbers[2] == HOME and numbers[4] == HOME:
            raise PositionError("TOKENS1", "both players cannot have won")
        if HOME in (numbers[2], numbers[4]) and numbers[1]:
            raise PositionError("DIE", "the game is over: nothing is rolled")
        return bytes([*numbers, 0, 0])
