"""perft and divide: counting the leaves of the tree of actions."""

from __future__ import annotations

import time
from concurrent.futures import Executor

from ._core.engine import State
from ._core.perft import Count
from ._workers import (
    MOST_TASKS,
    TASK_SECONDS,
    Progress,
    checked_threads,
    game_of,
    in_executor,
    in_threads,
    reporter,
    rough_workers,
    whole_number,
)

MAX_DEPTH = 2**31 - 1

#: Counts of so few plies are over before a thread would have started.
_AT_ONCE = 2
#: Parts a worker: enough that none waits long for the last, and that progress is seen.
_PARTS = 128
#: Positions that a count is spread into at most.
_MOST_PARTS = 200_000
#: Plies that it is spread over, or looked ahead, at most: where there is no choice for longer,
#: splitting has no end.
_MOST_PLIES = 40


def perft(
    state: State,
    depth: int,
    *,
    threads: int = 1,
    hash_mb: int = 0,
    executor: Executor | None = None,
    progress: bool | Progress | None = None,
) -> int:
    """Count the ways to go on for `depth` plies: the leaves of the tree of legal actions.

    Chance outcomes count as plies, each once whatever its probability. A finished game counts 1
    at depth 0 and 0 below. The count is exact. The state is copied first, and other Python
    threads run on meanwhile; Ctrl-C ends the count within a second.

    Parameters
    ----------
    state : State
    depth : int
        0 or more.
    threads : int, default 1
        Worker threads of this process.
    hash_mb : int, default 0
        Megabytes for a table of known counts, shared out among the threads (with an executor:
        for each task). Its entries hold the whole position, so no two are taken for each other.
    executor : concurrent.futures.Executor, optional
        Who counts in place of this process's threads: a pool of threads or processes, Dask's
        ``Client().get_executor()``, ``mpi4py.futures.MPIPoolExecutor``.
    progress : bool or callable, optional
        True shows a bar; a callable gets (done, total) from time to time.

    Returns
    -------
    int

    Raises
    ------
    OverflowError
        When the count is more than 2**64 - 1.

    Examples
    --------
    >>> import boardrace as br
    >>> state = br.load("traverse").new_state()
    >>> [br.perft(state, depth) for depth in range(4)]
    [1, 16, 256, 4800]
    >>> br.perft(state, 5, threads=2)
    1843800
    """
    total = sum(_counts(state, depth, threads, hash_mb, executor, progress, False))
    _fits(total, depth)
    return total


def divide(
    state: State,
    depth: int,
    *,
    threads: int = 1,
    hash_mb: int = 0,
    executor: Executor | None = None,
    progress: bool | Progress | None = None,
) -> dict[str, int]:
    """Count the leaves below each legal action.

    Parameters
    ----------
    state : State
    depth : int
        1 or more: the action itself is the first ply.
    threads, hash_mb, executor, progress
        As for ``perft``.

    Returns
    -------
    dict of str to int
        The count by the action's text, in the order of ``state.legal_actions()``. The counts
        add up to ``perft(state, depth)``.

    Examples
    --------
    >>> import boardrace as br
    >>> state = br.load("traverse").new_state()
    >>> counts = br.divide(state, 3)
    >>> len(counts), sum(counts.values())
    (16, 4800)
    """
    if not isinstance(state, State):
        raise TypeError(f"state must be a State, not {type(state).__name__}")
    whole_number("depth", depth, 1, MAX_DEPTH)
    state = state.copy()
    counts = _counts(state, depth, threads, hash_mb, executor, progress, True)
    for count in counts:
        _fits(count, depth)
    names = [state.action_to_str(int(action)) for action in state.legal_actions()]
    return dict(zip(names, counts, strict=True))


def _fits(count: int, depth: int) -> None:
    if count >= 2**64:
        raise OverflowError(f"perft to depth {depth} is more than 2**64 - 1")


