"""perft and divide."""

from __future__ import annotations

from ._core import perft as _core
from ._core.engine import State


def perft(state: State, depth: int) -> int:
    """Count the leaves (first draft: one thread)."""
    return _core.count(state, depth)


def divide(state: State, depth: int) -> dict[str, int]:
    """Count the leaves below each action (first draft: one thread)."""
    counts = {}
    for action in state.legal_actions():
        child = state.copy()
        child.apply(int(action))
        counts[state.action_to_str(int(action))] = _core.count(child, depth - 1)
    return counts
