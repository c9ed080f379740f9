"""Games: a name with options, and how they are found and written as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from operator import index
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from ._core.engine import Rules, State
from ._core.rng import Rng

S = TypeVar("S", bound=State, covariant=True)


class Option(NamedTuple):
    """One option of a game.

    Attributes
    ----------
    name : str
    default : object
        Its value when it is not given. Where the default depends on other options the game's
        ``resolve`` works it out, and this is what it is most often.
    check : callable
        Gives the value in its standing form, or raises ValueError saying what would be right.
    help : str
        One line for ``boardrace games``.
    values : str
        The valid values in words.
    file : bool
        Whether a text given for it is the path of a file.
    """

    name: str
    default: Any
    check: Callable[[Any], Any]
    help: str
    values: str
    file: bool = False


def choice(name: str, values: Iterable[Any], help: str) -> Option:
    """An option with few values, the first of them the default. 1 and True are told apart."""
    allowed = tuple(values)
    words = ", ".join(json.dumps(value) for value in allowed)

    def check(value: Any) -> Any:
        value = plain(value)
        for one in allowed:
            if type(one) is type(value) and one == value:
                return one
        raise ValueError(f"{name} is {value!r}: it must be one of {words}")

    return Option(name, allowed[0], check, help, words)


def whole(name: str, default: int, low: int, high: int, help: str) -> Option:
    """An option that is a whole number."""

    def check(value: Any) -> int:
        value = plain(value)
        if type(value) is not int:
            raise ValueError(f"{name} is {value!r}: it must be a whole number, {low} to {high}")
        if not low <= value <= high:
            raise ValueError(f"{name} is {value}: it must be {low} to {high}")
        return value

    return Option(name, default, check, help, f"{low} to {high}")


def plain(value: Any) -> Any:
    """NumPy numbers as Python's own; everything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


