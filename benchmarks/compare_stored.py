"""Show a benchmark run beside the stored one: compare_stored.py RUN.json [STORED.json] [--store]

Machines differ and are noisy: this informs, it never fails because of a time. With --store the
run's rates are written to STORED.json (default: stored.json beside this file).
"""

import json
import sys
from pathlib import Path

RATES = ("nodes_per_second", "plies_per_second", "games_per_second")


def rates(file: Path) -> dict[str, float]:
    """The rate of each benchmark, in nodes, plies or calls a second."""
    read = json.loads(file.read_text())
    if "rates" in read:
        return {name: float(rate) for name, rate in read["rates"].items()}
    found = {}
    for bench in read["benchmarks"]:
        info = bench["extra_info"]
        given = next((float(info[key]) for key in RATES if key in info), None)
        found[bench["fullname"].split("/")[-1]] = given or 1 / bench["stats"]["median"]
    return found


def main() -> None:
    files = [Path(word) for word in sys.argv[1:] if word != "--store"]
    run = rates(files[0])
    stored_file = files[1] if len(files) > 1 else Path(__file__).with_name("stored.json")
    if "--store" in sys.argv:
        kept = {name: float(f"{rate:.4g}") for name, rate in run.items()}
        stored_file.write_text(json.dumps({"rates": kept}, indent=1) + "\n")
    stored = rates(stored_file) if stored_file.exists() else {}
    width = max(map(len, run), default=0)
    print(f"{'benchmark':{width}} {'a second':>14} {'stored':>14} {'ratio':>6}")
    for name, rate in run.items():
        before = stored.get(name)
        beside = f"{before:14,.0f} {rate / before:6.2f}" if before else f"{'-':>14} {'-':>6}"
        print(f"{name:{width}} {rate:14,.0f} {beside}")


if __name__ == "__main__":
    main()
