"""What the adaptors share."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._registry import load
from ..game import Game

if TYPE_CHECKING:
    from .._core.engine import State

#: The limit on a game's plies when none is given: as in ``boardrace.playouts``.
MAX_PLIES = 10_000

_INSTALL = "needs the package {0}: pip install boardrace[{0}]"


def missing(package: str, module: str) -> ImportError:
    """The error for an adaptor whose other side is not installed."""
    return ImportError(f"boardrace.envs.{module} " + _INSTALL.format(package))


def as_game(game: Game[Any] | str, options: dict[str, Any] | None = None) -> Game[Any]:
    """The Game meant, given as a Game, or as a text with options beside it."""
    if isinstance(game, Game):
        if options:
            raise TypeError(
                f"options ({', '.join(sorted(options))}) go with a game's name, not with a Game"
            )
        return game
    return load(game, **(options or {}))


def as_count(name: str, value: Any) -> int:
    """A whole number of at least 1."""
    if isinstance(value, bool):
        raise TypeError(f"{name} is a whole number, not a truth value")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {type(value).__name__}") from None
    if not 1 <= number < 2**31:
        raise ValueError(f"{name} is {number}: it must be at least 1 and below 2**31")
    return number


def observation_bounds(game: Game[Any]) -> tuple[float, float]:
    """The lowest and the highest value that an observation of the game can hold.

    Whole numbers are bounded by their type. Games keep their floats within -1 to 1 (the
    conformance tests see to it), as learners like them.
    """
    dtype = game.observation_dtype
    if np.issubdtype(dtype, np.integer):
        return float(np.iinfo(dtype).min), float(np.iinfo(dtype).max)
    return -1.0, 1.0


def new_seed(rng: np.random.Generator) -> int:
    """A seed for a set-up."""
    return int(rng.integers(2**63))


def play_chance(state: State, rng: np.random.Generator, max_plies: int) -> None:
    """Draw what is due until a player is to act, the game is over or the limit is reached."""
    while state.is_chance and state.num_plies < max_plies:
        state.sample(rng)


def action_mask(state: State, player: int | None = None) -> npt.NDArray[np.int8]:
    """1 for each legal action, of that player if one is given (then all 0 out of turn)."""
    mask = np.zeros(state.game.num_actions, np.int8)
    if state.current_player >= 0 and player in (None, state.current_player):
        mask[state.legal_actions()] = 1
    return mask


# ---------------------------------------------------------------- pictures


@functools.cache
def _has_pixels() -> bool:
    """Whether pictures can be made of pixels: an installed cairosvg may still lack its library."""
    try:
        import cairosvg  # noqa: F401
        import PIL  # noqa: F401
    except (ImportError, OSError):
        return False
    return True


def render_modes() -> list[str]:
    """What ``render_mode`` may be here: pictures of pixels need cairosvg (the extra ``svg``)."""
    return ["ansi", "rgb_array"] if _has_pixels() else ["ansi"]


def check_render_mode(render_mode: Any) -> str | None:
    """The mode, or an error that says which there are."""
    if render_mode is None or render_mode in render_modes():
        return render_mode  # type: ignore[no-any-return]
    if render_mode == "rgb_array":
        raise ImportError("render_mode 'rgb_array' needs cairosvg: pip install boardrace[svg]")
    raise ValueError(f"render_mode is {render_mode!r}: it must be None, 'ansi' or 'rgb_array'")


def rendered(state: State, render_mode: str | None) -> str | npt.NDArray[np.uint8] | None:
    """The picture that a render mode asks for."""
    if render_mode == "ansi":
        return state.render()
    if render_mode == "rgb_array":
        return pixels(state.svg())
    return None


def pixels(svg: str) -> npt.NDArray[np.uint8]:
    """An SVG picture as an array (height, width, 3), on white where it is transparent."""
    import io

    import cairosvg
    from PIL import Image

    png = cairosvg.svg2png(bytestring=svg.encode(), background_color="white")
    with Image.open(io.BytesIO(png)) as image:
        return np.array(image.convert("RGB"), np.uint8)
