"""Count the instructions that each game's module spends on fixed small work, under callgrind.

    python benchmarks/instructions.py            compare with instructions.json; 1 if one grew
    python benchmarks/instructions.py --update   write instructions.json anew

Instructions, unlike seconds, do not depend on the machine's load. The baseline code path is forced,
and the numbers hold for one compiler: with another this only reports. valgrind must be installed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from boardrace._core.cpu import compiler

STORED = Path(__file__).with_name("instructions.json")
MOST_GROWTH = 1.10

#: What is run: for each kind of work a program over every game. Loading a game, which works out its
#: tables, is in all of them: what it takes is taken off the others.
PROGRAMS = {
    "load": "import boardrace as br\nfor name in br.games(): br.load(name).new_state(seed=1)\n",
    "perft": (
        "import boardrace as br\n"
        "from boardrace._core.perft import count\n"
        "for name in br.games():\n"
        "    game = br.load(name)\n"
        "    state, rng, spent = game.new_state(seed=1), br.Rng(1), 0\n"
        "    for ply in range(40):\n"
        "        if ply % 10 == 0:\n"
        "            depth = 1\n"
        "            while depth < 6 and count(state, depth) < 3000: depth += 1\n"
        "        if state.is_terminal: break\n"
        "        state.sample(rng)\n"
    ),
    "playouts": (
        "import boardrace as br\n"
        "for name in br.games():\n"
        "    br.playouts(br.load(name), 24, seed=1, max_plies=200)\n"
    ),
    "steps": (
        "import boardrace as br\n"
        "for name in br.games():\n"
        "    state, rng = br.load(name).new_state(seed=1), br.Rng(1)\n"
        "    for ply in range(400):\n"
        "        if state.is_terminal: break\n"
        "        actions = state.legal_actions()\n"
        "        if state.is_chance: state.sample(rng)\n"
        "        else: state.apply(actions[ply * 7919 % len(actions)])\n"
    ),
    "batches": (
        "import boardrace as br\n"
        "for name in br.games():\n"
        "    batch = br.Batch(br.load(name), 100, seed=1)\n"
        "    for step in range(20): batch.step(batch.random_actions())\n"
    ),
}


def by_object(file: Path) -> Counter[str]:
    """Instructions spent in each shared object itself, by the name of its file."""
    names: dict[str, str] = {}
    spent: Counter[str] = Counter()
    current, skip = "", False
    for line in file.read_text(errors="replace").splitlines():
        if match := re.match(r"(c?ob)=\((\d+)\)(?: (.*))?", line):
            kind, number, name = match.groups()
            if name:
                names[number] = Path(name).name.split(".")[0]
            if kind == "ob":
                current = names[number]
        elif line.startswith("calls="):
            skip = True  # the next line holds what the callee spent
        elif re.match(r"[+\-*\d]\S* \d+$", line):
            if not skip:
                spent[current] += int(line.split()[1])
            skip = False
    return spent


def measure() -> dict[str, int]:
    """Instructions by kind of work and module."""
    import boardrace as br

    found = {}
    for kind, program in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "callgrind.out"
            subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "-q"]
                + [sys.executable, "-c", program],
                check=True,
                env={**os.environ, "BOARDRACE_LEVEL": "base", "PYTHONHASHSEED": "0"},
            )
            spent = by_object(out)
        for name in br.games():
            found[f"{kind} {name}"] = spent[name] - found.get(f"load {name}", 0)
    return found


def main() -> int:
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: no instructions counted")
        return 0
    found = measure()
    if "--update" in sys.argv:
        STORED.write_text(json.dumps({"compiler": compiler(), "counts": found}, indent=1) + "\n")
    stored = json.loads(STORED.read_text())
    binding = stored["compiler"] == compiler()
    grown = []
    print(f"{'instructions':24} {'now':>14} {'stored':>14} {'ratio':>6}")
    for name, now in found.items():
        before = stored["counts"].get(name)
        ratio = now / before if before else float("nan")
        print(f"{name:24} {now:14,d} {before or 0:14,d} {ratio:6.3f}")
        if before and ratio > MOST_GROWTH:
            grown.append(name)
    if not binding:
        print(f"stored for {stored['compiler']}, this is {compiler()}: only reported")
    elif grown:
        print("more than a tenth more than stored:", ", ".join(grown))
        print("if that is meant: python benchmarks/instructions.py --update, and say so")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
