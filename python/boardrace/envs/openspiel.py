"""OpenSpiel: every game as a ``pyspiel.Game``, registered as the Python game "boardrace".

>>> from boardrace.envs import openspiel
>>> game = openspiel.load("traverse(players=2)", max_plies=500)
>>> state = game.new_initial_state()
>>> state.action_to_string(state.legal_actions()[0])
'b1-b2'

OpenSpiel's own loader takes the same: ``pyspiel.load_game("boardrace(game=traverse(players=2))")``
once this module is imported.
"""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.engine import State
from .._registry import games
from .._registry import load as load_game
from ..game import Game, read_game_text
from . import _common as common

try:
    import pyspiel
except ImportError as error:
    raise common.missing("openspiel", "openspiel") from error

__all__ = ["BoardRaceGame", "BoardRaceState", "PlayoutEvaluator", "ProgressEvaluator", "load"]

#: The name under which OpenSpiel knows all games of this package.
NAME = "boardrace"


def load(
    game: Game[Any] | str, *, seed: int = 0, max_plies: int = common.MAX_PLIES, **options: Any
) -> BoardRaceGame:
    """A game for OpenSpiel's algorithms.

    Parameters
    ----------
    game : Game or str
        A game, or its text.
    seed : int
        Decides what set-up draws, 0 to 2**31 - 1: every ``new_initial_state`` is the same.
    max_plies : int
        When so many plies are made, outcomes of chance included, the game is over and all
        returns are 0.
    **options
        The game's own, when `game` is its name.

    Returns
    -------
    pyspiel.Game

    Notes
    -----
    - Chance in play is in explicit chance nodes. Actions and outcomes have the numbers they have
      in boardrace, and outcomes share the actions' range.
    - What is done is public: an information state is the actions so far and what the player sees
      now. What lies hidden is not in it; ``resample_from_infostate`` deals it anew.
    - The tensor of an information state holds the observation, then ``max_plies`` numbers: for
      each ply (action + 1) / num_actions, 0 where none is made yet.
    """
    meant = common.as_game(game, options)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed is a whole number, not {type(seed).__name__}")
    if not 0 <= seed < 2**31:
        raise ValueError(f"seed is {seed}: it must be 0 to 2**31 - 1")
    parameters = {
        "game": _to_parameters(meant),
        "seed": int(seed),
        "max_plies": common.as_count("max_plies", max_plies),
    }
    return _load(parameters)


def _load(parameters: dict[str, Any]) -> BoardRaceGame:
    return pyspiel.load_game(NAME, parameters)  # type: ignore[no-any-return]


# ---------------------------------------------------------------- options as parameters

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def _to_parameters(game: Game[Any]) -> dict[str, Any]:
    """The game's text as OpenSpiel's nested parameters."""
    name, given = read_game_text(str(game))
    return {"name": name, **{key: _to_parameter(value) for key, value in given.items()}}


def _to_parameter(value: Any) -> bool | int | str:
    """A value that OpenSpiel writes and reads again as it was.

    It reads words by what they look like and splits at brackets and commas, so all but plain
    words and numbers goes as ``%`` and JSON in percent signs.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 2**31:
        return value
    if isinstance(value, str) and _WORD.fullmatch(value) and not _looks_special(value):
        return value
    return "%" + urllib.parse.quote(json.dumps(value, separators=(",", ":")), safe="")


def _looks_special(word: str) -> bool:
    if word.lower() in ("true", "false", "null", "none"):
        return True
    try:
        float(word)
    except ValueError:
        return False
    return True


def _from_parameters(parameters: dict[str, Any]) -> Game[Any]:
    given = dict(parameters)
    name = given.pop("name")
    return load_game(name, **{key: _from_parameter(value) for key, value in given.items()})


def _from_parameter(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("%"):
        return json.loads(urllib.parse.unquote(value[1:]))
    return value


# ---------------------------------------------------------------- the game


def _game_type(game: Game[Any] | None) -> pyspiel.GameType:
    """OpenSpiel's description of a game, or of all of them for the register."""
    kind = pyspiel.GameType
    rules = None if game is None else game._rules
    chance = rules is None or rules.has_chance
    hidden = rules is None or rules.has_hidden
    return kind(
        short_name=NAME,
        long_name="Race board games of boardrace" if game is None else f"boardrace {game}",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=(
            kind.ChanceMode.EXPLICIT_STOCHASTIC if chance else kind.ChanceMode.DETERMINISTIC
        ),
        information=(
            kind.Information.IMPERFECT_INFORMATION
            if hidden
            else kind.Information.PERFECT_INFORMATION
        ),
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=8 if game is None else game.num_players,
        min_num_players=1 if game is None else game.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            "game": {"name": games()[0]},
            "seed": 0,
            "max_plies": common.MAX_PLIES,
        },
    )


