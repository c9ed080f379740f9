from collections.abc import Sequence

from .engine import Rules

Part = tuple[int, int, int, int]

class SorryRules(Rules):
    def __init__(self, players: int, teams: bool, both: bool, quick: bool) -> None: ...
    def pack(
        self, turn: int, card: int, deck: Sequence[int], pawns: Sequence[Sequence[int]]
    ) -> bytes: ...
    def unpack(
        self, position: bytes
    ) -> tuple[int, int, tuple[int, ...], tuple[tuple[int, ...], ...]]: ...
    def describe(self, action: int) -> tuple[int, tuple[Part, ...]]: ...
    def plays(
        self, position: bytes, card: int, kept: bool = False
    ) -> list[tuple[int, tuple[Part, ...], int, tuple[int, ...]]]: ...
