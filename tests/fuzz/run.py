"""Fuzz for a while: run.py [--seconds N] [--chance] [--seed N] [TARGET...]

With atheris (``pip install atheris``) inputs are led by coverage of boardrace's Python code;
without it they are seeds changed at random. What breaks a target is written to build/fuzz/ beside
what atheris found of use, and the exit status is 1. Move such a file into finds/TARGET/ and it is a
test.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / "build" / "fuzz"
sys.path.insert(0, str(HERE))

#: One input must not take longer: a call that does is a find.
SECONDS_EACH = 60


def seeds(target: str) -> list[Path]:
    """The committed inputs of a target."""
    return sorted((HERE / "seeds" / target).glob("*")) + sorted((HERE / "finds" / target).glob("*"))


def change(data: bytes, dice: random.Random, others: list[bytes]) -> bytes:
    """An input like this one."""
    made = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 4, 16))):
        at = dice.randrange(len(made) + 1)
        kind = dice.randrange(6)
        if kind == 0:
            del made[at : at + dice.choice((1, 2, 8))]
        elif kind == 1:
            made[at:at] = dice.randbytes(dice.choice((1, 2, 8, 40)))
        elif kind == 2 and at < len(made):
            made[at] = dice.randrange(256)
        elif kind == 3 and at < len(made):
            made[at] = dice.choice(b"0123456789abcdefghijSTDCNWEx-,. +*:>@=()[]{}\"'")
        elif kind == 4:
            other = dice.choice(others)
            begin = dice.randrange(len(other) + 1)
            made[at : at + dice.randrange(20)] = other[begin : begin + dice.randrange(40)]
        else:
            begin = dice.randrange(len(made) + 1)
            made[at:at] = made[begin : begin + dice.randrange(20)]
    return bytes(made[:20_000])


def by_chance(target: str, seconds: float, seed: int | None = None) -> int:
    """How many inputs were tried; raises what a target raises, after keeping the input."""
    from targets import TARGETS

    dice = random.Random(seed)
    known = [path.read_bytes() for path in seeds(target)] or [b""]
    end = time.monotonic() + seconds
    tried = 0
    while time.monotonic() < end:
        data = change(dice.choice(known), dice, known)
        begun = time.monotonic()
        try:
            TARGETS[target](data)
            took = time.monotonic() - begun
            assert took < SECONDS_EACH, f"this input takes {took:.0f} seconds"
        except BaseException:
            OUT.mkdir(parents=True, exist_ok=True)
            kept = OUT / f"{target}-{dice.getrandbits(32):08x}"
            kept.write_bytes(data)
            print(f"{target}: kept as {kept}", file=sys.stderr)
            raise
        tried += 1
    return tried


def by_coverage(target: str, seconds: float) -> None:
    """Let atheris run one target in this process; it does not come back."""
    import atheris

    with atheris.instrument_imports(include=["boardrace"]):
        import targets

    corpus = OUT / "corpus" / target
    corpus.mkdir(parents=True, exist_ok=True)
    for path in seeds(target):
        (corpus / path.name).write_bytes(path.read_bytes())
    arguments = [
        sys.argv[0],
        str(corpus),
        f"-max_total_time={max(1, round(seconds))}",
        f"-timeout={SECONDS_EACH}",
        f"-artifact_prefix={OUT}/{target}-",
        "-rss_limit_mb=3000",
        "-max_len=8192",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    atheris.Setup(arguments, targets.TARGETS[target], enable_python_coverage=True)
    atheris.Fuzz()


def main() -> int:
    # Not from targets.TARGETS: what atheris shall follow must not be imported before it.
    names = sorted(path.name for path in (HERE / "seeds").iterdir())
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(names))
    parser.add_argument("--seconds", type=float, default=10, help="for each target")
    parser.add_argument("--chance", action="store_true", help="without atheris")
    parser.add_argument("--seed", type=int, help="of the chances, for the same inputs again")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    chosen = given.targets or names
    if unknown := set(chosen) - set(names):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    try:
        import atheris  # noqa: F401
    except ImportError:
        given.chance = True
    if given.one and given.chance:
        try:
            print(f"{by_chance(chosen[0], given.seconds, given.seed)} inputs")
        except BaseException:
            traceback.print_exc()
            return 1
        return 0
    if given.one:
        by_coverage(chosen[0], given.seconds)
    # Each target in a process of its own: a crash ends that one only.
    bad = []
    for target in chosen:
        command = [sys.executable, __file__, "--one", f"--seconds={given.seconds}", target]
        if given.chance:
            command.append("--chance")
        if given.seed is not None:
            command.append(f"--seed={given.seed}")
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        words = done.stdout.splitlines()
        counts = [line for line in words if "executed_units" in line or line.endswith(" inputs")]
        count = counts[-1].replace("stat::number_of_executed_units:", "").strip() if counts else "?"
        verdict = "nothing found" if done.returncode == 0 else f"FAILED ({done.returncode})"
        print(f"{target}: {count.replace(' inputs', '')} inputs, {verdict}", flush=True)
        if done.returncode:
            bad.append(target)
            print("\n".join(words[-60:]), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
