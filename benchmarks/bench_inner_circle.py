"""Inner Circle: perft from the start and from positions of each level, playouts, questions.

Counts are asserted; rates are in extra_info.
"""

import numpy as np
import pytest
from measured import count, play_out, rate

import boardrace as br

LEVEL_1 = "01,03,14,24,31,32,34,43,45 02,10,11,25,30,35,40,53,60 0 3"
PLACED = "01,02,03,14,20,45,54,61,63 00,10,25,30,36,40,50,60,62 0 0"
POSITIONS = {
    "start": ({}, "0 0 0000 - - - 0 0", 9, 17643225600),
    "all_placed": ({}, f"0 1 0000 - {PLACED}", 7, 105151625),
    "level_1": ({}, f"0 1 0000 - {LEVEL_1}", 9, 40609774),
    "level_2": ({}, "0 2 0000 - 00,02,10,11,13,62 30,31,45,50 0 6", 9, 19152499),
    "level_3": ({"turns": "3405"}, "1 3 3405 - 10,14,61,63 03,40,45 0 0", 8, 24650077),
    "level_4": ({"players": 3}, "0 4 0000 - 11,23 - 36 0 0", 11, 28656426),
    "three": (
        {"players": 3},
        "1 1 0000 - 00,01,11,14,20,23 10,22,32,42,43,45 24,36,40,44,51,63 0 4",
        10,
        53395136,
    ),
    "four": (
        {"players": 4},
        "2 1 0000 - 00,03,10,21 24,25,32,41 13,31,34,52 11,30,40,51 0 0",
        12,
        149912452,
    ),
    "lifts": ({"blocked_lift": True}, f"0 1 0000 - {LEVEL_1}", 8, 17061270),
}


@pytest.mark.parametrize("position", POSITIONS)
def test_perft(benchmark, position):
    options, text, depth, nodes = POSITIONS[position]
    state = br.load("inner_circle", **options).parse("inner_circle " + text)
    count(benchmark, state, depth, nodes)


@pytest.mark.parametrize(
    "options",
    [{}, {"players": 3}, {"players": 4}, {"blocked_lift": True}, {"turns": "random"}],
    ids=str,
)
def test_playouts(benchmark, options):
    game = br.load("inner_circle", **options)
    play_out(benchmark, game, 2000)


def test_steps(benchmark):
    """One state from Python: list, take one, apply it."""
    start = br.load("inner_circle").parse(f"inner_circle 0 1 0000 - {PLACED}")
    choices = np.random.default_rng(1).integers(0, 2**31, 200).tolist()

    def play():
        state = start.copy()
        for choice in choices:
            actions = state.legal_actions()
            if not len(actions):
                break
            state.apply(actions[choice % len(actions)])
        return state.num_plies

    rate(benchmark, "plies_per_second", benchmark(play))


def test_explain(benchmark):
    state = br.load("inner_circle").parse(f"inner_circle 0 1 0000 - {LEVEL_1}")
    assert benchmark(state.explain, "01-33").code == "not_straight"
