"""Sorry!'s quick ways beside the list: counts, tails, ranks, legality, playouts in lockstep.

`python test_sorry_fast.py SEED ROUNDS` runs the comparison alone, longer.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest
from batch_by_hand import play_beside
from sorry_by_hand import FULL, Table
from test_sorry import OPTIONS, full_options, random_position

import boardrace as br
from boardrace._core import perft as core

PILE = "4,3,3,3,3,3,3,3,3,3,3"


def compare_position(game, state, rnd):
    """Everything that a position is asked, beside its list."""
    text = str(state)
    listed = [int(action) for action in state.legal_actions()]
    assert state._count() == len(listed), text
    legal = set(listed)
    tried = [rnd.randrange(-3, game.num_actions + 3) for _ in range(4)] + [11, 12]
    for action in rnd.sample(listed, min(len(listed), 3)):
        tried += [action - 1, action, action + 1]
    for action in tried:
        assert state._legal(action) == (action in legal), (text, action)
    weights = state._weights() if state.is_chance else [1] * len(listed)
    points = [action for action, n in zip(listed, weights, strict=True) for _ in range(n)]
    for point in rnd.sample(range(len(points)), min(len(points), 5)):
        first = -(-point * 2**64 // len(points))
        last = ((point + 1) * 2**64 - 1) // len(points)
        assert state._choose(first) == points[point] == state._choose(last), (text, point)


def compare_tails(state, deepest, most):
    for depth in range(1, deepest + 1):
        nodes = core.count(state, depth, plain=True)
        assert core.count(state, depth) == nodes, (str(state), depth)
        if nodes > most:
            break


def compare_positions(options, seed, rounds):
    table, game = Table(**full_options(options)), br.load("sorry", **options)
    rnd = random.Random(seed)
    for number in range(rounds):
        fields = random_position(table, rnd).split(" ")
        for card in FULL:
            fields[2], fields[3] = card, PILE
            state = game.parse(" ".join(fields))
            compare_position(game, state, rnd)
            compare_tails(state, 3, 60)
        fields[2] = "-"
        if number % 2:
            fields[3] = ",".join(str(rnd.choice([0, 0, 1, 3])) for _ in FULL)
        state = game.parse(" ".join(fields))
        compare_position(game, state, rnd)
        compare_tails(state, 4, 1500)


def compare_playouts(options, seed, games):
    """Lockstep, with games that end by a limit of every kind, beside choosing by hand."""
    game = br.load("sorry", **options)
    for limit in (1, 2, 7, 200, 5000):
        played = br.playouts(game, games, seed=seed, max_plies=limit)
        for number in range(0, games, 1 if limit < 100 else games // 12):
            state, rng = game.new_state(), br.Rng(seed, number)
            while not state.is_terminal and state.num_plies < limit:
                state.sample(rng)
            where = (str(game), limit, number, str(state))
            assert state.num_plies == played.lengths[number], where
            assert state.returns() == pytest.approx(played.returns[number]), where


def compare_from_positions(options, seed, rounds):
    """Playouts that start in the middle, with a card in hand or without, the pile nearly empty."""
    table, game = Table(**full_options(options)), br.load("sorry", **options)
    rnd = random.Random(seed)
    for number in range(rounds):
        fields = random_position(table, rnd).split(" ")
        fields[3] = rnd.choice([PILE, "0,0,0,0,0,0,0,0,0,0,0", "0,1,0,0,0,0,2,0,0,1,0"])
        if number % 2:
            fields[2] = "-"
        start = game.parse(" ".join(fields))
        played = br.playouts(start, 80, seed=seed, max_plies=40)
        for k in range(0, 80, 4):
            state, rng = start.copy(), br.Rng(seed, k)
            plies = state.num_plies
            while not state.is_terminal and state.num_plies - plies < 40:
                state.sample(rng)
            where = (str(game), str(start), k)
            assert state.num_plies - plies == played.lengths[k], where
            assert state.returns() == pytest.approx(played.returns[k]), where


def compare_batches(options, seed, n):
    """Games that each make a play in lockstep, from any position."""
    table = Table(**full_options(options))
    game = br.load("sorry", **options)
    rnd = random.Random(seed)
    states = []
    for _ in range(n):
        fields = random_position(table, rnd).split(" ")
        fields[3] = rnd.choice([PILE, "0,0,0,0,0,0,0,0,0,0,0", "0,1,0,0,0,0,2,0,0,1,0"])
        states.append(game.parse(" ".join(fields)))
    play_beside(states, seed, 8)


def compare_all(seed, rounds):
    for options in OPTIONS:
        compare_positions(options, seed, rounds)
        compare_playouts(options, seed, 150)
        compare_from_positions(options, seed, 4 + rounds // 4)
        compare_batches(options, seed, 100 + 10 * rounds)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_quick_ways(options):
    compare_positions(options, 1, 12)
    compare_playouts(options, 2, 150)
    compare_from_positions(options, 3, 6)
    compare_batches(options, 4, 150)


@pytest.mark.parametrize("level", ["base", "v3", "v4"])
def test_levels(level):
    """The same on the code built for each kind of processor (a level that cannot run gives way)."""
    environment = {**os.environ, "BOARDRACE_LEVEL": level}
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(
        [sys.executable, os.path.join(here, "test_sorry_fast.py"), "5", "5"],
        env=environment, cwd=here, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


if __name__ == "__main__":
    compare_all(int(sys.argv[1]), int(sys.argv[2]))
