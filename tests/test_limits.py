"""Wrong and absurd calls end in an error, never in a crash, and change nothing."""

import _thread
import sys
import threading

import numpy as np
import pytest
from option_sets import option_sets

import boardrace as br
from boardrace.search import search

GAMES = [br.load(name) for name in br.games()]


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("n", [10**12, 2**62, 2**64, 10**30])
def test_more_than_any_memory(game, n):
    state = game.new_state(1)
    before = str(state)
    for call in (
        lambda: br.Batch(game, n),
        lambda: br.playouts(game, n),
        lambda: br.playouts(state, n, threads=2),
        lambda: br.perft(state, 3, hash_mb=n),
        lambda: br.divide(state, 3, hash_mb=n, threads=2),
    ):
        with pytest.raises((MemoryError, ValueError)):
            call()
    for call in (
        lambda: br.perft(state, 3, threads=n),
        lambda: br.playouts(game, 5, threads=n),
        lambda: br.Batch(game, 5, threads=n),
        lambda: br.playouts(game, 5, max_plies=n),
        lambda: br.Batch(game, 5, max_plies=n),
        lambda: br.perft(state, n),
        lambda: br.Batch(game, 5, seed=2**64 + n),
        lambda: game.new_state(2**64 + n),
    ):
        with pytest.raises(ValueError):
            call()
    assert str(state) == before and br.perft(state, 1) == len(state.legal_actions())


class Two:
    """A number that is small when asked, and large when taken."""

    def __index__(self):
        return 10**6

    def __le__(self, other):
        return True

    __lt__ = __ge__ = __gt__ = __le__


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_numbers_that_lie(game):
    state = game.new_state(1)
    batch = br.Batch(game, 3, seed=1)
    for call in (
        lambda: state.progress(Two()),
        lambda: state.observation(Two()),
        lambda: batch.observation(player=Two()),
        lambda: state.apply(Two() if game.num_actions <= 10**6 else -1),
        lambda: batch.state(Two()),
        lambda: batch.set_state(Two(), state),
    ):
        with pytest.raises((ValueError, IndexError)):
            call()


class Posing(np.ndarray):
    """An array that says it has another shape."""

    said: tuple[int, ...] = ()

    @property
    def shape(self):
        return self.said


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_arrays_that_lie(game):
    state = game.new_state(1)
    out = np.zeros(1, game.observation_dtype).view(Posing)
    out.said = game.observation_shape
    with pytest.raises((ValueError, TypeError)):
        state.observation(0, out=out)
        raise ValueError("written to nowhere")


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_arrays_off_their_alignment(game):
    batch = br.Batch(game, 4, seed=1)
    for dtype, call in (
        (game.observation_dtype, batch.observation),
        (game.observation_dtype, lambda out: game.new_state(1).observation(0, out=out)),
    ):
        if dtype.itemsize == 1:
            continue
        shape = (
            (4, *game.observation_shape) if call == batch.observation else game.observation_shape
        )
        size = int(np.prod(shape)) * dtype.itemsize
        out = np.frombuffer(bytearray(size + 1), np.uint8)[1:].view(dtype).reshape(shape)
        with pytest.raises(ValueError, match="aligned"):
            call(out)
    actions = batch.random_actions()
    odd = np.frombuffer(bytearray(17), np.uint8)[1:].view(np.int32)
    odd[:] = actions
    twin = batch.copy()
    batch.step(odd)
    twin.step(actions)
    assert [batch.state(i) for i in range(4)] == [twin.state(i) for i in range(4)]


def test_states_that_were_never_made():
    for kind in (br.State, *(game.state_class for game in GAMES)):
        state = kind.__new__(kind)
        assert state.is_terminal and state.history == [] and len(state.legal_actions()) == 0
        for call in (
            lambda state=state: state.apply(0),
            lambda state=state: state.sample(br.Rng(1)),
            lambda state=state: state.undo(),
            lambda state=state: br.playouts(state, 1),
            lambda state=state: br.Batch.from_states([state]),
            lambda state=state: search(state, playouts=1),
        ):
            with pytest.raises((ValueError, IndexError, AttributeError, TypeError)):
                call()
        with pytest.raises(ValueError, match="never made"):
            state.copy()
        assert state == state and state == kind.__new__(kind)


@pytest.mark.parametrize("game", option_sets(), ids=str)
def test_a_reader_that_moves_the_state(game, monkeypatch):
    """The text of an action is read by Python code: what it says is not trusted afterwards."""
    state = game.new_state(2)
    rng = br.Rng(3)
    while state.is_chance:
        state.sample(rng)
    kind = type(state)
    for number in (game.num_actions - 1, game.num_actions, -1, 2**40):
        if number in state.legal_actions():
            continue
        monkeypatch.setattr(kind, "parse_action", lambda self, text, number=number: number)
        with pytest.raises(br.IllegalActionError):
            state.apply("whatever")
        monkeypatch.undo()


