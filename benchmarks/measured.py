"""What the benchmarks share: a rate in extra_info, and the two things that every game does."""

import boardrace as br


def rate(benchmark, name, work):
    """Note the work a second, by the median (there are no times with --benchmark-disable)."""
    if benchmark.stats:
        benchmark.extra_info[name] = work / benchmark.stats["median"]


def count(benchmark, state, depth, nodes):
    """Time perft of a position whose count is known."""
    assert benchmark(br.perft, state, depth) == nodes
    rate(benchmark, "nodes_per_second", nodes)


def play_out(benchmark, game, games):
    """Time playouts that all come to an end."""
    played = benchmark(br.playouts, game, games, seed=1)
    assert not played.truncated.any()
    rate(benchmark, "plies_per_second", int(played.lengths.sum()))


def listing(state):
    """A call that lists the actions anew: a state would keep its list."""
    return lambda: state.copy().legal_actions()
