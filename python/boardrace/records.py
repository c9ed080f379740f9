"""Records: a game played, as a small text file.

A record begins with tags, one a line, the value written as a JSON string; a blank line ends them;
the actions follow as texts between blanks, chance outcomes among them::

    [Game "traverse"]
    [Start "traverse 0 Sb1,Dc1,Td1,Ce1,Cf1,Tg1,Dh1,Si1 Sb10,Dc10,... - 0,0 0"]
    [Result "*"]

    b1-b2 b10-b9 i1-i2

Game and Start are needed. Result holds each player's return, or ``*`` before the end, and is
checked when it is there. Further tags (players' names, a date) may stand among them; `replay`
leaves them alone.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from ._core.engine import State
from ._errors import IllegalActionError
from ._pickle import texts
from ._registry import game_class
from .game import Game, read_game_text

#: Bounds on what is read: the longest game on record is far below them.
MOST_BYTES = 32 * 2**20
MOST_TAGS = 100
MOST_ACTIONS = 2_000_000

_TAG = re.compile(r'\[([A-Za-z][A-Za-z0-9_]{0,63})[ \t]+("(?:[^"\\]|\\.)*")[ \t]*\]')
_LINE = 98


class Record(NamedTuple):
    """What a record's text says, before any of it is checked against the rules.

    Attributes
    ----------
    tags : dict
        Every tag, Game and Start among them.
    actions : list of str
    """

    tags: dict[str, str]
    actions: list[str]


def result_text(state: State) -> str:
    """What a record's Result tag says of a state.

    >>> import boardrace as br
    >>> result_text(br.load("traverse").new_state())
    '*'
    """
    if not state.is_terminal:
        return "*"
    return " ".join(f"{value:.6g}" for value in (state.returns() + 0.0).tolist())


def record(state: State, **tags: str) -> str:
    """A game so far, as text: from where the state's history begins to the position now.

    Parameters
    ----------
    state : State
    **tags : str
        Further tags for readers, as ``Player0="Ada"``.

    Returns
    -------
    str
        What `replay` reads.

    Examples
    --------
    >>> import boardrace as br
    >>> state = br.load("traverse").new_state()
    >>> state.apply("b1-b2")
    >>> print(br.record(state).partition("]")[0])
    [Game "traverse"
    >>> br.replay(br.record(state)) == state
    True
    """
    if not isinstance(state, State):
        raise TypeError(f"a record is made of a State, not of a {type(state).__name__}")
    game, start, actions = texts(state)
    written = {"Game": game, "Start": start, "Result": result_text(state)}
    for name, value in tags.items():
        if name in written or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,63}", name):
            raise ValueError(f"{name!r} cannot be a further tag of a record")
        if not isinstance(value, str):
            raise TypeError(f"the tag {name} is a str, not {type(value).__name__}")
        written[name] = value
    lines = [f"[{name} {json.dumps(value)}]" for name, value in written.items()]
    lines.append("")
    line = ""
    for action in actions:
        if line and len(line) + 1 + len(action) > _LINE:
            lines.append(line)
            line = ""
        line = f"{line} {action}" if line else action
    if line:
        lines.append(line)
    return "\n".join(lines) + "\n"


def read_record(text: str) -> Record:
    """The tags and the action texts of a record.

    Raises
    ------
    ValueError
        For a tag that is badly written, given twice or missing, and for a text beyond all bounds.

    Examples
    --------
    >>> read_record('[Game "g"]\\n[Start "g 0"]\\n\\na b\\nc\\n').actions
    ['a', 'b', 'c']
    """
    if not isinstance(text, str):
        raise TypeError(f"a record is a str, not {type(text).__name__}")
    if len(text) > MOST_BYTES:
        raise ValueError(f"the record is longer than {MOST_BYTES} characters")
    tags: dict[str, str] = {}
    # Only these count as line ends: str.splitlines would also split at rarer characters.
    rest = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    number = 0
    while rest:
        line, _, rest = rest.partition("\n")
        if not line.strip():
            break
        number += 1
        if number > MOST_TAGS:
            raise ValueError(f"the record has more than {MOST_TAGS} tags")
        match = _TAG.fullmatch(line.strip())
        if match is None:
            raise ValueError(
                f'tag {number} of the record is {_short(line)}: it must be [Name "value"], and a '
                "blank line must stand before the actions"
            )
        name = match[1]
        if name in tags:
            raise ValueError(f"the record has the tag {name} twice")
        try:
            tags[name] = json.loads(match[2])
        except ValueError as error:
            raise ValueError(f"the record's tag {name} is badly written: {error}") from None
    for name in ("Game", "Start"):
        if name not in tags:
            raise ValueError(f"the record has no tag {name}")
    actions = rest.split(None, MOST_ACTIONS)
    if len(actions) > MOST_ACTIONS:
        raise ValueError(f"the record has more than {MOST_ACTIONS} actions")
    return Record(tags, actions)


def replay(text: str) -> State:
    """Play a record again, checking every action.

    Parameters
    ----------
    text : str
        What `record` wrote.

    Returns
    -------
    State
        With the whole history: ``undo`` leads back to the start.

    Raises
    ------
    IllegalActionError
        For the first action that is not legal: the message gives its number, counted from 1, and
        the position up to which the record is good.
    ValueError
        For bad tags, a bad start position, or a result that is not the one reached.

    Examples
    --------
    >>> import boardrace as br
    >>> text = br.record(br.load("traverse").new_state()) + "b1-b2 b10-b9 i1-a5"
    >>> br.replay(text)                                      # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    boardrace._errors.IllegalActionError: action 3 (i1-a5) is not legal: ...
    """
    tags, actions = read_record(text)
    try:
        game = _load_without_files(tags["Game"])
    except ValueError as error:
        raise ValueError(f"the record's tag Game is bad: {error}") from None
    try:
        state: State = game.parse(tags["Start"])
    except ValueError as error:
        raise ValueError(f"the record's tag Start is bad: {error}") from None
    for number, action in enumerate(actions, 1):
        try:
            state.apply(action)
        except IllegalActionError as error:
            good = "the start position" if number == 1 else f"action {number - 1}"
            raise IllegalActionError(
                error.code,
                f"action {number} ({_short(action)}) is not legal: {error} "
                f"The record is good up to {good}: {state}",
            ) from None
    claimed = tags.get("Result")
    if claimed is not None and claimed != result_text(state):
        raise ValueError(
            f"the record's tag Result is {_short(claimed)}, but its {len(actions)} actions lead "
            f"to {result_text(state)}"
        )
    return state


def _load_without_files(text: str) -> Game[Any]:
    """The game with that text, which may hold boards but not lead to a file that holds them.

    A record may come from anywhere: it shall not make anybody's program open files.
    """
    name, given = read_game_text(text)
    kind = game_class(name)
    for option in kind.option_list:
        if option.file and isinstance(given.get(option.name), str):
            raise ValueError(f"{option.name} must hold the content itself, not the name of a file")
    return kind(**given)


def _short(text: str) -> str:
    """A text from outside, made fit for a message."""
    shown = text if len(text) <= 60 else text[:57] + "..."
    return shown if shown.isprintable() else repr(shown)
