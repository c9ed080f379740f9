"""boardrace games, show, explain, play, replay: for looking, asking and playing."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ._common import (
    Failed,
    Seconds,
    Undone,
    files,
    json_option,
    load_state,
    print_json,
    print_table,
    refused,
    state_options,
)

if TYPE_CHECKING:
    from .._core.engine import State


# ---------------------------------------------------------------- games


@click.command(
    epilog="""\b
Examples:
  boardrace games
  boardrace games traverse
  boardrace games --json
"""
)
@click.argument("name", required=False)
@json_option
def games(name: str | None, as_json: bool) -> None:
    """List the games, or one game's options."""
    from .. import games as names
    from .._registry import game_class

    with refused():
        classes = [game_class(one) for one in ([name] if name is not None else names())]
    if as_json:
        print_json(
            [
                {
                    "game": one.name,
                    "summary": one.summary,
                    "options": [
                        {
                            "name": option.name,
                            "default": option.default,
                            "values": option.values,
                            "help": option.help,
                        }
                        for option in one.option_list
                    ],
                    "shorthands": list(one.shorthands()),
                }
                for one in classes
            ]
        )
        return
    if name is None:
        print_table(("game", ""), [(one.name, one.summary) for one in classes])
        click.echo("\nboardrace games NAME lists a game's options.")
        return
    import json

    one = classes[0]
    click.echo(f"{one.name}: {one.summary}\n")
    print_table(
        ("option", "default", "values", ""),
        [
            (
                option.name,
                # A printing of one's own is content of many lines; the one at hand is the game's.
                "as sold" if option.file else json.dumps(option.default),
                option.values,
                option.help,
            )
            for option in one.option_list
        ],
    )
    if one.shorthands():
        click.echo(f"\nFor several options at once: {', '.join(one.shorthands())}")


# ---------------------------------------------------------------- show, explain


@click.command(
    epilog="""\b
Examples:
  boardrace show traverse
  boardrace show octiles --seed 3 --svg board.svg
  boardrace show traverse --mark b1-b2 --png board.png --size 900
  boardrace show traverse --actions
"""
)
@state_options
@click.option("--svg", "svg_path", metavar="FILE", help="Write the picture as SVG.")
@click.option("--png", "png_path", metavar="FILE", help="Write it as PNG. Needs boardrace[svg].")
@click.option("--mark", multiple=True, metavar="ACTION", help="Mark a legal action's path.")
@click.option("--player", type=click.IntRange(min=0), help="Turn the board for a player.")
@click.option("--hidden", is_flag=True, help="Show hidden things in the pictures too.")
@click.option("--size", type=click.IntRange(16, 20_000), default=480, show_default=True)
@click.option("--actions", is_flag=True, help="List the legal actions too.")
def show(
    game: str,
    option: tuple[str, ...],
    position: str | None,
    seed: int,
    svg_path: str | None,
    png_path: str | None,
    mark: tuple[str, ...],
    player: int | None,
    hidden: bool,
    size: int,
    actions: bool,
) -> None:
    """Show a position, or save its picture."""
    state = load_state(game, option, position, seed)
    if svg_path is not None or png_path is not None:
        given: dict[str, Any] = {"size": size, "show_hidden": hidden}
        if mark:
            given["mark"] = [_legal(state, text) for text in mark]
        if player is not None:
            given["player"] = player
        with refused():
            picture = state.svg(**given)
        _write_pictures(picture, svg_path, png_path)
    elif mark or player is not None or hidden:
        raise click.UsageError("--mark, --player and --hidden are for --svg and --png")
    if svg_path is None and png_path is None:
        click.echo(state.render())
        click.echo(str(state))
    if actions:
        for action in state.legal_actions():
            click.echo(state.action_to_str(int(action)))


def _legal(state: State, text: str) -> int:
    """A marked action; some games would draw what is not legal too, here they are all alike."""
    verdict = state.explain(text)
    if not verdict:
        raise click.UsageError(f"--mark {text}: {verdict.message}")
    return state.parse_action(text)


