"""Many games side by side in Gymnasium's VectorEnv."""

import pickle

import numpy as np
import pytest

import boardrace as br

gym = pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode  # noqa: E402

from boardrace.envs import gymnasium as adaptor  # noqa: E402


def step_randomly(env, steps):
    """Whole steps with random legal actions; the arrays of each."""
    for _ in range(steps):
        actions = env.random_actions()
        yield actions, env.step(actions)


@pytest.mark.parametrize("name", br.games())
@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_vector(name, mode):
    env = gym.make_vec(adaptor.env_id(name, "SelfPlay"), num_envs=5, autoreset=mode, max_plies=40)
    assert env.metadata["autoreset_mode"] == AutoresetMode(
        {"next_step": "NextStep", "same_step": "SameStep", "disabled": "Disabled"}[mode]
    )
    game = env.game
    observation, info = env.reset(seed=4)
    assert env.observation_space.contains(observation)
    over = np.zeros(5, bool)
    resets = 0
    for _, result in step_randomly(env, 90):
        movers = info["current_player"]
        observation, rewards, terminated, truncated, info = result
        assert env.observation_space.contains(observation)
        assert observation.shape == (5, *game.observation_shape)
        assert rewards.shape == terminated.shape == truncated.shape == (5,)
        assert info["action_mask"].shape == (5, game.num_actions)
        assert info["action_mask"].dtype == np.int8
        for k in range(5):
            if movers[k] >= 0:
                assert rewards[k] == info["rewards"][k, movers[k]]
            if truncated[k] and not over[k]:
                assert not info["rewards"][k].any()
        if mode == "next_step":
            assert not (terminated | truncated)[over].any()
            resets += over.sum()
            over = terminated | truncated
            assert np.array_equal(info["action_mask"].any(axis=1), ~over)
        elif mode == "same_step":
            done = terminated | truncated
            resets += done.sum()
            assert ("final_obs" in info) == done.any()
            if done.any():
                assert np.array_equal(info["_final_obs"], done)
                assert all(
                    (found is not None) == d
                    for found, d in zip(info["final_obs"], done, strict=True)
                )
            assert info["action_mask"].any(axis=1).all()
        else:
            over = terminated | truncated
            if over.any():
                resets += over.sum()
                observation, info = env.reset(options={"reset_mask": over})
                assert info["action_mask"].any(axis=1).all()
                over = np.zeros(5, bool)
    assert resets
    env.close()


@pytest.mark.parametrize("name", br.games())
def test_vector_agrees_with_states(name):
    """The same actions on states by hand: observations, masks and rewards."""
    env = adaptor.SelfPlayVectorEnv(name, 3, autoreset="disabled", max_plies=10**6)
    observation, info = env.reset(seed=9)
    for actions, result in step_randomly(env, 30):
        assert all(env.single_action_space.contains(np.int64(a)) for a in actions)
        observation, rewards, terminated, truncated, info = result
        for k in range(3):
            state = env.batch.state(k)
            player = state.current_player
            assert info["current_player"][k] == player
            assert np.array_equal(info["action_mask"][k], state.legal_mask())
            assert np.array_equal(observation[k], state.observation(player))
        if (terminated | truncated).any():
            break


@pytest.mark.parametrize("name", br.games())
def test_vector_seeds(name):
    def arrays():
        env = adaptor.SelfPlayVectorEnv(name, 4, max_plies=30)
        first, _ = env.reset(seed=6)
        return [first] + [result[0] for _, result in step_randomly(env, 40)]

    for one, other in zip(arrays(), arrays(), strict=True):
        assert np.array_equal(one, other)


def test_vector_arguments():
    name = br.games()[-1]
    with pytest.raises(ValueError, match="autoreset"):
        adaptor.SelfPlayVectorEnv(name, 2, autoreset="never")
    with pytest.raises(ValueError, match="num_envs"):
        adaptor.SelfPlayVectorEnv(name, 0)
    env = adaptor.SelfPlayVectorEnv(name, 2, autoreset=AutoresetMode.DISABLED)
    with pytest.raises(RuntimeError, match="reset"):
        env.step([0, 0])
    env.reset(seed=1)
    with pytest.raises(ValueError, match="shape"):
        env.step([0])
    with pytest.raises(TypeError, match="dtype"):
        env.step([0.0, 1.0])
    before = [str(env.batch.state(k)) for k in range(2)]
    bad = env.random_actions()
    bad[1] = 2**31 - 1
    with pytest.raises(br.IllegalActionError):
        env.step(bad)
    assert [str(env.batch.state(k)) for k in range(2)] == before


def test_vector_without_masks():
    env = adaptor.SelfPlayVectorEnv(br.games()[-1], 2, masks=False)
    _, info = env.reset(seed=1)
    assert "action_mask" not in info
    assert "action_mask" not in env.step(env.random_actions())[4]


def test_vector_pictures():
    env = adaptor.SelfPlayVectorEnv(br.games()[-1], 2, render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == tuple(env.batch.state(k).render() for k in range(2))


def test_a_pickle_goes_on():
    """As a copy does: the same games, masks and set-ups to come."""
    envs = adaptor.SelfPlayVectorEnv("sorry", num_envs=4, max_plies=40)
    _, info = envs.reset(seed=3)
    again = pickle.loads(pickle.dumps(envs))
    for _ in range(60):
        actions = info["action_mask"].argmax(axis=1)
        one, other = envs.step(actions), again.step(actions)
        for mine, its in zip(one[:4], other[:4], strict=True):
            assert np.array_equal(mine, its)
        info = one[4]
