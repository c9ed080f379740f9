"""Pickles hold texts, say which format they are of, and are refused with an error when damaged."""

import io
import pickle
import pickletools
import random

import pytest

import boardrace as br
from boardrace._pickle import FORMAT, unpack_game, unpack_state

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
