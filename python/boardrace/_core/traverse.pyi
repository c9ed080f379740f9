from typing import Any

from .engine import Rules

class TraverseRules(Rules):
    def __init__(
        self,
        players: int,
        long_hops: bool,
        circles: int,
        frozen: bool,
        block_limit: int,
        setup_way: int,
        orders: list[list[int]],
    ) -> None: ...
    def unpack(self, position: bytes) -> dict[str, Any]: ...
    def pack(
        self,
        turn: int,
        pieces: list[list[tuple[int, int]]],
        pending: list[int],
        blocks: list[int],
        passes: int,
        result: int | str | None,
        choosing: bool,
    ) -> bytes: ...
    def play_on(self, positions: bytes, seed: int, max_plies: int) -> tuple[bytes, list[int]]: ...
    def order_number(self, action: int) -> int: ...
    def order_action(self, order: int) -> int: ...
    def reach(self, position: bytes, square: int) -> list[int] | None: ...
