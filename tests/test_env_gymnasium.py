"""The Gymnasium environments, by Gymnasium's own checks and ours."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from env_games import plain_games, player_counts

import boardrace as br

gym = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from boardrace.envs import gymnasium as adaptor  # noqa: E402

GAMES = player_counts()
PLAIN = plain_games()


def play(env, seed):
    """Random play by the mask from where the environment stands: all that it gave."""
    rng = np.random.default_rng(seed)
    given = []
    over = False
    while not over:
        actions = np.flatnonzero(env.unwrapped.action_masks())
        observation, reward, terminated, truncated, info = env.step(rng.choice(actions))
        given.append((observation.tobytes(), reward, terminated, truncated))
        over = terminated or truncated
    return given, info


@pytest.mark.parametrize("name", br.games())
def test_check_env(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = gym.make(adaptor.env_id(name), max_plies=100)
        assert made.spec.id == adaptor.env_id(name)
        check_env(made.unwrapped)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_check_env_with_every_player_count(game):
    check_env(adaptor.BoardRaceEnv(game, player="random", max_plies=100), skip_render_check=True)


@pytest.mark.parametrize("opponents", ["uniform", "forward"])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_random_play(game, opponents):
    env = adaptor.BoardRaceEnv(
        game, player=game.num_players - 1, opponents=opponents, max_plies=200
    )
    for seed in range(2):
        observation, info = env.reset(seed=seed)
        assert env.observation_space.contains(observation)
        assert np.array_equal(info["action_mask"], env.board.legal_mask())
        given, info = play(env, seed)
        _, reward, terminated, truncated = given[-1]
        assert all(step[1:] == (0.0, False, False) for step in given[:-1])
        assert terminated != truncated
        assert reward == info["returns"][env.seat] and not info["action_mask"].any()
        with pytest.raises(RuntimeError, match="reset"):
            env.step(0)


def test_policies_get_their_seats_and_a_copy():
    game = next(g for g in GAMES if g.num_players == 3)
    seen = []

    def policy(k):
        def act(state, rng):
            seen.append((k, state.current_player))
            action = int(rng.choice(state.legal_actions()))
            state.apply(action)  # a copy: the environment's own state must not mind
            return action

        return act

    env = adaptor.BoardRaceEnv(game, player=1, opponents=[policy(0), policy(1)], max_plies=100)
    env.reset(seed=2)
    play(env, 0)
    assert set(seen) == {(0, 2), (1, 0)}


def test_random_seats():
    game = GAMES[-1]
    env = adaptor.BoardRaceEnv(game, player="random", max_plies=50)
    assert {env.reset(seed=seed)[1]["player"] for seed in range(40)} == set(range(game.num_players))


def test_illegal_actions():
    game = PLAIN[-1]
    env = adaptor.BoardRaceEnv(game)
    _, info = env.reset(seed=1)
    bad = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, truncated, info = env.step(bad)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal"] and not info["action_mask"].any()
    with pytest.raises(RuntimeError, match="reset"):
        env.step(bad)

    env = adaptor.BoardRaceEnv(game, illegal="raise")
    env.reset(seed=1)
    here = str(env.board)
    with pytest.raises(br.IllegalActionError):
        env.step(bad)
    assert str(env.board) == here


@pytest.mark.parametrize("game", PLAIN, ids=str)
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))], ids=["copy", "pickle"]
)
def test_copies_keep_position_and_draws(game, duplicate):
    env = adaptor.BoardRaceEnv(game, max_plies=60)
    env.reset(seed=3)
    env.step(int(np.flatnonzero(env.action_masks())[0]))
    other = duplicate(env)
    assert other.board == env.board
    here = str(env.board)
    played = play(other, 1)[0]
    assert str(env.board) == here
    assert play(env, 1)[0] == played


def test_arguments():
    name = br.games()[-1]
    for wrong in (
        {"player": 9},
        {"player": "first"},
        {"opponents": "best"},
        {"opponents": ["uniform"] * 5},
        {"illegal": "pass"},
        {"max_plies": 0},
        {"render_mode": "human"},
        {"nothing": 1},
    ):
        with pytest.raises(ValueError):
            adaptor.BoardRaceEnv(name, **wrong)
    with pytest.raises(RuntimeError, match="reset"):
        adaptor.BoardRaceEnv(name).step(0)
    with pytest.raises(TypeError, match="opponents must be a policy or a sequence"):
        adaptor.BoardRaceEnv(name, opponents=5)
    for bad in (10**6, None, "nowhere"):
        env = adaptor.BoardRaceEnv(name, player=1, opponents=lambda state, rng, bad=bad: bad)
        with pytest.raises(ValueError, match=f"the policy of player 0 gave {bad!r}, which is no"):
            env.reset(seed=0)
    with pytest.raises(RuntimeError, match="turn of player 1"):
        adaptor.BoardRaceEnv(name, player=1, max_plies=1).reset(seed=0)


def test_ids():
    assert adaptor.env_id("inner_circle") == "boardrace/InnerCircle-v0"
    for name in br.games():
        assert adaptor.env_id(name) in gym.registry
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        adaptor.env_id("chess")


def test_examples():
    import doctest

    import boardrace.envs.gymnasium as module

    tried = doctest.testmod(module)
    assert tried.attempted and not tried.failed
