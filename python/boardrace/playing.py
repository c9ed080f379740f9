"""Random playouts: many games to their ends, from Python in one call."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._core.engine import State
from ._core.playout import Playing
from ._workers import (
    MOST_TASKS,
    TASK_SECONDS,
    Progress,
    checked_threads,
    game_of,
    in_executor,
    in_threads,
    new_seed,
    reporter,
    rough_workers,
    whole_number,
)
from .game import Game

POLICIES = ("uniform", "forward")

MAX_PLIES = 2**31 - 1
MOST_PLAYOUTS = 2**50

#: Games that a worker plays side by side: many lanes stay full, all fit into the cache.
_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Summary:
    """What playouts come to; ``str`` of it is a small table.

    Attributes
    ----------
    games, truncated : int
        How many were played, and how many of them did not come to an end.
    wins : tuple of float
        The share of the games that each player won (a team's members both).
    win_intervals : tuple of (float, float)
        Where the true shares lie with 95 per cent confidence (Wilson's intervals).
    draws : float
        The share of the games that ended without a winner.
    mean_returns : tuple of float
        Truncated games count as 0.
    length_mean : float
    length_quantiles : dict of str to int
        Plies: "min", "5%", "25%", "50%", "75%", "95%", "max"; empty without games.
    plies, seconds, plies_per_second : int, float, float
        All plies together, what they took, and the rate.
    """

    games: int
    truncated: int
    wins: tuple[float, ...]
    win_intervals: tuple[tuple[float, float], ...]
    draws: float
    mean_returns: tuple[float, ...]
    length_mean: float
    length_quantiles: dict[str, int]
    plies: int
    seconds: float
    plies_per_second: float

    def __str__(self) -> str:
        lines = [f"{self.games} games, {self.truncated} truncated, {self.draws:.2%} drawn"]
        for player, (share, (low, high), mean) in enumerate(
            zip(self.wins, self.win_intervals, self.mean_returns, strict=True)
        ):
            wins = f"wins {share:.2%} ({low:.2%} to {high:.2%})"
            lines.append(f"player {player}: {wins}, mean return {mean:+.4f}")
        quantiles = ", ".join(f"{name} {value}" for name, value in self.length_quantiles.items())
        lines.append(f"plies a game: mean {self.length_mean:.1f}, {quantiles}".rstrip(", "))
        rate = f"{self.plies_per_second / 1e6:.2f} million a second"
        lines.append(f"{self.plies} plies in {self.seconds:.3f} s: {rate}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Playouts:
    """The results of ``playouts``, game by game.

    Attributes
    ----------
    returns : ndarray of float32, shape (n, players)
        Zeros where the game was truncated.
    lengths : ndarray of int32, shape (n,)
        Plies played, chance outcomes included.
    truncated : ndarray of bool, shape (n,)
        Whether the game was broken off after ``max_plies``.
    seed : int
        The seed used.
    seconds : float
        What it all took.
    """

    returns: npt.NDArray[np.float32] = field(repr=False)
    lengths: npt.NDArray[np.int32] = field(repr=False)
    truncated: npt.NDArray[np.bool_] = field(repr=False)
    seed: int
    seconds: float

    def __len__(self) -> int:
        return len(self.lengths)

    def summary(self) -> Summary:
        """Win shares with confidence intervals, length quantiles, plies per second.

        Examples
        --------
        >>> import boardrace as br
        >>> r = br.playouts(br.load("traverse"), 200, seed=1)
        >>> r.summary().games
        200
        """
        n, players = self.returns.shape
        won = self.returns == 1
        wins = [int(won[:, player].sum()) for player in range(players)]
        plies = int(self.lengths.sum(dtype=np.int64))
        names = ("min", "5%", "25%", "50%", "75%", "95%", "max")
        points = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
        quantiles = np.quantile(self.lengths, points, method="inverted_cdf") if n else ()
        drawn = n - int(won.any(axis=1).sum()) - int(self.truncated.sum())
        return Summary(
            games=n,
            truncated=int(self.truncated.sum()),
            wins=tuple(count / n if n else 0.0 for count in wins),
            win_intervals=tuple(_wilson(count, n) for count in wins),
            draws=drawn / n if n else 0.0,
            mean_returns=tuple(
                float(self.returns[:, player].mean(dtype=np.float64)) if n else 0.0
                for player in range(players)
            ),
            length_mean=plies / n if n else 0.0,
            length_quantiles={
                name: int(value) for name, value in zip(names, quantiles, strict=False)
            },
            plies=plies,
            seconds=self.seconds,
            plies_per_second=plies / self.seconds if self.seconds else 0.0,
        )


def _wilson(count: int, n: int) -> tuple[float, float]:
    """Wilson's interval for a share, 95 per cent: right near 0 and 1 too."""
    if n == 0:
        return 0.0, 1.0
    z = 1.959963984540054
    share = count / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def playouts(
    game_or_state: Game[Any] | State,
    n: int,
    *,
    seed: int | None = None,
    policy: str | Sequence[str] = "uniform",
    max_plies: int = 10_000,
    threads: int = 1,
    executor: Executor | None = None,
    progress: bool | Progress | None = None,
) -> Playouts:
    """Play n games by random choices, each to its end.

    Playout i is a fixed function of (seed, i): the same for any number of threads, any executor,
    and the same as playing it by hand with ``state.sample(br.Rng(seed, i))``.

    Parameters
    ----------
    game_or_state : Game or State
        A Game: playout i begins at the set-up ``game.new_state(br.Rng(seed, i))``. A State: each
        playout begins there, hidden things as they are. It is copied first.
    n : int
        0 or more.
    seed : int, optional
        0 to 2**64 - 1; without one the system is asked for one, kept in the result.
    policy : str or sequence of str, default "uniform"
        "uniform" or "forward", for all players or for each. "forward" takes one of the actions
        after which the mover's progress is highest, if that is higher than now, else one of all.
    max_plies : int, default 10_000
        A game that is not over by then is truncated.
    threads, executor, progress
        As for ``perft``.

    Returns
    -------
    Playouts

    Examples
    --------
    >>> import boardrace as br
    >>> game = br.load("sorry")
    >>> r = br.playouts(game, 100, seed=5)
    >>> r.returns.shape, r.lengths.shape, r.seed
    ((100, 2), (100,), 5)
    >>> state, rng = game.new_state(br.Rng(5, 42)), br.Rng(5, 42)
    >>> while not state.is_terminal:
    ...     action = state.sample(rng)
    >>> state.num_plies == int(r.lengths[42])
    True
    """
    start: State | None = None
    if isinstance(game_or_state, State):
        start = game_or_state.copy()
        game = start.game
    elif isinstance(game_or_state, Game):
        game = game_or_state
    else:
        raise TypeError(f"playouts need a Game or a State, not {type(game_or_state).__name__}")
    n = whole_number("n", n, 0, MOST_PLAYOUTS)
    policies = _policies(policy, game.num_players)
    max_plies = whole_number("max_plies", max_plies, 1, MAX_PLIES)
    threads = checked_threads(threads, executor)
    seed = new_seed(seed)
    with reporter(progress, f"playouts of {game.name}") as report:
        begin = time.perf_counter()
        arrays = _room(game, n)
        if executor is not None:
            _by_executor(game, start, n, seed, policies, max_plies, arrays, executor, report)
        else:
            block = max(16, min(_BLOCK, n // (8 * threads)))
            playing = Playing(game, start, 0, n, seed, policies, max_plies, block, *arrays)
            in_threads(playing, playing.work, threads, report)
        return Playouts(*arrays, seed=seed, seconds=time.perf_counter() - begin)


Arrays = tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.bool_]]


def _room(game: Game[Any], n: int) -> Arrays:
    return (
        np.empty((n, game.num_players), np.float32),
        np.empty(n, np.int32),
        np.empty(n, np.bool_),
    )


def _policies(policy: Any, players: int) -> bytes:
    """Each player's policy by its number."""
    each = [policy] * players if isinstance(policy, str) else policy
    if not isinstance(each, Sequence):
        given = type(policy).__name__
        raise TypeError(f"policy must be a name or a sequence of names, not {given}")
    if len(each) != players:
        raise ValueError(f"there are {len(each)} policies for {players} players")
    for name in each:
        if not isinstance(name, str):
            raise TypeError(f"a policy is a name, not {type(name).__name__}")
        if name not in POLICIES:
            raise ValueError(f"there is no policy {name!r}; there are {', '.join(POLICIES)}")
    return bytes(POLICIES.index(name) for name in each)


# ---------------------------------------------------------------- executors


def _playout_task(
    game: str, start: str | None, first: int, n: int, seed: int, policies: bytes, max_plies: int
) -> Arrays:
    """What an executor runs: texts and numbers in, arrays out."""
    here = game_of(game)
    arrays = _room(here, n)
    state = None if start is None else here.parse(start)
    block = max(16, min(_BLOCK, n))
    Playing(here, state, first, n, seed, policies, max_plies, block, *arrays).work()
    return arrays


def _by_executor(
    game: Game[Any],
    start: State | None,
    n: int,
    seed: int,
    policies: bytes,
    max_plies: int,
    arrays: Arrays,
    executor: Executor,
    report: Progress,
) -> None:
    """Play the first few here to see what a playout takes, and the rest in tasks of a second."""
    played, seconds = 0, 0.0
    few = 1
    while played < n and seconds < 0.03:
        few = min(few, n - played)
        now = slice(played, played + few)
        part = arrays[0][now], arrays[1][now], arrays[2][now]
        begin = time.perf_counter()
        playing = Playing(game, start, played, few, seed, policies, max_plies, few, *part)
        in_threads(playing, playing.work, 1)
        seconds = time.perf_counter() - begin
        played += few
        rate = few / seconds
        few *= 4
    if played == n:
        report(n, n)
        return
    each = max(1, int(TASK_SECONDS * rate))
    # Small jobs are cut finer, that every worker gets some.
    each = max(1, min(each, (n - played) // rough_workers(executor)))
    # Huge ones are not: sending tasks is work too.
    each = max(each, -(-(n - played) // MOST_TASKS))
    begins = range(played, n, each)
    text = None if start is None else str(start)
    tasks = [
        (str(game), text, first, min(each, n - first), seed, policies, max_plies)
        for first in begins
    ]
    done = played

    def finished(task: int, result: Arrays) -> None:
        nonlocal done
        first = begins[task]
        last = first + len(result[1])
        for whole, part in zip(arrays, result, strict=True):
            whole[first:last] = part
        done += last - first
        report(done, n)

    report(done, n)
    in_executor(executor, _playout_task, tasks, finished)
