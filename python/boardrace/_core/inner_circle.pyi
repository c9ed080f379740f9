from collections.abc import Sequence
from typing import Literal

from .engine import Rules

Kind = Literal["place", "move", "lift", "pass"]

class InnerCircleRules(Rules):
    def __init__(
        self,
        players: int,
        pawns_each: int,
        boards: Sequence[Sequence[str | None]],
        lines: Sequence[Sequence[Sequence[int]]],
        turns: Sequence[int] | None,
        fits: Sequence[Sequence[Sequence[int]]],
        blocked_lift: bool,
        stall_limit: int,
        hide_covered: bool,
    ) -> None: ...
    def pack(
        self,
        turn: int,
        level: int,
        turns: Sequence[int],
        again: bool,
        pawns: Sequence[int],
        passes: int,
        stall: int,
    ) -> bytes: ...
    def unpack(
        self, position: bytes
    ) -> tuple[int, int, tuple[int, ...], bool, tuple[int, ...], int, int]: ...
    def action_parts(self, action: int) -> tuple[Kind, int, int]: ...
    def find_action(self, kind: Kind, origin: int, target: int) -> int: ...
