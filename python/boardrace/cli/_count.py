"""boardrace perft, boardrace divide."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import click

from ._common import (
    json_option,
    load_state,
    number_text,
    print_json,
    print_table,
    progress_bar,
    refused,
    state_options,
    work_options,
    workers,
)

_depth = click.option(
    "-d", "--depth", type=click.IntRange(min=0), required=True, help="How many plies deep."
)
_hash = click.option(
    "--hash-mb",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Memory for a table of positions already counted.",
)


def _timed(
    count: Callable[..., Any],
    depth: int,
    game: str,
    option: tuple[str, ...],
    position: str | None,
    seed: int,
    threads: int,
    hash_mb: int,
    dask: str | None,
) -> tuple[dict[str, Any], Any]:
    """What was counted, described for JSON, and the count."""
    state = load_state(game, option, position, seed)
    with workers(dask, threads) as how, progress_bar("counting") as progress, refused():
        begun = time.perf_counter()
        found = count(state, depth, hash_mb=hash_mb, progress=progress, **how)
        seconds = time.perf_counter() - begun
    about = {
        "game": str(state.game),
        "position": str(state),
        "depth": depth,
        "seconds": seconds,
        "threads": threads,
        "dask": dask,
        "hash_mb": hash_mb,
    }
    return about, found


@click.command(
    epilog="""\b
Examples:
  boardrace perft traverse -d 5
  boardrace perft traverse -d 6 -o players=3 -o rules=advanced --threads 2
  boardrace perft sorry -d 4 --seed 7 --json
"""
)
@state_options
@_depth
@_hash
@work_options
@json_option
def perft(as_json: bool, **given: Any) -> None:
    """Count the positions that lie DEPTH plies below one.

    Every outcome of chance counts once, whatever its probability.
    """
    from .. import perft as count

    about, total = _timed(count, **given)
    rate = total / about["seconds"] if about["seconds"] > 0 else 0.0
    if as_json:
        print_json({**about, "count": total, "nodes_per_second": rate})
    else:
        click.echo(
            f"{total} at depth {about['depth']} of {about['game']}, in {about['seconds']:.3g} s"
            f" ({number_text(rate)} a second)"
        )


@click.command(
    epilog="""\b
Examples:
  boardrace divide traverse -d 4
  boardrace divide octiles -d 2 --seed 1 --json
"""
)
@state_options
@_depth
@_hash
@work_options
@json_option
def divide(as_json: bool, **given: Any) -> None:
    """Count below each action.

    Where two programs disagree, this shows the way to the position at fault.
    """
    from .. import divide as count

    if given["depth"] < 1:
        raise click.UsageError("-d must be 1 or more: there is nothing to divide at depth 0")
    about, counts = _timed(count, **given)
    total = sum(counts.values())
    if as_json:
        print_json({**about, "counts": counts, "count": total})
    else:
        rows = [(action, str(n)) for action, n in counts.items()]
        print_table(("action", "count"), rows, right=(1,))
        click.echo(f"{len(counts)} actions, {total} in all")