class Game(Generic[S]):
    """A game with its options; made by ``boardrace.load``.

    Immutable, hashable, picklable; equal when name and options are.

    Attributes
    ----------
    name : str
    options : mapping
        Every option with its value, read-only.
    num_players, num_actions, max_legal_actions : int
    observation_shape : tuple of int
    observation_dtype : numpy.dtype
    """

    # ---- what a game's own class sets
    name: ClassVar[str]
    #: One line that says what the game is.
    summary: ClassVar[str]
    option_list: ClassVar[tuple[Option, ...]]
    state_class: type[S]

    observation_shape: tuple[int, ...]
    observation_dtype: np.dtype[Any]

    _rules: Rules
    options: Mapping[str, Any]
    _text: str

    def __init__(self, **given: Any) -> None:
        known = {option.name for option in self.option_list} | set(self.shorthands())
        for name in given:
            if name not in known:
                raise ValueError(
                    f"{self.name} has no option {name!r}; it has {', '.join(sorted(known))}"
                )
        options = self.resolve(given)
        object.__setattr__(self, "options", MappingProxyType(options))
        object.__setattr__(self, "_text", self._write())
        rules = self.make_rules()
        rules.set_salt(self._text.encode())
        object.__setattr__(self, "_rules", rules)
        self.describe_observation()
        size = int(np.prod(self.observation_shape)) * self.observation_dtype.itemsize
        if size != rules.observation_bytes:
            raise SystemError("the observation's shape does not fit the game's table")

    # ---- what a game's own class may or must override

    @classmethod
    def shorthands(cls) -> tuple[str, ...]:
        """Names accepted beside the options, which ``resolve`` turns into options."""
        return ()

    @classmethod
    def resolve(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every option's value, checked, in the order of ``option_list``."""
        return {
            option.name: (
                option.check(given[option.name]) if option.name in given else option.default
            )
            for option in cls.option_list
        }

    def defaults(self) -> Mapping[str, Any]:
        """The values that the options have when they are not given, the others being as here."""
        return {option.name: option.default for option in self.option_list}

    def make_rules(self) -> Rules:
        """The compiled side."""
        raise NotImplementedError

    def describe_observation(self) -> None:
        """Set observation_shape and observation_dtype, with object.__setattr__."""
        raise NotImplementedError

    def _parse(self, text: str) -> bytes:
        """The bytes of the position with this text, or PositionError."""
        raise NotImplementedError

    # ---- the same for every game

    def _write(self) -> str:
        usual = self.defaults()
        parts = [
            f"{name}={_write_value(value)}"
            for name, value in sorted(self.options.items())
            if value != usual[name] or type(value) is not type(usual[name])
        ]
        return f"{self.name}({','.join(parts)})" if parts else self.name

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Game {self._text}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Game cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Game cannot be changed")

    def __reduce__(self) -> tuple[Any, ...]:
        from ._pickle import FORMAT, unpack_game

        return unpack_game, (FORMAT, self._text)

    def __copy__(self) -> Game[S]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Game[S]:
        return self

    @property
    def num_players(self) -> int:
        return self._rules.num_players

    @property
    def num_actions(self) -> int:
        return self._rules.num_actions

    @property
    def max_legal_actions(self) -> int:
        return self._rules.max_legal_actions

    def _action_number(self, action: object) -> int:
        """An action given as a number, or TypeError or ValueError."""
        if isinstance(action, bool) or not hasattr(action, "__index__"):
            raise TypeError(f"an action is a whole number, not {type(action).__name__}")
        number = index(action)
        if not 0 <= number < self.num_actions:
            last = self.num_actions - 1
            raise ValueError(f"there is no action {number}: they are 0 to {last}")
        return number

    def new_state(self, seed: int | Rng | None = None) -> S:
        """The position at the start.

        Parameters
        ----------
        seed : int, Rng or None
            Decides all that set-up draws. An Rng gives the set-up of its playout (and no number
            of its stream is used up); None takes a new seed from the system where the set-up
            draws anything.
        """
        if seed is None:
            import secrets

            draws = Rng(secrets.randbits(64))
        else:
            draws = seed if isinstance(seed, Rng) else Rng(seed)
        return self.state_class(self, self._rules.start(draws.seed, draws.stream))

    def parse(self, text: str) -> S:
        """The state with this text.

        Raises
        ------
        PositionError
            Which field is wrong, and why.
        """
        if not isinstance(text, str):
            raise TypeError(f"a position's text is a str, not {type(text).__name__}")
        return self.state_class(self, self._parse(text))


# ---------------------------------------------------------------- games as text

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")


def _write_value(value: Any) -> str:
    if isinstance(value, str) and _WORD.fullmatch(value) and value not in ("true", "false", "null"):
        return value
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def read_value(text: str) -> Any:
    """A value as JSON; a plain word needs no quotes.

    >>> read_value("3"), read_value("true"), read_value("advanced"), read_value('"0000"')
    (3, True, 'advanced', '0000')
    """
    try:
        return json.loads(text)
    except ValueError:
        pass
    except RecursionError:
        raise ValueError("a value is nested too deeply") from None
    if text in ("True", "False"):
        return text == "True"
    if re.search(r'[\[\]{}"(),=]', text) or not text:
        raise ValueError(f"{text!r} is no value: give a word, a number or JSON")
    return text


def read_game_text(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the options of a game's text.

    >>> read_game_text("traverse(circles=return,long_hops=true)")
    ('traverse', {'circles': 'return', 'long_hops': True})
    """
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\)\s*)?", text, re.DOTALL)
    if match is None:
        raise ValueError(f"{text[:80]!r} is no game: write name(option=value,...)")
    name, inside = match[1], match[2]
    given: dict[str, Any] = {}
    for part in _split(inside or ""):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not key:
            raise ValueError(f"{part[:80]!r} in the game's text must be option=value")
        if key in given:
            raise ValueError(f"option {key} is given twice")
        given[key] = read_value(value.strip())
    return name, given


def _split(inside: str) -> list[str]:
    """At the commas outside of brackets and quotes."""
    if not inside.strip():
        return []
    parts, depth, quoted, start, k = [], 0, False, 0, 0
    while k < len(inside):
        letter = inside[k]
        if quoted:
            if letter == "\\":
                k += 1
            elif letter == '"':
                quoted = False
        elif letter == '"':
            quoted = True
        elif letter in "[{":
            depth += 1
        elif letter in "]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(inside[start:k])
            start = k + 1
        k += 1
    parts.append(inside[start:])
    return parts
