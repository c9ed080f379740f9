"""What the commands share: their common options, output, and errors as one line."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .._core.engine import State
    from ..game import Game

F = TypeVar("F", bound=Callable[..., Any])

#: Called with how much is done, and of how much where that is known.
Progress = Callable[[int, int | None], None]


class Failed(click.ClickException):
    """A check failed: exit status 1."""

    exit_code = 1


class Undone(click.ClickException):
    """The work could not be done, through no fault of the command line: exit status 3."""

    exit_code = 3


@contextmanager
def refused() -> Iterator[None]:
    """What the library refuses is bad usage here; a count that does not fit is not."""
    try:
        yield
    except OverflowError as error:
        raise Undone(str(error)) from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None


@contextmanager
def files() -> Iterator[None]:
    """A file that cannot be read or written is bad usage."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.UsageError(file_reason(error)) from None


def file_reason(error: OSError) -> str:
    """Which file cannot be read or written, and why."""
    name = f"{os.fspath(error.filename)}: " if error.filename is not None else ""
    return f"{name}{error.strerror or error}"


# ---------------------------------------------------------------- options that many commands have


class Seconds(click.FloatRange):
    """How long: a range that neither NaN nor infinity is in."""

    name = "seconds"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        found: float = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is no number of seconds", param, ctx)
        return found


def _together(*decorators: Callable[[Any], Any]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


game_options = _together(
    click.argument("game"),
    click.option(
        "-o",
        "--option",
        "option",
        multiple=True,
        metavar="KEY=VALUE",
        help="An option of the game, as players=3. May be given again. "
        "`boardrace games NAME` lists them.",
    ),
)

state_options = _together(
    game_options,
    click.option("--position", metavar="TEXT", help="Where to begin, in place of the start."),
    click.option(
        "--seed",
        type=click.IntRange(0, 2**64 - 1),
        default=0,
        show_default=True,
        help="Decides what set-up draws, and all other drawing.",
    ),
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

work_options = _together(
    click.option("--threads", type=click.IntRange(1, 1024), default=1, show_default=True),
    click.option(
        "--dask",
        metavar="ADDRESS",
        help="Spread the work over the Dask cluster whose scheduler is there, as "
        "tcp://host:8786; `local` starts one on this machine. Needs boardrace[dask].",
    ),
)


def load_game(text: str, options: Sequence[str]) -> Game[Any]:
    """The game of the argument GAME and the -o options."""
    from .. import load
    from ..game import read_value

    given: dict[str, Any] = {}
    with refused():
        for one in options:
            key, equals, value = one.partition("=")
            if not equals or not key.strip():
                raise ValueError(f"-o {one}: it must be KEY=VALUE")
            if key.strip() in given:
                raise ValueError(f"-o {key.strip()} is given twice")
            given[key.strip()] = read_value(value.strip())
        try:
            with files():
                return load(text, **given)
        except TypeError as error:
            raise ValueError(str(error)) from None


def load_state(text: str, options: Sequence[str], position: str | None, seed: int) -> State:
    """The state that the state_options describe."""
    game = load_game(text, options)
    with refused():
        state: State = game.new_state(seed) if position is None else game.parse(position)
    return state


# ---------------------------------------------------------------- output


def print_json(value: Any) -> None:
    """One JSON document."""
    click.echo(json.dumps(value, indent=2))


def on_terminal() -> bool:
    """Whether a person watches: then there is a bar while work goes on, and colour."""
    return sys.stdout.isatty() and sys.stderr.isatty()


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()
) -> None:
    """A table; `right` numbers the columns that are set flush right. Never cut when piped."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    screen = Console(width=None if sys.stdout.isatty() else 10_000, highlight=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(
            Text(column), justify="right" if number in right else "left", overflow="fold"
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    # Written as all else is: rich has an end of its own for a reader that has gone.
    with screen.capture() as printed:
        screen.print(table)
    click.echo(printed.get(), nl=False)


def number_text(value: float) -> str:
    """A count or a rate to three figures, in words a person says.

    >>> number_text(1843800), number_text(90_123_456.0), number_text(12.3)
    ('1.84 million', '90.1 million', '12.3')
    """
    for size, word in ((1e12, " trillion"), (1e9, " billion"), (1e6, " million")):
        if value >= size:
            short = value / size
            return f"{short:.3g}{word}" if short < 999.5 else f"{short:.0f}{word}"
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.3g}"


@contextmanager
def progress_bar(what: str, *, wanted: bool = True) -> Iterator[Progress | None]:
    """A bar on the terminal while work goes on; None when piped, and then nothing is shown."""
    if not wanted or not on_terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(what, total=None)

    def show(done: int, total: int | None) -> None:
        bar.update(task, completed=done, total=total)

    with bar:
        yield show


# ---------------------------------------------------------------- work on more than one machine


@contextmanager
def workers(dask: str | None, threads: int) -> Iterator[dict[str, Any]]:
    """The arguments `threads=` or `executor=` for the work at hand."""
    if dask is None:
        yield {"threads": threads}
        return
    if threads != 1:
        raise click.UsageError("--threads and --dask cannot go together")
    with dask_executor(dask) as executor:
        yield {"executor": executor}


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """An executor on the cluster with that scheduler, or on one started here for "local"."""
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError:
        raise click.UsageError(
            "--dask needs Dask, which is not installed: pip install 'boardrace[dask]'"
        ) from None
    import logging

    # A worker that goes away is survived: its log lines would only startle.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    cluster: Any = None
    client: Any = None
    try:
        if address == "local":
            cluster = LocalCluster(threads_per_worker=1, dashboard_address=None)
            client = Client(cluster)
        else:
            try:
                client = Client(address, timeout="10s")
            except (OSError, ValueError, TypeError) as error:
                reason = " ".join(str(error).split())
                raise click.UsageError(
                    f"no Dask scheduler answers at {address} ({reason})"
                ) from None
        yield client.get_executor()
    finally:
        for one in (client, cluster):
            if one is not None:
                one.close()
