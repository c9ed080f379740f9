"""Inner Circle's quick ways beside listing, making and counting ply by ply.

Run as a script it compares them at this process's processor level; the test does that for each.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import boardrace as br
from boardrace._core import perft
from boardrace._core.engine import State

HERE = Path(__file__).parent
#: No count by lists is larger than this.
MOST_NODES = 60_000
OPTIONS = [
    {"players": players, "blocked_lift": lifts, "stall_limit": limit, "turns": turns}
    for players in (2, 3, 4)
    for lifts in (False, True)
    for limit, turns in ((200, "0000"), (12, "random"), (0, "random"))
]
OTHER_BOARDS = {
    "levels": [
        {"level": 1, "rows": ["1111", "1H111", "11H111", "11H1H11", "111111", "11111", "1111"]},
        {"level": 2, "rows": ["1212", "23431", "121212", "2H342H1", "121212", "1H123", "4321"]},
        {"level": 3, "rows": ["4321", "12343", "1H2121", "121C21H", "321234", "12321", "1234"]},
        {"level": 4, "rows": ["1111", "11111", "111111", "111H111", "111111", "11111", "1111"]},
    ],
    "pawns": {"2": 5, "3": 5, "4": 3},
}


def positions(seed: int, games: int) -> Iterator[State]:
    """Positions of the corpus, and some of random games with every option set."""
    for line in (HERE / "corpus" / "inner_circle.jsonl").read_text().splitlines()[seed % 4 :: 4]:
        entry = json.loads(line)
        yield br.load("inner_circle", **entry["options"]).parse(entry["position"])
    dice = random.Random(seed)
    for options in [*OPTIONS, {"boards": OTHER_BOARDS}, {"boards": OTHER_BOARDS, "players": 3}]:
        game = br.load("inner_circle", **options)
        for _ in range(games):
            rng = br.Rng(dice.getrandbits(64))
            state = game.new_state(rng)
            shown = dice.sample(range(14, 300), 4)
            while not state.is_terminal and state.num_plies < 300:
                state.sample(rng)
                if state.num_plies in shown:
                    yield state


def compare_counts(state: State) -> None:
    """perft with and without the quick tail, as deep as it may go and one ply on."""
    nodes = 1
    for depth in range(1, state.game._rules.tail_depth + 2):
        if nodes * max(1, state._count()) > MOST_NODES:
            break
        nodes = perft.count(state, depth, plain=True)
        assert perft.count(state, depth) == nodes, f"perft {depth} of {state} in {state.game}"


def compare_choices(state: State, dice: random.Random) -> None:
    """count, legal and choose say what the list says."""
    actions = state.legal_actions().tolist()
    where = f"{state} in {state.game}"
    assert state._count() == len(actions), where
    legal = {action for action in range(-2, state.game.num_actions + 2) if state._legal(action)}
    assert legal == set(actions), where
    for rank in range(len(actions)):
        low = -(-(rank << 64) // len(actions))  # the first u with that rank
        high = -(-((rank + 1) << 64) // len(actions)) - 1
        for u in (low, high, dice.randint(low, high)):
            assert state._choose(u) == actions[rank], f"{u} at {where}"


def compare_playouts(start: State | br.Game, seed: int, n: int, max_plies: int) -> None:
    """Games played together beside games played one by one from the lists."""
    played = br.playouts(start, n, seed=seed, max_plies=max_plies)
    for i in range(n):
        rng = br.Rng(seed, i)
        state = start.copy() if isinstance(start, State) else start.new_state(rng)
        plies = 0
        while not state.is_terminal and plies < max_plies:
            actions = state.legal_actions()
            state.apply(int(actions[rng.raw() * len(actions) >> 64]))
            plies += 1
        where = f"playout {i} of {seed}, {max_plies} plies, from {start}: {state}"
        assert plies == played.lengths[i], where
        assert played.truncated[i] == (not state.is_terminal), where
        assert np.allclose(state.returns(), played.returns[i]), where


def compare_all(seed: int, games: int) -> int:
    dice = random.Random(seed)
    n = 0
    for state in positions(seed, games):
        compare_counts(state)
        compare_choices(state, dice)
        if n % 4 == 0 and not state.is_terminal:
            compare_playouts(state, seed + n, 3, dice.choice([1, 2, 5, 60, 2000]))
        n += 1
    for options in [*OPTIONS, {"boards": OTHER_BOARDS, "players": 4}]:
        game = br.load("inner_circle", **options)
        compare_playouts(game, seed, 5, dice.choice([7, 30, 400, 2000]))
    return n


@pytest.mark.parametrize("level", ["base", "v3", "v4"])
def test_levels(level):
    """On the code built for each kind of processor (a level that cannot run gives way)."""
    done = subprocess.run(
        [sys.executable, __file__, "5", "1"],
        env={**os.environ, "BOARDRACE_LEVEL": level},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout) > 80


if __name__ == "__main__":
    print(compare_all(int(sys.argv[1]), int(sys.argv[2])))
