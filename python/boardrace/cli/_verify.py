"""boardrace verify: files of positions with what is known of them."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ._common import Failed, Progress, file_reason, files, json_option, print_json, progress_bar

if TYPE_CHECKING:
    from .._core.engine import State

#: The longest file that is read, in bytes.
_MOST = 2**31


class Bad(NamedTuple):
    """What stands in a file where an entry should."""

    what: str


def _entries(path: str) -> Iterator[tuple[int, Any]]:
    """(number, entry) of a file: a JSON array, or one JSON object a line. Bad for a bad line."""
    from .._files import read_file

    text = read_file(path, _MOST)
    if text.lstrip()[:1] == "[":
        yield from enumerate(json.loads(text), 1)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                yield number, Bad(f"this is no JSON: {error}")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _number(value: Any) -> bool:
    """Neither NaN, nor an integer that has no float."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def _list_of(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, value))


def _text(value: Any) -> bool:
    return isinstance(value, str)


#: The keys of an entry: whether a value fits, and what it must be. Others are notes.
_KEYS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "game": (_text, "a string"),
    "options": (lambda value: isinstance(value, dict), "an object"),
    "position": (_text, "a string"),
    "turn": (
        lambda value: _whole(value) or value in ("chance", "terminal"),
        'a player\'s number, "chance" or "terminal"',
    ),
    "actions": (lambda value: _list_of(value, _text), "a list of strings"),
    "children": (
        lambda value: isinstance(value, dict) and _list_of([*value.values()], _text),
        "an object of strings",
    ),
    "perft": (lambda value: _list_of(value, _whole), "a list of whole numbers from 0 on"),
    "returns": (lambda value: _list_of(value, _number), "a list of numbers"),
}


def _start(entry: dict[str, Any], folder: str) -> State:
    """The state that an entry is about."""
    from .. import load
    from .._registry import game_class

    options = dict(entry.get("options", {}))
    for option in game_class(entry["game"]).option_list:
        value = options.get(option.name)
        # Beside paths such an option takes the content itself, as an object or as JSON text.
        if option.file and isinstance(value, str) and not value.lstrip().startswith(("{", "[")):
            options[option.name] = os.path.join(folder, value)
    state: State = load(entry["game"], **options).parse(entry["position"])
    return state


def check_entry(
    entry: Any, folder: str, *, max_nodes: int | None = None, threads: int = 1
) -> tuple[int, list[str]]:
    """Check one position against all that is said of it.

    Parameters
    ----------
    entry : dict
        With game, options, position, and any of turn, actions, children, perft, returns.
    folder : str
        Where the entry's files lie.
    max_nodes : int, optional
        Larger counts are passed over.
    threads : int, default 1

    Returns
    -------
    nodes : int
        The sum of the counts that were made.
    wrong : list of str
        All that does not agree.
    """
    if not isinstance(entry, dict):
        return 0, ["this is no JSON object"]
    wrong = []
    for key in sorted(entry.keys() - _KEYS.keys()):
        meant = get_close_matches(key.lower(), _KEYS, 1, 0.8)
        if meant:  # a note, but most likely a check that would not be made
            wrong.append(f"there is no key {json.dumps(key)}: {meant[0]} may be meant")
    said = {}
    for key, (fits, kind) in _KEYS.items():
        if key in entry and fits(entry[key]):
            said[key] = entry[key]
        elif key in entry:
            wrong.append(f"{key} is {_cut(json.dumps(entry[key]))}: it must be {kind}")
        elif key in ("game", "position"):
            wrong.append(f"{key} is missing")
    if not {"game", "position"} <= said.keys() or ("options" in entry and "options" not in said):
        return 0, wrong
    try:
        state = _start(said, folder)
    except OSError as error:
        return 0, [*wrong, file_reason(error)]
    except (ValueError, TypeError) as error:
        return 0, [*wrong, str(error)]
    if str(state) != said["position"]:
        wrong.append(f"it is written back as {state}")
    wrong += _check_state(state, said)
    wrong += _check_children(state, said.get("children", {}))
    nodes, miscounted = _check_counts(state, said.get("perft", []), max_nodes, threads)
    return nodes, wrong + miscounted


def _check_state(state: State, said: dict[str, Any]) -> Iterator[str]:
    """Compare what a state says of itself."""
    if "turn" in said:
        player = state.current_player
        turn = {-1: "chance", -4: "terminal"}.get(player, player)
        if turn != said["turn"]:
            yield f"to act is {turn}, not {said['turn']}"
    if "returns" in said:
        returns = [float(value) for value in state.returns()]
        expected = said["returns"]
        if len(returns) != len(expected) or any(
            abs(a - b) > 1e-6 for a, b in zip(returns, expected, strict=True)
        ):
            yield f"the returns are {returns}, not {_cut(json.dumps(expected))}"
    if "actions" in said:
        listed = Counter(said["actions"])
        legal = Counter(state.action_to_str(int(action)) for action in state.legal_actions())
        for what, found in (
            ("listed but not legal", listed.keys() - legal.keys()),
            ("legal but not listed", legal.keys() - listed.keys()),
            ("listed more than once", {text for text, times in listed.items() if times > 1}),
            ("legal more than once", {text for text, times in legal.items() if times > 1}),
        ):
            if found:
                shown = ", ".join(_cut(text) for text in sorted(found)[:5])
                more = f", ... ({len(found)} in all)" if len(found) > 5 else ""
                yield f"actions {what}: {shown}{more}"


