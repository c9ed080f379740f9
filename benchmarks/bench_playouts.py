"""Playouts of every game, from the start to the end or 300 plies; plies a second in extra_info.

That the plies are the same in each round, and for one and two threads, is asserted.
"""

from functools import cache

import pytest

import boardrace as br

GAMES = 500
SETS = {
    "inner_circle": {},
    "octiles": {},
    "sorry": {},
    "sorry teams": {"teams": True},
    "switchboard": {},
    "traverse": {},
    "traverse advanced": {"rules": "advanced"},
    "traverse four": {"players": 4},
}


@cache
def plies(name, policy):
    """What the games come to, played in another way than the one that is timed."""
    game = br.load(name.split()[0], **SETS[name])
    played = [
        br.playouts(game, 100, seed=1, policy=policy, max_plies=300),
        br.playouts(game, GAMES, seed=1, policy=policy, max_plies=300, threads=3),
    ]
    assert (played[0].lengths == played[1].lengths[:100]).all()
    return int(played[1].lengths.sum())


@pytest.mark.parametrize(("policy", "threads"), [("uniform", 1), ("uniform", 2), ("forward", 1)])
@pytest.mark.parametrize("name", SETS)
def test_playouts(benchmark, name, policy, threads):
    game = br.load(name.split()[0], **SETS[name])
    given = {"seed": 1, "policy": policy, "max_plies": 300, "threads": threads}
    played = benchmark(br.playouts, game, GAMES, **given)
    assert played.lengths.sum() == plies(name, policy)
    if benchmark.stats:
        rate = int(played.lengths.sum()) / benchmark.stats["median"]
        benchmark.extra_info["plies_per_second"] = rate
