"""boardrace: race board games, simulated fast and exactly.

>>> import boardrace as br
>>> game = br.load("traverse")
>>> br.perft(game.new_state(), 3)
4800
"""

from typing import TYPE_CHECKING, Any

from ._core.engine import State
from ._core.rng import Rng
from ._errors import IllegalActionError, PositionError, Verdict
from ._registry import games, load
from .game import Game

if TYPE_CHECKING:
    from .batch import Batch
    from .counting import divide, perft
    from .playing import Playouts, playouts
    from .records import record, replay

CHANCE = -1
TERMINAL = -4
__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Batch",
    "Game",
    "IllegalActionError",
    "Playouts",
    "PositionError",
    "Rng",
    "State",
    "Verdict",
    "__version__",
    "divide",
    "games",
    "load",
    "perft",
    "playouts",
    "record",
    "replay",
]

# Loaded when first used, so that importing boardrace stays quick.
_LATER = {
    "Batch": "batch",
    "Playouts": "playing",
    "divide": "counting",
    "perft": "counting",
    "playouts": "playing",
    "record": "records",
    "replay": "records",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        value = getattr(import_module(f".{_LATER[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
