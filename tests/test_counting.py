"""perft and divide: the same count by every way, whatever is asked for."""

import doctest
import importlib
import json
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from interrupts import heard
from option_sets import CORPORA, load_set, option_sets
from test_outside_extension import SETUP, pxd_root

import boardrace as br
from boardrace._core.perft import Count, count

GAMES = option_sets()
NAMES = sorted({game.name for game in GAMES})


def reached(game, seed, plies):
    """A state some way into a game."""
    state, rng = game.new_state(seed=seed), br.Rng(seed)
    for _ in range(plies):
        if state.is_terminal:
            break
        state.sample(rng)
    return state


def deepest(state, most, limit=6):
    """The largest depth whose count is small, and the count of the slow twin."""
    depth, nodes = 0, 1
    while depth < limit:
        k = len(state.legal_actions())
        if nodes * max(k, 2) > most:
            break
        nodes = count(state, depth + 1, plain=True)
        depth += 1
    return depth, nodes


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_way_counts_the_same(game):
    chooser = random.Random(str(game))
    for seed in range(2):
        state = reached(game, seed, chooser.randrange(60))
        text = str(state)
        depth, nodes = deepest(state, 6_000)
        for d in range(depth):
            assert br.perft(state, d) == count(state, d, plain=True)
        assert br.perft(state, depth) == nodes
        assert br.perft(state, depth, threads=2) == nodes
        assert br.perft(state, depth, hash_mb=1) == nodes
        assert br.perft(state, depth, threads=2, hash_mb=2) == nodes
        if depth:
            parts = br.divide(state, depth)
            assert list(parts) == [state.action_to_str(int(a)) for a in state.legal_actions()]
            assert sum(parts.values()) == nodes
            for action, part in list(parts.items())[:5]:
                child = state.copy()
                child.apply(action)
                assert count(child, depth - 1, plain=True) == part
        assert str(state) == text


@pytest.mark.parametrize("name", NAMES)
def test_a_tiny_table_is_overwritten_and_still_right(name):
    state = reached(br.load(name), 5, 30)
    depth, nodes = deepest(state, 300_000)
    whole = Count(state, depth)
    whole.work(hash_bytes=2000)  # a few entries: collisions all the time
    assert whole.sums() == [nodes]


def test_a_finished_game_counts_as_one_leaf():
    finished = 0
    for file in CORPORA:
        for entry in map(json.loads, file.read_text().splitlines()):
            if entry["turn"] == "terminal":
                state = load_set(entry["game"], entry["options"]).parse(entry["position"])
                assert [br.perft(state, d) for d in range(4)] == [1, 0, 0, 0]
                assert br.perft(state, 5, threads=2) == 0
                assert br.divide(state, 3) == {}
                finished += 1
    assert finished


def test_progress_counts_parts_and_comes_to_an_end():
    state = br.load("traverse").new_state()
    seen = []
    nodes = br.perft(state, 5, progress=lambda done, total: seen.append((done, total)))
    assert nodes == 1843800
    assert seen[-1][0] == seen[-1][1] > 1
    assert seen == sorted(seen)
    assert br.perft(state, 3, progress=True) == 4800
    assert br.perft(state, 3, progress=False) == 4800


def test_a_progress_callable_that_raises_ends_the_count():
    state = br.load("traverse").new_state()

    def broken(done, total):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        br.perft(state, 12, progress=broken)
    assert br.perft(state, 3) == 4800


