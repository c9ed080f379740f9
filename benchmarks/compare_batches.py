"""Random steps of a Batch beside playouts: python benchmarks/compare_batches.py [GAME] [--rounds 5]

Plies a second of batch.step(batch.random_actions()) and of br.playouts, one thread, processor
seconds, medians of alternating rounds. Plies are actions of players and outcomes of chance on both
sides; a step that begins a game anew counts for nothing, but its time does. The games of a batch
have come differently far, as in any batch that has run for a while.
"""

import argparse
import statistics
import time

import numpy as np

import boardrace as br

OPTIONS = {
    "inner_circle": [{}, {"players": 4}, {"blocked_lift": True}],
    "octiles": [{}, {"players": 4}],
    "sorry": [{}, {"players": 3}, {"players": 4}, {"players": 4, "teams": True}],
    "switchboard": [{}, {"players": 4}],
    "traverse": [
        {},
        {"players": 4},
        {"long_hops": True},
        {"circles": "return"},
        {"rules": "advanced"},
    ],
}
SIZES = (1_000, 10_000)
MOST = 300  # plies of a game


def playouts(game, n):
    """Plies and seconds."""
    begin = time.process_time()
    played = br.playouts(game, n, seed=3, max_plies=MOST)
    return int(played.lengths.sum()), time.process_time() - begin


def begun(game, n):
    """A batch whose games have come differently far."""
    batch = br.Batch(game, n, seed=5, max_plies=MOST)
    for k in range(MOST):
        batch.step(batch.random_actions())
        batch.reset(np.arange(n) % MOST == k)
    return batch


def steps(batch, calls):
    """Plies and seconds. The plies are counted on a copy, so that counting takes no time here."""
    copy, plies = batch.copy(), 0
    before = copy.num_plies
    for _ in range(calls):
        copy.step(copy.random_actions())
        after = copy.num_plies
        made = after - before
        plies += int(made[made > 0].sum())  # a game begun anew has fewer plies than before
        before = after
    begin = time.process_time()
    for _ in range(calls):
        batch.step(batch.random_actions())
    seconds = time.process_time() - begin
    assert np.array_equal(batch.num_plies, before)
    return plies, seconds


def measure(game, rounds):
    """Millions of plies a second: playouts, then by size of the batch."""
    plies, seconds = playouts(game, 2_000)
    n = max(2_000, int(2_000 * 0.25 / seconds))
    batches = {size: begun(game, size) for size in SIZES}
    calls = {size: max(20, int(20 * 0.15 / steps(batch, 20)[1])) for size, batch in batches.items()}
    found = {key: [] for key in ("playouts", *SIZES)}
    for _ in range(rounds):
        plies, seconds = playouts(game, n)
        found["playouts"].append(plies / seconds / 1e6)
        for size, batch in batches.items():
            plies, seconds = steps(batch, calls[size])
            found[size].append(plies / seconds / 1e6)
    return {key: statistics.median(rates) for key, rates in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", nargs="?")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print("| game | playouts | " + " | ".join(f"{n:,} games | ratio" for n in SIZES) + " |")
    print("| --- " * (2 + 2 * len(SIZES)) + "|")
    for name in [given.game] if given.game else br.games():
        for options in OPTIONS.get(name, [{}]):
            game = br.load(name, **options)
            rates = measure(game, given.rounds)
            cells = [f"{rates[n]:.1f} | {rates[n] / rates['playouts']:.2f}" for n in SIZES]
            print(f"| `{game}` | {rates['playouts']:.1f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