class BoardRaceGame(pyspiel.Game):
    """A boardrace game as a ``pyspiel.Game``; made by `load` or ``pyspiel.load_game``.

    Attributes
    ----------
    game : Game
        The game itself.
    seed, max_plies : int
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        given.setdefault("game", {"name": games()[0]})
        self.game = _from_parameters(given["game"])
        self.seed = int(given.setdefault("seed", 0))
        self.max_plies = common.as_count(
            "max_plies", given.setdefault("max_plies", common.MAX_PLIES)
        )
        chance = self.game._rules.has_chance
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_actions,
            max_chance_outcomes=self.game.num_actions if chance else 0,
            num_players=self.game.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.max_plies,
        )
        super().__init__(_game_type(self.game), info, given)
        self._start = self.game.new_state(seed=self.seed)

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (self.get_parameters(),)

    def new_initial_state(self, state: str | None = None) -> BoardRaceState:
        """The position at the start, or the one with a given text."""
        if state is None:
            return BoardRaceState(self, self._start)
        return BoardRaceState(self, self.game.parse(state))

    def max_chance_nodes_in_history(self) -> int:
        """At most all plies are outcomes of chance."""
        return self.max_plies if self.game._rules.has_chance else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """What OpenSpiel reads observations with; the kinds are its own."""
        # Without a kind the caller may pass the parameters in its place.
        if not isinstance(iig_obs_type, pyspiel.IIGObservationType):
            iig_obs_type, params = None, iig_obs_type or params
        if params:
            raise ValueError(f"observers here take no parameters; given were {params}")
        return _Observer(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class _Position:
    """Holds the State of a BoardRaceState, so that copies and pickles leave its history out.

    OpenSpiel clones a state by a deep copy of what hangs on it, and keeps the history itself.
    """

    __slots__ = ("state",)

    def __init__(self, state: State) -> None:
        self.state = state

    def __deepcopy__(self, memo: dict[int, Any]) -> _Position:
        return _Position(self.state.copy())

    def __reduce__(self) -> tuple[Any, ...]:
        return _Position, (self.state.copy(),)


class BoardRaceState(pyspiel.State):
    """A position as a ``pyspiel.State``."""

    def __init__(self, game: BoardRaceGame, state: State) -> None:
        super().__init__(game)
        self._position = _Position(state.copy())
        self._max_plies = game.max_plies

    @property
    def board(self) -> State:
        """State: boardrace's own state. Change a copy of it, not itself."""
        return self._position.state

    def current_player(self) -> int:
        """The player to act, or OpenSpiel's number for chance or the end (the same as here)."""
        state = self._position.state
        if state.num_plies >= self._max_plies:
            return int(pyspiel.PlayerId.TERMINAL)
        return state.current_player

    def is_terminal(self) -> bool:
        """Whether the game is over or truncated."""
        state = self._position.state
        return state.is_terminal or state.num_plies >= self._max_plies

    def _legal_actions(self, player: int) -> list[int]:
        return self._position.state.legal_actions().tolist()  # type: ignore[no-any-return]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node with their probabilities."""
        outcomes, probabilities = self._position.state.chance_outcomes()
        return list(zip(outcomes.tolist(), probabilities.tolist(), strict=True))

    def _apply_action(self, action: int) -> None:
        self._position.state.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self._position.state.action_to_str(action)

    def returns(self) -> list[float]:
        """Each player's return: 0 before the end and in a truncated game."""
        return self._position.state.returns().tolist()  # type: ignore[no-any-return]

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> BoardRaceState:
        """A state that looks the same to a player, what is hidden dealt anew.

        Parameters
        ----------
        player : int
        rng : callable
            Gives floats from 0 to 1.
        """
        other: BoardRaceState = self.clone()
        other._position = _Position(self._position.state.determinize(int(rng() * 2**53)))
        return other

    def __str__(self) -> str:
        return str(self._position.state)


