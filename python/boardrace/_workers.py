"""Long work: in threads of this process or by any executor, interruptible, with progress."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from operator import index
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from .game import Game

#: What takes a report of progress: how much is done, of how much (None: not known).
Progress = Callable[[int, "int | None"], object]

R = TypeVar("R")

#: How long the main thread sleeps at most before it sees a Ctrl-C and reports progress. (A wait
#: without a limit could not be interrupted on Windows.)
TICK = 0.1

#: What a task of an executor should take: long beside sending it, short beside the whole.
TASK_SECONDS = 1.0
#: Tasks that work is cut into at most: sending them is work too.
MOST_TASKS = 20_000
#: Tasks that an executor has at a time: enough for thousands of workers.
MOST_WAITING = 4096

#: How long an error waits until the tasks are cancelled; the rest is then cancelled behind it.
#: (Dask asks its scheduler about each of them.)
CANCEL_SECONDS = 0.3

MAX_THREADS = 1024


class Job(Protocol):
    """Work that several threads do together."""

    @property
    def total(self) -> int: ...
    @property
    def done(self) -> int: ...
    def stop(self) -> None: ...


# ---------------------------------------------------------------- what a user may give


def whole_number(name: str, value: Any, low: int, high: int | None = None) -> int:
    """A whole number within bounds, or TypeError or ValueError that names what would be right.

    >>> whole_number("depth", 3, 0)
    3
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    number = index(value)
    if number < low:
        raise ValueError(f"{name} is {number}: it must be {low} or more")
    if high is not None and number > high:
        raise ValueError(f"{name} is {number}: it must be {high} at most")
    return number


def checked_threads(threads: Any, executor: Any) -> int:
    """The number of threads, after a look at the executor too."""
    number = whole_number("threads", threads, 1, MAX_THREADS)
    if executor is None:
        return number
    if not isinstance(executor, Executor):
        raise TypeError(
            f"executor must be a concurrent.futures.Executor, not {type(executor).__name__}"
            " (of a Dask Client use client.get_executor())"
        )
    if number > 1:
        raise ValueError("give threads or an executor, not both: an executor has its own workers")
    return number


def new_seed(seed: Any) -> int:
    """The seed, checked; None draws one from the system."""
    if seed is None:
        import secrets

        return secrets.randbits(64)
    return whole_number("seed", seed, 0, 2**64 - 1)


def _silent(done: int, total: int | None) -> None:
    pass


@contextmanager
def reporter(progress: Any, what: str) -> Iterator[Progress]:
    """What to call with (done, total): nothing, the user's own, or a bar on the terminal."""
    if progress is None or progress is False:
        yield _silent
    elif progress is True:
        from rich.progress import Progress as Bar  # only here: importing it takes a while

        with Bar(transient=True) as bar:
            task = bar.add_task(what, total=None)

            def show(done: int, total: int | None) -> None:
                bar.update(task, completed=done, total=total)

            yield show
    elif callable(progress):
        yield progress
    else:
        given = type(progress).__name__
        raise TypeError(f"progress must be True, False or a callable, not {given}")


# ---------------------------------------------------------------- threads of this process


def in_threads(
    job: Job,
    work: Callable[[], None],
    threads: int,
    report: Progress = _silent,
    seconds: float | None = None,
) -> bool:
    """Do a job in worker threads while this one waits and can be interrupted.

    Signals are handled by Python's main thread only, and only between two of its instructions;
    so it must not be the one that counts. On Ctrl-C, or when `report` raises, the workers are
    told to stop, and the exception goes on once they have.

    Parameters
    ----------
    work : callable
        What each thread calls: it does the job's parts until none is left.
    seconds : float, optional
        Stop the job when it takes longer.

    Returns
    -------
    bool
        False when it was stopped.
    """
    errors: list[BaseException] = []
    over = threading.Semaphore(0)

    def run() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)
            job.stop()
        finally:
            over.release()

    end = None if seconds is None else time.monotonic() + seconds
    workers = [threading.Thread(target=run, daemon=True) for _ in range(threads)]
    started = 0
    in_time = True
    try:
        for worker in workers:
            worker.start()
            started += 1
        waiting = threads
        while waiting:
            wait = TICK if end is None else max(0.0, min(TICK, end - time.monotonic()))
            if over.acquire(timeout=wait):
                waiting -= 1
                continue
            if end is not None and time.monotonic() >= end:
                in_time = False
                end = None
                job.stop()
            report(job.done, job.total)
    except BaseException:
        job.stop()
        for worker in workers[:started]:
            worker.join()
        raise
    if errors:
        raise errors[0]
    if in_time:
        report(job.done, job.total)
    return in_time


# ---------------------------------------------------------------- executors


@lru_cache(maxsize=8)
def game_of(text: str) -> Game[Any]:
    """The game with that text; a worker gets many tasks of one game."""
    from ._registry import load

    return load(text)


def in_executor(
    executor: Executor,
    function: Callable[..., R],
    tasks: Iterable[tuple[Any, ...]],
    finished: Callable[[int, R], object],
) -> None:
    """Have an executor do tasks, and take each result as it comes.

    On Ctrl-C, on a task's exception, a broken pool or when `finished` raises, the tasks that
    still wait are cancelled and the exception goes on at once; running tasks end by themselves.

    Parameters
    ----------
    tasks : iterable of tuple
        The arguments of each call.
    finished : callable
        Called with a task's number and its result, in this thread.
    """
    futures: dict[Future[R], int] = {}
    ready: queue.SimpleQueue[Future[R]] = queue.SimpleQueue()
    numbered = enumerate(tasks)

    def submit(most: int) -> None:
        for number, arguments in islice(numbered, most):
            try:
                future = executor.submit(function, *arguments)
            except OSError:
                # A pool of processes that is just breaking may have closed its pipe and not yet
                # said so; asked again it raises its own error.
                future = executor.submit(function, *arguments)
            futures[future] = number
            future.add_done_callback(ready.put)

    try:
        submit(MOST_WAITING)
        while futures:
            try:
                future = ready.get(timeout=TICK)
            except queue.Empty:
                continue
            number = futures.pop(future)
            submit(1)
            finished(number, future.result())
    except BaseException:
        canceller = threading.Thread(target=_cancel, args=(list(futures),), daemon=True)
        canceller.start()
        canceller.join(CANCEL_SECONDS)
        raise


def _cancel(futures: list[Future[Any]]) -> None:
    for future in futures:
        try:
            future.cancel()
        except Exception:  # the executor may have been closed meanwhile, and its tasks are gone
            pass


def rough_workers(executor: Executor) -> int:
    """How many workers an executor may have, for splitting finely enough."""
    known = getattr(executor, "_max_workers", None)
    return known if isinstance(known, int) and known > 0 else 4 * (os.cpu_count() or 1)
