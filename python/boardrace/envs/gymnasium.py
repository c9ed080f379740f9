"""Gymnasium: one agent against given policies, and many games side by side.

Importing this module registers an environment for each game: ``boardrace/Traverse-v0`` and so on
(one agent), ``boardrace/TraverseSelfPlay-v0`` (`SelfPlayVectorEnv`, for ``gymnasium.make_vec``).

>>> import gymnasium
>>> import boardrace.envs.gymnasium
>>> env = gymnasium.make("boardrace/Traverse-v0", opponents="forward", max_plies=500)
>>> observation, info = env.reset(seed=1)
>>> over = False
>>> while not over:
...     action = env.action_space.sample(info["action_mask"])
...     observation, reward, terminated, truncated, info = env.step(action)
...     over = terminated or truncated
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .._core.engine import State
from .._errors import IllegalActionError
from .._registry import games
from ..game import Game
from . import _common as common

try:
    import gymnasium as gym
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise common.missing("gymnasium", "gymnasium") from error

if TYPE_CHECKING:
    from ..batch import Batch

__all__ = ["BoardRaceEnv", "SelfPlayVectorEnv", "env_id", "register_envs"]

#: Chooses one of the legal actions of a state whose turn is a player's, with draws from rng.
Policy: TypeAlias = Callable[[State, np.random.Generator], int]


def uniform(state: State, rng: np.random.Generator) -> int:
    """Any legal action, each as likely as the others."""
    actions = state.legal_actions()
    return int(actions[rng.integers(len(actions))])


def forward(state: State, rng: np.random.Generator) -> int:
    """Any of the actions with most progress, if that is more than now; else any legal action.

    The policy "forward" of ``boardrace.playouts``.
    """
    player = state.current_player
    actions = state.legal_actions()
    trial = state.copy()
    progress = np.empty(len(actions))
    for k, action in enumerate(actions):
        trial.apply(action)
        progress[k] = trial.progress(player)
        trial.undo()
    if progress.max() > state.progress(player):
        actions = actions[progress == progress.max()]
    return int(actions[rng.integers(len(actions))])


#: Games begun in one reset before it is given up.
_TRIES = 100

_POLICIES: dict[str, Policy] = {"uniform": uniform, "forward": forward}


def as_policy(policy: Policy | str) -> Policy:
    """The policy meant, given by itself or by its name."""
    if isinstance(policy, str):
        if policy not in _POLICIES:
            raise ValueError(
                f"there is no policy {policy!r}: give a callable or {', '.join(_POLICIES)}"
            )
        return _POLICIES[policy]
    if not callable(policy):
        raise TypeError(f"a policy is a callable or a name, not {type(policy).__name__}")
    return policy


class BoardRaceEnv(gym.Env):
    """One player of a game as the agent; the others follow given policies.

    Parameters
    ----------
    game : Game or str
        A game, or its text.
    player : int or "random"
        The agent's seat; "random" draws one at each reset.
    opponents : policy or sequence of policies
        For all others, or one each, in turn order after the agent (in a team game partners are
        among them). A policy is "uniform", "forward", or a callable ``(state, rng) -> action``
        that is given a copy of the state and the environment's generator. The state holds what
        is hidden too: a fair policy looks at ``state.observation(state.current_player)``.
    illegal : {"lose", "raise"}
        What an illegal action does: the game is lost (reward -1, the reason in the info under
        "illegal"), or `boardrace.IllegalActionError` is raised and nothing has changed.
    max_plies : int
        The game is truncated when so many plies are made, those of the others and of chance
        included.
    render_mode : {None, "ansi", "rgb_array"}
    **options
        The game's own, when `game` is its name.

    Notes
    -----
    Observations are those of `State.observation` for the agent. The info of each step holds
    "action_mask" (int8, all 0 when the game is over) and "player" (the agent's seat); at the end
    of a game also "returns", one for each player. `action_masks` is what sb3-contrib asks for.
    Rewards are 0 until the end, then the agent's return; a truncated game gives 0. The game is
    played to its end also when the agent is out before. `copy.deepcopy` and `pickle` keep the
    position and the draws to come.
    """

    # Every mode here must work, as check_env tries all: so this depends on what is installed.
    metadata: dict[str, Any] = {"render_modes": common.render_modes(), "render_fps": 2}

    def __init__(
        self,
        game: Game[Any] | str,
        *,
        player: int | str = 0,
        opponents: Policy | str | Sequence[Policy | str] = "uniform",
        illegal: str = "lose",
        max_plies: int = common.MAX_PLIES,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = common.as_game(game, options)
        others = self.game.num_players - 1
        if player != "random" and (isinstance(player, str) or player not in range(others + 1)):
            raise ValueError(f"player is {player!r}: it must be 0 to {others}, or 'random'")
        self.player = player
        if isinstance(opponents, str) or callable(opponents):
            opponents = [opponents] * others
        if not isinstance(opponents, Iterable):
            given = type(opponents).__name__
            raise TypeError(f"opponents must be a policy or a sequence of policies, not {given}")
        self.opponents = [as_policy(policy) for policy in opponents]
        if len(self.opponents) != others:
            raise ValueError(
                f"there are {len(self.opponents)} policies for {others} other player(s)"
            )
        if illegal not in ("lose", "raise"):
            raise ValueError(f"illegal is {illegal!r}: it must be 'lose' or 'raise'")
        self.illegal = illegal
        self.max_plies = common.as_count("max_plies", max_plies)
        self.render_mode = common.check_render_mode(render_mode)
        low, high = common.observation_bounds(self.game)
        self.observation_space = spaces.Box(
            low, high, self.game.observation_shape, self.game.observation_dtype.type
        )
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._board: State | None = None
        self._seat = 0
        self._forfeited = False

    @property
    def board(self) -> State:
        """State: the position. Change a copy of it, not itself."""
        if self._board is None:
            raise RuntimeError("the environment must be reset before it is used")
        return self._board

    @property
    def seat(self) -> int:
        """int: the agent's player number in this game."""
        return self._seat

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """Begin a new game, played on to the agent's first turn.

        Parameters
        ----------
        seed : int, optional
            Decides all draws from here on: seat, set-up, chance, policies.
        options : dict, optional
            Not used.
        """
        super().reset(seed=seed)
        if self.player == "random":
            self._seat = int(self.np_random.integers(self.game.num_players))
        else:
            self._seat = int(self.player)
        self._forfeited = False
        # A game that the others end before the agent's first turn is none for the agent.
        for _ in range(_TRIES):
            self._board = self.game.new_state(seed=common.new_seed(self.np_random))
            self._go_on()
            if not self._over():
                return self.board.observation(self._seat), self._info()
        raise RuntimeError(
            f"no game reaches the turn of player {self._seat} within max_plies={self.max_plies}"
        )

    def step(self, action: Any) -> tuple[npt.NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Act, and let the others act until it is the agent's turn again or the game is over."""
        board = self.board
        if self._over():
            raise RuntimeError("the game is over: reset the environment")
        try:
            board.apply(action)
        except IllegalActionError as error:
            if self.illegal == "raise":
                raise
            self._forfeited = True
            info = self._info()
            info["illegal"] = error.code
            return board.observation(self._seat), -1.0, True, False, info
        self._go_on()
        info = self._info()
        terminated = board.is_terminal
        truncated = not terminated and board.num_plies >= self.max_plies
        returns = board.returns()
        if terminated or truncated:
            info["returns"] = returns
        return (
            board.observation(self._seat),
            float(returns[self._seat]),
            terminated,
            truncated,
            info,
        )

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions as a mask, under the name that sb3-contrib's learners look for."""
        return self._mask().astype(np.bool_)

    def _mask(self) -> npt.NDArray[np.int8]:
        return common.action_mask(self.board, -1 if self._over() else self._seat)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask(), "player": self._seat}

    def _over(self) -> bool:
        board = self.board
        return self._forfeited or board.is_terminal or board.num_plies >= self.max_plies

    def _go_on(self) -> None:
        """Play chance and the others on to the agent's turn, the end or the limit."""
        board = self.board
        while board.num_plies < self.max_plies:
            common.play_chance(board, self.np_random, self.max_plies)
            player = board.current_player
            if player < 0 or player == self._seat:
                return
            policy = self.opponents[(player - self._seat) % self.game.num_players - 1]
            action = policy(board.copy(), self.np_random)
            try:
                board.apply(action)
            except (IllegalActionError, TypeError) as error:
                raise ValueError(
                    f"the policy of player {player} gave {action!r}, which is no move: {error}"
                ) from error

    def render(self) -> Any:
        """The picture that ``render_mode`` asks for."""
        if self.render_mode is None:
            gym.logger.warn("render() was called, but no render_mode was given")
        return common.rendered(self.board, self.render_mode)


_MODES = {
    "next_step": AutoresetMode.NEXT_STEP,
    "same_step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


class SelfPlayVectorEnv(VectorEnv):
    """Many games side by side over `boardrace.Batch`; whoever is to move acts.

    Parameters
    ----------
    game : Game or str
        A game, or its text.
    num_envs : int
    autoreset : {"next_step", "same_step", "disabled"} or AutoresetMode
        When finished games begin anew, as Gymnasium defines it (its words in ``metadata`` under
        "autoreset_mode"). With "disabled", ``reset(options={"reset_mask": mask})`` does.
    max_plies : int
        A game is truncated when so many plies are made, outcomes of chance included.
    threads : int
        For the steps of large batches.
    masks : bool
        Whether infos hold "action_mask". In games of very many actions the masks of many games
        take more time than the games do; ``batch.legal_actions()`` gives the same as lists.
    seed : int, optional
        For the first ``reset`` that is given none.
    render_mode : {None, "ansi", "rgb_array"}
    **options
        The game's own, when `game` is its name.

    Notes
    -----
    Made for learning by self-play: in each game one step is one action of the player to move, and
    the observation is that player's. ``rewards[i]`` is what the player who has just acted in game
    i gets; the info's "rewards" (num_envs, players) has what all get. Besides, the info holds
    "action_mask" (num_envs, num_actions) int8 and "current_player" (num_envs,), both for the next
    step, with -1 and an empty mask where the game is over. In the step in which a game begins
    anew ("next_step") its action is not looked at. An illegal action raises
    `boardrace.IllegalActionError` before any game has moved.
    """

    metadata: dict[str, Any] = {
        "autoreset_mode": AutoresetMode.NEXT_STEP,
        "render_modes": common.render_modes(),
        "render_fps": 2,
    }

    def __init__(
        self,
        game: Game[Any] | str,
        num_envs: int = 1,
        *,
        autoreset: str | AutoresetMode = "next_step",
        max_plies: int = common.MAX_PLIES,
        threads: int = 1,
        masks: bool = True,
        seed: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        from ..batch import Batch

        super().__init__()
        self.game = common.as_game(game, options)
        self.num_envs = common.as_count("num_envs", num_envs)
        self.max_plies = common.as_count("max_plies", max_plies)
        names = {mode: name for name, mode in _MODES.items()}
        name = (
            names.get(autoreset, autoreset) if isinstance(autoreset, AutoresetMode) else autoreset
        )
        if name not in _MODES:
            raise ValueError(f"autoreset is {autoreset!r}: it must be one of {', '.join(_MODES)}")
        self._mode = name
        self.metadata = {**type(self).metadata, "autoreset_mode": _MODES[name]}
        self.render_mode = common.check_render_mode(render_mode)
        self._threads = threads
        self._masks = bool(masks)
        low, high = common.observation_bounds(self.game)
        self.single_observation_space = spaces.Box(
            low, high, self.game.observation_shape, self.game.observation_dtype.type
        )
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._batch_class = Batch
        self._first_seed = seed
        self._batch: Batch | None = None
        self._over = np.zeros(self.num_envs, np.bool_)

    @property
    def batch(self) -> Batch:
        """Batch: the games."""
        if self._batch is None:
            raise RuntimeError("the environment must be reset before it is used")
        return self._batch

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """Begin all games anew, or those of a mask.

        Parameters
        ----------
        seed : int, optional
            Decides all draws from here on; without it they go on as begun.
        options : dict, optional
            "reset_mask", an array of bool (num_envs,): the games to begin anew.
        """
        super().reset(seed=seed)
        mask = (options or {}).get("reset_mask")
        if mask is not None and seed is not None:
            raise ValueError("a seed is for all games: it cannot go with a reset_mask")
        if self._batch is None or seed is not None:
            if mask is not None:
                raise RuntimeError("reset all games before some of them")
            chosen = self._first_seed if seed is None else seed
            self._batch = self._batch_class(
                self.game,
                self.num_envs,
                seed=chosen,
                threads=self._threads,
                autoreset=self._mode,
                max_plies=self.max_plies,
            )
            self._over[:] = False
        else:
            self._batch.reset(mask)
            self._over[slice(None) if mask is None else mask] = False
        return self._batch.observation(), self._info()

    def step(
        self, actions: Any
    ) -> tuple[
        npt.NDArray[Any],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """One action in each game, by the player to move there."""
        batch = self.batch
        given = np.asarray(actions)
        if given.shape != (self.num_envs,):
            raise ValueError(f"actions have shape {given.shape}: it must be {(self.num_envs,)}")
        if not np.issubdtype(given.dtype, np.integer):
            raise TypeError(f"actions have dtype {given.dtype}: it must be a whole number's")
        # Out of a Discrete space is out of int32 only when it is illegal anyway.
        chosen = np.clip(given, -1, 2**31 - 1).astype(np.int32)
        chosen[self._over] = -1
        movers = batch.current_player
        all_rewards, terminated, truncated = batch.step(chosen)
        acted = movers >= 0
        rewards = np.zeros(self.num_envs, np.float64)
        rewards[acted] = all_rewards[acted, movers[acted]]
        finished = terminated | truncated
        info: dict[str, Any] = {}
        if self._mode == "same_step":
            if finished.any():
                info["final_obs"] = self._final_observations(finished)
                info["_final_obs"] = finished.copy()
        else:
            self._over = finished
        info.update(self._info())
        info["rewards"] = all_rewards
        return batch.observation(), rewards, terminated, truncated, info

    def _final_observations(self, finished: npt.NDArray[np.bool_]) -> npt.NDArray[np.object_]:
        """As Gymnasium's own vector environments give them: an array of arrays and None."""
        found = np.full(self.num_envs, None, dtype=object)
        last = self.batch.final_observation
        for k in np.flatnonzero(finished):
            found[k] = np.array(last[k])
        return found

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"current_player": self.batch.current_player}
        if self._masks:
            info["action_mask"] = self.batch.legal_mask().view(np.int8)
        return info

    def random_actions(self) -> npt.NDArray[np.int32]:
        """A random legal action for each game, -1 where the game is over."""
        actions: npt.NDArray[np.int32] = self.batch.random_actions()
        return actions

    def render(self) -> Any:
        """The pictures that ``render_mode`` asks for, one a game."""
        if self.render_mode is None:
            return None
        return tuple(
            common.rendered(self.batch.state(k), self.render_mode) for k in range(self.num_envs)
        )


# ---------------------------------------------------------------- ids


def env_id(name: str, kind: str = "") -> str:
    """The registered id of a game.

    >>> env_id("inner_circle"), env_id("inner_circle", "SelfPlay")
    ('boardrace/InnerCircle-v0', 'boardrace/InnerCircleSelfPlay-v0')
    """
    if name not in games():
        raise ValueError(f"there is no game {name!r}; there are {', '.join(games())}")
    return _id(name, kind)


def _id(name: str, kind: str = "") -> str:
    return f"boardrace/{''.join(word.capitalize() for word in name.split('_'))}{kind}-v0"


def register_envs() -> None:
    """Register every game's ids; done when this module is imported."""
    for name in games():
        if _id(name) not in gym.registry:
            gym.register(
                _id(name),
                entry_point="boardrace.envs.gymnasium:BoardRaceEnv",
                kwargs={"game": name},
            )
            gym.register(
                _id(name, "SelfPlay"),
                vector_entry_point="boardrace.envs.gymnasium:SelfPlayVectorEnv",
                kwargs={"game": name},
            )


register_envs()
