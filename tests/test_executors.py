"""perft, divide and playouts by pools of threads and processes and by a Dask cluster."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import numpy as np
import pytest
from interrupts import heard

import boardrace as br
from boardrace import counting, playing

NAMES = sorted(br.games())


def same(a, b):
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("returns", "lengths", "truncated")
    )


def middle(name, plies=30):
    state = br.load(name).new_state(seed=2)
    rng = br.Rng(2)
    while state.num_plies < plies or state.is_terminal:
        state.sample(rng)
    return state


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def cluster():
    """A Dask cluster of two worker processes on this machine."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as made,
        distributed.Client(made) as client,
    ):
        yield client


def check_all(executor, names):
    for name in names:
        state = middle(name)
        depth = 1
        while br.perft(state, depth) < 2000:
            depth += 1
        assert br.perft(state, depth, executor=executor) == br.perft(state, depth)
        assert br.perft(state, 0, executor=executor) == 1
        assert br.divide(state, depth, executor=executor) == br.divide(state, depth)
        for start in (state.game, state):
            given = {"seed": 4, "max_plies": 100, "policy": ["forward", "uniform"]}
            a = br.playouts(start, 60, executor=executor, **given)
            assert same(a, br.playouts(start, 60, **given))


def test_a_pool_of_threads():
    with ThreadPoolExecutor(3) as pool:
        check_all(pool, NAMES)


def test_a_pool_of_processes(processes):
    check_all(processes, NAMES)


def test_a_dask_cluster(cluster):
    check_all(cluster.get_executor(), NAMES)


@pytest.fixture
def many_tasks(monkeypatch):
    """Cut work finely, so that little of it makes many tasks."""
    monkeypatch.setattr(counting, "TASK_SECONDS", 0.01)
    monkeypatch.setattr(playing, "TASK_SECONDS", 0.05)


def long_count(least=0.1):
    """A state, a depth and a count that takes a while."""
    state = br.load("traverse", rules="advanced").new_state()
    depth, took = 4, 0.0
    while took < least:
        depth += 1
        begin = time.perf_counter()
        nodes = br.perft(state, depth)
        took = time.perf_counter() - begin
    return state, depth, nodes


def test_long_work_is_cut_into_tasks(processes, many_tasks):
    state, depth, nodes = long_count()
    seen = []
    given = {"executor": processes, "progress": lambda *report: seen.append(report)}
    assert br.perft(state, depth, **given) == nodes
    assert len(seen) > 4 and seen[-1][0] == seen[-1][1] and seen == sorted(seen)
    seen.clear()
    game = br.load("sorry")
    few = br.playouts(game, 20_000, seed=1)
    n = 20_000 + int(20_000 / few.seconds)  # a second's work
    a = br.playouts(game, n, seed=1, **given)
    assert seen[-1] == (n, n) and len(seen) > 4
    assert same(a, br.playouts(game, n, seed=1))


def test_a_lost_dask_worker_is_survived(cluster, many_tasks):
    state, depth, nodes = long_count(0.3)
    pids = list(cluster.run(os.getpid).values())
    killed = []

    def kill_one(done, total):
        if done >= 1 and not killed:
            os.kill(pids[0], signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
            killed.append((done, total))

    executor = cluster.get_executor()
    assert br.perft(state, depth, executor=executor, progress=kill_one) == nodes
    assert killed and killed[0][0] < killed[0][1]
    assert pids[0] not in cluster.run(os.getpid).values()


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process by a signal")
def test_a_broken_pool_raises_its_own_error(many_tasks):
    state, depth, _ = long_count()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(time.sleep, [0.1] * 4))  # both processes have started
        assert len(pool._processes) == 2

        def kill(done, total):
            if done == 1:
                for pid in list(pool._processes):
                    os.kill(pid, signal.SIGKILL)

        with pytest.raises(BrokenProcessPool):
            br.perft(state, depth, executor=pool, progress=kill)
        with pytest.raises(BrokenProcessPool):
            br.playouts(state, 10**6, seed=1, executor=pool)


def test_a_closed_executor_raises_its_own_error():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    state = br.load("traverse").new_state()
    for call in (
        lambda: br.perft(state, 3, executor=pool),
        lambda: br.divide(state, 3, executor=pool),
        lambda: br.playouts(state, 10**6, seed=1, executor=pool),
    ):
        with pytest.raises(RuntimeError, match="shutdown"):
            call()


class Slow(Executor):
    """Two of its tasks run, for long; the others wait."""

    def __init__(self):
        self.futures = []

    def submit(self, function, /, *arguments, **keywords):
        future = Future()
        self.futures.append(future)
        if len(self.futures) <= 2:
            future.set_running_or_notify_cancel()
        return future


def test_ctrl_c_cancels_what_waits():
    state = br.load("traverse").new_state()
    for call in (
        lambda executor: br.perft(state, 12, executor=executor),
        lambda executor: br.divide(state, 12, executor=executor),
        lambda executor: br.playouts(state, 10**8, executor=executor),
    ):
        used = []

        def call_it():
            used.append(Slow())  # noqa: B023
            call(used[-1])  # noqa: B023

        heard(call_it, after=2.5)
        for executor in used:
            assert len(executor.futures) > 2
            assert all(future.cancelled() for future in executor.futures[2:])


def test_ctrl_c_does_not_wait_for_slow_cancelling():
    class Far(Future):
        def cancel(self):
            time.sleep(0.001)
            return super().cancel()

    class Cluster(Executor):
        def submit(self, function, /, *arguments, **keywords):
            futures.append(Far())
            return futures[-1]

    state = br.load("traverse").new_state()
    futures = []
    heard(lambda: br.playouts(state, 10**8, executor=Cluster()), after=2.0)
    assert len(futures) > 2000
    for _ in range(1000):
        if all(future.cancelled() for future in futures):
            break
        time.sleep(0.03)
    assert all(future.cancelled() for future in futures)


def test_ctrl_c_with_real_pools(processes, cluster):
    state = br.load("traverse").new_state()
    for executor in (processes, cluster.get_executor()):
        heard(lambda: br.perft(state, 8, executor=executor), after=2.0)  # noqa: B023
        heard(lambda: br.playouts(state, 10**8, executor=executor), after=0.5)  # noqa: B023
        assert br.perft(state, 3, executor=executor) == 4800


def test_a_task_that_fails_raises_its_own_error():
    class Failing(Slow):
        def submit(self, function, /, *arguments, **keywords):
            future = super().submit(function)
            if len(self.futures) == 2:
                threading.Timer(0.05, future.set_exception, [OSError("the node is gone")]).start()
            return future

    executor = Failing()
    with pytest.raises(OSError, match="node"):
        br.perft(br.load("traverse").new_state(), 9, executor=executor)
    assert all(future.cancelled() for future in executor.futures[2:])


def test_threads_and_an_executor_exclude_each_other():
    state = br.load("traverse").new_state()
    with ThreadPoolExecutor(1) as pool:
        for call in (br.perft, br.divide, br.playouts):
            with pytest.raises(ValueError, match="not both"):
                call(state, 3, threads=2, executor=pool)


def test_a_dask_client_is_no_executor_itself():
    class Client:
        def submit(self):
            pass

    with pytest.raises(TypeError, match="get_executor"):
        br.perft(br.load("traverse").new_state(), 3, executor=Client())
