"""Players that choose for themselves: uniformly, by progress, or by a search with playouts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from ._core.engine import State
from ._core.rng import Rng
from ._core.search import Tree, forward_action
from ._workers import new_seed, whole_number

#: Names that `player` knows.
PLAYERS = ("uniform", "forward", "search")

#: A player: given a state in which a player is to act, the action that it takes.
Player = Callable[[State], int]


class Choice(NamedTuple):
    """How a search sees one legal action.

    Attributes
    ----------
    action : int
    text : str
    visits : int
        Playouts that began with it.
    value : float
        What the mover had of them on average: a return at the end of the game, before it the
        mover's progress less the average of the others'.
    """

    action: int
    text: str
    visits: int
    value: float


class SearchResult(NamedTuple):
    """What a search found.

    Attributes
    ----------
    action : int
        The action to play: the most visited one.
    text : str
    playouts : int
        How many were made.
    seconds : float
    choices : list of Choice
        Every legal action, the most visited first.
    """

    action: int
    text: str
    playouts: int
    seconds: float
    choices: list[Choice]


def search(
    state: State,
    *,
    playouts: int | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    max_plies: int = 40,
    policy: str = "forward",
    exploration: float = 1.5,
) -> SearchResult:
    """Look for a good action by playouts: a tree search in the compiled core.

    Chance is drawn as it comes, hidden things are dealt anew for each playout, so the search
    knows no more than the player to move may know.

    Parameters
    ----------
    state : State
        A player must be to act. It is not changed.
    playouts : int, optional
        How many to make; with a seed the result is then the same on every machine.
    seconds : float, optional
        How long to think. Without either, one second; with both, whichever ends first.
    seed : int, optional
        None draws one.
    max_plies : int, default 40
        Where a playout that has not reached the end is broken off and judged by progress.
    policy : {"forward", "uniform"}
        How playouts choose. "forward" takes a uniform action one time in eight.
    exploration : float, default 1.5
        How widely the search looks.

    Returns
    -------
    SearchResult

    Raises
    ------
    ValueError
        Where no player is to act, and for numbers that make no sense.

    Examples
    --------
    >>> import boardrace as br
    >>> from boardrace.search import search
    >>> found = search(br.load("traverse").new_state(), playouts=200, seed=1)
    >>> found.playouts, sum(choice.visits for choice in found.choices)
    (200, 200)
    """
    if policy not in ("forward", "uniform"):
        raise ValueError(f'policy is {policy!r}: it must be "forward" or "uniform"')
    if not isinstance(state, State):
        raise TypeError(f"state must be a State, not {type(state).__name__}")
    _check_strength(playouts, seconds)
    max_plies = whole_number("max_plies", max_plies, 0, 2**31 - 1)
    seed = new_seed(seed)
    if state.current_player < 0:
        raise ValueError("no player is to act: there is nothing to search for")
    if playouts is None and seconds is None:
        seconds = 1.0
    tree = Tree(state, seed, max_plies, policy == "forward", exploration)
    begun = time.perf_counter()
    done, step = 0, 1
    while playouts is None or done < playouts:
        n = step if playouts is None else min(step, playouts - done)
        before = time.perf_counter()
        tree.run(n)
        done += n
        now = time.perf_counter()
        if seconds is not None and now - begun >= seconds:
            break
        # Runs of some 20 milliseconds: Ctrl-C and the clock are looked at between them.
        if n == step:
            pace = (now - before) / n
            aim = 0.02 if seconds is None else min(0.02, seconds - (now - begun))
            step = max(1, min(2 * step, int(aim / pace) if pace > 0 else 2 * step))
    choices = [
        Choice(action, state.action_to_str(action), visits, value)
        for action, visits, value in tree.children()
    ]
    choices.sort(key=lambda choice: (-choice.visits, -choice.value, choice.action))
    best = choices[0]
    return SearchResult(best.action, best.text, done, time.perf_counter() - begun, choices)


def _check_strength(playouts: object, seconds: object) -> None:
    if playouts is not None:
        whole_number("playouts", playouts, 1)
    if seconds is not None:
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise TypeError(f"seconds must be a number, not {type(seconds).__name__}")
        if not seconds > 0:
            raise ValueError(f"seconds is {seconds}: it must be more than 0")


def player(
    name: str,
    *,
    seed: int | None = None,
    playouts: int | None = None,
    seconds: float | None = None,
) -> Player:
    """A player by its name.

    Parameters
    ----------
    name : {"uniform", "forward", "search"}
        "uniform" takes any legal action, "forward" one of those that bring it on the most,
        "search" thinks with `search`.
    seed : int, optional
        Decides all that the player draws. None draws one.
    playouts, seconds : optional
        Strength of "search", as `search` takes them.

    Returns
    -------
    callable
        State to action.

    Examples
    --------
    >>> import boardrace as br
    >>> from boardrace.search import player
    >>> state = br.load("traverse").new_state()
    >>> move = player("forward", seed=1)
    >>> state.apply(move(state))
    >>> state.num_plies
    1
    """
    if name not in PLAYERS:
        raise ValueError(f"there is no player {name!r}; there are {', '.join(PLAYERS)}")
    _check_strength(playouts, seconds)
    rng = Rng(new_seed(seed))
    if name == "uniform":
        return lambda state: state.copy().sample(rng)
    if name == "forward":
        return lambda state: forward_action(state, rng)

    def think(state: State) -> int:
        # A game's one forced choice needs no thought.
        legal = state.legal_actions()
        if len(legal) == 1:
            return int(legal[0])
        return search(state, playouts=playouts, seconds=seconds, seed=rng.raw()).action

    return think


def match(state: State, players: list[Player], rng: Rng, *, max_plies: int = 10_000) -> State:
    """Play a game between players, one a seat.

    Parameters
    ----------
    state : State
        Where it begins; it is not changed.
    players : list of callable
        As `player` gives them, one for each player of the game.
    rng : Rng
        Draws the outcomes of chance.
    max_plies : int, default 10_000
        Where the game is broken off.

    Returns
    -------
    State
        The last position, with the whole game as its history.

    Examples
    --------
    >>> import boardrace as br
    >>> from boardrace.search import match, player
    >>> start = br.load("traverse").new_state()
    >>> two = [player("forward", seed=1), player("uniform", seed=2)]
    >>> match(start, two, br.Rng(3), max_plies=50).num_plies <= 50
    True
    """
    max_plies = whole_number("max_plies", max_plies, 0)
    for one in players:
        if not callable(one):
            raise TypeError(f"a player is a callable, as `player` gives, not {type(one).__name__}")
    if len(players) != state.game.num_players:
        raise ValueError(
            f"{len(players)} players are given: the game has {state.game.num_players} seats"
        )
    state = state.copy()
    for _ in range(max_plies):
        if state.is_terminal:
            break
        if state.is_chance:
            state.sample(rng)
        else:
            state.apply(players[state.current_player](state))
    return state
