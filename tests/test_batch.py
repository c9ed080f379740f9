"""Batch: n games agree with n single states, whatever the mode and the number of threads."""

import copy
import gc
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import streams
from batch_by_hand import came_differently_far, play_beside
from interrupts import heard
from option_sets import option_sets

import boardrace as br
from boardrace import batch as batch_module
from boardrace._core import cpu

GAMES = option_sets()
NAMES = sorted({game.name for game in GAMES})
MODES = ("next_step", "same_step", "disabled")


def find_chance(state, after, depth=4):
    """Play outcomes until the state is `after`; whether some do."""
    if state == after:
        return True
    if not state.is_chance or depth == 0:
        return False
    for outcome in state.legal_actions():
        state.apply(int(outcome))
        if find_chance(state, after, depth - 1):
            return True
        state.undo()
    return False


def check_views(batch):
    """Every array beside the single states; the states."""
    states = [batch.state(i) for i in range(batch.n)]
    offsets, actions = batch.legal_actions()
    assert offsets.dtype == np.int64 and actions.dtype == np.int32
    assert offsets[0] == 0 and offsets[-1] == len(actions)
    mask, players, seen = batch.legal_mask(), batch.current_player, batch.observation()
    plies = batch.num_plies
    assert players.dtype == np.int8 and mask.dtype == np.bool_
    for i, state in enumerate(states):
        legal = actions[offsets[i] : offsets[i + 1]]
        assert np.array_equal(np.flatnonzero(mask[i]), legal)
        assert state.num_plies == plies[i]
        if players[i] == br.TERMINAL:
            assert len(legal) == 0
            player = state.turn if state.is_terminal else state.current_player
        else:
            assert np.array_equal(state.legal_actions(), legal)
            player = state.current_player
            assert players[i] == player >= 0
        assert np.array_equal(seen[i], state.observation(player))
    return states


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_agrees_with_single_states(game):
    n = 3
    batch = br.Batch(game, n, seed=5, autoreset="disabled", max_plies=50)
    for i in range(n):
        start = game.new_state(br.Rng(5, i))
        assert find_chance(start, batch.state(i))
    for call in range(20):
        before = check_views(batch)
        actions = batch.random_actions()
        for i in range(n):
            if before[i].is_terminal or batch.current_player[i] == br.TERMINAL:
                assert actions[i] == -1
            else:
                legal = before[i].legal_actions()
                u = streams.draw(5, i, streams.BATCH_ACTIONS, call)
                assert actions[i] == legal[streams.rank(u, len(legal))]
        rewards, terminated, truncated = batch.step(actions)
        for i in range(n):
            after = batch.state(i)
            if actions[i] == -1:
                assert after == before[i] and not rewards[i].any()
                continue
            before[i].apply(int(actions[i]))
            assert find_chance(before[i], after)
            assert before[i].num_plies == after.num_plies
            assert terminated[i] == after.is_terminal
            assert np.array_equal(rewards[i], after.returns().astype(np.float32))
            assert truncated[i] == (not after.is_terminal and after.num_plies >= 50)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_long_questions_and_the_batch_goes_on(threads):
    batch = br.Batch(br.load("octiles"), 50_000, seed=1, threads=threads)

    def ask():
        while True:
            batch.legal_actions()

    before = batch.state(7)
    heard(ask, threads=threads)
    assert batch.state(7) == before
    batch.step(batch.random_actions())
    assert (batch.num_plies >= 1).all()


def test_chance_is_drawn_as_described():
    """Outcome by outcome, for games whose every turn begins with one."""
    for name in ("sorry", "switchboard"):
        game = br.load(name)
        batch = br.Batch(game, 3, seed=77)
        states = [game.new_state(br.Rng(77, i)) for i in range(3)]
        drawn = [0] * 3
        for _ in range(15):
            for i, state in enumerate(states):
                while state.is_chance:
                    outcomes, shares = state.chance_outcomes()
                    u = streams.draw(77, i, streams.BATCH_CHANCE, drawn[i]) / 2**64
                    drawn[i] += 1
                    state.apply(int(outcomes[np.searchsorted(np.cumsum(shares), u, "right")]))
                assert batch.state(i) == state
            actions = batch.random_actions()
            batch.step(actions)
            for state, action in zip(states, actions, strict=True):
                state.apply(int(action))


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_many_games_that_have_come_differently_far(game):
    """What a game does for a block at once beside one state at a time, whoever's turn it is."""
    play_beside(came_differently_far(game, 150, seed=4), seed=21, calls=12)