class _Observer:
    """Observations in the form that OpenSpiel asks of Python games: tensor, dict, two methods."""

    def __init__(self, game: BoardRaceGame, kind: pyspiel.IIGObservationType) -> None:
        self._hidden = game.game._rules.has_hidden
        self._num_actions = game.game.num_actions
        self._recall = kind.perfect_recall
        # Where nothing is hidden all is public, and there is nothing private.
        if self._hidden and (
            not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER
        ):
            raise ValueError(
                f"{game.game.name} has things that no player sees: observations of it are of what "
                "one player knows (public_info=True, private_info=SINGLE_PLAYER)"
            )
        self._empty = not kind.public_info
        self._seen = np.zeros(game.game.observation_shape, game.game.observation_dtype)
        parts: dict[str, tuple[int, ...]] = {}
        if not self._empty:
            parts["observation"] = game.game.observation_shape
            if self._recall:
                parts["history"] = (game.max_plies,)
        sizes = [int(np.prod(shape)) for shape in parts.values()]
        self.tensor: npt.NDArray[np.float32] | None = None
        self.dict: dict[str, npt.NDArray[np.float32]] = {}
        if parts:
            # One array, and views of it by name.
            self.tensor = np.zeros(sum(sizes), np.float32)
            ends = np.cumsum(sizes)
            for (name, shape), size, end in zip(parts.items(), sizes, ends, strict=True):
                self.dict[name] = self.tensor[end - size : end].reshape(shape)

    def set_from(self, state: BoardRaceState, player: int) -> None:
        """Write what the player sees of the state."""
        if self._empty:
            return
        self.dict["observation"][...] = state.board.observation(player, out=self._seen)
        if self._recall:
            past = self.dict["history"]
            made = state.history()
            past[: len(made)] = (np.array(made, np.float64) + 1) / self._num_actions
            past[len(made) :] = 0

    def string_from(self, state: BoardRaceState, player: int) -> str:
        """The same as a text: the position's own text where it hides nothing."""
        if self._empty:
            return ""
        if self._hidden:
            seen = state.board.observation(player, out=self._seen)
            text = f"{state.board.game.name} {seen.tobytes().hex()}"
        else:
            text = str(state.board)
        if self._recall:
            made = ",".join(map(str, state.history()))
            return f"player {player}; actions {made}; {text}"
        return f"player {player}; {text}"


# ---------------------------------------------------------------- evaluators for tree search


class _Evaluator:
    """What ``open_spiel.python.algorithms.mcts`` asks of an evaluator, but for the value."""

    def evaluate(self, state: BoardRaceState) -> npt.NDArray[np.float64]:
        """The value of a position for each player."""
        raise NotImplementedError

    def prior(self, state: BoardRaceState) -> list[tuple[int, float]]:
        """The probabilities at a chance node; else all actions alike."""
        if state.is_chance_node():
            return state.chance_outcomes()
        actions = state.legal_actions()
        return [(action, 1.0 / len(actions)) for action in actions]


class ProgressEvaluator(_Evaluator):
    """Values a position by how far each player is ahead of the others.

    A player's value is its progress less the mean of the others'. In a race this tells a good move
    from a bad one at once. The differences between moves are small, so the search wants a small
    ``uct_c``: about 0.05 to 0.2.
    """

    def evaluate(self, state: BoardRaceState) -> npt.NDArray[np.float64]:
        """The lead of each player, -1 to 1."""
        board = state.board
        progress = np.array([board.progress(player) for player in range(board.game.num_players)])
        others = max(1, len(progress) - 1)
        lead: npt.NDArray[np.float64] = progress - (progress.sum() - progress) / others
        return lead


class PlayoutEvaluator(_Evaluator):
    """Values a position by `boardrace.playouts`.

    OpenSpiel's own random rollouts come back to Python at every ply; these stay in compiled code.

    Parameters
    ----------
    playouts : int
        How many a position, averaged.
    policy : policy of ``boardrace.playouts``
        "forward" ends games sooner, and tells more, than "uniform".
    max_plies : int
        A playout that is longer counts as a draw.
    seed : int
    """

    def __init__(
        self,
        playouts: int = 1,
        *,
        policy: str | Sequence[str] = "forward",
        max_plies: int = 1_000,
        seed: int = 0,
    ) -> None:
        self.playouts = common.as_count("playouts", playouts)
        self.policy = policy
        self.max_plies = common.as_count("max_plies", max_plies)
        self._rng = np.random.default_rng(seed)

    def evaluate(self, state: BoardRaceState) -> npt.NDArray[np.float64]:
        """The mean return of each player."""
        from ..playing import playouts

        result = playouts(
            state.board,
            self.playouts,
            seed=common.new_seed(self._rng),
            policy=self.policy,
            max_plies=self.max_plies,
        )
        return np.asarray(result.returns.mean(axis=0), np.float64)


if NAME not in pyspiel.registered_names():
    pyspiel.register_game(_game_type(None), BoardRaceGame)
