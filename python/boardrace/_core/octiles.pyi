from collections.abc import Sequence

from .engine import Rules

class OctilesRules(Rules):
    def __init__(
        self,
        players: int,
        play_on: bool,
        circles: Sequence[Sequence[int]],
        sides: Sequence[int],
        leads_to: Sequence[int],
        chords: Sequence[Sequence[int]],
        turns: Sequence[int],
        rows: Sequence[Sequence[int]],
        spaces_turned: Sequence[int],
        places_turned: Sequence[int],
    ) -> None: ...
    def pack(
        self,
        hand: int,
        tiles: Sequence[int],
        turned: Sequence[int],
        runners: Sequence[int],
        turn: int,
        passes: int,
        last: int | None,
        finished: Sequence[int],
    ) -> bytes: ...
    def unpack(
        self, position: bytes
    ) -> tuple[int, list[int], list[int], list[int], int, int, int | None, list[int]]: ...
    def action_number(self, space: int, turned: int, start: int, end: int) -> int: ...
    def action_parts(self, action: int) -> tuple[int, int, int, int] | None: ...
    def actions_by_tracing(self, position: bytes) -> list[int]: ...
    def trace(
        self, position: bytes, port: int, space: int = -1, tile: int = 0, turned: int = 0
    ) -> tuple[list[tuple[int, int, int, int, int]], int, int]: ...