def _write_pictures(picture: str, svg_path: str | None, png_path: str | None) -> None:
    from .._files import write_file

    with files():
        if svg_path is not None:
            write_file(svg_path, picture)
        if png_path is not None:
            try:
                # Without the cairo library itself the import is an OSError.
                from cairosvg import svg2png
            except (ImportError, OSError):
                raise click.UsageError(
                    "--png needs CairoSVG, which is not installed: pip install 'boardrace[svg]'"
                ) from None
            write_file(png_path, svg2png(bytestring=picture.encode()))


@click.command(
    epilog="""\b
Examples:
  boardrace explain traverse b1-b2
  boardrace explain traverse b1-b5 --json
"""
)
@state_options
@click.argument("text")
@json_option
def explain(
    game: str,
    option: tuple[str, ...],
    position: str | None,
    seed: int,
    text: str,
    as_json: bool,
) -> None:
    """Say why an action may or may not be played."""
    state = load_state(game, option, position, seed)
    verdict = state.explain(text)
    if as_json:
        print_json(verdict._asdict() | {"game": str(state.game), "position": str(state)})
    else:
        click.echo(verdict.message)


# ---------------------------------------------------------------- play


@click.command(
    epilog="""\b
Examples:
  boardrace play traverse
  boardrace play sorry -o players=4 --seat 2 --against forward
  boardrace play octiles --against search --playouts 500
  boardrace play traverse --seat 0 --seat 1
  boardrace play traverse --watch --against search --against uniform

\b
While you play, `help` lists what can be typed; Tab completes it.
"""
)
@state_options
@click.option(
    "--seat",
    "seats",
    type=click.IntRange(min=0),
    multiple=True,
    help="A seat for a person; player 0 where none is given. May be given again.",
)
@click.option(
    "--against",
    type=click.Choice(["uniform", "forward", "search"]),
    multiple=True,
    help="Who takes the other seats, in their order; the last one named takes all that remain."
    "  [default: search]",
)
@click.option("--watch", is_flag=True, help="No person plays.")
@click.option("--playouts", type=click.IntRange(min=1), help="Strength of the search, in playouts.")
@click.option(
    "--seconds",
    type=Seconds(min=0, min_open=True),
    help="Strength of the search, in seconds a choice.  [default: 1]",
)
@click.option("--record", "record_path", metavar="FILE", help="Go on from a record.")
@click.option("--max-plies", type=click.IntRange(min=1), default=10_000, show_default=True)
@click.option("--save", "save_path", metavar="FILE", help="Write a record at the end.")
def play(
    game: str,
    option: tuple[str, ...],
    position: str | None,
    seed: int,
    seats: tuple[int, ...],
    against: tuple[str, ...],
    watch: bool,
    playouts: int | None,
    seconds: float | None,
    record_path: str | None,
    max_plies: int,
    save_path: str | None,
) -> None:
    """Play a game in the terminal."""
    from .._files import try_file
    from ..play import Seat, Table
    from ..search import player

    state = load_state(game, option, position, seed)
    if record_path is not None:
        if position is not None:
            raise click.UsageError("--record and --position cannot go together")
        recorded = _read_record(record_path)
        if recorded.game != state.game:
            raise click.UsageError(f"the record is of {recorded.game}, not of {state.game}")
        state = recorded
    number = state.game.num_players
    if watch and seats:
        raise click.UsageError("--watch and --seat cannot go together")
    for seat in seats:
        if seat >= number:
            raise click.UsageError(f"there is no seat {seat}: they are 0 to {number - 1}")
        if seats.count(seat) > 1:
            raise click.UsageError(f"--seat {seat} is given twice")
    people = set() if watch else set(seats) or {0}
    free = number - len(people)
    if len(against) > free:
        raise click.UsageError(
            f"--against names {len(against)} players; seats left for them: {free}"
        )
    names = list(against) or ["search"]
    taken: list[Seat] = []
    others = 0
    for seat in range(number):
        if seat in people:
            taken.append(Seat("human", None))
            continue
        name = names[min(others, len(names) - 1)]
        others += 1
        # Each player draws from numbers of its own, so that they do not echo each other.
        own = (seed + (seat + 1) * 0x9E3779B97F4A7C15) % 2**64
        taken.append(Seat(name, player(name, seed=own, playouts=playouts, seconds=seconds)))
    if save_path is not None:
        with files():
            try_file(save_path)
    words: list[Callable[[], list[str]]] = []
    table = Table(state, taken, _reader(words), click.echo, seed, max_plies)
    words.append(table.words)
    try:
        table.run()
    finally:
        if save_path is not None and not table.save(save_path):
            click.echo(table.record(), nl=False)
            raise Undone(f"{save_path}: not saved; the record is on standard output")


