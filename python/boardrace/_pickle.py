"""Pickles hold texts, no raw memory: they load on another machine and with another version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .game import Game

if TYPE_CHECKING:
    from ._core.engine import State
    from .batch import Batch

FORMAT = 1


def _check(format: Any) -> None:
    if format != FORMAT:
        raise ValueError(f"a pickle of format {format!r}: this version of boardrace reads {FORMAT}")


def unpack_game(format: int, *parts: Any) -> Game[Any]:
    """The Game of a pickle."""
    from ._registry import load

    # Before the parts are counted: another format may have more of them.
    _check(format)
    (text,) = parts
    return load(text)


def texts(state: State) -> tuple[str, str, list[str]]:
    """The game, the position where the history begins, the actions since."""
    walk = state._at(0)
    start = str(walk)
    actions = []
    for action in state.history:
        actions.append(walk.action_to_str(action))
        walk.apply(action)
    return str(state.game), start, actions


def pack_state(state: State) -> tuple[Any, ...]:
    """What ``State.__reduce__`` gives."""
    game, start, actions = texts(state)
    return unpack_state, (FORMAT, game, start, tuple(actions), state.num_plies - len(actions))


def unpack_state(format: int, *parts: Any) -> State:
    """The State of a pickle: every action is checked again."""
    from ._registry import load

    _check(format)
    game, start, actions, plies_before = parts
    state: State = load(game).parse(start)
    state._set_plies_before(plies_before)
    for action in actions:
        state.apply(action)
    return state


def pack_batch(batch: Batch) -> tuple[Any, ...]:
    """What ``Batch.__reduce__`` gives."""
    made = batch.seed, batch.threads, batch.autoreset, batch.max_plies
    games = batch._block.alone(batch._pack)
    return unpack_batch, (FORMAT, str(batch.game), batch.n, made, *games)


def unpack_batch(format: int, *parts: Any) -> Batch:
    """The Batch of a pickle: every position is checked again."""
    from ._registry import load
    from .batch import Batch

    _check(format)
    game, n, made, now, ends, counters = parts
    batch = Batch.__new__(Batch)
    batch._make(load(game), n, *made)
    batch._block.alone(batch._unpack, now, ends, counters)
    return batch
