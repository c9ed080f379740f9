"""Ctrl-C in long calls that other tests do not interrupt: it is heard, and all is usable after."""

import json

import pytest
from interrupts import heard

import boardrace as br
from boardrace.cli import main
from boardrace.records import record
from boardrace.search import search


@pytest.mark.parametrize("name", br.games())
@pytest.mark.parametrize("threads", [1, 2])
def test_counting_and_playouts(name, threads):
    game = br.load(name)
    state = game.new_state(1)
    before, one = str(state), br.perft(state, 1)
    heard(lambda: br.divide(state, 30, threads=threads), threads=threads)
    endless = {"max_plies": 2**31 - 1, "threads": threads}
    heard(lambda: br.playouts(game, 3_000_000, **endless), threads=threads)
    assert str(state) == before and br.perft(state, 1, threads=threads) == one


@pytest.mark.parametrize("name", br.games())
def test_search(name):
    state = br.load(name).new_state(1)
    rng = br.Rng(1)
    while state.is_chance:
        state.sample(rng)
    before = str(state)
    heard(lambda: search(state, seconds=100))
    assert str(state) == before and search(state, playouts=5).playouts == 5


@pytest.mark.parametrize("threads", [1, 2])
def test_batch(threads):
    game = br.load("traverse")
    batch = br.Batch(game, 100_000, seed=1, threads=threads)

    def on_and_on() -> None:
        while True:
            batch.step(batch.random_actions())

    for _ in range(3):
        heard(on_and_on, threads=threads)
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

    heard(on_and_on)
    assert br.replay(text) == state


def test_verify(tmp_path):
    path = tmp_path / "corpus.jsonl"
    state = br.load("traverse").new_state()
    counts = [br.perft(state, depth) for depth in range(1, 6)]
    entry = {"game": "traverse", "position": str(state), "perft": counts}
    path.write_text(2000 * (json.dumps(entry) + "\n"))

    def verify() -> None:
        assert main(["verify", str(path)]) == 130
        raise KeyboardInterrupt

    heard(verify)
