"""Playouts: fixed functions of (seed, i), however they are run; uniform choices, true chance."""

import dataclasses
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import streams
from interrupts import heard
from option_sets import option_sets

import boardrace as br
from boardrace._core.playout import Playing

GAMES = option_sets()
NAMES = sorted({game.name for game in GAMES})


def same(a, b):
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("returns", "lengths", "truncated")
    )


def policy_of(game, i):
    mixed = ["forward", "uniform", "forward", "uniform"][: game.num_players]
    return ["uniform", "forward", mixed][i]


def check_by_hand(start, r, i, max_plies):
    """Play playout i with State.sample alone."""
    rng = br.Rng(r.seed, i)
    state = start.copy()
    plies = 0
    while not state.is_terminal and plies < max_plies:
        state.sample(rng)
        plies += 1
    assert plies == r.lengths[i]
    assert state.is_terminal != r.truncated[i]
    assert np.array_equal(state.returns().astype(np.float32), r.returns[i])


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_by_hand(game):
    r = br.playouts(game, 4, seed=11, max_plies=150)
    for i in range(4):
        check_by_hand(game.new_state(br.Rng(11, i)), r, i, 150)
    state = game.new_state(seed=3)
    for _ in range(40):
        if not state.is_terminal:
            state.sample(br.Rng(5, state.num_plies))
    r = br.playouts(state, 3, seed=12, max_plies=60)
    for i in range(3):
        check_by_hand(state, r, i, 60)


def forward_by_hand(state, policies, rng):
    """One ply by its description, with whole states; False when the game is over."""
    if state.is_terminal:
        return False
    who = state.current_player
    if who == br.CHANCE or policies[who] == "uniform":
        state.sample(rng)
        return True
    goal = state.game._rules.progress_goal
    actions = state.legal_actions()
    reached = []
    for action in actions:
        state.apply(int(action))
        reached.append(round(state.progress(who) * goal))
        state.undo()
    best = max(reached)
    if best > round(state.progress(who) * goal):
        actions = actions[np.array(reached) == best]
    state.apply(int(actions[streams.rank(rng.raw(), len(actions))]))
    return True


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_forward_by_hand(game):
    policies = ["forward"] * game.num_players
    if len(str(game)) % 2:
        policies[0] = "uniform"
    r = br.playouts(game, 2, seed=21, policy=policies, max_plies=40)
    for i in range(2):
        state, rng = game.new_state(br.Rng(21, i)), br.Rng(21, i)
        plies = 0
        while plies < 40 and forward_by_hand(state, policies, rng):
            plies += 1
        assert plies == r.lengths[i]
        assert np.array_equal(state.returns().astype(np.float32), r.returns[i])


@pytest.mark.parametrize("name", NAMES)
def test_forward_games_come_to_an_end(name):
    r = br.playouts(br.load(name), 30, seed=2, policy="forward", max_plies=5000)
    assert r.truncated.mean() < 0.5
    assert (np.abs(r.returns[~r.truncated]).sum(axis=1) > 0).any()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("policy", range(3))
def test_threads_and_chunks_change_nothing(name, policy):
    game = br.load(name)
    given = {"seed": 2**64 - 1, "policy": policy_of(game, policy), "max_plies": 80}
    whole = br.playouts(game, 70, **given)
    assert same(whole, br.playouts(game, 70, threads=2, **given))
    assert same(whole, br.playouts(game, 70, threads=7, **given))
    part = br.playouts(game, 33, **given)
    assert np.array_equal(whole.lengths[:33], part.lengths)
    for block in (1, 3, 1024):
        arrays = (np.empty((70, 2), np.float32), np.empty(70, np.int32), np.empty(70, np.bool_))
        policies = bytes([policy and 1, policy % 2])
        Playing(game, None, 0, 70, 2**64 - 1, policies, 80, block, *arrays).work()
        assert all(map(np.array_equal, arrays, (whole.returns, whole.lengths, whole.truncated)))


@pytest.mark.parametrize("name", NAMES)
def test_choices_are_uniform_and_chance_is_true(name):
    """Pearson's chi-squared over many positions; the seeds are fixed, so it always ends alike."""
    game = br.load(name)
    totals = {"choice": [0.0, 0], "chance": [0.0, 0]}
    n = 400
    for seed in range(12):
        state, rng = game.new_state(seed=seed), br.Rng(seed)
        for _ in range(3 + 7 * seed):
            if not state.is_terminal:
                state.sample(rng)
        for _ in range(8):
            if state.is_terminal:
                break
            if state.is_chance:
                kind = "chance"
                actions, shares = state.chance_outcomes()
            else:
                kind = "choice"
                actions = state.legal_actions()
                shares = np.full(len(actions), 1 / len(actions))
            if len(actions) > 1:
                taken = [state.copy().sample(br.Rng(1000 + seed, i)) for i in range(n)]
                seen = np.array([taken.count(action) for action in actions])
                assert seen.sum() == n
                totals[kind][0] += float(((seen - n * shares) ** 2 / (n * shares)).sum())
                totals[kind][1] += len(actions) - 1
            state.sample(rng)
    assert totals["choice"][1] > 10
    for value, freedom in totals.values():
        if freedom:
            assert abs(value - freedom) < 4 * np.sqrt(2 * freedom)


def test_the_streams_are_as_described():
    for seed, stream in ((0, 0), (7, 3), (2**64 - 1, 2**64 - 1)):
        rng = br.Rng(seed, stream)
        assert [rng.raw() for _ in range(5)] == [
            streams.draw(seed, stream, streams.PLIES, j) for j in range(5)
        ]


