"""Two threads at work: on states of their own, on copies of one, on one batch; and on one State."""

import threading
from collections.abc import Callable

import numpy as np
import pytest

import boardrace as br

GAMES = [br.load(name) for name in br.games()]


def together(*works: Callable[[], object]) -> list[BaseException]:
    """Run each in a thread of its own, all begun at once; what they raised."""
    begin = threading.Barrier(len(works))
    raised: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        begin.wait()
        try:
            work()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def play(state: br.State, seed: int, plies: int) -> str:
    rng = br.Rng(seed)
    for _ in range(plies):
        if state.is_terminal:
            break
        state.legal_actions()
        state.sample(rng)
        if state.num_plies % 7 == 0:
            state.undo()
            state.sample(rng)
    return str(state)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_states_and_copies_of_one(game):
    start = game.new_state(1)
    expected = [play(game.new_state(1), seed, 60) for seed in range(4)]
    got: dict[int, str] = {}

    def work(seed: int) -> None:
        own = start.copy() if seed % 2 else game.new_state(1)
        got[seed] = play(own, seed, 60)
        br.perft(start, 1)
        br.playouts(start, 30, seed=seed, max_plies=50)

    works = [lambda seed=seed: work(seed) for seed in range(4)]
    assert together(*works) == []
    assert [got[seed] for seed in range(4)] == expected
    assert start == game.new_state(1)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_threads_inside_change_nothing(game, monkeypatch):
    monkeypatch.setattr("boardrace.batch._WORTH_A_THREAD", 8)
    one = br.Batch(game, 64, seed=3, threads=1)
    two = br.Batch(game, 64, seed=3, threads=2)
    for _ in range(12):
        actions = one.random_actions()
        assert np.array_equal(actions, two.random_actions())
        for a, b in zip(one.step(actions), two.step(actions), strict=True):
            assert np.array_equal(a, b)
    assert np.array_equal(one.observation(), two.observation())
    state = game.new_state(4)
    assert br.perft(state, 2, threads=2) == br.perft(state, 2)
    r, s = (br.playouts(game, 60, seed=1, threads=k, max_plies=80) for k in (1, 2))
    assert np.array_equal(r.lengths, s.lengths) and np.array_equal(r.returns, s.returns)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_one_batch_against_the_rules(game, monkeypatch):
    monkeypatch.setattr("boardrace.batch._WORTH_A_THREAD", 8)
    batch = br.Batch(game, 32, seed=3, threads=2)

    def work() -> None:
        for _ in range(60):
            try:
                batch.step(batch.random_actions())
                batch.legal_actions()
                batch.reset()
            except (RuntimeError, br.IllegalActionError):
                # At work already; or another thread has moved the games since the draw.
                pass

    assert together(work, work, work) == []
    for i in range(32):
        assert game.parse(str(batch.state(i))) == batch.state(i)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_one_state_against_the_rules(game):
    """What comes of it is any order of whole calls: a position that the rules can read."""
    state = game.new_state(1)
    fine = (br.IllegalActionError, RuntimeError, IndexError)

    def work(seed: int) -> None:
        rng = br.Rng(seed)
        for k in range(150):
            try:
                legal = state.legal_actions()
                if k % 3 == 0 and len(legal):
                    state.apply(state.action_to_str(int(legal[k % len(legal)])))
                elif k % 3 == 1:
                    state.sample(rng)
                elif k % 9 == 2:
                    state.undo()
                state.copy(history=True)
                assert len(state.history) >= 0 and state.hash >= 0
                state.returns()
                state.bitboards()
            except fine:
                pass
            except (ValueError, KeyError, AssertionError):
                # A text of a position that is gone already; no memory is touched by that.
                pass

    assert together(*(lambda seed=seed: work(seed) for seed in range(3))) == []
    again = state._at(0)
    for action in state.history:
        again.apply(action)
    assert again == state and game.parse(str(state)) == state
