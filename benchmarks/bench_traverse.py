"""Traverse: perft, playouts, series in crowded positions, rule queries.

pytest benchmarks/bench_traverse.py; figures are in each benchmark's extra_info.
"""

import numpy as np
import pytest
from measured import listing

import boardrace as br

POSITIONS = {
    "start": "traverse 0 Sb1,Dc1,Td1,Ce1,Cf1,Tg1,Dh1,Si1 Sb10,Dc10,Td10,Ce10,Cf10,Tg10,Dh10,Si10",
    "middle 1": "traverse 0 Sd1,Tg1,Db2,Sd2,Ce2,Dh3,Td4,Cc5 Td7,Sc8,Cd8,Db9,Tc9,Ch9,Sg10,Dh10",
    "middle 2": "traverse 0 Sc2,Sd2,Cb3,Td3,Db4,Th5,Di6,Cd7 Sc5,Te5,Dd6,Cg7,Cd8,Tf8,Dd9,Sg10",
    "middle 3": "traverse 0 Cc3,Sd3,Db4,Sd4,Te4,Dg6,Ti6,Ch7 Sf3,Sc4,Tf4,Ch4,Dc5,Te8,Db9,Cd9",
    "middle 4": "traverse 0 Sc2,Dg2,Ci3,Db4,Tg4,Sb5,Ch6,Tf9 Cc3,Sd3,Dd4,Tf4,Df5,Cc6,Se6,Te7",
    "middle 5": "traverse 0 Ch2,Sg4,Di4,Sc5,Th5,Dd6,Cc7,Tf9 Ci2,Sd3,Tf4,Ch4,Df5,Te7,Sb8,De9",
}
BASIC: dict[str, object] = {}
ADVANCED: dict[str, object] = {"rules": "advanced"}
#: By position: perft to depth 5 from the start, to depth 4 elsewhere.
COUNTS = {
    "basic": (1843800, 751251, 1146265, 1566013, 1816177, 1395055),
    "advanced": (1885800, 1106147, 6565580, 3582616, 6130972, 4713480),
}


def position(options, name):
    return br.load("traverse", **options).parse(f"{POSITIONS[name]} - 0,0 0")


def timed(benchmark, work, unit, rounds=5):
    """Run, and note how many units a second the fastest round made."""
    done = benchmark.pedantic(work, rounds=rounds, iterations=1, warmup_rounds=1)
    if benchmark.stats is not None:
        benchmark.extra_info[unit] = round(int(done) / benchmark.stats.stats.min)
    return done


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("rules", ["basic", "advanced"])
def test_perft(benchmark, rules, name):
    state = position({"rules": rules}, name)
    depth = 5 if name == "start" else 4
    count = timed(benchmark, lambda: br.perft(state, depth), "nodes a second")
    assert count == COUNTS[rules][list(POSITIONS).index(name)]


@pytest.mark.parametrize("rules", ["basic", "advanced"])
@pytest.mark.parametrize("players", [2, 4])
def test_playouts(benchmark, players, rules):
    state = br.load("traverse", players=players, rules=rules).new_state()

    def play():
        return int(br.playouts(state, 500, seed=1, max_plies=300).lengths.sum())

    assert timed(benchmark, play, "plies a second") == play()


@pytest.mark.parametrize("rules", ["basic", "advanced"])
def test_series(benchmark, rules):
    """Where every piece of the player to act can go, in the crowded positions."""
    states = [position({"rules": rules}, name) for name in POSITIONS]

    def look():
        return sum(state._count() for _ in range(1000) for state in states)

    actions = timed(benchmark, look, "actions a second")
    assert actions == 1000 * sum(len(state.legal_actions()) for state in states)


def test_series_all(benchmark):
    """All ways behind the actions of a crowded position, square by square (at most 200 each)."""
    state = position({"long_hops": True}, "middle 3")
    actions = [int(action) for action in state.legal_actions()]

    def walk():
        return sum(len(state.series_all(action, 200)) for action in actions)

    assert timed(benchmark, walk, "series a second", rounds=1) >= len(actions)


@pytest.mark.parametrize("rules", ["basic", "advanced"])
def test_step_by_step(benchmark, rules):
    """apply and legal_actions, ply by ply; choosing is not timed."""
    game = br.load("traverse", rules=rules)
    state = game.new_state()
    random = np.random.default_rng(1)
    chosen = []
    while len(chosen) < 300 and not state.is_terminal:
        chosen.append(int(random.choice(state.legal_actions())))
        state.apply(chosen[-1])

    def play():
        state = game.new_state(0)
        for action in chosen:
            state.legal_actions()
            state.apply(action)
        return state.num_plies

    assert timed(benchmark, play, "plies a second", rounds=50) == len(chosen)


@pytest.mark.parametrize("query", ["legal_actions", "explain", "reachable", "series"])
def test_queries(benchmark, query):
    state = position(ADVANCED, "middle 3")
    work = {
        "legal_actions": listing(state),
        "explain": lambda: state.explain("c3-e8"),
        "reachable": lambda: state.reachable("c3"),
        "series": lambda: state.series(int(state.legal_actions()[-1])),
    }[query]
    assert benchmark(work) is not None
