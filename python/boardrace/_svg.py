"""Drawing boards: a small SVG writer, and the looks that all games share.

Players are told apart by colour and, without it, by the mark on their pieces: PLAYERS gives both.
The colours keep apart for colour-blind eyes (Okabe and Ito's set).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from ._core.engine import State


class Look(NamedTuple):
    """How a player's pieces look: fill, outline, text on it, and a mark of a few letters."""

    fill: str
    line: str
    text: str
    mark: str


PLAYERS = (
    Look("#0072b2", "#003f63", "#ffffff", "0"),
    Look("#e69f00", "#7a5400", "#000000", "1"),
    Look("#009e73", "#00523c", "#ffffff", "2"),
    Look("#cc79a7", "#71304f", "#000000", "3"),
)
PAPER = "#fbf8f1"
INK = "#2b2b2b"
FAINT = "#c9c2b4"
LAST = "#f4d35e"  # under the last action
PATH = "#d1495b"  # a marked path

#: Pixels that a picture is wide or high at most.
LARGEST = 100_000

#: What a user may give as marked actions: texts, numbers.
Marks: TypeAlias = "str | int | Iterable[str | int] | None"


def _checked(size: object) -> float:
    if isinstance(size, bool) or not isinstance(size, int | float):
        raise TypeError(f"size is a number, not {type(size).__name__}")
    if not 0 < size <= LARGEST:
        raise ValueError(f"size is {size}: it must be more than 0 and {LARGEST} at most, in pixels")
    return float(size)


def marked_texts(state: State, mark: Marks) -> list[str]:
    """The texts of the actions to mark: one or many, given as texts or as numbers."""
    if mark is None:
        return []
    given = [mark] if isinstance(mark, str) or not isinstance(mark, Iterable) else list(mark)
    return [one if isinstance(one, str) else state.action_to_str(one) for one in given]


class Svg:
    """A picture that grows element by element.

    >>> picture = Svg(20, 10, "a dot")
    >>> picture.circle(5, 5, 2, fill="#000000")
    >>> "<circle" in picture.text()
    True
    """

    def __init__(self, width: float, height: float, title: str, size: float | None = None) -> None:
        self.width, self.height = width, height
        scale = 1.0 if size is None else _checked(size) / max(width, height)
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" '
            f'width="{_n(width * scale)}" height="{_n(height * scale)}" role="img" '
            'font-family="DejaVu Sans, Arial, sans-serif">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{_n(width)}" height="{_n(height)}" fill="{PAPER}"/>',
        ]

    def add(self, tag: str, inside: str | None = None, **attributes: Any) -> None:
        """One element; `stroke_width=1` is written stroke-width, None leaves an attribute out."""
        words = "".join(
            f" {name.rstrip('_').replace('_', '-')}={quoteattr(_n(value))}"
            for name, value in attributes.items()
            if value is not None
        )
        self.parts.append(
            f"<{tag}{words}/>" if inside is None else f"<{tag}{words}>{escape(inside)}</{tag}>"
        )

    def rect(self, x: float, y: float, width: float, height: float, **attributes: Any) -> None:
        self.add("rect", x=x, y=y, width=width, height=height, **attributes)

    def circle(self, x: float, y: float, r: float, **attributes: Any) -> None:
        self.add("circle", cx=x, cy=y, r=r, **attributes)

    def line(self, x1: float, y1: float, x2: float, y2: float, **attributes: Any) -> None:
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)

    def polygon(self, points: Iterable[tuple[float, float]], **attributes: Any) -> None:
        self.add("polygon", points=" ".join(f"{_n(x)},{_n(y)}" for x, y in points), **attributes)

    def polyline(self, points: Iterable[tuple[float, float]], **attributes: Any) -> None:
        attributes.setdefault("fill", "none")
        self.add("polyline", points=" ".join(f"{_n(x)},{_n(y)}" for x, y in points), **attributes)

    def path(self, d: str, **attributes: Any) -> None:
        self.add("path", d=d, **attributes)

    def label(self, x: float, y: float, text: str, size: float, **attributes: Any) -> None:
        """Text centred on a point."""
        attributes.setdefault("fill", INK)
        self.add(
            "text",
            text,
            x=x,
            y=y,
            font_size=size,
            text_anchor="middle",
            dominant_baseline="central",
            **attributes,
        )

    def open_group(self, **attributes: Any) -> None:
        words = "".join(f" {k.replace('_', '-')}={quoteattr(_n(v))}" for k, v in attributes.items())
        self.parts.append(f"<g{words}>")

    def close_group(self) -> None:
        self.parts.append("</g>")

    def text(self) -> str:
        return "\n".join([*self.parts, "</svg>"])


def _n(value: Any) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
