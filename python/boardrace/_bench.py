"""How fast boardrace is on this machine: what `boardrace bench` measures."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from typing import Any

from ._core.engine import State
from ._core.rng import Rng
from .batch import Batch
from .counting import perft
from .game import Game
from .playing import playouts

#: What is measured, with its unit.
MEASURES = {
    "perft": "positions counted a second",
    "playouts": "plies a second",
    "batch": "steps a second",
    "state": "steps a second",
}

_SEED = 0
_BATCH = 1024
_MAX_PLIES = 10_000


def machine() -> dict[str, Any]:
    """What a reader needs to know to compare figures."""
    from importlib.metadata import version

    from . import __version__
    from ._core import cpu

    return {
        "boardrace": __version__,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "levels": list(cpu.levels()),
        "level_cap": os.environ.get("BOARDRACE_LEVEL"),
    }


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _rate(work: Callable[[int], int], seconds: float) -> float:
    """Units of work a second: `work(size)` does some and says how much.

    The size doubles until a call takes a good part of the time there is; the last call counts,
    so warming up and small sizes do not.
    """
    size = 1
    begun = time.perf_counter()
    while True:
        before = time.perf_counter()
        done = work(size)
        now = time.perf_counter()
        if now - before >= 0.25 * seconds or now - begun >= seconds:
            return done / (now - before)
        size *= 2


def perft_rate(game: Game[Any], seconds: float, threads: int = 1) -> tuple[float, int]:
    """Positions counted a second from the start, by the deepest count that fits the time."""
    state = game.new_state(_SEED)
    begun = time.perf_counter()
    depth, rate, taken = 0, 0.0, 0.0
    while True:
        depth += 1
        before = time.perf_counter()
        total = perft(state, depth, threads=threads)
        now = time.perf_counter()
        grown = (now - before) / taken if taken > 1e-4 else 30.0
        taken = now - before
        rate = total / taken
        # The next depth takes so many times longer, as far as one can tell.
        if taken * max(grown, 2.0) > seconds - (now - begun):
            return rate, depth


def playout_rate(game: Game[Any], seconds: float, threads: int = 1) -> tuple[float, float]:
    """Plies and games a second of uniform playouts."""
    games = plies = 0

    def work(size: int) -> int:
        nonlocal games, plies
        games = 16 * size * threads
        result = playouts(game, games, seed=_SEED, max_plies=_MAX_PLIES, threads=threads)
        plies = int(result.lengths.sum(dtype="int64"))
        return plies

    rate = _rate(work, seconds)
    return rate, rate * games / plies


def batch_rate(game: Game[Any], seconds: float, threads: int = 1) -> float:
    """Games stepped a second: random actions drawn and carried out, by a Batch of 1024."""
    batch = Batch(game, _BATCH, seed=_SEED, threads=threads, max_plies=_MAX_PLIES)

    def work(size: int) -> int:
        for _ in range(size):
            batch.step(batch.random_actions())
        return size * _BATCH

    return _rate(work, seconds)


def state_rate(game: Game[Any], seconds: float) -> float:
    """Steps a second of one State in a Python loop: legal actions as an array, one applied."""
    rng = Rng(_SEED)

    def steps() -> Iterator[None]:
        while True:
            state: State = game.new_state(rng.raw())
            for _ in range(_MAX_PLIES):
                if state.is_terminal:
                    break
                if state.is_chance:
                    state.sample(rng)
                else:
                    legal = state.legal_actions()
                    state.apply(legal[rng.raw() * len(legal) >> 64])
                yield

    walk = steps()

    def work(size: int) -> int:
        for _ in range(100 * size):
            next(walk)
        return 100 * size

    return _rate(work, seconds)


def measure(
    game: Game[Any], seconds: float, threads: int = 1, step: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """All figures of one game.

    Parameters
    ----------
    game : Game
    seconds : float
        About how long all of it may take.
    threads : int, default 1
        For perft, playouts and batch.
    step : callable, optional
        Told the name of each measure as it begins.

    Returns
    -------
    dict
        Rates a second, and the depth of perft.
    """
    each = seconds / 4
    tell = step or (lambda name: None)
    tell("perft")
    counted, depth = perft_rate(game, each, threads)
    tell("playouts")
    plies, played = playout_rate(game, each, threads)
    tell("batch")
    stepped = batch_rate(game, each, threads)
    tell("state")
    single = state_rate(game, each)
    return {
        "game": str(game),
        "perft": counted,
        "perft_depth": depth,
        "playouts": plies,
        "games": played,
        "batch": stepped,
        "state": single,
    }