@pytest.mark.parametrize("level", cpu.levels())
def test_many_games_on_every_level(level):
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("batch_by_hand.py"), "6", "70", "5"],
        env={**os.environ, "BOARDRACE_LEVEL": level},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_threads_change_nothing(name, mode, monkeypatch):
    monkeypatch.setattr(batch_module, "_WORTH_A_THREAD", 4)
    monkeypatch.setattr(batch_module, "_PIECE", 5)
    game = br.load(name)
    given = {"seed": 8, "autoreset": mode, "max_plies": 25}
    one, three = br.Batch(game, 23, **given), br.Batch(game, 23, threads=3, **given)
    for call in range(30):
        actions = one.random_actions()
        assert np.array_equal(actions, three.random_actions())
        for a, b in zip(one.step(actions), three.step(actions), strict=True):
            assert np.array_equal(a, b)
        if call % 7 == 0:
            assert np.array_equal(one.legal_mask(), three.legal_mask())
            assert np.array_equal(one.observation(), three.observation())
            assert all(map(np.array_equal, one.legal_actions(), three.legal_actions()))
            assert np.array_equal(one.current_player, three.current_player)
            assert np.array_equal(one.num_plies, three.num_plies)
            if mode == "same_step":
                assert np.array_equal(one.final_observation, three.final_observation)
        if call == 15:
            mask = np.arange(23) % 3 == 0
            one.reset(mask)
            three.reset(mask)
    assert all(one.state(i) == three.state(i) for i in range(23))


@pytest.mark.parametrize("name", NAMES)
def test_autoreset_as_gymnasium_defines_it(name):
    game = br.load(name)
    n, limit = 6, 12
    batches = {mode: br.Batch(game, n, seed=3, autoreset=mode, max_plies=limit) for mode in MODES}
    for batch in batches.values():
        while True:
            before = [batch.state(i) for i in range(n)]
            actions = batch.random_actions()
            rewards, terminated, truncated = batch.step(actions)
            over = terminated | truncated
            if over.any():
                break
    # The same games came to the same ends, whatever happens then.
    players = {mode: batch.current_player for mode, batch in batches.items()}
    for mode, batch in batches.items():
        assert (players[mode][over] == br.TERMINAL).all() == (mode != "same_step")
        if mode != "same_step":
            with pytest.raises(AttributeError):
                _ = batch.final_observation
            assert batch.final_state(0) is None
    now = batches["same_step"]
    seen = now.final_observation
    for i in range(n):
        if not over[i]:
            assert not seen[i].any() and now.final_state(i) is None
            continue
        end = batches["disabled"].state(i)
        assert now.final_state(i) == end and now.final_state(i).num_plies == end.num_plies > 0
        assert np.array_equal(seen[i], batches["disabled"].observation()[i])
        assert find_chance(game.new_state(br.Rng(3, 2**32 + i)), now.state(i))
        assert before[i].num_plies < limit
    # Disabled: it stays over until reset.
    batch = batches["disabled"]
    before = [batch.state(i) for i in range(n)]
    rewards, terminated, truncated = batch.step(batch.random_actions())
    assert (terminated | truncated)[over].all() and not rewards[over].any()
    assert all(batch.state(i) == before[i] for i in np.flatnonzero(over))
    bad = batch.random_actions()
    bad[over] = 0
    with pytest.raises(br.IllegalActionError, match="game 0|game [1-5]") as error:
        batch.step(bad)
    assert error.value.code == "game_over"
    batch.reset(over)
    assert (batch.current_player[over] >= 0).all()
    # Next step: the action is ignored, nothing is earned, a new game stands there.
    batch = batches["next_step"]
    actions = batch.random_actions()
    assert (actions[over] == -1).all()
    actions[over] = 2**31 - 1
    rewards, terminated, truncated = batch.step(actions)
    assert not rewards[over].any() and not (terminated | truncated)[over].any()
    for i in np.flatnonzero(over):
        assert find_chance(game.new_state(br.Rng(3, 2**32 + i)), batch.state(i))