def test_the_vectors_in_the_docs():
    page = (Path(__file__).parents[1] / "docs" / "streams.md").read_text()
    rows = re.findall(r"^\| (\d[^|,]*), (\d+) \| ([0-9a-f |]+) \|$", page, re.MULTILINE)
    assert len(rows) == 6
    for seed, stream, words in rows:
        where = int(eval(seed.replace("^", "**"))), int(stream)
        given = [int(word, 16) for word in words.split(" | ")]
        if len(given) == 5:
            assert given == [streams.draw(*where, use, 0) for use in range(5)]
        else:
            assert given == [streams.draw(*where, streams.PLIES, j) for j in range(3)]


def test_the_result():
    game = br.load("sorry")
    r = br.playouts(game, 50, seed=5)
    assert r.returns.shape == (50, 2) and r.returns.dtype == np.float32
    assert r.lengths.shape == (50,) and r.lengths.dtype == np.int32
    assert r.truncated.shape == (50,) and r.truncated.dtype == np.bool_
    assert r.seed == 5 and len(r) == 50
    with pytest.raises(dataclasses.FrozenInstanceError):
        r.seed = 6
    assert same(pickle.loads(pickle.dumps(r)), r)
    again = br.playouts(game, 50)
    assert 0 <= again.seed < 2**64
    assert same(again, br.playouts(game, 50, seed=again.seed))
    assert br.playouts(game, 1).seed != br.playouts(game, 1).seed


def test_summary():
    r = br.playouts(br.load("sorry", players=4, teams=True), 300, seed=5)
    s = r.summary()
    assert s.games == 300 and s.truncated == r.truncated.sum()
    assert s.wins[0] == s.wins[2] and s.wins[1] == s.wins[3]
    assert s.wins[0] + s.wins[1] + s.draws + s.truncated / 300 == pytest.approx(1)
    for share, (low, high) in zip(s.wins, s.win_intervals, strict=True):
        assert 0 <= low <= share <= high <= 1 and high - low < 0.12
    assert s.plies == r.lengths.sum()
    assert s.length_quantiles["min"] == r.lengths.min()
    assert s.length_quantiles["max"] == r.lengths.max()
    assert list(s.length_quantiles.values()) == sorted(s.length_quantiles.values())
    assert s.plies_per_second > 0
    assert "player 3" in str(s) and "million a second" in str(s)


def test_no_games_at_all():
    r = br.playouts(br.load("sorry"), 0, seed=1, threads=2)
    assert r.returns.shape == (0, 2) and len(r) == 0
    assert r.summary().games == 0 and str(r.summary())


def test_a_finished_state_and_the_one_before():
    game = br.load("sorry")
    seed = 1
    state, rng = game.new_state(br.Rng(seed)), br.Rng(seed)
    while not state.is_terminal:
        state.sample(rng)
    r = br.playouts(state, 3, seed=1)
    assert not r.lengths.any() and not r.truncated.any()
    assert np.array_equal(r.returns, np.tile(state.returns(), (3, 1)))


def test_max_plies_cuts_exactly():
    game = br.load("sorry")
    whole = br.playouts(game, 40, seed=9)
    limit = int(np.median(whole.lengths))
    cut = br.playouts(game, 40, seed=9, max_plies=limit)
    assert np.array_equal(cut.lengths, np.minimum(whole.lengths, limit))
    assert np.array_equal(cut.truncated, whole.lengths > limit)
    assert not cut.returns[cut.truncated].any()
    assert np.array_equal(cut.returns[~cut.truncated], whole.returns[~cut.truncated])


@pytest.mark.parametrize(
    ("arguments", "error", "word"),
    [
        ({"n": -1}, ValueError, "n is"),
        ({"n": 1.5}, TypeError, "n must"),
        ({"n": True}, TypeError, "n must"),
        ({"n": 10**15}, MemoryError, ""),
        ({"n": 10**30}, (ValueError, OverflowError, MemoryError), ""),
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": 2**64}, ValueError, "seed"),
        ({"seed": 1.0}, TypeError, "seed"),
        ({"policy": "best"}, ValueError, "policy 'best'"),
        ({"policy": ["uniform"]}, ValueError, "policies"),
        ({"policy": ["uniform", 3]}, TypeError, "policy"),
        ({"policy": 3}, TypeError, "policy"),
        ({"policy": None}, TypeError, "policy"),
        ({"max_plies": 0}, ValueError, "max_plies"),
        ({"max_plies": 2**31}, ValueError, "max_plies"),
        ({"max_plies": None}, TypeError, "max_plies"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": "2"}, TypeError, "threads"),
        ({"executor": object()}, TypeError, "executor"),
        ({"progress": "yes"}, TypeError, "progress"),
        ({"game": "sorry"}, TypeError, "Game or a State"),
    ],
)
def test_wrong_calls(arguments, error, word):
    given = {"game": br.load("sorry"), "n": 3} | arguments
    with pytest.raises(error, match=word or None):
        br.playouts(given.pop("game"), given.pop("n"), **given)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("policy", ["uniform", "forward"])
def test_ctrl_c_ends_playouts_within_a_second(threads, policy):
    game = br.load("traverse")
    call = lambda: br.playouts(game, 10**7, seed=1, threads=threads, policy=policy)  # noqa: E731
    heard(call, after=0.2, threads=threads)
    assert len(br.playouts(game, 3, seed=1)) == 3


def test_progress():
    seen = []
    br.playouts(br.load("sorry"), 500, seed=1, progress=lambda *report: seen.append(report))
    assert seen[-1] == (500, 500) and seen == sorted(seen)
    assert len(br.playouts(br.load("sorry"), 50, seed=1, progress=True)) == 50