@pytest.mark.parametrize(
    ("arguments", "error", "word"),
    [
        ({"depth": -1}, ValueError, "depth"),
        ({"depth": 2**31}, ValueError, "depth"),
        ({"depth": 2**100}, ValueError, "depth"),
        ({"depth": 2.0}, TypeError, "depth"),
        ({"depth": True}, TypeError, "depth"),
        ({"depth": "3"}, TypeError, "depth"),
        ({"depth": None}, TypeError, "depth"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": 10**6}, ValueError, "threads"),
        ({"threads": 1.0}, TypeError, "threads"),
        ({"hash_mb": -1}, ValueError, "hash_mb"),
        ({"hash_mb": 1.5}, TypeError, "hash_mb"),
        ({"hash_mb": 2**60}, MemoryError, "hash_mb"),
        ({"hash_mb": 2**42}, MemoryError, ""),
        ({"executor": 3}, TypeError, "executor"),
        ({"progress": 3}, TypeError, "progress"),
        ({"state": "traverse"}, TypeError, "state"),
        ({"state": br.load("traverse")}, TypeError, "state"),
    ],
)
@pytest.mark.parametrize("function", [br.perft, br.divide])
def test_wrong_calls(function, arguments, error, word):
    given = {"state": br.load("traverse").new_state(), "depth": 3} | arguments
    with pytest.raises(error, match=word or None):
        function(given.pop("state"), given.pop("depth"), **given)


@pytest.mark.parametrize("name", ["counting", "playing", "batch", "_workers"])
def test_examples_in_docstrings(name):
    tried = doctest.testmod(importlib.import_module(f"boardrace.{name}"))
    assert tried.attempted and not tried.failed


def test_divide_needs_a_ply():
    with pytest.raises(ValueError, match="depth"):
        br.divide(br.load("traverse").new_state(), 0)


def test_whole_numbers_of_numpy_are_whole_numbers():
    state = br.load("traverse").new_state()
    assert br.perft(state, np.int64(3), threads=np.uint8(2), hash_mb=np.int32(1)) == 4800


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_count_within_a_second(threads):
    state = br.load("traverse").new_state()
    heard(lambda: br.perft(state, 30, threads=threads), threads=threads)
    heard(lambda: br.divide(state, 30, threads=threads, hash_mb=16), threads=threads)
    assert br.perft(state, 4, threads=threads) == 90000


def test_other_threads_run_on_and_the_state_may_be_changed_meanwhile():
    state = br.load("traverse").new_state()
    results = []
    counter = threading.Thread(target=lambda: results.append(br.perft(state, 5)))
    counter.start()
    rng = br.Rng(3)
    while counter.is_alive():
        if state.num_plies < 500:
            state.sample(rng)
    assert results == [1843800]


ENDLESS = '''
# cython: language_level=3
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memset
from boardrace._core.engine cimport GameTable, Rules, check_abi
from boardrace._core.rng cimport Draws

check_abi()


cdef struct Position:
    uint64_t width


cdef int to_act(const GameTable *table, const void *position) noexcept nogil:
    return 0


cdef int actions(const GameTable *table, const void *position, int32_t *out) noexcept nogil:
    cdef int k
    for k in range(<int>(<const Position *>position).width):
        out[k] = k
    return <int>(<const Position *>position).width


cdef void apply(const GameTable *table, void *position, int32_t action) noexcept nogil:
    pass


cdef void returns(const GameTable *table, const void *position, double *out) noexcept nogil:
    pass


cdef int progress(const GameTable *table, const void *position, int player) noexcept nogil:
    return 0


cdef void setup(const GameTable *table, void *position, Draws *draws) noexcept nogil:
    (<Position *>position).width = 16


cdef void observe(const GameTable *table, const void *position, int player,
                  void *out) noexcept nogil:
    memset(out, 0, 1)


cdef void bitboards(const GameTable *table, const void *position, uint64_t *out) noexcept nogil:
    pass


cdef class EndlessRules(Rules):
    """A game that never ends: every ply leads back to the position it left."""

    def __init__(self):
        cdef GameTable *t = &self.table
        t.position_bytes = sizeof(Position)
        t.num_players = t.observation_bytes = t.progress_goal = 1
        t.num_actions = t.max_legal_actions = 16
        t.to_act = to_act
        t.turn = to_act
        t.actions = actions
        t.apply = apply
        t.returns = returns
        t.progress = progress
        t.setup = setup
        t.observe = observe
        t.bitboards = bitboards
        self.complete()
'''
USE = """
import numpy as np
import pytest
import boardrace as br
from boardrace._core.engine import State
from endless import EndlessRules


class EndlessState(State):
    def __str__(self):
        return f"endless {self._bytes()[0]}"

    def action_to_str(self, action):
        return str(action)


class Endless(br.Game):
    name, summary, option_list, state_class = "endless", "", (), EndlessState

    def make_rules(self):
        return EndlessRules()

    def describe_observation(self):
        object.__setattr__(self, "observation_shape", (1,))
        object.__setattr__(self, "observation_dtype", np.dtype(np.uint8))

    def _parse(self, text):
        return bytes([int(text.split()[1])]) + bytes(7)


game = Endless()
wide, narrow = game.new_state(), game.parse("endless 1")
# 16^15 fits, 16^16 does not: with the table each depth is counted once.
assert br.perft(wide, 15, hash_mb=1) == 16**15
for threads in 1, 2:
    with pytest.raises(OverflowError):
        br.perft(wide, 16, hash_mb=1, threads=threads)
    with pytest.raises(OverflowError):
        br.perft(wide, 40, hash_mb=1, threads=threads)
assert br.divide(wide, 16, hash_mb=1) == {str(k): 16**15 for k in range(16)}
with pytest.raises(OverflowError):
    br.divide(wide, 17, hash_mb=1)
# A count as deep as one likes needs heap, and is refused when it needs too much of it.
assert br.perft(narrow, 500_000) == 1
for threads in 1, 2:
    with pytest.raises(MemoryError):
        br.perft(narrow, 2**31 - 1, threads=threads)
# Playouts and batches of a game without an end.
r = br.playouts(game, 10, seed=1, max_plies=1000)
assert r.truncated.all() and (r.lengths == 1000).all() and not r.returns.any()
b = br.Batch(game, 3, seed=1, max_plies=2)
assert not b.step(b.random_actions())[2].any() and b.step(b.random_actions())[2].all()
print("done")
"""


def test_counts_beyond_64_bits_and_games_without_an_end(tmp_path):
    (tmp_path / "endless.pyx").write_text(ENDLESS)
    setup = SETUP.replace("outside", "endless").format(root=str(pxd_root()))
    (tmp_path / "setup.py").write_text(setup)
    build = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert build.returncode == 0, build.stderr
    run = subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout.split() == ["done"], run.stderr
