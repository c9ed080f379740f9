"""Single states from Python, step by step; plies (or calls) a second are in extra_info.

The plies of each game are chosen beforehand, so that the choice is not counted.
"""

import pytest
from measured import rate

import boardrace as br

PLIES = 400
NAMES = pytest.mark.parametrize("name", br.games())


def line(name):
    """A start and a series of actions from there, with the number of legal ones each time."""
    start = br.load(name).new_state(seed=1)
    state, rng = start.copy(), br.Rng(1)
    actions, legal = [], 0
    while len(actions) < PLIES and not state.is_terminal:
        legal += len(state.legal_actions())
        actions.append(state.sample(rng))
    return start, actions, legal


@NAMES
def test_list_and_apply(benchmark, name):
    start, actions, legal = line(name)

    def play():
        state, seen = start.copy(), 0
        for action in actions:
            seen += len(state.legal_actions())
            state.apply(action)
        return seen

    assert benchmark(play) == legal
    rate(benchmark, "plies_per_second", len(actions))


@NAMES
def test_apply_and_undo(benchmark, name):
    start, actions, _ = line(name)

    def play():
        state = start.copy()
        for action in actions:
            state.apply(action)
        for _ in actions:
            state.undo()
        return state

    assert benchmark(play) == start
    rate(benchmark, "plies_per_second", len(actions))


@NAMES
def test_sample(benchmark, name):
    start, actions, _ = line(name)

    def play():
        state, rng = start.copy(), br.Rng(1)
        return [state.sample(rng) for _ in actions]

    assert benchmark(play) == actions
    rate(benchmark, "plies_per_second", len(actions))


@NAMES
def test_texts(benchmark, name):
    """A position to its text and back."""
    start, actions, _ = line(name)
    for action in actions[: PLIES // 4]:
        start.apply(action)
    assert benchmark(lambda: start.game.parse(str(start))) == start
