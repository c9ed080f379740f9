"""boardrace playout, boardrace bench."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from ._common import (
    Seconds,
    json_option,
    load_game,
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

_POLICIES = ("uniform", "forward")


@click.command(
    epilog="""\b
Examples:
  boardrace playout traverse -n 10000
  boardrace playout sorry -n 100000 -o players=4 --threads 2 --json
  boardrace playout traverse -n 1000 --policy forward --policy uniform
"""
)
@state_options
@click.option("-n", "number", type=click.IntRange(min=1), default=1000, show_default=True)
@click.option(
    "--policy",
    type=click.Choice(_POLICIES),
    multiple=True,
    help="How actions are chosen; once for all players, or once for each.  [default: uniform]",
)
@click.option("--max-plies", type=click.IntRange(min=1), default=10_000, show_default=True)
@work_options
@json_option
def playout(
    game: str,
    option: tuple[str, ...],
    position: str | None,
    seed: int,
    number: int,
    policy: tuple[str, ...],
    max_plies: int,
    threads: int,
    dask: str | None,
    as_json: bool,
) -> None:
    """Play random games and sum up.

    With --position every game begins there; without, each draws its own set-up from the seed.
    """
    from .. import playouts

    loaded = load_game(game, option)
    begin: Any = loaded if position is None else load_state(game, option, position, seed)
    chosen: Any = policy[0] if len(policy) == 1 else list(policy) if policy else "uniform"
    with workers(dask, threads) as how, progress_bar("playing") as progress, refused():
        result = playouts(
            begin,
            number,
            seed=seed,
            policy=chosen,
            max_plies=max_plies,
            progress=progress,
            **how,
        )
    found = result.summary()
    if as_json:
        about = {
            "game": str(loaded),
            "position": position,
            "seed": result.seed,
            "policy": chosen,
            "max_plies": max_plies,
            "threads": threads,
            "dask": dask,
        }
        print_json(about | asdict(found))
        return
    rows = [
        (str(player), f"{share:.2%}", f"{low:.2%} to {high:.2%}", f"{mean:+.4f}")
        for player, (share, (low, high), mean) in enumerate(
            zip(found.wins, found.win_intervals, found.mean_returns, strict=True)
        )
    ]
    print_table(("player", "wins", "95 % interval", "mean return"), rows, right=(0, 1, 2, 3))
    click.echo(f"{found.games} games of {loaded}, seed {result.seed}")
    click.echo(f"{found.draws:.2%} drawn, {found.truncated} broken off at {max_plies} plies")
    lengths = ", ".join(f"{name} {value}" for name, value in found.length_quantiles.items())
    click.echo(f"plies a game: mean {found.length_mean:.1f}, {lengths}")
    rate = number_text(found.plies_per_second)
    click.echo(f"{found.plies} plies in {found.seconds:.3g} s: {rate} a second")


@click.command(
    epilog="""\b
Examples:
  boardrace bench
  boardrace bench traverse sorry --seconds 20
  boardrace bench --threads 2 --json > mine.json
"""
)
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option(
    "--seconds",
    type=Seconds(min=0.1),
    default=60.0,
    show_default=True,
    help="About how long all of it takes.",
)
@click.option("--threads", type=click.IntRange(1, 1024), default=1, show_default=True)
@json_option
def bench(games: tuple[str, ...], seconds: float, threads: int, as_json: bool) -> None:
    """Measure how fast this machine is.

    Perft counts from the start; playouts and batches take uniform actions; the single state is
    stepped from Python. Rates are a second.
    """
    from .. import games as names
    from .._bench import MEASURES, machine, measure

    loaded = [load_game(game, ()) for game in games or names()]
    about = machine() | {"threads": threads}
    found = []
    with progress_bar("measuring") as progress:
        done = 0

        def step(name: str) -> None:
            nonlocal done
            if progress is not None:
                progress(done, len(loaded) * len(MEASURES))
            done += 1

        for game in loaded:
            found.append(measure(game, seconds / len(loaded), threads, step))
    if as_json:
        print_json({"machine": about, "units": MEASURES, "games": found})
        return
    rows = [
        (
            one["game"],
            f"{number_text(one['perft'])} (depth {one['perft_depth']})",
            number_text(one["playouts"]),
            number_text(one["games"]),
            number_text(one["batch"]),
            number_text(one["state"]),
        )
        for one in found
    ]
    columns = ("game", "perft nodes", "playout plies", "playouts", "batch steps", "state steps")
    print_table(columns, rows, right=(1, 2, 3, 4, 5))
    click.echo(
        f"\na second, {threads} thread{'s' if threads > 1 else ''}; boardrace {about['boardrace']},"
        f" Python {about['python']}, {about['cores']} cores {about['processor']}"
    )
