"""PettingZoo: all players of a game as agents who act in turn (an AEC environment).

>>> from boardrace.envs.pettingzoo import env
>>> e = env("traverse", max_plies=500, seed=1)
>>> e.reset()
>>> e.agents, e.agent_selection
(['player_0', 'player_1'], 'player_0')
>>> for agent in e.agent_iter():
...     observation, reward, terminated, truncated, info = e.last()
...     if terminated or truncated:
...         action = None
...     else:
...         action = e.action_space(agent).sample(observation["action_mask"])
...     e.step(action)
>>> e.agents
[]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.engine import State
from .._errors import IllegalActionError
from ..game import Game
from . import _common as common

try:
    from gymnasium import spaces
    from gymnasium.utils import seeding
    from pettingzoo import AECEnv
except ImportError as error:
    raise common.missing("pettingzoo", "pettingzoo") from error

__all__ = ["BoardRaceAEC", "env", "raw_env"]

_MADE_BY_RESET = frozenset(
    ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos")
)


def env(
    game: Game[Any] | str,
    *,
    max_plies: int = common.MAX_PLIES,
    seed: int | None = None,
    illegal: str = "lose",
    render_mode: str | None = None,
    **options: Any,
) -> BoardRaceAEC:
    """An AEC environment of a game; the arguments are those of `BoardRaceAEC`."""
    return BoardRaceAEC(
        game, max_plies=max_plies, seed=seed, illegal=illegal, render_mode=render_mode, **options
    )


class BoardRaceAEC(AECEnv):
    """A game's players as PettingZoo agents ``player_0``, ``player_1``, ... in turn order.

    Parameters
    ----------
    game : Game or str
        A game, or its text.
    max_plies : int
        The game is truncated when so many plies are made, outcomes of chance included.
    seed : int, optional
        For the first ``reset`` that is given none. Set-ups and chance come from it.
    illegal : {"lose", "raise"}
        What an illegal action does: the agent loses and the game is over (``infos`` then says
        why, under "illegal"), or `boardrace.IllegalActionError` is raised and nothing has changed.
    render_mode : {None, "ansi", "rgb_array"}
    **options
        The game's own, when `game` is its name.

    Notes
    -----
    An observation is a dictionary: "observation", what `State.observation` gives for that agent,
    and "action_mask", int8, all 0 for an agent who is not to act. Outcomes of chance are drawn
    inside. Rewards are 0 until the end, then the game's returns; a truncated game gives 0.

    A player who is out of the game, or is home before the others, is not selected any more but
    stays among the agents to the end, since its return may still be open (a draw gives 0 to all);
    so all agents terminate together. `copy.copy`, `copy.deepcopy` and `pickle` give an environment
    in the same position that goes on with the same draws, apart from this one.
    """

    # Instances put in what can be rendered here.
    metadata: dict[str, Any] = {
        "name": "boardrace_v0",
        "is_parallelizable": False,
        "render_fps": 2,
        "render_modes": ["ansi", "rgb_array"],
    }

    def __init__(
        self,
        game: Game[Any] | str,
        *,
        max_plies: int = common.MAX_PLIES,
        seed: int | None = None,
        illegal: str = "lose",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game = common.as_game(game, options)
        self.max_plies = common.as_count("max_plies", max_plies)
        if illegal not in ("lose", "raise"):
            raise ValueError(f"illegal is {illegal!r}: it must be 'lose' or 'raise'")
        self.illegal = illegal
        self.render_mode = common.check_render_mode(render_mode)
        self.metadata = {
            **type(self).metadata,
            "name": f"{self.game.name}_v0",
            "render_modes": common.render_modes(),
        }
        self.possible_agents = [f"player_{k}" for k in range(self.game.num_players)]
        self.agents: list[str] = []
        low, high = common.observation_bounds(self.game)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(
                        low, high, self.game.observation_shape, self.game.observation_dtype.type
                    ),
                    "action_mask": spaces.Box(0, 1, (self.game.num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents
        }
        self._rng, _ = seeding.np_random(seed)
        self._board: State | None = None

    @property
    def board(self) -> State:
        """State: the position. Change a copy of it, not itself."""
        if self._board is None:
            raise RuntimeError("the environment must be reset before it is used")
        return self._board

    def __getattr__(self, name: str) -> Any:
        # PettingZoo's own methods, `last` and `agent_iter`, ask for what `reset` makes.
        if name in _MADE_BY_RESET:
            raise AttributeError(f"the environment must be reset before it has {name}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def observation_space(self, agent: str) -> Any:
        """The observations of an agent, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The actions of an agent, the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        Parameters
        ----------
        seed : int, optional
            Decides its set-up and all draws from here on; None goes on with the draws so far.
        options : dict, optional
            Not used.
        """
        if seed is not None:
            self._rng, _ = seeding.np_random(seed)
        self._board = self.game.new_state(seed=common.new_seed(self._rng))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[0]
        self._go_on()

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What an agent sees now, with its mask of legal actions."""
        if agent not in self.possible_agents:
            agents = ", ".join(self.possible_agents)
            raise ValueError(f"there is no agent {agent!r}; there are {agents}")
        player = self.possible_agents.index(agent)
        over = self.terminations.get(agent, True) or self.truncations.get(agent, True)
        return {
            "observation": self.board.observation(player),
            "action_mask": common.action_mask(self.board, -1 if over else player),
        }

    def step(self, action: Any) -> None:
        """Let the selected agent act; None for one whose game is over."""
        board = self.board
        agent = self.agent_selection
        if not self.agents:
            raise RuntimeError("the game is over: reset the environment")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if action is None:
            raise ValueError(f"{agent} is to act: None is for agents whose game is over")
        try:
            board.apply(action)
        except IllegalActionError as error:
            if self.illegal == "raise":
                raise
            self._forfeit(agent, error)
        else:
            self._go_on()
        self._accumulate_rewards()

    def _go_on(self) -> None:
        """Draw what is due, then select the next agent or end the game."""
        board = self.board
        common.play_chance(board, self._rng, self.max_plies)
        if board.is_terminal:
            self._end(dict(zip(self.possible_agents, board.returns().tolist(), strict=True)))
        elif board.num_plies >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[board.current_player]

    def _forfeit(self, agent: str, error: IllegalActionError) -> None:
        share = 1.0 / max(1, len(self.possible_agents) - 1)
        self._end({other: -1.0 if other == agent else share for other in self.possible_agents})
        self.infos[agent]["illegal"] = error.code

    def _end(self, rewards: dict[str, float]) -> None:
        self.rewards = rewards
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The picture that ``render_mode`` asks for."""
        if self.render_mode is None:
            import gymnasium

            gymnasium.logger.warn("render() was called, but no render_mode was given")
        return common.rendered(self.board, self.render_mode)

    def close(self) -> None:
        """Nothing needs closing; may be called again."""

    def __copy__(self) -> BoardRaceAEC:
        """A copy that goes its own way: a position is nothing to share."""
        import copy

        return copy.deepcopy(self)

    def __str__(self) -> str:
        return str(self.metadata["name"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game}, at most {self.max_plies} plies>"


raw_env = BoardRaceAEC
