"""Pickles hold texts, say which format they are of, and are refused with an error when damaged."""

import io
import pickle
import pickletools
import random

import pytest

import boardrace as br
from boardrace._pickle import FORMAT, unpack_batch, unpack_game, unpack_state

GAMES = [br.load(name) for name in br.games()]


def played(game: br.Game, plies: int = 12) -> br.State:
    state, rng = game.new_state(1), br.Rng(1)
    for _ in range(plies):
        state.sample(rng)
    return state


class Careful(pickle.Unpickler):
    """Damaged bytes shall not name anything but what our pickles name."""

    def find_class(self, module, name):
        if (module, name) in (
            ("boardrace._pickle", "unpack_state"),
            ("boardrace._pickle", "unpack_game"),
            ("boardrace._pickle", "unpack_batch"),
        ):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not expected here")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_only_texts_and_numbers(game, protocol):
    state = played(game)
    data = pickle.dumps(state, protocol)
    for opcode, argument, _ in pickletools.genops(data):
        assert not isinstance(argument, bytes | bytearray), opcode.name
    assert str(state._at(0)).encode() in data or protocol == 0
    again = pickle.loads(data)
    assert again == state and again.history == state.history
    assert again.num_plies == state.num_plies
    assert pickle.loads(pickle.dumps(game, protocol)) == game


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_batches(game, mode):
    """A batch read again goes on as the one that was written."""
    batch = br.Batch(game, 5, seed=4, autoreset=mode, max_plies=30)
    ended = 0
    for step in range(60):
        actions = batch.random_actions()
        _, terminated, truncated = batch.step(actions)
        ended += (terminated | truncated).sum()
        if step % 12 and not (terminated | truncated).any():
            continue
        data = pickle.dumps(batch)
        assert not any(
            isinstance(argument, bytes | bytearray) for _, argument, _ in pickletools.genops(data)
        )
        again = pickle.loads(data)
        for name in ("game", "n", "seed", "autoreset", "max_plies", "threads"):
            assert getattr(again, name) == getattr(batch, name)
        for i in range(batch.n):
            end, same_end = batch.final_state(i), again.final_state(i)
            assert end == same_end and (end is None or end.num_plies == same_end.num_plies)
        whole = batch.copy()
        for _ in range(8):
            assert (again.num_plies == whole.num_plies).all()
            assert all(again.state(i) == whole.state(i) for i in range(batch.n))
            assert (again.current_player == whole.current_player).all()
            actions = whole.random_actions()
            assert (again.random_actions() == actions).all()
            for one, other in zip(whole.step(actions), again.step(actions), strict=True):
                assert (one == other).all()
    assert ended


def test_damaged_batches():
    batch = br.Batch(GAMES[0], 3, seed=4, autoreset="same_step")
    function, (format, game, n, made, now, ends, counters) = batch.__reduce__()
    assert function is unpack_batch and format == FORMAT
    picks, ended, drawn, episodes = counters
    for bad in (
        (now[:2], ends, counters),
        ([("traverse 9", 0), *now[1:]], ends, counters),
        ([(now[0][0], "x"), *now[1:]], ends, counters),
        (now, [("nonsense", 1), None, None], counters),
        (now, ends, (picks, [1, 0, 0], drawn, episodes)),
        (now, ends, (picks, [7, 0, 0], drawn, episodes)),
        (now, ends, (picks, ended, drawn[:1], episodes)),
        (now, ends, (picks, ended, drawn, [-1, 0, 0])),
        (now, ends, None),
    ):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            unpack_batch(FORMAT, game, n, made, *bad)
    with pytest.raises(ValueError, match="this version of boardrace reads"):
        unpack_batch(FORMAT + 1)
    assert unpack_batch(FORMAT, game, n, made, now, ends, counters).n == 3


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_another_format_is_refused(game):
    state = played(game)
    function, (format, *parts) = state.__reduce__()
    assert function is unpack_state and format == FORMAT
    for other in (FORMAT + 1, 0, "1.0", None):
        for more in (parts, [*parts, "something new"], []):
            with pytest.raises(ValueError, match=f"this version of boardrace reads {FORMAT}"):
                unpack_state(other, *more)
            with pytest.raises(ValueError, match=f"this version of boardrace reads {FORMAT}"):
                unpack_game(other, *more)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_damaged_pickles(game):
    whole = pickle.dumps(played(game))
    dice = random.Random(5)
    for k in range(150):
        data = bytearray(whole)
        if k % 3 == 0:
            del data[dice.randrange(len(data)) :]
        else:
            for _ in range(dice.choice((1, 1, 3))):
                data[dice.randrange(len(data))] = dice.randrange(256)
        try:
            state = Careful(io.BytesIO(bytes(data))).load()
        except MemoryError:
            continue  # the pickle module's own, for a length that was changed
        except Exception as error:
            assert not isinstance(error, SystemError)
            continue
        if isinstance(state, br.State):
            assert state.game.parse(str(state)) == state


def test_parts_of_wrong_kinds():
    _, (format, game, start, actions, before) = played(GAMES[0]).__reduce__()
    for parts in (
        (None, start, actions, before),
        ("nothing", start, actions, before),
        (game, None, actions, before),
        (game, start[1:], actions, before),
        (game, start, None, before),
        (game, start, ("zz",), before),
        (game, start, actions, -1),
        (game, start, actions, 2**80),
        (game, start, actions, "x"),
        (game, start, actions),
    ):
        with pytest.raises((ValueError, TypeError)):
            unpack_state(format, *parts)
