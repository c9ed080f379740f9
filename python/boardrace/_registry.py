"""Finding games: those of this package by listing its folder, others by their entry points."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, overload

from .game import Game, read_game_text

if TYPE_CHECKING:
    from typing import Literal

    from ._core.engine import State
    from .rulebook.inner_circle import InnerCircleState
    from .rulebook.octiles import OctilesState
    from .rulebook.sorry import SorryState
    from .rulebook.switchboard import SwitchboardState
    from .rulebook.traverse import TraverseState

#: Packages register a game's class under this group, by the game's name.
ENTRY_POINTS = "boardrace.games"


def _own() -> list[str]:
    import pkgutil

    from . import rulebook as folder

    names = (module.name for module in pkgutil.iter_modules(folder.__path__))
    return [name for name in names if not name.startswith("_")]


def _outside() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def games() -> tuple[str, ...]:
    """The names of all games, those of installed packages too.

    >>> import boardrace as br
    >>> "traverse" in br.games()
    True
    """
    return tuple(sorted({*_own(), *_outside()}))


def game_class(name: str) -> type[Game[Any]]:
    """The class of the game with that name."""
    if name in _own():
        found = importlib.import_module(f"boardrace.rulebook.{name}").GAME
    else:
        outside = _outside()
        if name not in outside:
            raise ValueError(f"there is no game {name!r}; there are {', '.join(games())}")
        found = outside[name].load()
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise TypeError(f"the entry point {name!r} of {ENTRY_POINTS} is no Game class")
    return found


@overload
def load(name: Literal["inner_circle"], **options: Any) -> Game[InnerCircleState]: ...
@overload
def load(name: Literal["octiles"], **options: Any) -> Game[OctilesState]: ...
@overload
def load(name: Literal["sorry"], **options: Any) -> Game[SorryState]: ...
@overload
def load(name: Literal["switchboard"], **options: Any) -> Game[SwitchboardState]: ...
@overload
def load(name: Literal["traverse"], **options: Any) -> Game[TraverseState]: ...
@overload
def load(name: str, **options: Any) -> Game[State]: ...
def load(name: str, **options: Any) -> Game[Any]:
    """A game by its name and options, or by its text.

    Parameters
    ----------
    name : str
        A name of ``games()``, or a text like ``"traverse(players=3)"``.
    **options
        The game's own; its page lists them.

    Raises
    ------
    ValueError
        For an unknown game, option or value; the message names the valid ones.

    Examples
    --------
    >>> import boardrace as br
    >>> game = br.load("traverse", players=2, rules="advanced")
    >>> str(game)
    'traverse(circles=return,finish=frozen,long_hops=true)'
    >>> br.load(str(game)) == game
    True
    """
    if not isinstance(name, str):
        raise TypeError(f"a game's name is a str, not {type(name).__name__}")
    plain, given = read_game_text(name)
    for key in options:
        if key in given:
            raise ValueError(f"option {key} is given in the text and beside it")
    return game_class(plain)(**given, **options)
