"""Compare with C programs that show what a processor allows, in one run.

    python benchmarks/compare_yardsticks.py FOLDER [--game NAME]... [--rounds 5] [--json FILE]
                                            [--make VARIABLE=VALUE]...

FOLDER holds a folder a game with a Makefile and a program NAME/NAME that understands

    NAME perft DEPTH POSITION [key=value ...]        prints "nodes N seconds S ..."
    NAME playouts GAMES MAX_PLIES SEED POSITION ...  prints "... plies N seconds S ..."

They are built in a copy (what is built already is taken, but with --make: that builds anew, say for
another processor, with CFLAGS="-O3 -march=x86-64-v3" and BOARDRACE_LEVEL=v3 for our side). Runs of
both sides alternate; times are processor seconds of one thread; the ratio is of medians (above 1:
boardrace is faster). Counts are compared too.
"""

import argparse
import json
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import boardrace as br
from boardrace._core.cpu import levels

#: (options, what the program is told beside them so that it counts in a like way).
SETS = {
    "traverse": [
        ({}, []),
        ({"long_hops": True}, []),
        ({"circles": "return"}, []),
        ({"rules": "advanced"}, []),
        ({"players": 4}, []),
    ],
    "octiles": [({}, []), ({"players": 4}, [])],
    "inner_circle": [({}, ["bulk=1"]), ({"players": 4}, ["bulk=1"])],
    "sorry": [({}, ["mode=direct"]), ({"players": 4}, ["mode=direct"]), ({"teams": True}, [])],
    "switchboard": [({}, ["bulk=1"]), ({"players": 4}, ["bulk=1"])],
}
#: Random plies from the start to the positions in the middle.
WALKS = (20, 40, 60, 90, 130)
MAX_PLIES = 300


def ours(call):
    """What it gives, and the processor seconds it takes (its worker thread's are in them)."""
    begin = time.process_time()
    result = call()
    return result, time.process_time() - begin


def theirs(command, word):
    """What it counted, and its seconds: some print the clock's, which a busy machine stretches,
    so never more than the processor seconds of the whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    found = dict(re.findall(r"(\w+) ([\d.]+)", run.stdout))
    return int(found[word]), min(float(found["seconds"]), spent)


def arguments(options):
    return [f"{key}={str(value).lower()}" for key, value in options.items()]


def positions(game):
    """The start, and where random play has come to."""
    yield "start", game.new_state(seed=0)
    for k, plies in enumerate(WALKS):
        seed = k
        while True:
            state, rng = game.new_state(seed=seed), br.Rng(seed)
            while state.num_plies < plies and not state.is_terminal:
                state.sample(rng)
            if not state.is_terminal and br.perft(state, 3):
                break
            seed += len(WALKS)
        yield f"after {plies}", state


def fitting_depth(state, least=0.05, most=20_000_000):
    """A depth whose count takes long enough to be timed, and the other side not for ever."""
    depth = 2
    while depth < 20:
        nodes, seconds = ours(lambda: br.perft(state, depth))  # noqa: B023
        if seconds >= least or nodes >= most:
            break
        depth += 1
    return depth


def compare(rounds, one, other):
    """Medians of alternating runs, as work a second; the work of both."""
    mine, yours = [], []
    for _ in range(rounds):
        mine.append(one())
        yours.append(other())
    rates = [
        work / max(statistics.median(seconds for _, seconds in runs), 1e-9)
        for runs, work in ((mine, mine[0][0]), (yours, yours[0][0]))
    ]
    return *rates, mine[0][0], yours[0][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--game", action="append", choices=sorted(SETS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--make", action="append", default=[], help="an argument for make")
    given = parser.parse_args()
    print(f"code paths this processor can run: {', '.join(levels())}")
    if "v4" not in levels():
        print("no AVX-512 here: a program that needs it is left out when it does not build")
    rows = []
    with tempfile.TemporaryDirectory() as place:
        for name in given.game or sorted(SETS):
            folder = shutil.copytree(given.folder / name, Path(place) / name)
            command = ["make", "-C", folder, *(["-B"] if given.make else []), *given.make, name]
            built = subprocess.run(command, capture_output=True, text=True)
            program = folder / name
            if built.returncode or not program.exists():
                print(f"{name}: cannot be built here: {built.stderr.strip().splitlines()[-1:]}")
                continue
            for options, extra in SETS[name]:
                rows += compare_set(name, options, extra, program, given.rounds)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))
    if any(not row["same"] for row in rows):
        sys.exit("counts differ")


def compare_set(name, options, extra, program, rounds):
    game = br.load(name, **options)
    rows = []

    def note(what, mine, yours, same):
        print(
            f"{game!s:60.60} {what:22} {mine / 1e6:9.1f} {yours / 1e6:9.1f} M/s"
            f"  ratio {mine / yours:6.2f}{'' if same else '  DIFFERENT COUNTS'}",
            flush=True,
        )
        row = {"game": str(game), "what": what, "ours": mine, "theirs": yours, "same": same}
        rows.append(row)

    told = [*arguments(options), *extra]
    for where, state in positions(game):
        depth = fitting_depth(state)
        command = [program, "perft", str(depth), str(state), *told]
        try:
            mine, yours, a, b = compare(
                rounds,
                lambda: ours(lambda: br.perft(state, depth)),  # noqa: B023
                lambda: theirs(command, "nodes"),  # noqa: B023
            )
        except subprocess.CalledProcessError as error:
            print(f"{game!s}: {where}: the program failed: {error.stderr.strip()[:100]}")
            continue
        note(f"perft {depth} {where}", mine, yours, a == b)
    start = game.new_state(seed=0)
    games = 100
    while ours(lambda: br.playouts(start, games, seed=1, max_plies=MAX_PLIES))[1] < 0.1:  # noqa: B023
        games *= 4

    def play():
        played, seconds = ours(lambda: br.playouts(start, games, seed=1, max_plies=MAX_PLIES))
        return int(played.lengths.sum()), seconds

    command = [program, "playouts", str(games), str(MAX_PLIES), "1", str(start)]
    mine, yours, _, _ = compare(
        rounds, play, lambda: theirs([*command, *arguments(options)], "plies")
    )
    note("playouts", mine, yours, True)
    return rows


if __name__ == "__main__":
    main()
