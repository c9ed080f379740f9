"""Octiles: the fast ways of counting, choosing and playing beside the slow ones, on every level."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import boardrace as br
from boardrace._core import perft

OPTION_SETS = [
    {}, {"players": 3}, {"players": 4}, {"runners": 3}, {"runners": 4},
    {"players": 3, "play_on": True}, {"players": 4, "play_on": True},
    {"players": 4, "runners": 3, "circles": "145"}, {"players": 4, "runners": 5, "play_on": True},
    {"players": 3, "circles": ["125", "145", "135"]},
]  # fmt: skip

#: Options, how many actions, and a position: what random play rarely comes to. First more than 127
#: actions; then a runner with three ports into a space and a place with three, joined in one turn.
RARE = [
    (
        {},
        194,
        "octiles 0 J B5,N5,Q1,M2,F6,D1,p,G5,L0,I1,O0,C7,E2,H3,R0,A0,K2 "
        "s1,s5,s6,s7,s14 s12,s15,S2,S4,S5 0 1",
    ),
    (
        {"players": 4},
        150,
        "octiles 1 D P2,B6,O1,G5,F1,M6,E3,Q0,K0,N1,J2,A0,H6,R0,I3,L1,C6 "
        "S5,s2,s13,N3 s5,s6,s9,s12 s0,s3,s14,S3 s11,s15,W3,W5 0 0",
    ),
    (
        {},
        92,
        "octiles 0 M R0,C0,B0,N5,L0,O2,G6,Q0,F5,A0,I3,D3,K3,H5,E2,P0,J0 "
        "s4,s5,s9,s14,N1 s0,s2,s10,s15,S5 0 -",
    ),
    (
        {},
        119,
        "octiles 0 J R0,A0,F4,C3,M5,L3,D3,O0,I0,K1,G4,P1,H4,N2,E4,B5,Q1 "
        "s5,s7,s8,s13,N1 s0,s3,s9,s10,S5 0 -",
    ),
    (
        {},
        75,
        "octiles 0 D F7,M1,K1,E3,L1,O2,J4,B4,A1,I3,C7,G0,R0,N3,P1,Q1,H0 "
        "s3,s5,s6,s12,N1 s0,s7,s9,s11,S5 0 -",
    ),
]


def compare(options: dict, seed: int, plies: int) -> int:
    """The ways of one game against each other along a random play; how many positions."""
    game = br.load("octiles", **options)
    state = game.new_state(seed=seed)
    numbers = np.random.default_rng(seed)
    rng = br.Rng(seed, 2)
    count = 0
    for ply in range(plies):
        if state.is_terminal:
            assert br.perft(state, 1) == br.perft(state, 2) == len(state.legal_actions()) == 0
            break
        count += 1
        slow = game._rules.actions_by_tracing(state._bytes())
        fast = state.legal_actions().tolist()
        assert fast == slow == sorted(set(slow)), str(state)
        assert perft.count(state, 1) == len(slow)
        for _ in range(3):
            u = int(numbers.integers(2**64, dtype=np.uint64))
            assert state.copy().sample(Given(u)) == slow[u * len(slow) >> 64]
        for action in [*slow[:2], *(int(k) for k in numbers.integers(game.num_actions, size=6))]:
            twin = state.copy()
            if action in slow:
                twin.apply(action)
            else:
                with pytest.raises(br.IllegalActionError):
                    twin.apply(action)
        if ply % 4 == 0:
            assert perft.count(state, 2) == perft.count(state, 2, plain=True), str(state)
        if ply % 60 == 0:
            assert perft.count(state, 3) == perft.count(state, 3, plain=True), str(state)
        state.sample(rng)
    return count


class Given(np.random.Generator):
    """A generator whose next number is given."""

    def __init__(self, number: int) -> None:
        super().__init__(np.random.PCG64(0))
        self.number = number

    def integers(self, *_args, **_options):
        return np.uint64(self.number)


def compare_all(part: int) -> None:
    total = 0
    for k, options in enumerate(OPTION_SETS):
        total += compare(options, 10 * part + k, 400)
    assert total > 1500


def compare_near_the_end() -> None:
    """Positions where finishing circles fill: opening the finish, loops, last runners, passes."""
    numbers = np.random.default_rng(5)
    tiles = "ABCDEFGHIJKLMNOPQR"
    turns = {"A": 2, "I": 4, "K": 4, "L": 4, "O": 4, "P": 4, "Q": 2, "R": 1}
    for number in range(500):
        n = int(numbers.integers(2, 5))
        runners = int(numbers.integers(3, 6))
        play_on = bool(numbers.integers(2)) and n > 2
        game = br.load("octiles", players=n, circles="12345"[: runners - 1] + "5", play_on=play_on)
        deal = numbers.permutation(18)
        tokens = []
        for tile in deal[1:]:
            letter = tiles[tile]
            up = numbers.random() < (0.95 if number % 3 else 0.6)
            r = int(numbers.integers(turns.get(letter, 8)))
            tokens.append(f"{letter}{r}" if up else letter.lower())
        free = [f"s{k}" for k in range(16)]
        numbers.shuffle(free)
        starts, ends = {}, {}
        for player in range(n):
            side = game.seats[player]
            starts[player] = [f"{'SWNE'[side]}{k}" for k in range(1, 6)]
            ends[player] = [f"{'SWNE'[(side + 2) % 4]}{k}" for k in range(1, 6)]
        taken: set[str] = set()
        fields = []
        for player in range(n):
            own = [name for name in starts[player] if name[1] in game.options["circles"]]
            places: list[str] = []
            while len(places) < runners:
                kind = numbers.choice(3, p=[0.2, 0.25, 0.55])
                pool = [own, free, ends[player]][kind]
                name = str(pool[int(numbers.integers(len(pool)))])
                if name in taken or len(places) == runners - 1 and kind == 2:
                    continue
                taken.add(name)
                places.append(name)
            order = [starts[player], [f"s{k}" for k in range(16)], ends[player]]
            fields.append(",".join(name for part in order for name in part if name in places))
        turn = int(numbers.integers(n))
        text = f"octiles {turn} {tiles[deal[0]]} {','.join(tokens)} {' '.join(fields)} 0 -"
        state = game.parse(text + " -" * play_on)
        assert state.legal_actions().tolist() == game._rules.actions_by_tracing(state._bytes()), (
            text
        )
        for depth in (1, 2):
            assert perft.count(state, depth) == perft.count(state, depth, plain=True), text


def compare_rare() -> None:
    """Each action listed, counted, and chosen by the first number that gives it."""
    for options, count, text in RARE:
        state = br.load("octiles", **options).parse(text)
        slow = state.game._rules.actions_by_tracing(state._bytes())
        assert len(slow) == count == perft.count(state, 1)
        assert state.legal_actions().tolist() == slow
        for rank, action in enumerate(slow):
            assert state.copy().sample(Given(-(-(rank << 64) // count))) == action
        assert perft.count(state, 2) == perft.count(state, 2, plain=True)


def compare_playouts() -> None:
    """Whole playouts and those made ply by ply end alike."""
    for options in ({}, {"players": 4, "play_on": True}):
        start = br.load("octiles", **options).new_state(seed=3)
        result = br.playouts(start, 6, seed=4, max_plies=400)
        for k in range(6):
            state, rng = start.copy(), br.Rng(4, k)
            while not state.is_terminal and state.num_plies < 400:
                state.sample(rng)
            assert result.lengths[k] == state.num_plies
            assert np.allclose(result.returns[k], state.returns(), atol=1e-6)


@pytest.mark.parametrize("part", range(2))
def test_fast_ways(part):
    compare_all(part)


def test_near_the_end():
    compare_near_the_end()


def test_rare():
    compare_rare()


def test_playouts():
    compare_playouts()


@pytest.mark.parametrize("level", ["base", "v3"])
def test_levels(level):
    """The same on lower processor levels, where the package was built for them."""
    code = (
        "import test_octiles_fast as t; t.compare_all(3); t.compare_near_the_end();"
        "t.compare_rare(); t.compare_playouts()"
    )
    environment = {**os.environ, "BOARDRACE_LEVEL": level}
    here = os.path.dirname(__file__)
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=here)
