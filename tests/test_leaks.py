"""Resident memory stays where it is, however often things are made and dropped."""

import gc
import os

import pytest

import boardrace as br

GAMES = [br.load(name) for name in br.games()]
STATM = "/proc/self/statm"

pytestmark = pytest.mark.skipif(not os.path.exists(STATM), reason="memory is read from /proc")


def resident() -> int:
    """Bytes."""
    gc.collect()
    with open(STATM) as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grown(cycle, first: int, then: int) -> int:
    """How many bytes `then` cycles add to the first ones."""
    for _ in range(first):
        cycle()
    before = resident()
    for _ in range(then):
        cycle()
    return resident() - before


def test_states():
    """A million in all: one that loses its positions would lose 100 bytes each time."""

    def cycle(game: br.Game, rng: br.Rng) -> None:
        state = game.new_state(1)
        for _ in range(20):
            state.copy(history=True)
            state.sample(rng)
            state.copy()
            state.undo()

    cycles = 1_000_000 // (len(GAMES) * 41)
    for game in GAMES:
        rng = br.Rng(1)
        assert grown(lambda game=game, rng=rng: cycle(game, rng), cycles // 5, cycles) < 2**21, game


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_everything_else(game):
    state = game.new_state(2)
    text = str(state)

    def cycle() -> None:
        game.parse(text)
        for bad in ("", text + "x", text[:-1]):
            try:
                game.parse(bad)
            except br.PositionError:
                pass
        batch = br.Batch(game, 50, seed=1, autoreset="same_step", max_plies=3)
        batch.step(batch.random_actions())
        batch.copy().observation()
        batch.legal_actions()
        batch.state(3)
        br.perft(state, 1, threads=2, hash_mb=1)
        br.divide(state, 1)
        br.playouts(game, 10, seed=1, max_plies=20)
        state.chance_outcomes()
        state.bitboards()
        state.observation(0)
        state.determinize(1)
        br.load(str(game))

    # Threads' stacks and allocators settle in the first cycles.
    assert grown(cycle, 20, 40) < 2**22


def test_batches_in_threads():
    game = br.load("traverse")

    def cycle() -> None:
        batch = br.Batch(game, 2000, seed=1, autoreset="same_step", threads=2)
        batch.step(batch.random_actions())
        batch.copy().legal_actions()

    assert grown(cycle, 20, 100) < 20e6