def test_a_generator_that_ends_the_game():
    """Drawing a number may be Python code too."""
    state = br.load("sorry").new_state(1)
    rng = br.Rng(1)
    while not state.is_terminal:
        state.sample(rng)
    last = state.undo()

    class Late:
        def integers(self, *args, **kwargs):
            state.apply(last)
            return 0

    with pytest.raises(RuntimeError, match="changed"):
        state.sample(Late())
    assert state.is_terminal


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_deepest_count_needs_no_deep_stack(game):
    """It walks on for ever, in memory that is bounded, until it is interrupted."""
    state = game.new_state(1)
    old = threading.stack_size(256 * 1024)
    try:
        for threads in (1, 2):
            timer = threading.Timer(0.15, _thread.interrupt_main)
            timer.start()
            with pytest.raises((KeyboardInterrupt, MemoryError)):
                br.perft(state, 2**31 - 1, hash_mb=1, threads=threads)
                timer.join()
            timer.cancel()
    finally:
        threading.stack_size(old)
    assert br.perft(state, 1) == len(state.legal_actions())


def test_texts_nested_deeply():
    deep = "[" * 100_000
    limit = sys.getrecursionlimit()
    for text in (f"traverse(order={deep})", f"octiles(tiles={deep})", f"x({deep})"):
        with pytest.raises(ValueError):
            br.load(text)
    with pytest.raises(ValueError):
        br.replay(f'[Game "traverse(order={deep})"]\n[Start "x"]\n\n')
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("bad", [1.5, 2.0, "7", True, b"7"])
def test_seeds_and_actions_are_whole_numbers(bad):
    """Nothing is cut off to a whole number, and the message says what of."""
    for name in br.games():
        game = br.load(name)
        state = game.new_state(1)
        for call in (
            lambda: br.Rng(bad),
            lambda: br.Rng(1, bad),
            lambda game=game: game.new_state(bad),
            lambda state=state: state.determinize(bad),
            lambda state=state: search(state, playouts=5, seed=bad),
            lambda game=game: br.playouts(game, 1, seed=bad),
            lambda game=game: br.Batch(game, 1, seed=bad),
        ):
            with pytest.raises(TypeError, match="(seed|stream) must be a whole number, not"):
                call()
        with pytest.raises(TypeError, match="an action is a whole number, not"):
            state.action_to_str(bad)
        for wrong in (-1, game.num_actions, 2**70):
            with pytest.raises(ValueError, match=f"there is no action {wrong}: they are 0 to"):
                state.action_to_str(wrong)
    state = GAMES[0].new_state(1)
    for number in (-1, 2**64):
        for call in (
            br.Rng,
            lambda number: br.Rng(0, number),
            GAMES[0].new_state,
            lambda number: search(state, playouts=5, seed=number),
        ):
            with pytest.raises(ValueError, match=f"is {number}: it must"):
                call(number)
    assert repr(br.Rng(np.uint64(2**64 - 1), np.int8(3))).startswith(f"Rng({2**64 - 1}, 3)")


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_pictures_of_any_size_and_mark(game):
    state = game.new_state(1)
    for size in (0, -5, float("nan"), float("inf"), 10**9):
        with pytest.raises(ValueError, match="size is .*: it must be more than 0"):
            state.svg(size=size)
    for size in ("x", True, [480]):
        with pytest.raises(TypeError, match="size is a number, not"):
            state.svg(size=size)
    assert state.svg(size=0.5) and state.svg(size=100_000)
    if state.is_chance:
        state.sample(br.Rng(1))
    action = int(state.legal_actions()[-1])
    text = state.action_to_str(action)
    assert state.svg(mark=action) == state.svg(mark=text) == state.svg(mark=[text])
    assert state.svg(mark=[np.int32(action)]) == state.svg(mark=text)
    with pytest.raises(ValueError, match="there is no action"):
        state.svg(mark=game.num_actions)
    with pytest.raises(TypeError, match="an action is a whole number, not float"):
        state.svg(mark=1.5)


def test_too_many_playouts():
    with pytest.raises(ValueError, match=f"n is {10**21}: it must be {2**50} at most"):
        br.playouts(GAMES[0], 10**21)


def test_errors_go_by_the_name_that_is_imported():
    for public in (br.IllegalActionError, br.PositionError, br.Verdict):
        assert (public.__module__, getattr(br, public.__name__)) == ("boardrace", public)
