"""The command line: ``boardrace`` and ``python -m boardrace``.

Exit status: 0 done, 1 a check failed, 2 bad usage, 3 the work could not be done, 130 ended by
Ctrl-C, 141 the reader of the output has gone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, TextIO

import click

from . import _count, _people, _simulate, _verify
from ._common import Undone

__all__ = ["main"]


class _Unwritten(Exception):
    """Standard output does not take what is written; click has an end of its own for OSError."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output cannot be written: {error.strerror or error}")
        self.reader_left = isinstance(error, BrokenPipeError)


@contextmanager
def _output() -> Iterator[None]:
    """An OSError that nothing has dealt with by here comes from writing to standard output."""
    try:
        yield
    except OSError as error:
        raise _Unwritten(error) from None


class _Commands(click.Group):
    """The commands; also where --help and --version are written."""

    def make_context(self, *given: Any, **named: Any) -> click.Context:
        with _output():
            return super().make_context(*given, **named)

    def invoke(self, context: click.Context) -> Any:
        with _output():
            return super().invoke(context)


_EXAMPLES = """\b
Examples:
  boardrace games
  boardrace perft traverse -d 5
  boardrace playout sorry -n 10000 -o players=4
  boardrace show octiles --seed 3
  boardrace play traverse --against search
"""


@click.group(
    cls=_Commands,
    epilog=_EXAMPLES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="boardrace", message="boardrace %(version)s")
@click.pass_context
def commands(context: click.Context) -> None:
    """Race board games, simulated fast and exactly.

    boardrace COMMAND --help explains a command.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for _command in (
    _people.games,
    _count.perft,
    _count.divide,
    _simulate.playout,
    _simulate.bench,
    _people.show,
    _people.explain,
    _people.play,
    _people.replay,
    _verify.verify,
):
    commands.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process where none are given.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> main(["explain", "traverse", "b1-b2"])
    The square steps b1-b2.
    0
    """
    given = None if arguments is None else list(arguments)
    _fill_streams()
    try:
        status = commands.main(args=given, prog_name="boardrace", standalone_mode=False)
        with _output():
            sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        return 130
    except click.ClickException as error:
        _say(error)
        return error.exit_code
    except MemoryError:
        _say(Undone("there is not enough memory for this"))
        return Undone.exit_code
    except _Unwritten as error:
        _silence(sys.stdout)
        if error.reader_left:
            # The reader (head, less) has gone: nothing more to say.
            return 141
        _say(Undone(str(error)))
        return Undone.exit_code
    return status if isinstance(status, int) else 0


def _fill_streams() -> None:
    """Standard streams that can be used, or refuse with an OSError.

    Python has None for one that was closed before (``>&-``). Its number is taken by a stand-in, so
    that no file opened later gets it, and is open the wrong way, so that its use is an error.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY), "r")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    if isinstance(sys.stdout, TextIOWrapper):
        # What a file says is shown, even where the terminal has no such letters.
        sys.stdout.reconfigure(errors="backslashreplace")


def _silence(stream: TextIO) -> None:
    """Drop what the stream still holds, so that no complaint follows when the process ends."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


def _say(error: click.ClickException) -> None:
    """One line on stderr."""
    line = " ".join(error.format_message().split())
    if isinstance(error, click.UsageError) and error.ctx is not None:
        line = f"{line.rstrip('.')}. (Help: {error.ctx.command_path} --help)"
    try:
        click.echo(f"boardrace: {line}", err=True)
    except OSError:
        # The status says it too.
        _silence(sys.stderr)
