"""Switchboard: perft through all phases, playouts, the cost of a turn, single questions.

Counts are asserted; rates are in extra_info.
"""

import pytest
from measured import count, listing, play_out, rate

import boardrace as br

#: By name: options, position, depth, nodes.
POSITIONS = {
    "second_lap": (
        {},
        "switchboard 0 roll - "
        "0.0.0,1.0.1,2.0.0,3.0.0,4.0.0,6.5.0,3.5.1,1.1.0,2.1.0,3.1.0,4.1.0,5.1.0,"
        "0.2.0,1.2.0,2.2.1,3.2.0,0.1.0,5.2.0,0.3.0,1.3.0,2.3.0,3.3.0,4.3.0,4.2.0,"
        "0.4.0,5.4.2,2.4.0,3.4.0,4.4.0,5.3.0,0.5.0,5.6.1,2.5.0,5.0.0,4.5.0,5.5.0 "
        "33N,42C .,x -",
        6,
        1023954,
    ),
    "early": (
        {},
        "switchboard 0 roll - "
        "0.0.0,1.0.0,0.3.1,3.0.0,4.0.0,5.0.0,0.1.0,1.1.0,2.1.0,3.1.0,4.1.0,5.1.0,"
        "2.0.1,1.2.0,2.2.0,3.2.0,4.2.0,5.2.0,5.6.0,1.3.0,2.3.0,3.3.0,4.3.0,5.3.0,"
        "0.4.0,1.4.0,2.4.0,3.4.0,4.4.0,5.4.0,0.5.0,1.5.0,2.5.0,3.5.0,4.5.0,5.5.0 "
        "65C,21C .,. -",
        6,
        457327,
    ),
    "spread": (
        {},
        "switchboard 1 roll - "
        "8.5.2,2.0.0,3.0.0,4.0.0,5.0.0,6.0.0,1.1.0,2.1.2,0.3.3,4.1.0,0.2.2,6.1.0,"
        "8.6.0,2.2.0,3.2.0,6.4.3,5.4.1,4.4.1,1.3.0,0.1.0,3.3.0,1.2.2,5.3.0,6.3.0,"
        "1.4.0,2.4.0,3.4.0,8.7.1,4.2.1,7.5.1,1.5.0,2.5.0,6.6.1,0.0.1,5.5.0,3.5.0 "
        "62C,63C .,. -",
        6,
        1863243,
    ),
    "corner": (
        {},
        "switchboard 0 roll - "
        "0.0.0,1.0.1,2.0.0,3.0.0,4.0.0,5.0.0,0.1.0,1.1.2,2.1.0,3.1.0,4.1.0,5.1.0,"
        "0.2.0,1.2.0,1.3.2,3.2.0,4.2.0,5.2.0,0.3.0,6.5.1,2.3.0,3.3.0,4.3.0,5.3.0,"
        "0.4.0,1.4.0,2.4.0,3.4.0,4.4.0,5.4.0,0.5.0,1.5.0,2.5.0,3.5.0,4.5.0,2.2.2 "
        "62W,31C .,. -",
        6,
        431870,
    ),
    "first_moves": (
        {},
        "switchboard 1 roll - "
        "0.0.0,1.0.0,2.0.0,3.0.0,4.0.0,5.0.0,0.1.0,1.1.0,2.1.0,3.1.0,4.1.0,5.1.0,"
        "0.2.0,1.2.0,2.2.0,3.2.0,4.2.0,5.2.0,0.3.0,1.3.0,5.6.0,3.3.0,4.3.0,2.3.1,"
        "0.4.0,1.4.0,2.4.0,3.4.0,4.4.0,5.4.0,0.5.0,1.5.0,2.5.0,3.5.0,4.5.0,5.5.0 "
        "31N,41N .,. -",
        6,
        494699,
    ),
    "move": (
        {},
        "switchboard 0 move 1+1 "
        "0.0.0,1.0.0,2.0.0,3.0.0,4.0.0,5.0.0,0.1.0,1.1.0,2.1.0,3.1.0,4.1.0,5.1.0,"
        "0.2.0,1.2.0,2.2.0,3.2.0,4.2.0,5.2.0,0.3.0,1.3.0,2.3.0,3.3.0,4.3.0,5.3.0,"
        "0.4.0,1.4.0,2.4.0,3.4.0,4.4.0,5.4.0,0.5.0,1.5.0,2.5.0,3.5.0,4.5.0,5.5.0 "
        "-,11C .,. -",
        6,
        70968,
    ),
    "bump": (
        {"players": 3},
        "switchboard 1 bump 2+6 "
        "0.1.0,1.1.0,2.1.0,3.1.0,4.1.0,5.1.0,0.2.0,1.2.0,2.2.0,3.2.0,4.2.0,5.2.0,"
        "0.3.0,1.3.0,2.3.0,3.3.0,4.3.0,0.0.0,0.4.0,1.4.0,2.4.0,3.4.0,4.4.0,5.4.0,"
        "0.5.0,1.5.0,2.5.0,3.5.0,4.5.0,5.5.0,0.6.0,5.6.0,2.6.0,3.6.0,4.6.0,5.3.0 "
        "31S,31C,* .,.,x 2",
        6,
        1506838,
    ),
    "turn": (
        {},
        "switchboard 0 turn 1+1 "
        "0.0.0,1.0.0,2.0.0,3.0.0,4.0.0,5.0.0,0.1.0,1.1.0,2.1.0,3.1.0,4.1.0,5.1.0,"
        "0.2.0,1.2.0,2.2.0,3.2.0,4.2.0,5.2.0,0.3.0,1.3.0,2.3.0,3.3.0,4.3.0,5.3.0,"
        "0.4.0,1.4.0,2.4.0,3.4.0,4.4.0,5.4.0,0.5.0,1.5.0,2.5.0,3.5.0,4.5.0,5.5.0 "
        "11C,21C .,. 21",
        6,
        190416,
    ),
    "shift": (
        {"players": 4},
        "switchboard 3 shift 1+1 "
        "0.0.0,1.0.0,2.0.0,3.0.0,4.0.0,5.0.0,0.1.0,1.1.0,2.1.0,3.1.0,4.1.0,5.1.0,"
        "0.2.0,1.2.0,2.2.0,3.2.0,4.2.0,5.2.0,0.3.0,1.3.0,2.3.0,3.3.0,4.3.0,5.3.0,"
        "0.4.0,1.4.0,2.4.0,3.4.0,4.4.0,5.4.0,0.5.0,1.5.0,2.5.0,3.5.0,4.5.0,5.5.0 "
        "51C,-,-,31C x,x,x,x -",
        5,
        102009,
    ),
    "tight_table": (
        {"players": 4, "table": 7},
        "switchboard 0 roll - "
        "0.0.0,1.0.0,2.0.0,3.0.0,4.0.0,5.0.0,0.1.1,1.1.2,2.1.1,3.1.0,4.1.0,5.1.0,"
        "0.2.0,1.2.0,2.2.1,3.2.0,4.2.0,6.5.1,0.3.0,1.3.0,2.3.0,3.3.0,4.3.0,5.3.0,"
        "0.4.0,1.4.0,2.4.0,3.4.0,4.4.1,5.4.0,0.5.0,1.5.0,2.5.0,3.5.0,4.5.0,5.5.0 "
        "63W,62E,33S,31S .,.,x,. -",
        5,
        22689,
    ),
}