def _check_children(state: State, children: dict[str, str]) -> Iterator[str]:
    """Compare the position after each action, and that undo leads back."""
    text, before = str(state), state.hash
    for action, child in children.items():
        try:
            state.apply(action)
        except ValueError as error:
            yield f"children has {_cut(json.dumps(action))}, which is not legal: {error}"
            continue
        if str(state) != child:
            yield f"{action} leads to {state}, not to {child}"
        elif state.hash != state.game.parse(child).hash:
            yield f"after {action} the hash is not that of the same position parsed"
        state.undo()
        if str(state) != text or state.hash != before:
            yield f"{action} is not undone"
            return


def _check_counts(
    state: State, counts: list[int], max_nodes: int | None, threads: int
) -> tuple[int, list[str]]:
    """Compare the counts: the sum of those that were made, and what is wrong with them."""
    from .. import perft

    nodes = found = 0
    wrong: list[str] = []
    for depth, count in enumerate(counts, 1):
        if max_nodes is not None and count > max_nodes:
            break
        if wrong and count < found:
            # What is said here gives no bound to the work any more.
            wrong.append(f"perft {depth} and deeper are not counted: {count} is less than {found}")
            break
        try:
            found = perft(state, depth, threads=threads)
        except OverflowError as error:
            wrong.append(f"perft {depth}: {error}")
            break
        if found != count:
            wrong.append(f"perft {depth} is {found}, not {count}")
        nodes += found
    return nodes, wrong


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _check_file(
    path: str, max_nodes: int | None, threads: int, progress: Progress | None
) -> dict[str, Any]:
    """The report on one file."""
    folder = os.path.dirname(os.path.abspath(path))
    failures: list[dict[str, Any]] = []
    positions = nodes = 0
    with files():
        try:
            entries = list(_entries(path))
        except (ValueError, RecursionError) as error:
            entries = [(1, Bad(f"this is no JSON: {error}"))]
    for number, entry in entries or [(1, Bad("there is nothing to check in this file"))]:
        positions += 1
        if isinstance(entry, Bad):
            wrong = [entry.what]
        else:
            counted, wrong = check_entry(entry, folder, max_nodes=max_nodes, threads=threads)
            nodes += counted
        about = {}
        if isinstance(entry, dict):
            known = ("game", "options", "position")
            about = {key: entry[key] for key in known if key in entry}
        failures += [{"entry": number, "what": what} | about for what in wrong]
        if progress is not None:
            progress(positions, len(entries))
    return {
        "file": path,
        "positions": positions,
        "wrong": len({failure["entry"] for failure in failures}),
        "nodes": nodes,
        "failures": failures,
    }


@click.command(
    epilog="""\b
Examples:
  boardrace verify tests/corpus/*.jsonl
  boardrace verify start_perft.json --max-nodes 1000000 --json

\b
An entry is a JSON object with game, options and position, and any of:
  turn      the player to act, "chance" or "terminal"
  actions   the legal actions' texts
  children  each action's text to the position after it
  perft     the counts from depth 1 on
  returns   when the game is over
Other keys are notes.
A file holds one entry a line, or a JSON array of them.
"""
)
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@click.option("--max-nodes", type=click.IntRange(min=0), help="Pass over larger counts.")
@click.option("--threads", type=click.IntRange(1, 1024), default=1, show_default=True)
@json_option
def verify(paths: tuple[str, ...], max_nodes: int | None, threads: int, as_json: bool) -> None:
    """Check files of known positions.

    Each position's text, actions, children, counts and returns are compared.

    Exit status 1 when anything does not agree.
    """
    begun = time.perf_counter()
    reports = []
    for path in paths:
        with progress_bar(os.path.basename(path)) as progress:
            reports.append(_check_file(path, max_nodes, threads, progress))
        if not as_json:
            _print_report(reports[-1])
    positions = sum(report["positions"] for report in reports)
    wrong = sum(report["wrong"] for report in reports)
    if as_json:
        seconds = time.perf_counter() - begun
        print_json({"files": reports, "positions": positions, "wrong": wrong, "seconds": seconds})
    elif len(reports) > 1:
        click.echo(f"{positions} positions in {len(reports)} files, {wrong} wrong")
    if wrong:
        raise Failed(f"{wrong} of {positions} positions do not agree")


def _print_report(report: dict[str, Any]) -> None:
    for number, failures in groupby(report["failures"], lambda failure: failure["entry"]):
        for failure in failures:
            click.echo(f"{report['file']}, entry {number}: {failure['what']}")
        if "position" in failure:
            game, options = failure.get("game", "no game"), failure.get("options", {})
            click.echo(f"    {game} {options} {failure['position']}")
    click.echo(
        f"{report['file']}: {report['positions']} positions, {report['wrong']} wrong,"
        f" {report['nodes']} positions counted"
    )
