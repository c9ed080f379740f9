"""Switchboard's quick ways beside the plain ones: counts, ranks, legality, tails, playouts.

`python test_switchboard_fast.py SEED ROUNDS` runs the comparison alone, longer.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

import boardrace as br
from boardrace._core import perft as core

OPTION_SETS = (
    {},
    {"table": 6},
    {"table": 7},
    {"table": 8, "players": 4},
    {"table": 12, "players": 3},
    {"players": 4},
    {"table": 60},
    {"table": 61},
)
#: Nodes that the plain way counts in one comparison.
MOST_NODES = 30_000


def bare_printing():
    """Tiles of every shape: none, one, three and four arms; a finish at a centre."""
    shapes = ["C", "NC", "NESWC", "NESC", "NSC", "NEC", "NESWC"]
    rng = random.Random(3)
    tiles = []
    for k in range(36):
        sides = shapes[k % 7] if k else "NESWC"
        alike = k % 3 == 0
        spots = {side: "Y" if alike else rng.choice("YGR") for side in sides}
        label = f"{k // 6 + 1}{k % 6 + 1}"
        tiles.append({"id": label, "col": k % 6, "row": k // 6, "spots": spots})
    tiles[20]["spots"]["C"] = "F"
    return {"tiles": tiles, "entry": {"tile": "11", "side": "W"}}


def scattered(game, rng):
    """A position with clusters of tiles all over the table, as wide and high as it may be."""
    size = game.options["table"]
    cells = [(0, rng.randrange(size)), (size - 1, rng.randrange(size))]
    cells += [(rng.randrange(size), 0), (rng.randrange(size), size - 1)]
    cells = list(dict.fromkeys(cells))
    while len(cells) < 36:
        column, row = rng.choice(cells)
        if rng.random() < 0.1:
            column, row = rng.randrange(size), rng.randrange(size)
        else:
            across, down = rng.choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
            column, row = column + across, row + down
        if 0 <= column < size and 0 <= row < size and (column, row) not in cells:
            cells.append((column, row))
    rng.shuffle(cells)
    periods = game._rules.periods
    tiles = ",".join(
        f"{column}.{row}.{rng.randrange(period)}"
        for (column, row), period in zip(cells, periods, strict=True)
    )
    spots = [
        f"{k // 6 + 1}{k % 6 + 1}C"
        for k in range(36)
        if game.options["tiles"]["tiles"][k]["spots"]["C"] != "F"
    ]
    tokens = ",".join(rng.sample(spots, game.num_players))
    flags = ",".join("." * game.num_players)
    return game.parse(f"switchboard 0 roll - {tiles} {tokens} {flags} -")


def compare(game, seed, plies, state=None):
    """Play one game at random, comparing at every position; how many counts were compared."""
    rng = random.Random(seed)
    numbers = br.Rng(seed, 5)
    state = state or game.new_state()
    compared = 0
    for _ in range(plies):
        if state.is_terminal:
            assert state._count() == 0 and not state._legal(21)
            break
        listed = [int(action) for action in state.legal_actions()]
        assert state._count() == len(listed), str(state)
        u = rng.getrandbits(64)
        if state.is_chance:
            weights = state._weights()
            points = [k for k, weight in enumerate(weights) for _ in range(weight)]
            assert state._choose(u) == points[u * len(points) >> 64], str(state)
        else:
            assert state._choose(u) == listed[u * len(listed) >> 64], (str(state), u)
        for player in range(game.num_players):
            steps = state.distance(player)
            want = 0 if steps is None else max(128 - steps, 0)
            assert state.progress(player) == want / 128, str(state)
        legal = set(listed)
        some = rng.sample(listed, min(len(listed), 4))
        tried = [rng.randrange(-3, game.num_actions + 3) for _ in range(6)]
        tried += [action + more for action in some for more in (0, 1, -1, 3)]
        for action in tried:
            assert state._legal(action) == (action in legal), (str(state), action)
        if rng.random() < 0.04:
            nodes, depth = 1, 1
            while nodes < MOST_NODES and depth <= 5:
                nodes = core.count(state, depth, True)
                assert core.count(state, depth) == nodes, (str(state), depth)
                depth += 1
                compared += 1
                if nodes > MOST_NODES // 20:
                    break
        state.sample(numbers)
    return compared


def compare_playouts(start, seed, games):
    """The quick playouts beside playing by hand with the same numbers, cut off at many lengths."""
    for most in (1, 2, 3, 4, 7, 50, 1500):
        result = br.playouts(start, games, seed=seed, max_plies=most)
        for i in range(games):
            state, numbers = start.game.parse(str(start)), br.Rng(seed, i)
            while not state.is_terminal and state.num_plies < most:
                state.sample(numbers)
            assert result.lengths[i] == state.num_plies
            assert result.truncated[i] == (not state.is_terminal)
            assert list(result.returns[i]) == pytest.approx(list(state.returns()))


def compare_all(seed, rounds):
    compared = 0
    games = [br.load("switchboard", **options) for options in OPTION_SETS]
    games.append(br.load("switchboard", tiles=bare_printing(), players=3))
    for k, game in enumerate(games):
        for repeat in range(rounds):
            compared += compare(game, seed + 100 * k + repeat, 120 if rounds == 1 else 900)
            if game.options["table"] > 6:
                start = scattered(game, random.Random(seed + repeat))
                compared += compare(game, seed + repeat, 30 if rounds == 1 else 300, start.copy())
                compare_playouts(start, seed + k, 1)
        compare_playouts(game.new_state(), seed + k, 2 * rounds)
    return compared


@pytest.mark.parametrize("level", ["base", "v3", "v4"])
def test_quick_ways_agree_with_the_plain_ones(level):
    """On the code path of every processor level that is built and can run."""
    run = subprocess.run(
        [sys.executable, __file__, "7", "1"],
        env={**os.environ, "BOARDRACE_LEVEL": level},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout.split()[-1]) > 20


def test_playouts_from_every_phase():
    """A playout may begin in the middle of a turn."""
    state, numbers = br.load("switchboard", players=3).new_state(), br.Rng(2)
    seen = set()
    while len(seen) < 5:
        if state.is_terminal:
            state = state.game.new_state()
        state.sample(numbers)
        phase = str(state).split()[2]
        if phase in seen or state.is_terminal:
            continue
        seen.add(phase)
        result = br.playouts(state, 3, seed=4, max_plies=40)
        for i in range(3):
            other, draws = state.copy(), br.Rng(4, i)
            while not other.is_terminal and other.num_plies < state.num_plies + 40:
                other.sample(draws)
            assert result.lengths[i] == other.num_plies - state.num_plies


if __name__ == "__main__":
    from boardrace._core import switchboard

    print(switchboard.__file__)
    print(compare_all(int(sys.argv[1]), int(sys.argv[2])))