@pytest.mark.parametrize("depth, nodes", [(8, 4590712), (9, 96876284), (10, 1180656393)])
def test_perft_from_the_start(benchmark, depth, nodes):
    """The last ply moves, shifts, rolls."""
    start = br.load("switchboard").new_state()
    count(benchmark, start, depth, nodes)


@pytest.mark.parametrize("position", POSITIONS)
def test_perft(benchmark, position):
    options, text, depth, nodes = POSITIONS[position]
    state = br.load("switchboard", **options).parse(text)
    count(benchmark, state, depth, nodes)


@pytest.mark.parametrize("options", [{}, {"players": 4}, {"table": 7}], ids=str)
def test_playouts(benchmark, options):
    game = br.load("switchboard", **options)
    play_out(benchmark, game, 400)


def test_turn_by_turn(benchmark):
    """From roll to roll, one state from Python: sample, apply, undo nothing."""
    state = br.load("switchboard").new_state()
    rng = br.Rng(3)
    turns = 400

    def play():
        here = state.copy()
        done = 0
        while done < turns and not here.is_terminal:
            here.sample(rng)
            done += here.is_chance
        return done

    assert benchmark(play) > 0
    rate(benchmark, "turns_per_second", turns)


def test_turns_in_a_batch(benchmark):
    batch = br.Batch(br.load("switchboard"), 1000, seed=1)

    def play():
        for _ in range(10):
            batch.step(batch.random_actions())

    benchmark(play)
    rate(benchmark, "steps_per_second", 10_000)


@pytest.mark.parametrize("question", ["legal_actions", "explain", "walks", "str", "parse"])
def test_questions(benchmark, question):
    options, text, _, _ = POSITIONS["shift"]
    state = br.load("switchboard", **options).parse(text)
    ask = {
        "legal_actions": listing(state),
        "explain": lambda: state.explain("none"),
        "walks": lambda: state.walks(9),
        "str": lambda: str(state),
        "parse": lambda: state.game.parse(text),
    }[question]
    benchmark(ask)
