"""perft of every game, one and two threads: from the start, and from five positions in the middle.

The positions in the middle are those of the corpus with the largest counts. Every count is
asserted; nodes a second are in extra_info.
"""

import json
from pathlib import Path

import pytest
from measured import rate

import boardrace as br

CORPUS = Path(__file__).parents[1] / "tests" / "corpus"
#: (options, depth, count) of the start; each count is confirmed by a program of its own.
STARTS = {
    "inner_circle": ({}, 9, 17643225600),
    "octiles": ({}, 7, 18352202),
    "sorry": ({}, 14, 30343966),
    "switchboard": ({}, 8, 4590712),
    "traverse": ({}, 6, 37773316),
    "traverse advanced": ({"rules": "advanced"}, 6, 39532948),
}


def middle(name):
    """Five positions with (options, text, depth, count)."""
    found = []
    for line in (CORPUS / f"{name}.jsonl").read_text().splitlines():
        entry = json.loads(line)
        files = [v for v in entry["options"].values() if isinstance(v, str) and ".json" in v]
        if entry["turn"] != "terminal" and not files:
            count = (entry["perft"][-1], len(entry["perft"]))
            found.append((*count, entry["options"], entry["position"]))
    found.sort(key=lambda one: one[:2], reverse=True)
    return [(options, text, depth, nodes) for nodes, depth, options, text in found[:5]]


MIDDLE = [
    pytest.param(file.stem, *position, id=f"{file.stem}-{k}")
    for file in sorted(CORPUS.glob("*.jsonl"))
    for k, position in enumerate(middle(file.stem))
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("start", STARTS)
def test_start(benchmark, start, threads):
    options, depth, nodes = STARTS[start]
    state = br.load(start.split()[0], **options).new_state(seed=0)
    assert benchmark(br.perft, state, depth, threads=threads) == nodes
    rate(benchmark, "nodes_per_second", nodes)


@pytest.mark.parametrize(("name", "options", "text", "depth", "nodes"), MIDDLE)
def test_middle(benchmark, name, options, text, depth, nodes):
    state = br.load(name, **options).parse(text)
    assert benchmark(br.perft, state, depth) == nodes
    rate(benchmark, "nodes_per_second", nodes)


@pytest.mark.parametrize("threads", [1, 2])
def test_long(benchmark, threads):
    """A count of about a second: what two threads gain, starting them left out."""
    state = br.load("traverse").new_state()
    assert benchmark.pedantic(br.perft, (state, 7), {"threads": threads}, rounds=3) == 819556808
    rate(benchmark, "nodes_per_second", 819556808)


@pytest.mark.parametrize("hash_mb", [0, 64])
def test_table(benchmark, hash_mb):
    """The table of known counts, where positions meet again."""
    state = br.load("traverse").new_state()
    assert benchmark(br.perft, state, 6, hash_mb=hash_mb) == 37773316
    rate(benchmark, "nodes_per_second", 37773316)


def test_divide(benchmark):
    state = br.load("traverse").new_state()
    assert sum(benchmark(br.divide, state, 6).values()) == 37773316
    rate(benchmark, "nodes_per_second", 37773316)
