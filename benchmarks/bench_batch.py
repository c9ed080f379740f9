"""Batches of every game, one and two threads: steps, and the arrays that a learner asks for.

The plies that are timed are asserted beside those of another batch; plies (or games) a second are
in extra_info.
"""

import numpy as np
import pytest
from measured import rate

import boardrace as br

N = 4096
STEPS = 10
THREADS = pytest.mark.parametrize("threads", [1, 2])
NAMES = pytest.mark.parametrize("name", br.games())


@THREADS
@NAMES
def test_random_steps(benchmark, name, threads):
    """step(random_actions()), the first ten of each game."""
    given = {"seed": 1, "autoreset": "disabled"}
    start = br.Batch(br.load(name), N, threads=threads, **given)

    def play(batch):
        for _ in range(STEPS):
            batch.step(batch.random_actions())
        return batch

    batch = benchmark.pedantic(play, setup=lambda: ((start.copy(),), {}), rounds=5)
    plies = int((batch.num_plies - start.num_plies).sum())
    few = play(br.Batch(br.load(name), N // 8, **given)).num_plies
    assert np.array_equal(batch.num_plies[: N // 8], few)
    rate(benchmark, "plies_per_second", plies)


@THREADS
@NAMES
def test_chosen_steps(benchmark, name, threads):
    """step with actions from elsewhere: each is checked."""
    start = br.Batch(br.load(name), N, seed=1, threads=threads)
    actions = start.copy().random_actions()

    def play(batch):
        batch.step(actions)
        return batch

    batch = benchmark.pedantic(play, setup=lambda: ((start.copy(),), {}), rounds=10)
    plies = int(batch.num_plies.sum() - start.num_plies.sum())
    assert plies >= N
    rate(benchmark, "plies_per_second", plies)


def middle(name, n, threads):
    batch = br.Batch(br.load(name), n, seed=1, threads=threads)
    for _ in range(STEPS):
        batch.step(batch.random_actions())
    return batch


@THREADS
@NAMES
def test_legal_actions(benchmark, name, threads):
    batch = middle(name, N, threads)
    offsets, actions = benchmark(batch.legal_actions)
    assert offsets[-1] == len(actions) and (np.diff(offsets) > 0).all()
    rate(benchmark, "games_per_second", N)


@THREADS
@NAMES
def test_legal_mask(benchmark, name, threads):
    n = 256
    batch = middle(name, n, threads)
    out = batch.legal_mask()
    benchmark(batch.legal_mask, out)
    assert out.sum() == batch.legal_actions()[0][-1]
    rate(benchmark, "games_per_second", n)


@THREADS
@NAMES
def test_observation(benchmark, name, threads):
    batch = middle(name, N, threads)
    out = batch.observation()
    benchmark(batch.observation, out)
    player = int(batch.current_player[0])
    assert np.array_equal(out[0], batch.state(0).observation(player))
    rate(benchmark, "games_per_second", N)