def _reader(words: list[Callable[[], list[str]]]) -> Callable[[str], str]:
    """How lines are read: with editing and completion at a terminal, plainly from a pipe.

    What can be typed is asked of the one function in `words`, which is put there later.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        if isinstance(sys.stdin, io.TextIOWrapper):
            # Bytes that are no text are no action either, and no reason to stop.
            sys.stdin.reconfigure(errors="replace")

        def read_plainly(prompt: str) -> str:
            try:
                line = sys.stdin.readline()
            except OSError as error:
                raise Undone(f"standard input cannot be read: {error.strerror or error}") from None
            if not line:
                raise EOFError
            click.echo(f"{prompt}{line.rstrip()}")
            return line

        return read_plainly
    try:
        import readline
    except ImportError:
        return input

    def complete(text: str, number: int) -> str | None:
        try:
            found = [word for word in words[0]() if word.startswith(text)]
        except Exception:
            # readline swallows what is raised here: an empty answer is the honest one.
            return None
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    # The library that macOS has in readline's place is told in its own words.
    editline = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if editline else "tab: complete")
    return input


# ---------------------------------------------------------------- replay


@click.command(
    epilog="""\b
Examples:
  boardrace replay game.txt
  boardrace replay game.txt --from 20

\b
At a terminal Enter steps on, b back, a number goes to that ply, q or quit leaves.
In a pipe every position is printed.
"""
)
@click.argument("path", metavar="FILE")
@click.option("--from", "first", type=click.IntRange(min=0), default=0, help="The ply to begin at.")
@json_option
def replay(path: str, first: int, as_json: bool) -> None:
    """Step through a recorded game.

    Every action is checked before. Exit status 1 for a damaged record: the number of the bad
    action is named, and how far the record is good.
    """
    state = _read_record(path)
    last = len(state.history)
    if first > last:
        raise click.UsageError(f"--from {first}: the record has {last} plies")
    if as_json:
        steps = [{"ply": ply, "position": str(state._at(ply))} for ply in range(first, last + 1)]
        for step, action in zip(steps[1:], _actions(state)[first:], strict=True):
            step["action"] = action
        print_json({"game": str(state.game), "plies": last, "steps": steps})
        return
    _step_through(state, first)


def _read_record(path: str) -> State:
    from .._files import read_file
    from ..records import MOST_BYTES, replay

    with files():
        try:
            return replay(read_file(path, MOST_BYTES))
        except ValueError as error:
            raise Failed(f"{path}: {error}") from None


def _actions(state: State) -> list[str]:
    from .._pickle import texts

    return texts(state)[2]


def _step_through(state: State, first: int) -> None:
    from ..records import result_text

    actions = _actions(state)
    last = len(actions)
    asking = sys.stdin.isatty() and sys.stdout.isatty()
    ply = first
    while True:
        then = state._at(ply)
        click.echo(f"\n{ply} of {last}" + (f": {actions[ply - 1]}" if ply else ": the start"))
        click.echo(then.render())
        if ply == last:
            click.echo(f"Result: {result_text(then)}")
        if not asking:
            if ply == last:
                return
            ply += 1
            continue
        wanted = _ask_ply(ply, last)
        if wanted is None:
            return
        ply = wanted


def _ask_ply(ply: int, last: int) -> int | None:
    """The ply that a person wants to see next; None to leave."""
    while True:
        try:
            answer = input("Enter, b, a number or q: ").strip()
        except EOFError:
            return None
        if answer in ("q", "quit") or (not answer and ply == last):
            return None
        if not answer:
            return ply + 1
        if answer == "b" and ply > 0:
            return ply - 1
        if answer == "b":
            click.echo("This is the start.")
        # Longer ones are beyond every record, and Python does not read them at any length.
        elif not re.fullmatch("-?[0-9]{1,20}", answer):
            click.echo(
                f"{answer!r} is not understood: Enter goes on, b back, a number to that ply, "
                "q leaves."
            )
        elif not 0 <= int(answer) <= last:
            click.echo(f"There is no ply {answer}: they are 0 to {last}.")
        else:
            return int(answer)
