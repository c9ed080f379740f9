"""The PettingZoo environments, by PettingZoo's own tests and ours."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from env_games import plain_games, player_counts
from option_sets import option_sets

import boardrace as br

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test  # noqa: E402

from boardrace.envs.gymnasium import forward  # noqa: E402
from boardrace.envs.pettingzoo import env  # noqa: E402

GAMES = player_counts()
PLAIN = plain_games()

# What api_test remarks on that is so by design: a dictionary with a mask, no legal action for one
# who is not to act.
EXPECTED = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "Action mask numpy array is all zeros",
    "Observation has more than 3 dimensions",
)


def play(e, seed, plies=10**9):
    """Random play by the mask; what all agents got, and the positions passed."""
    rng = np.random.default_rng(seed)
    total = dict.fromkeys(e.possible_agents, 0.0)
    positions = []
    for agent in e.agent_iter(plies):
        observation, reward, terminated, truncated, _ = e.last()
        total[agent] += reward
        positions.append(str(e.board))
        if terminated or truncated:
            assert not observation["action_mask"].any()
            e.step(None)
        else:
            e.step(rng.choice(np.flatnonzero(observation["action_mask"])))
    return total, positions


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_api(game, capsys):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env(game, max_plies=150), num_cycles=60)
    remarks = {str(w.message) for w in caught if not str(w.message).startswith(EXPECTED)}
    assert not remarks


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_seeds(game):
    seed_test(lambda: env(game, max_plies=150), num_cycles=40)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_random_play_to_the_end(game):
    e = env(game, max_plies=400, seed=5)
    for seed in range(2):
        e.reset()
        total, _ = play(e, seed)
        assert e.agents == []
        if e.board.is_terminal:
            returns = e.board.returns()
            assert list(total.values()) == pytest.approx(list(returns))
        else:
            assert e.board.num_plies == 400 and not any(total.values())


@pytest.mark.parametrize("game", option_sets(), ids=str)
def test_every_option_set(game):
    e = env(game, max_plies=60, seed=3)
    e.reset()
    for agent in e.agent_iter():
        observation, _, terminated, truncated, _ = e.last()
        assert e.observation_space(agent).contains(observation)
        over = terminated or truncated
        e.step(None if over else e.action_space(agent).sample(observation["action_mask"]))


@pytest.mark.parametrize("game", PLAIN, ids=str)
def test_last_reward_of_everyone(game):
    """From a position a ply before the end: all terminate together, each with its return."""
    end = last_ply(game)
    before, action = end
    e = env(game, max_plies=10**6)
    e.reset(seed=0)
    e._board = before
    e._go_on()
    e.step(action)
    assert all(e.terminations.values()) and not any(e.truncations.values())
    assert list(e.rewards.values()) == pytest.approx(list(e.board.returns()))
    total, _ = play(e, 0)
    assert list(total.values()) == pytest.approx(list(e.board.returns()))


def last_ply(game):
    """A position from which a player's action ends the game, and that action."""
    rng = np.random.default_rng(0)
    for seed in range(100):
        state = game.new_state(seed=seed)
        while not state.is_terminal and state.num_plies < 2_000:
            if state.is_chance:
                state.sample(rng)
            else:
                state.apply(forward(state, rng))
        if state.is_terminal:
            action = state.undo()
            if state.current_player >= 0:
                return state.copy(), action
    raise AssertionError("no game came to its end")


@pytest.mark.parametrize("game", PLAIN, ids=str)
@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_keep_position_and_draws(game, duplicate):
    e = env(game, max_plies=60, seed=7)
    e.reset()
    play(e, 1, plies=10)
    other = duplicate(e)
    assert other.board == e.board and other.board is not e.board
    assert other.agents == e.agents and other.agent_selection == e.agent_selection
    here = str(e.board)
    played = play(other, 2)
    assert str(e.board) == here
    assert play(e, 2) == played


def test_illegal_actions():
    game = PLAIN[-1]
    e = env(game, seed=1)
    e.reset()
    agent = e.agent_selection
    bad = int(np.flatnonzero(e.last()[0]["action_mask"] == 0)[0])
    e.step(bad)
    assert all(e.terminations.values())
    assert e.rewards[agent] == -1 and sum(e.rewards.values()) == pytest.approx(0)
    assert e.infos[agent]["illegal"]

    e = env(game, seed=1, illegal="raise")
    e.reset()
    here = str(e.board)
    with pytest.raises(br.IllegalActionError):
        e.step(bad)
    assert str(e.board) == here and e.agent_selection == agent
    with pytest.raises(ValueError):
        e.step(None)
    e.step(e.action_space(agent).sample(e.last()[0]["action_mask"]))


def test_arguments():
    name = br.games()[-1]
    with pytest.raises(ValueError, match="no game"):
        env("nothing")
    with pytest.raises(ValueError, match="max_plies"):
        env(name, max_plies=0)
    with pytest.raises(ValueError, match="illegal"):
        env(name, illegal="pass")
    with pytest.raises(ValueError, match="render_mode"):
        env(name, render_mode="human")
    with pytest.raises(TypeError, match="players"):
        env(br.load(name), players=2)
    e = env(name)
    with pytest.raises(RuntimeError, match="reset"):
        _ = e.board
    with pytest.raises(AttributeError, match="must be reset"):
        e.last()
    e.reset(seed=1)
    with pytest.raises(ValueError, match="there is no agent 'nobody'; there are player_0"):
        e.observe("nobody")


@pytest.mark.parametrize("game", PLAIN, ids=str)
def test_pictures(game):
    e = env(game, render_mode="ansi", seed=1)
    e.reset()
    assert e.render() == e.board.render()
    if "rgb_array" in e.metadata["render_modes"]:
        e = env(game, render_mode="rgb_array", seed=1)
        e.reset()
        picture = e.render()
        assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3


def test_examples():
    import doctest

    import boardrace.envs.pettingzoo as module

    tried = doctest.testmod(module)
    assert tried.attempted and not tried.failed