def _counts(
    state: State,
    depth: int,
    threads: int,
    hash_mb: int,
    executor: Executor | None,
    progress: bool | Progress | None,
    by_action: bool,
) -> list[int]:
    """The counts whose sum is perft; with by_action one an action."""
    if not isinstance(state, State):
        raise TypeError(f"state must be a State, not {type(state).__name__}")
    depth = whole_number("depth", depth, 0, MAX_DEPTH)
    threads = checked_threads(threads, executor)
    hash_mb = whole_number("hash_mb", hash_mb, 0)
    if hash_mb >= 2**43:
        raise MemoryError(f"hash_mb is {hash_mb}: there is no so much memory")
    count = Count(state, depth)
    with reporter(progress, f"perft {depth}") as report:
        if by_action:
            count.spread(_MOST_PARTS)
        if executor is not None:
            return _by_executor(count, hash_mb, executor, report)
        if depth <= _AT_ONCE:
            count.work()
            report(count.done, count.total)
            return count.sums()
        low = count.game._rules.tail_depth
        for _ in range(_MOST_PLIES):
            if count.depth <= low or count.total >= _PARTS * threads:
                break
            if not count.spread(_MOST_PARTS):
                break
        hash_bytes = (hash_mb << 20) // threads
        in_threads(count, lambda: count.work(hash_bytes), threads, report)
        return count.sums()


# ---------------------------------------------------------------- executors


def _count_task(game: str, positions: list[str], depth: int, hash_bytes: int) -> list[int]:
    """What an executor runs: texts in, counts out, so that any machine can."""
    counts = []
    for text in positions:
        count = Count(game_of(game).parse(text), depth)
        count.work(hash_bytes)
        counts += count.sums()
    return counts


def _by_executor(count: Count, hash_mb: int, executor: Executor, report: Progress) -> list[int]:
    """Split the count into tasks of about a second, and add up what comes back."""
    workers = rough_workers(executor)
    low = count.game._rules.tail_depth
    seconds = _estimate(count, 1)
    for _ in range(_MOST_PLIES):
        if count.depth <= low or count.total == 0:
            break
        if seconds * count.total <= TASK_SECONDS / 4:
            break  # short enough for one task
        if count.total >= 8 * workers and seconds <= TASK_SECONDS:
            break
        before = count.total
        if not count.spread(MOST_TASKS):
            break
        seconds *= before / max(count.total, 1)
    seconds = _estimate(count, 3)
    each = max(1, int(TASK_SECONDS / seconds)) if seconds else max(1, count.total)
    if seconds * count.total > TASK_SECONDS / 4:
        each = min(each, max(1, count.total // (4 * workers)))
    # Neighbours are of like size: dealing them out one by one makes the tasks more equal.
    tasks_number = -(-count.total // each)
    owners = [range(first, count.total, tasks_number) for first in range(tasks_number)]
    name = str(count.game)
    sums = [0] * count.num_owners
    done = 0

    def finished(task: int, counts: list[int]) -> None:
        nonlocal done
        for i, part in zip(owners[task], counts, strict=True):
            sums[count.owner(i)] += part
        done += 1
        report(done, tasks_number)

    report(0, tasks_number)
    # Written out one by one: the first tasks are at work while the last are still made.
    tasks = (
        (name, [str(count.state(i)) for i in part], count.depth, hash_mb << 20) for part in owners
    )
    in_executor(executor, _count_task, tasks, finished)
    return sums


def _estimate(count: Count, samples: int) -> float:
    """Seconds that one of the positions may take, from short counts of some of them."""
    if count.total == 0:
        return 0.0
    states = [count.state(count.total * (2 * k + 1) // (2 * samples)) for k in range(samples)]
    return sum(_seconds(state, count.depth) for state in states) / samples


def _seconds(state: State, depth: int) -> float:
    """Seconds that a count to `depth` may take: deeper and deeper until the growth is seen."""
    before = 1
    for d in range(1, depth + 1):
        short = Count(state, d)
        begin = time.perf_counter()
        whole = in_threads(short, short.work, 1, seconds=0.3)
        took = time.perf_counter() - begin
        if not whole:
            return took * 4.0 ** (depth - d + 1)
        leaves = short.sums()[0]
        if leaves == 0:
            return 0.0
        growth = max(1.0, leaves / before)
        before = leaves
        if took > 0.03 or d == min(depth, _MOST_PLIES):
            try:
                return took * growth ** (depth - d)
            except OverflowError:
                return float("inf")
    return 0.0
