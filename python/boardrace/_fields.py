"""Reading position texts field by field: one way of saying what is wrong, for every game."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ._errors import PositionError

_NUMBER = re.compile(r"0|[1-9][0-9]*")


def split_fields(text: str, names: Sequence[str]) -> list[str]:
    """The fields of a position's text, without the game's name.

    Parameters
    ----------
    text : str
    names : sequence of str
        The game's name, then the name of each field.

    Examples
    --------
    >>> split_fields("toy 0 a,b", ("toy", "TURN", "PIECES"))
    ['0', 'a,b']
    """
    if not text.isascii() or not text.isprintable():
        raise PositionError("text", "a position is one line of plain ASCII letters")
    parts = text.split(" ")
    if "" in parts:
        raise PositionError("text", "fields are separated by single spaces, with none at the ends")
    if parts[0] != names[0]:
        raise PositionError("game", f"the text begins with {parts[0][:40]!r}, not {names[0]!r}")
    if len(parts) != len(names):
        raise PositionError(
            "text", f"{len(parts)} fields where there must be {len(names)}: {' '.join(names)}"
        )
    return parts[1:]


def read_number(field: str, text: str, low: int, high: int) -> int:
    """A whole number without sign or leading zeros, low to high."""
    if not _NUMBER.fullmatch(text) or len(text) > 9:
        raise PositionError(field, f"{text[:40]!r} is no whole number as it is written here")
    value = int(text)
    if not low <= value <= high:
        raise PositionError(field, f"{value} must be {low} to {high}")
    return value


def read_items(field: str, text: str, none: str | None = None) -> list[str]:
    """Items separated by commas; the text `none` stands for an empty list."""
    if none is not None and text == none:
        return []
    items = text.split(",")
    if "" in items:
        raise PositionError(field, f"{text[:40]!r} has an empty item")
    return items