@pytest.mark.parametrize("name", NAMES)
def test_one_bad_action_and_nothing_moves(name):
    batch = br.Batch(br.load(name), 9, seed=4)
    batch.step(batch.random_actions())
    before = [str(batch.state(i)) for i in range(9)]
    good = batch.random_actions()
    for number in (-1, -2, batch.game.num_actions, 2**31 - 1, -(2**31)):
        bad = good.copy()
        bad[6] = number
        bad[8] = number
        with pytest.raises(br.IllegalActionError, match="game 6") as error:
            batch.step(bad)
        assert error.value.code
        assert [str(batch.state(i)) for i in range(9)] == before
    mask = batch.legal_mask()
    assert mask[np.arange(9), good].all()
    bad = good.copy()
    bad[0] = int(np.flatnonzero(~mask[0])[0])
    with pytest.raises(br.IllegalActionError, match="game 0"):
        batch.step(bad)
    batch.step(good)


def test_what_was_picked_before_a_move_is_checked_again():
    batch = br.Batch(br.load("traverse"), 50, seed=4)
    old = batch.random_actions()
    batch.step(old)
    with pytest.raises(br.IllegalActionError):
        batch.step(old)  # the other player cannot make all of these
    picked = batch.random_actions()
    batch.set_state(3, br.load("traverse").new_state())
    if not batch.legal_mask()[3, picked[3]]:
        with pytest.raises(br.IllegalActionError, match="game 3"):
            batch.step(picked)


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        ([0, 0, 0], TypeError),
        (np.zeros(3, np.int64), TypeError),
        (np.zeros(3, np.float32), TypeError),
        (np.zeros(3, ">i4"), TypeError),
        (np.zeros(3, np.bool_), TypeError),
        (np.full(3, np.nan), TypeError),
        (np.zeros(2, np.int32), ValueError),
        (np.zeros((3, 1), np.int32), ValueError),
        (np.zeros((), np.int32), ValueError),
        (None, TypeError),
    ],
)
def test_wrong_arrays_of_actions(actions, error):
    batch = br.Batch(br.load("traverse"), 3, seed=1)
    with pytest.raises(error):
        batch.step(actions)
    assert not batch.num_plies.any()


def test_every_other_entry_of_an_array_and_a_read_only_one():
    batch, other = (br.Batch(br.load("traverse"), 3, seed=1) for _ in range(2))
    actions = other.random_actions()
    wide = np.zeros(6, np.int32)
    wide[::2] = actions
    batch.step(wide[::2])
    actions.flags.writeable = False
    other.step(actions)
    assert all(batch.state(i) == other.state(i) for i in range(3))


def test_output_arrays():
    game = br.load("sorry")
    batch = br.Batch(game, 4, seed=1)
    mask = np.ones((4, game.num_actions), np.bool_)
    assert batch.legal_mask(out=mask) is mask and np.array_equal(mask, batch.legal_mask())
    seen = np.ones((4, *game.observation_shape), game.observation_dtype)
    assert batch.observation(out=seen) is seen and np.array_equal(seen, batch.observation())
    for view in (batch.legal_mask, batch.observation):
        good = view()
        for bad, error in (
            (good[:3], ValueError),
            (np.asfortranarray(good), ValueError),
            (good.astype(np.float64), TypeError),
            (good.tolist(), TypeError),
            (np.zeros((8, *good.shape[1:]), good.dtype)[::2], ValueError),
        ):
            with pytest.raises(error):
                view(out=bad)
        good.flags.writeable = False
        with pytest.raises(ValueError):
            view(out=good)
    mine = batch.observation(player=1)
    assert all(np.array_equal(mine[i], batch.state(i).observation(1)) for i in range(4))
    with pytest.raises(ValueError):
        batch.observation(player=2)


