"""Many games side by side, stepped together: what a learner's environment is made of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ._core.batch import Block
from ._core.engine import State, output_array
from ._errors import IllegalActionError
from ._workers import MAX_THREADS, new_seed, whole_number
from .game import Game

R = TypeVar("R")

#: As in gymnasium.vector.AutoresetMode.
AUTORESET = ("next_step", "same_step", "disabled")

MAX_GAMES = 2**32 - 1
MAX_PLIES = 2**31 - 1

_INT32, _FLOAT32, _BOOL = np.dtype(np.int32), np.dtype(np.float32), np.dtype(np.bool_)

#: Below so many games a thread, handing out the work takes longer than doing it.
_WORTH_A_THREAD = 2048
#: Games that are asked for their actions or observations between two looks at Ctrl-C.
_PIECE = 16384


class Batch:
    """n games of one kind, played side by side.

    Chance is drawn inside, so in a game that goes on it is always a player's turn. All that is
    random is a fixed function of the seed, the game's number and the number of the draw (see
    "Random streams" in the documentation); the number of threads changes nothing.

    A Batch is for one thread at a time: used by two at once it raises RuntimeError.

    Parameters
    ----------
    game : Game
    n : int
        1 or more.
    seed : int, optional
        0 to 2**64 - 1; without one the system is asked for one.
    threads : int, default 1
        Threads that share the work where there are games enough.
    autoreset : {"next_step", "same_step", "disabled"}
        When a game that is over begins anew, as Gymnasium's vector environments define it: with
        the next step (whose action is ignored, with rewards 0), within the step that ended it
        (``final_observation`` shows its end), or only by ``reset``.
    max_plies : int, optional
        A game that has made so many plies, chance outcomes included, is truncated. It is looked
        at after each step, when outcomes that were due have been drawn.

    Attributes
    ----------
    game : Game
    n, threads : int
    seed : int
    autoreset : str
    max_plies : int or None

    Examples
    --------
    >>> import boardrace as br
    >>> batch = br.Batch(br.load("traverse"), 4, seed=7)
    >>> batch.current_player
    array([0, 0, 0, 0], dtype=int8)
    >>> rewards, terminated, truncated = batch.step(batch.random_actions())
    >>> rewards.shape, terminated.any()
    ((4, 2), np.False_)
    """

    def __init__(
        self,
        game: Game[Any],
        n: int,
        *,
        seed: int | None = None,
        threads: int = 1,
        autoreset: str = "next_step",
        max_plies: int | None = None,
    ) -> None:
        self._make(game, n, seed, threads, autoreset, max_plies)
        self._block.alone(self._whole, self._block.start)

    def _make(
        self, game: Any, n: Any, seed: Any, threads: Any, autoreset: Any, max_plies: Any
    ) -> None:
        if not isinstance(game, Game):
            raise TypeError(f"game must be a Game, not {type(game).__name__}")
        n = whole_number("n", n, 1, MAX_GAMES)
        if not isinstance(autoreset, str):
            raise TypeError(f"autoreset must be a str, not {type(autoreset).__name__}")
        if autoreset not in AUTORESET:
            valid = ", ".join(AUTORESET)
            raise ValueError(f"autoreset is {autoreset!r}: it must be one of {valid}")
        limit = 0 if max_plies is None else whole_number("max_plies", max_plies, 1, MAX_PLIES)
        threads = whole_number("threads", threads, 1, MAX_THREADS)
        self._take(Block(game, n, new_seed(seed), AUTORESET.index(autoreset), limit), threads)

    def _take(self, block: Block, threads: int) -> None:
        self._block = block
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._pool_of = 0

    @classmethod
    def from_states(
        cls,
        states: Iterable[State],
        *,
        seed: int | None = None,
        threads: int = 1,
        autoreset: str = "next_step",
        max_plies: int | None = None,
    ) -> Batch:
        """A batch whose game i goes on from the i-th state.

        Parameters
        ----------
        states : iterable of State
            All of the same game. They are copied, with their numbers of plies; where an outcome
            of chance is due it is drawn at once. A game begun anew has a set-up of its own.
        seed, threads, autoreset, max_plies
            As for ``Batch``.

        Examples
        --------
        >>> import boardrace as br
        >>> state = br.load("traverse").new_state()
        >>> batch = br.Batch.from_states([state, state], seed=1)
        >>> batch.state(1) == state
        True
        """
        given = list(states)
        for state in given:
            if not isinstance(state, State):
                raise TypeError(f"states must be States, not {type(state).__name__}")
        if not given:
            raise ValueError("there are no states: give one or more")
        batch = cls.__new__(cls)
        batch._make(given[0].game, len(given), seed, threads, autoreset, max_plies)

        def put_all(ticket: int) -> None:
            for i, state in enumerate(given):
                batch._block.put(ticket, i, state, min(state.num_plies, MAX_PLIES))

        batch._block.alone(put_all)
        return batch

    # ---- facts

    @property
    def game(self) -> Game[Any]:
        return self._block.game

    @property
    def n(self) -> int:
        return self._block.n

    @property
    def seed(self) -> int:
        return self._block.seed

    @property
    def threads(self) -> int:
        return self._threads

    @property
    def autoreset(self) -> str:
        return AUTORESET[self._block.mode]

    @property
    def max_plies(self) -> int | None:
        return self._block.max_plies or None

    def __len__(self) -> int:
        return self._block.n

    def __repr__(self) -> str:
        return f"<Batch of {self.n} games of {self.game}, seed {self.seed}>"

    # ---- slices

    def _sliced(
        self, ticket: int, work: Callable[..., R], *arguments: Any, cut: bool = True
    ) -> list[R]:
        """Call work(ticket, *arguments, low, high) for slices that make up all games.

        Between pieces a Ctrl-C can end it. What moves games is not cut: all games make their
        move, or none does.
        """
        n = self._block.n
        parts = max(1, min(self._threads, n // _WORTH_A_THREAD))
        cuts = parts * -(-n // (parts * _PIECE)) if cut else parts
        if cuts == 1:
            return [work(ticket, *arguments, 0, n)]
        bounds = [n * k // cuts for k in range(cuts + 1)]
        slices = list(zip(bounds[:-1], bounds[1:], strict=True))
        mine = cuts // parts  # the first ones are this thread's
        futures: list[Future[R]] = []
        if parts > 1:
            try:
                pool = self._workers()
                for low, high in slices[mine:]:
                    futures.append(pool.submit(work, ticket, *arguments, low, high))
            except RuntimeError:
                pass  # the interpreter is shutting down and starts no thread any more
        own = slices[:mine] + slices[mine + len(futures) :]
        results = [work(ticket, *arguments, low, high) for low, high in own]
        interrupt: KeyboardInterrupt | None = None
        for future in futures:
            while True:
                try:
                    results.append(future.result())
                    break
                except KeyboardInterrupt as stop:
                    if cut:
                        raise
                    interrupt = stop
        if interrupt is not None:
            raise interrupt
        return results

    def _at_once(self) -> bool:
        """Whether _sliced would make one slice of all games."""
        n = self._block.n
        return n <= _PIECE and (self._threads == 1 or n < 2 * _WORTH_A_THREAD)

    def _whole(self, ticket: int, work: Callable[..., R], *arguments: Any) -> list[R]:
        return self._sliced(ticket, work, *arguments, cut=False)

    def _workers(self) -> ThreadPoolExecutor:
        """Threads that wait for slices; a forked process has to start its own."""
        if self._pool is None or self._pool_of != os.getpid():
            self._pool = ThreadPoolExecutor(self._threads - 1, "boardrace-batch")
            self._pool_of = os.getpid()
        return self._pool

    # ---- playing

    @property
    def current_player(self) -> npt.NDArray[np.int8]:
        """ndarray of int8, shape (n,): the player to move, -4 in a game that is over."""
        out = np.empty(self.n, np.int8)
        self._block.alone(self._sliced, self._block.current_player, out)
        return out

    @property
    def num_plies(self) -> npt.NDArray[np.int32]:
        """ndarray of int32, shape (n,): plies made, chance outcomes included."""
        out = np.empty(self.n, np.int32)
        self._block.alone(self._sliced, self._block.num_plies, out)
        return out

    def legal_mask(self, out: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.bool_]:
        """Which actions are legal.

        Parameters
        ----------
        out : ndarray of bool, shape (n, num_actions), optional
            Written and returned in place of a new array.

        Returns
        -------
        ndarray of bool, shape (n, num_actions)
            No action in a game that is over.
        """
        mask = output_array(out, (self.n, self.game.num_actions), np.dtype(np.bool_))
        self._block.alone(self._sliced, self._block.legal_mask, mask.view(np.uint8))
        return mask

    def legal_actions(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The legal actions of all games in one array.

        Returns
        -------
        offsets : ndarray of int64, shape (n + 1,)
        actions : ndarray of int32, shape (offsets[n],)
            Those of game i are ``actions[offsets[i]:offsets[i + 1]]``, ascending.

        Examples
        --------
        >>> import boardrace as br
        >>> batch = br.Batch(br.load("traverse"), 3, seed=7)
        >>> offsets, actions = batch.legal_actions()
        >>> offsets
        array([ 0, 16, 32, 48])
        """
        return self._block.alone(self._legal_actions)

    def _legal_actions(self, ticket: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        offsets = np.zeros(self.n + 1, np.int64)
        self._sliced(ticket, self._block.count_legal, offsets)
        np.cumsum(offsets, out=offsets)
        actions = np.empty(int(offsets[-1]), np.int32)
        self._sliced(ticket, self._block.list_legal, offsets, actions)
        return offsets, actions

    def random_actions(self) -> npt.NDArray[np.int32]:
        """A uniformly random legal action for each game.

        Returns
        -------
        ndarray of int32, shape (n,)
            -1 for a game that is over. Each call gives others.
        """
        block = self._block
        out = np.empty(block.n, np.int32)
        if self._at_once():
            block.pick_at_once(out)
        else:
            block.alone(self._random_actions, out)
        return out

    def _random_actions(self, ticket: int, out: npt.NDArray[np.int32]) -> None:
        self._block.moved()  # until every slice has been picked anew
        self._sliced(ticket, self._block.pick, out)
        self._block.picked_all()

    def step(
        self, actions: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Play one action in each game, and draw what chance adds to it.

        Parameters
        ----------
        actions : ndarray of int32, shape (n,)
            -1 for a game that is over. (Where this step resets the game anything is ignored.)

        Returns
        -------
        rewards : ndarray of float32, shape (n, players)
            The returns where a game has just come to its end, else 0.
        terminated : ndarray of bool, shape (n,)
            Which games have come to their end. Without autoreset it stays true.
        truncated : ndarray of bool, shape (n,)
            Which were broken off after ``max_plies``.

        Raises
        ------
        IllegalActionError
            When an action is not legal; the message names the game. No game has moved then.
        """
        if not isinstance(actions, np.ndarray):
            raise TypeError(f"actions must be a NumPy array, not {type(actions).__name__}")
        block = self._block
        n = block.n
        if actions.dtype != _INT32:
            raise TypeError(f"actions have dtype {actions.dtype}: it must be int32")
        if actions.shape != (n,):
            raise ValueError(f"actions have shape {actions.shape}: it must be {(n,)}")
        if not (actions.flags.c_contiguous and actions.flags.aligned):
            actions = actions.copy()
        rewards = np.zeros((n, block.num_players), _FLOAT32)
        terminated, truncated = np.zeros(n, _BOOL), np.zeros(n, _BOOL)
        if self._at_once():
            block.step_at_once(actions, rewards, terminated, truncated, self._refuse)
        else:
            block.alone(self._step, actions, rewards, terminated, truncated)
        return rewards, terminated, truncated

    def _step(
        self,
        ticket: int,
        actions: npt.NDArray[np.int32],
        rewards: npt.NDArray[np.float32],
        terminated: npt.NDArray[np.bool_],
        truncated: npt.NDArray[np.bool_],
    ) -> None:
        block = self._block
        bad = max(self._sliced(ticket, block.first_bad, actions), key=lambda i: (i >= 0, -i))
        if bad >= 0:
            self._refuse(ticket, bad, int(actions[bad]))
        block.moved()
        flags = terminated.view(np.uint8), truncated.view(np.uint8)
        self._whole(ticket, block.step, rewards, *flags)

    def _refuse(self, ticket: int, i: int, action: int) -> None:
        """Raise for the action of game i, with the reason that a single state gives."""
        state = self._state(ticket, i)
        if state.is_terminal:
            why = IllegalActionError("game_over", "the game is over: give -1")
        elif self._block.is_over(i):
            why = IllegalActionError("game_over", "the game was truncated: give -1")
        else:
            why = IllegalActionError("bad_text", f"action {action} is not legal now")
            try:
                state.apply(action)
            except IllegalActionError as error:
                why = error
        raise IllegalActionError(why.code, f"game {i}: {why}")

    def observation(
        self, out: npt.NDArray[Any] | None = None, *, player: int | None = None
    ) -> npt.NDArray[Any]:
        """What the player to move may see in each game.

        Parameters
        ----------
        out : ndarray, shape ``(n, *observation_shape)``, optional
            Of the game's observation_dtype; written and returned in place of a new array.
        player : int, optional
            What this player sees, whoever is to move.

        Returns
        -------
        ndarray, shape ``(n, *observation_shape)``
            In a game that is over: what the player sees whose turn it would be.
        """
        who = -1
        if player is not None:
            who = whole_number("player", player, 0, self.game.num_players - 1)
        array = self._observations(out)
        self._block.alone(
            self._sliced, self._block.observation, array.reshape(-1).view(np.uint8), who
        )
        return array

    def _observations(self, out: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
        shape = (self.n, *self.game.observation_shape)
        return output_array(out, shape, self.game.observation_dtype)

    @property
    def final_observation(self) -> npt.NDArray[Any]:
        """ndarray: the ends of the games that the last step reset, ``(n, *observation_shape)``.

        As ``observation`` would have shown them; zeros for the games that went on. Only with
        ``autoreset="same_step"``, else AttributeError.
        """
        if self.autoreset != "same_step":
            raise AttributeError("final_observation is kept with autoreset='same_step' only")
        array = self._observations(None)
        self._block.alone(
            self._sliced, self._block.final_observation, array.reshape(-1).view(np.uint8)
        )
        return array

    def reset(self, mask: npt.NDArray[np.bool_] | None = None) -> None:
        """Begin anew, all games or those of a mask: their next episode, with its own set-up.

        Parameters
        ----------
        mask : ndarray of bool, shape (n,), optional
        """
        flags: npt.NDArray[np.uint8] | None = None
        if mask is not None:
            if not isinstance(mask, np.ndarray):
                raise TypeError(f"mask must be a NumPy array, not {type(mask).__name__}")
            if mask.dtype != np.bool_:
                raise TypeError(f"mask has dtype {mask.dtype}: it must be bool")
            if mask.shape != (self.n,):
                raise ValueError(f"mask has shape {mask.shape}: it must be {(self.n,)}")
            flags = np.ascontiguousarray(mask).view(np.uint8)
        self._block.alone(self._whole, self._block.reset, flags)

    # ---- single games

    def _state(self, ticket: int, i: int) -> State:
        return self._unpacked(*self._block.position(ticket, i))

    def _unpacked(self, position: bytes, plies: int) -> State:
        state: State = self.game.state_class(self.game, position)
        state._set_plies_before(plies)
        return state

    def state(self, i: int) -> State:
        """A copy of game i.

        Parameters
        ----------
        i : int
            0 to n - 1.
        """
        return self._block.alone(self._state, self._number(i))

    def final_state(self, i: int) -> State | None:
        """Where game i ended, if the last step of a same-step batch reset it; else None."""
        return self._block.alone(self._final_state, self._number(i))

    def _final_state(self, ticket: int, i: int) -> State | None:
        found = self._block.final_position(ticket, i)
        return None if found is None else self._unpacked(*found)

    def set_state(self, i: int, state: State) -> None:
        """Let game i go on from a copy of a state.

        Parameters
        ----------
        i : int
            0 to n - 1.
        state : State
            Of the same game. Where an outcome of chance is due it is drawn at once.
        """
        if not isinstance(state, State):
            raise TypeError(f"state must be a State, not {type(state).__name__}")
        plies = min(state.num_plies, MAX_PLIES)
        self._block.alone(self._block.put, self._number(i), state, plies)

    def _number(self, i: Any) -> int:
        if isinstance(i, bool) or not hasattr(i, "__index__"):
            raise TypeError(f"a game's number is a whole number, not {type(i).__name__}")
        if not 0 <= i < self.n:
            raise IndexError(f"there is no game {i}: they are 0 to {self.n - 1}")
        return int(i)

    def copy(self) -> Batch:
        """A batch that goes its own way from here; given the same actions, the same way."""
        other = type(self).__new__(type(self))
        other._take(self._block.alone(self._block.copy), self._threads)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        from ._pickle import pack_batch

        return pack_batch(self)

    def _pack(self, ticket: int) -> tuple[Any, ...]:
        """What `_unpack` takes: texts and numbers."""
        now, ends = [], []
        for i in range(self.n):
            state, end = self._state(ticket, i), self._final_state(ticket, i)
            now.append((str(state), state.num_plies))
            ends.append(None if end is None else (str(end), end.num_plies))
        return now, ends, self._block.counters(ticket)

    def _unpack(self, ticket: int, now: Any, ends: Any, counters: Any) -> None:
        if not len(now) == len(ends) == self.n:
            raise ValueError(f"{len(now)} positions and {len(ends)} ends for {self.n} games")
        for i, (text, plies) in enumerate(now):
            self._block.put(ticket, i, self.game.parse(text), plies)
        for i, end in enumerate(ends):
            if end is not None:
                self._block.put_final(ticket, i, self.game.parse(end[0]), end[1])
        self._block.set_counters(ticket, *counters)
