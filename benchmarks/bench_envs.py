"""Steps of the adaptors: what their interfaces add to the games.

Every step is a random legal action, chosen without the mask so that the choice costs little.
"""

import numpy as np
import pytest
from measured import rate

import boardrace as br

STEPS = 300
GAMES = 256


@pytest.mark.parametrize("name", br.games())
def test_pettingzoo(benchmark, name):
    pytest.importorskip("pettingzoo")
    from boardrace.envs.pettingzoo import env

    e = env(name, seed=1)
    rng = np.random.default_rng(1)

    def play():
        e.reset(seed=1)
        for _ in range(STEPS):
            _, _, terminated, truncated, _ = e.last()
            e.step(None if terminated or truncated else rng.choice(e.board.legal_actions()))
            if not e.agents:
                e.reset()

    benchmark(play)
    rate(benchmark, "plies_per_second", STEPS)


@pytest.mark.parametrize("name", br.games())
def test_gymnasium(benchmark, name):
    pytest.importorskip("gymnasium")
    from boardrace.envs.gymnasium import BoardRaceEnv

    env = BoardRaceEnv(name)
    rng = np.random.default_rng(1)

    def play():
        env.reset(seed=1)
        for _ in range(STEPS):
            _, _, terminated, truncated, _ = env.step(rng.choice(env.board.legal_actions()))
            if terminated or truncated:
                env.reset()

    benchmark(play)
    rate(benchmark, "plies_per_second", STEPS)


@pytest.mark.parametrize("masks", [False, True], ids=["lists", "masks"])
@pytest.mark.parametrize("name", br.games())
def test_vector(benchmark, name, masks):
    pytest.importorskip("gymnasium")
    from boardrace.envs.gymnasium import SelfPlayVectorEnv

    env = SelfPlayVectorEnv(name, GAMES, masks=masks)
    env.reset(seed=1)

    def play():
        for _ in range(10):
            env.step(env.random_actions())

    benchmark(play)
    rate(benchmark, "plies_per_second", 10 * GAMES)


@pytest.mark.parametrize("name", br.games())
def test_openspiel(benchmark, name):
    pytest.importorskip("pyspiel")
    from boardrace.envs import openspiel

    game = openspiel.load(name)
    rng = np.random.RandomState(1)

    def play():
        state = game.new_initial_state()
        for _ in range(STEPS):
            actions = state.legal_actions()
            state.apply_action(actions[rng.randint(len(actions))])
            if state.is_terminal():
                state = game.new_initial_state()

    benchmark(play)
    rate(benchmark, "plies_per_second", STEPS)
