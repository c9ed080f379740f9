"""Switchboard's tiles: reading a printing from a file or a mapping, and checking it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, NoReturn

#: Sides as spots number them; a quarter turn clockwise leads from each of the first four to the
#: next.
SIDES = "NESWC"
LABELS = tuple(f"{a}{b}" for a in range(1, 7) for b in range(1, 7))
COLOURS = {"Y": "yellow", "G": "green", "R": "red", "F": "the finish"}
#: Files beyond this are no tile files.
_MOST_BYTES = 1 << 20
_FARTHEST = 1000


class Printing(dict[str, Any]):
    """The content of a tile file in its standing form; cannot be changed.

    A dict, so that it can be written as JSON: ``entry`` with ``tile`` and ``side``, and ``tiles``,
    36 of them by label, each with ``id``, ``col``, ``row`` and ``spots``. The least column and the
    least row are 0.
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(json.dumps(self, sort_keys=True))

    def _refuse(self, *args: Any, **named: Any) -> NoReturn:
        raise TypeError("a printing of the tiles cannot be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> Printing:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Printing:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return read_printing, (json.loads(json.dumps(self)),)


def read_printing(value: Any) -> Printing:
    """The tiles that a file or a mapping describes.

    Parameters
    ----------
    value : str, os.PathLike or mapping
        A path to a JSON file, or what such a file holds.

    Raises
    ------
    ValueError
        What is wrong with it, and what would be right.
    """
    if isinstance(value, Printing):
        return value
    if isinstance(value, str | os.PathLike):
        value = _read_file(value)
    if not isinstance(value, Mapping):
        raise ValueError(
            f"tiles is a {type(value).__name__}: give the path of a JSON file, or a mapping with "
            "'tiles' and 'entry'"
        )
    for key in ("tiles", "entry"):
        if key not in value:
            raise ValueError(f"tiles: there is no {key!r}; a printing has 'tiles' and 'entry'")
    tiles = _read_tiles(value["tiles"])
    finishes = [
        tile["id"] + side
        for tile in tiles
        for side, colour in tile["spots"].items()
        if colour == "F"
    ]
    if len(finishes) != 1:
        raise ValueError(
            f"tiles: one spot must be the finish F, here are {len(finishes)}"
            + (f": {', '.join(finishes)}" if finishes else "")
        )
    return Printing(entry=_read_entry(value["entry"], tiles), tiles=tiles)


def _read_file(path: str | os.PathLike[str]) -> Any:
    try:
        with open(path, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ValueError(f"tiles: cannot read {os.fspath(path)!r}: {error}") from None
    if len(content) > _MOST_BYTES:
        raise ValueError(f"tiles: {os.fspath(path)!r} is longer than {_MOST_BYTES} bytes")
    try:
        return json.loads(content, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"tiles: {os.fspath(path)!r} is not JSON: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _read_tiles(given: Any) -> tuple[Printing, ...]:
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise ValueError("tiles: 'tiles' must be a list of 36 tiles")
    by_label: dict[str, tuple[int, int, Printing]] = {}
    for tile in given:
        label, column, row, spots = _read_tile(tile)
        if label in by_label:
            raise ValueError(f"tiles: tile {label} is given twice")
        by_label[label] = (column, row, spots)
    missing = [label for label in LABELS if label not in by_label]
    if missing:
        raise ValueError(f"tiles: there must be 36 tiles, 11 to 66; missing: {', '.join(missing)}")
    left = min(column for column, _, _ in by_label.values())
    top = min(row for _, row, _ in by_label.values())
    taken: dict[tuple[int, int], str] = {}
    tiles = []
    for label in LABELS:
        column, row, spots = by_label[label]
        if (column, row) in taken:
            raise ValueError(
                f"tiles: {taken[column, row]} and {label} both lie at column {column}, row {row}"
            )
        taken[column, row] = label
        tiles.append(Printing(id=label, col=column - left, row=row - top, spots=spots))
    return tuple(tiles)


def _read_tile(tile: Any) -> tuple[str, int, int, Printing]:
    if not isinstance(tile, Mapping):
        raise ValueError("tiles: each tile must be a mapping with 'id', 'col', 'row' and 'spots'")
    label = tile.get("id")
    if not isinstance(label, str) or label not in LABELS:
        raise ValueError(
            f"tiles: {repr(label)[:20]} is no label: they are '11' to '66', digits 1 to 6"
        )
    where = []
    for key in ("col", "row"):
        number = tile.get(key)
        if type(number) is not int or abs(number) > _FARTHEST:
            raise ValueError(f"tiles: the {key} of tile {label} must be a whole number")
        where.append(number)
    given = tile.get("spots")
    if not isinstance(given, Mapping):
        raise ValueError(f"tiles: tile {label} has no 'spots', a mapping of sides to colours")
    for side, colour in given.items():
        if not isinstance(side, str) or len(side) != 1 or side not in SIDES:
            raise ValueError(
                f"tiles: tile {label} has a spot at {str(side)[:20]!r}: sides are N, E, S, W and C"
            )
        if not isinstance(colour, str) or colour not in COLOURS:
            raise ValueError(
                f"tiles: spot {label}{side} has the colour {str(colour)[:20]!r}: "
                "it must be Y, G, R or F"
            )
    if "C" not in given:
        raise ValueError(f"tiles: tile {label} has no spot at its centre C")
    spots = Printing((side, given[side]) for side in SIDES if side in given)
    return label, where[0], where[1], spots


def _read_entry(entry: Any, tiles: tuple[Printing, ...]) -> Printing:
    if not isinstance(entry, Mapping):
        raise ValueError("tiles: 'entry' must be a mapping with 'tile' and 'side'")
    label, side = entry.get("tile"), entry.get("side")
    if not isinstance(label, str) or label not in LABELS:
        raise ValueError(f"tiles: the entry's tile {str(label)[:20]!r} is no label, '11' to '66'")
    if not isinstance(side, str) or side not in ("N", "E", "S", "W"):
        raise ValueError(f"tiles: the entry's side {str(side)[:20]!r} must be N, E, S or W")
    if side not in tiles[LABELS.index(label)]["spots"]:
        raise ValueError(f"tiles: the entry is at {label}{side}, where there is no spot")
    return Printing(tile=label, side=side)


#: The tiles of the game as it is sold.
STANDARD = read_printing(
    json.loads(files("boardrace").joinpath("boards/switchboard.json").read_text("ascii"))
)
