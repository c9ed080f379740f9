"""What can go wrong, and the answer to "why may I not go there?"."""

from __future__ import annotations

from typing import NamedTuple


class IllegalActionError(ValueError):
    """An action, as int or text, that is not legal now.

    Attributes
    ----------
    code : str
        The reason, as in ``state.explain``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type[IllegalActionError], tuple[str, str]]:
        return type(self), (self.code, str(self))


class PositionError(ValueError):
    """A position's text that ``game.parse`` refuses.

    Attributes
    ----------
    field : str
        The name of the field that is wrong.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self._message = message

    def __reduce__(self) -> tuple[type[PositionError], tuple[str, str]]:
        return type(self), (self.field, self._message)


class Verdict(NamedTuple):
    """The answer of ``state.explain``: true when the action is legal.

    Attributes
    ----------
    legal : bool
    code : str
        "legal", or the first reason against it, as the game's rules list them.
    message : str
        A sentence for a player.
    """

    legal: bool
    code: str
    message: str

    def __bool__(self) -> bool:
        return self.legal


for _public in (IllegalActionError, PositionError, Verdict):
    _public.__module__ = "boardrace"  # the name that tracebacks and help show is the one to import
