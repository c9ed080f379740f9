"""The command line: ``boardrace`` and ``python -m boardrace``.

Exit status: 0 done, 1 a check failed, 2 bad usage, 130 ended by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from . import _count, _people, _simulate, _verify

__all__ = ["main"]

_EXAMPLES = """\b
Examples:
  boardrace games
  boardrace perft traverse -d 5
  boardrace playout sorry -n 10000 -o players=4
  boardrace show octiles --seed 3
  boardrace play traverse --against search
"""


@click.group(
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
    try:
        status = commands.main(args=given, prog_name="boardrace", standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        return 130
    except click.ClickException as error:
        _say(error)
        return error.exit_code
    except BrokenPipeError:
        # The reader (head, less) has gone: nothing more to say, and no complaint at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status if isinstance(status, int) else 0


def _say(error: click.ClickException) -> None:
    """One line on stderr."""
    line = " ".join(error.format_message().split())
    if isinstance(error, click.UsageError) and error.ctx is not None:
        line = f"{line.rstrip('.')}. (Help: {error.ctx.command_path} --help)"
    click.echo(f"boardrace: {line}", err=True)
