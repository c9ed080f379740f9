"""A batch beside single states, which are played one action at a time by the described streams.

`python batch_by_hand.py SEED GAMES CALLS` compares all option sets of the corpora.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import streams
from option_sets import option_sets

import boardrace as br


def draw_chance(state: Any, seed: int, i: int, drawn: int) -> int:
    """Play the outcomes that are due, as a batch draws them; how many were drawn up to now."""
    while state.is_chance:
        outcomes, shares = state.chance_outcomes()
        u = streams.draw(seed, i, streams.BATCH_CHANCE, drawn) / 2**64
        state.apply(int(outcomes[np.searchsorted(np.cumsum(shares), u, "right")]))
        drawn += 1
    return drawn


def play_beside(states: list[Any], seed: int, calls: int) -> None:
    """Random actions and steps of a batch that begins with these states, each looked at."""
    batch = br.Batch.from_states(states, seed=seed, autoreset="disabled")
    states = [state.copy() for state in states]
    drawn = [draw_chance(state, seed, i, 0) for i, state in enumerate(states)]
    for call in range(calls):
        assert [str(state) for i, state in enumerate(states) if batch.state(i) != state] == []
        actions = batch.random_actions()
        for i, state in enumerate(states):
            expected = -1
            if not state.is_terminal:
                legal = state.legal_actions()
                u = streams.draw(seed, i, streams.BATCH_ACTIONS, call)
                expected = legal[streams.rank(u, len(legal))]
            assert actions[i] == expected, (i, str(state))
        rewards, terminated, _ = batch.step(actions)
        for i, state in enumerate(states):
            goes_on = not state.is_terminal
            if goes_on:
                state.apply(int(actions[i]))
                drawn[i] = draw_chance(state, seed, i, drawn[i])
            assert terminated[i] == state.is_terminal
            now = state.returns() if goes_on else np.zeros(len(rewards[i]))
            assert np.array_equal(rewards[i], now.astype(np.float32))
    assert np.array_equal(batch.num_plies, [state.num_plies for state in states])


def came_differently_far(game: Any, n: int, seed: int, most: int = 300) -> list[Any]:
    """States of a game after 0 to most - 1 random plies."""
    states = []
    for i in range(n):
        state, rng = game.new_state(br.Rng(seed, i)), br.Rng(seed, i)
        for _ in range(i * 11 % most):
            if not state.is_terminal:
                state.sample(rng)
        states.append(game.parse(str(state)))
    return states


if __name__ == "__main__":
    begin, size, steps = map(int, sys.argv[1:])
    for each in option_sets():
        play_beside(came_differently_far(each, size, begin), begin, steps)