def test_arrays_are_the_callers():
    batch = br.Batch(br.load("traverse"), 3, seed=1)
    first = batch.step(batch.random_actions())
    kept = [array.copy() for array in first]
    players = batch.current_player
    players[:] = 9
    batch.step(batch.random_actions())
    assert all(map(np.array_equal, first, kept))
    assert (batch.current_player == 0).all()
    for array in (*first, batch.legal_mask(), batch.observation(), *batch.legal_actions()):
        assert array.flags.c_contiguous and array.flags.writeable


@pytest.mark.parametrize(
    ("arguments", "error", "word"),
    [
        ({"game": "traverse"}, TypeError, "game"),
        ({"n": 0}, ValueError, "n is"),
        ({"n": -1}, ValueError, "n is"),
        ({"n": 2**32}, ValueError, "n is"),
        ({"n": 2**70}, ValueError, "n is"),
        ({"n": 2.0}, TypeError, "n must"),
        ({"n": True}, TypeError, "n must"),
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": 2**64}, ValueError, "seed"),
        ({"seed": "7"}, TypeError, "seed"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": 1.0}, TypeError, "threads"),
        ({"autoreset": "never"}, ValueError, "next_step, same_step, disabled"),
        ({"autoreset": None}, TypeError, "autoreset"),
        ({"max_plies": 0}, ValueError, "max_plies"),
        ({"max_plies": 2**31}, ValueError, "max_plies"),
        ({"max_plies": 3.5}, TypeError, "max_plies"),
    ],
)
def test_wrong_batches(arguments, error, word):
    given = {"game": br.load("traverse"), "n": 2} | arguments
    with pytest.raises(error, match=word):
        br.Batch(given.pop("game"), given.pop("n"), **given)


def test_from_states_and_set_state():
    game = br.load("sorry", players=3)
    states = []
    for seed in range(6):
        state, rng = game.new_state(seed=seed), br.Rng(seed)
        for _ in range(5 * seed):
            state.sample(rng)
        states.append(state)
    batch = br.Batch.from_states(iter(states), seed=2)
    for i, state in enumerate(states):
        assert find_chance(state.copy(), batch.state(i))
        if not state.is_chance:
            assert batch.state(i) == state and batch.num_plies[i] == state.num_plies
    batch.set_state(0, states[5])
    assert find_chance(states[5].copy(), batch.state(0))
    for bad, error in (
        ([], ValueError),
        ([1], TypeError),
        ([states[0], "x"], TypeError),
        ([states[0], br.load("sorry").new_state()], ValueError),
    ):
        with pytest.raises(error):
            br.Batch.from_states(bad)
    with pytest.raises(ValueError):
        batch.set_state(0, br.load("traverse").new_state())
    with pytest.raises(TypeError):
        batch.set_state(0, str(states[0]))
    for bad, error in ((6, IndexError), (-1, IndexError), (1.0, TypeError), (True, TypeError)):
        with pytest.raises(error):
            batch.state(bad)
        with pytest.raises(error):
            batch.set_state(bad, states[0])
        with pytest.raises(error):
            batch.final_state(bad)


def test_a_finished_state_in_a_batch():
    game = br.load("sorry")
    state, rng = game.new_state(seed=1), br.Rng(1)
    while not state.is_terminal:
        state.sample(rng)
    for mode in MODES:
        batch = br.Batch.from_states([state, game.new_state(seed=1)], seed=1, autoreset=mode)
        assert batch.current_player[0] == br.TERMINAL and batch.random_actions()[0] == -1
        rewards, terminated, truncated = batch.step(batch.random_actions())
        assert not rewards[0].any() and not truncated.any()
        assert terminated[0] == (mode == "disabled")
        assert (batch.current_player[0] == br.TERMINAL) == (mode == "disabled")


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_goes_the_same_way(name):
    batch = br.Batch(br.load(name), 5, seed=6, autoreset="same_step", max_plies=15)
    for _ in range(9):
        batch.step(batch.random_actions())
    other, third = batch.copy(), copy.deepcopy(batch)
    assert np.array_equal(other.final_observation, batch.final_observation)
    before = [str(batch.state(i)) for i in range(5)]
    for _ in range(12):
        actions = other.random_actions()
        assert np.array_equal(actions, third.random_actions())
        assert all(map(np.array_equal, other.step(actions), third.step(actions)))
    assert [str(batch.state(i)) for i in range(5)] == before
    assert [str(other.state(i)) for i in range(5)] == [str(third.state(i)) for i in range(5)]


def test_reset():
    game = br.load("traverse", setup="random")
    batch = br.Batch(game, 4, seed=6)
    first = [batch.state(i) for i in range(4)]
    assert first == [game.new_state(br.Rng(6, i)) for i in range(4)]
    batch.step(batch.random_actions())
    moved = batch.state(1)
    batch.reset(np.array([True, False, True, True]))
    assert batch.state(1) == moved and batch.num_plies.tolist() == [0, 1, 0, 0]
    assert batch.state(0) == game.new_state(br.Rng(6, 2**32))
    batch.reset()
    assert batch.state(0) == game.new_state(br.Rng(6, 2 * 2**32))
    assert batch.state(1) == game.new_state(br.Rng(6, 2**32 + 1))
    for bad, error in (
        ([True] * 4, TypeError),
        (np.ones(4, np.int32), TypeError),
        (np.ones(3, np.bool_), ValueError),
    ):
        with pytest.raises(error):
            batch.reset(bad)


def test_facts():
    game = br.load("traverse")
    batch = br.Batch(game, 3, seed=6, threads=2, autoreset="disabled", max_plies=9)
    assert (batch.game, batch.n, batch.seed, batch.threads) == (game, 3, 6, 2)
    assert (batch.autoreset, batch.max_plies, len(batch)) == ("disabled", 9, 3)
    assert "3 games of traverse" in repr(batch)
    assert br.Batch(game, 1).max_plies is None
    assert br.Batch(game, 1).seed != br.Batch(game, 1).seed


def test_two_threads_on_one_batch():
    """Each call works or raises; afterwards the games are those of single steps."""
    batch = br.Batch(br.load("traverse"), 20_000, seed=1, threads=2)
    refused, broken = [], []
    end = time.perf_counter() + 1.0

    def use():
        while time.perf_counter() < end:
            try:
                batch.step(batch.random_actions())
                batch.legal_mask() if batch.n < 100 else batch.current_player  # noqa: B018
            except RuntimeError:
                refused.append(1)
            except br.IllegalActionError:
                pass  # the other one has stepped in between
            except BaseException as error:
                broken.append(error)

    users = [threading.Thread(target=use) for _ in range(3)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert not broken and refused
    for i in range(0, 20_000, 997):
        state = batch.state(i)
        assert state == state.game.parse(str(state))
    batch.step(batch.random_actions())


def test_use_from_within_is_refused():
    batch = br.Batch(br.load("traverse"), 3, seed=1)
    with pytest.raises(RuntimeError, match="one thread"):
        batch._block.alone(lambda ticket: batch.random_actions())
    batch.step(batch.random_actions())


def test_a_late_slice_does_nothing():
    batch = br.Batch(br.load("traverse"), 3, seed=1)
    batch.random_actions()
    rewards, flags = np.zeros((3, 2), np.float32), np.zeros(3, np.uint8)
    batch._block.step(12345, rewards, flags, flags, 0, 3)
    assert not batch.num_plies.any()
    with pytest.raises(IndexError):
        batch._block.start(0, 0, 4)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def has_statm():
    try:
        return resident() > 0
    except OSError:
        return False


@pytest.mark.skipif(not has_statm(), reason="reads Linux's /proc")
def test_a_million_games_fit_into_200_megabytes():
    gc.collect()
    before = resident()
    batch = br.Batch(br.load("traverse"), 1_000_000, seed=1, threads=2)
    batch.step(batch.random_actions())
    assert resident() - before < 200e6
    assert (batch.num_plies == 1).all()
