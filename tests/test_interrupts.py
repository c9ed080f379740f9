"""Ctrl-C in long calls that other tests do not interrupt: it is heard, and all is usable after."""

import _thread
import json
import threading
import time
from collections.abc import Callable

import pytest

import boardrace as br
from boardrace.cli import main
from boardrace.records import record
from boardrace.search import search

#: A second is promised; a busy machine is given more.
PROMISED = 5.0


def pressed(call: Callable[[], object], after: float = 0.3) -> float:
    """Seconds from the interrupt to the end of a call that would go on much longer."""
    over = threading.Event()
    times: list[float] = []

    def press() -> None:
        wait = after
        # Again after a while: one that comes within a garbage collection's callback is lost.
        while not over.wait(wait) and len(times) < 5:
            times.append(time.perf_counter())
            _thread.interrupt_main()
            wait = 2 * PROMISED

    finger = threading.Thread(target=press)
    finger.start()
    try:
        call()
        raised = False
    except KeyboardInterrupt:
        raised = True
    finally:
        over.set()
        finger.join()
    assert raised and times
    return time.perf_counter() - times[-1]


@pytest.mark.parametrize("name", br.games())
@pytest.mark.parametrize("threads", [1, 2])
def test_counting_and_playouts(name, threads):
    game = br.load(name)
    state = game.new_state(1)
    before, one = str(state), br.perft(state, 1)
    assert pressed(lambda: br.divide(state, 30, threads=threads)) < PROMISED
    endless = {"max_plies": 2**31 - 1, "threads": threads}
    assert pressed(lambda: br.playouts(game, 3_000_000, **endless)) < PROMISED
    assert str(state) == before and br.perft(state, 1, threads=threads) == one


@pytest.mark.parametrize("name", br.games())
def test_search(name):
    state = br.load(name).new_state(1)
    rng = br.Rng(1)
    while state.is_chance:
        state.sample(rng)
    before = str(state)
    assert pressed(lambda: search(state, seconds=100)) < PROMISED
    assert str(state) == before and search(state, playouts=5).playouts == 5


@pytest.mark.parametrize("threads", [1, 2])
def test_batch(threads):
    game = br.load("traverse")
    batch = br.Batch(game, 100_000, seed=1, threads=threads)

    def on_and_on() -> None:
        while True:
            batch.step(batch.random_actions())

    for _ in range(3):
        assert pressed(on_and_on) < PROMISED
        for i in (0, 49_999, 50_000, 99_999):
            assert game.parse(str(batch.state(i))) == batch.state(i)
    batch.reset()
    twin = br.Batch(game, 3, seed=1)
    twin.reset()
    assert batch.state(0).game == twin.state(0).game


def test_replay():
    game = br.load("traverse")
    state, rng = game.new_state(), br.Rng(1)
    while not state.is_terminal and state.num_plies < 2000:
        state.sample(rng)
    text = record(state)

    def on_and_on() -> None:
        while True:
            br.replay(text)

    assert pressed(on_and_on) < PROMISED
    assert br.replay(text) == state


def test_verify(tmp_path):
    path = tmp_path / "corpus.jsonl"
    state = br.load("traverse").new_state()
    counts = [br.perft(state, depth) for depth in range(1, 6)]
    entry = {"game": "traverse", "position": str(state), "perft": counts}
    path.write_text(2000 * (json.dumps(entry) + "\n"))
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    begun = time.perf_counter()
    assert main(["verify", str(path)]) == 130
    assert time.perf_counter() - begun < 0.5 + PROMISED
