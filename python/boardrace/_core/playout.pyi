from typing import Any

import numpy as np
import numpy.typing as npt

from boardrace.game import Game

from .engine import State

class Playing:
    @property
    def total(self) -> int: ...
    @property
    def done(self) -> int: ...
    def __init__(
        self,
        game: Game[Any],
        start: State | None,
        first: int,
        n: int,
        seed: int,
        policies: bytes,
        max_plies: int,
        block: int,
        returns: npt.NDArray[np.float32],
        lengths: npt.NDArray[np.int32],
        truncated: npt.NDArray[np.bool_],
    ) -> None: ...
    def work(self) -> None: ...
    def stop(self) -> None: ...
