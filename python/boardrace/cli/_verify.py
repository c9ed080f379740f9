"""boardrace verify: files of positions with what is known of them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ._common import Failed, Progress, files, json_option, print_json, progress_bar

if TYPE_CHECKING:
    from .._core.engine import State

#: The longest file that is read, in bytes.
_MOST = 2**31


class Wrong(Exception):
    """What does not agree."""


def _entries(path: str) -> Iterator[tuple[int, Any]]:
    """(number, entry) of a file: a JSON array, or one JSON object a line. Wrong for a bad line."""
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
                yield number, Wrong(f"this is no JSON: {error}")


def _start(entry: Any, folder: str) -> State:
    """The state that an entry is about."""
    from .. import load
    from .._registry import game_class

    if not isinstance(entry, dict):
        raise Wrong("this is no JSON object")
    for key, kind in (("game", str), ("position", str), ("options", dict)):
        if not isinstance(entry.get(key), kind) and not (key == "options" and key not in entry):
            raise Wrong(f"{key} is missing or of a wrong type")
    options = dict(entry.get("options", {}))
    for option in game_class(entry["game"]).option_list:
        value = options.get(option.name)
        # Beside paths such an option takes the content itself, as an object or as JSON text.
        if option.file and isinstance(value, str) and not value.lstrip().startswith(("{", "[")):
            options[option.name] = os.path.join(folder, value)
    state: State = load(entry["game"], **options).parse(entry["position"])
    return state


def check_entry(entry: Any, folder: str, *, max_nodes: int | None = None, threads: int = 1) -> int:
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
    int
        The sum of the counts that were checked.

    Raises
    ------
    Wrong
        For the first thing that does not agree.
    ValueError, TypeError
        For what the library refuses.
    """
    from .. import perft

    state = _start(entry, folder)
    text = entry["position"]
    if str(state) != text:
        raise Wrong(f"it is written back as {state}")
    if "turn" in entry:
        player = state.current_player
        turn = {-1: "chance", -4: "terminal"}.get(player, player)
        if turn != entry["turn"]:
            raise Wrong(f"to act is {turn}, not {entry['turn']}")
    if "returns" in entry:
        returns = [float(value) for value in state.returns()]
        expected = entry["returns"]
        if len(returns) != len(expected) or any(
            abs(a - b) > 1e-6 for a, b in zip(returns, expected, strict=True)
        ):
            raise Wrong(f"the returns are {returns}, not {expected}")
    if "actions" in entry:
        actions = [state.action_to_str(int(action)) for action in state.legal_actions()]
        missing = sorted(set(entry["actions"]) - set(actions))
        extra = sorted(set(actions) - set(entry["actions"]))
        if missing or extra or len(set(actions)) != len(actions):
            raise Wrong(
                f"of the actions {', '.join(missing[:5]) or 'none'} are missing"
                f" and {', '.join(extra[:5]) or 'none'} are too many"
            )
    before = state.hash
    for action, child in entry.get("children", {}).items():
        state.apply(action)
        if str(state) != child:
            raise Wrong(f"{action} leads to {state}, not to {child}")
        if state.hash != state.game.parse(child).hash:
            raise Wrong(f"after {action} the hash is not that of the same position parsed")
        state.undo()
        if str(state) != text or state.hash != before:
            raise Wrong(f"{action} is not undone")
    nodes = 0
    for depth, count in enumerate(entry.get("perft", ()), 1):
        if max_nodes is not None and count > max_nodes:
            break
        found = perft(state, depth, threads=threads)
        if found != count:
            raise Wrong(f"perft {depth} is {found}, not {count}")
        nodes += found
    return nodes


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
            entries = [(1, Wrong(f"this is no JSON: {error}"))]
    for number, entry in entries:
        positions += 1
        try:
            if isinstance(entry, Wrong):
                raise entry
            nodes += check_entry(entry, folder, max_nodes=max_nodes, threads=threads)
        except (Wrong, ValueError, TypeError, KeyError, AttributeError, OSError) as error:
            failure = {"entry": number, "what": f"{error}"}
            if not isinstance(error, (Wrong, ValueError)):
                failure["what"] = f"{type(error).__name__}: {error}"
            if isinstance(entry, dict):
                known = ("game", "options", "position")
                failure |= {key: entry[key] for key in known if key in entry}
            failures.append(failure)
        if progress is not None:
            progress(positions, len(entries))
    return {
        "file": path,
        "positions": positions,
        "wrong": len(failures),
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
    for failure in report["failures"]:
        click.echo(f"{report['file']}, entry {failure['entry']}: {failure['what']}")
        if "position" in failure:
            game, options = failure.get("game", "no game"), failure.get("options", {})
            click.echo(f"    {game} {options} {failure['position']}")
    click.echo(
        f"{report['file']}: {report['positions']} positions, {report['wrong']} wrong,"
        f" {report['nodes']} positions counted"
    )
