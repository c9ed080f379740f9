"""Sorry!: perft from the start and from positions in the middle, playouts, single questions.

Counts are asserted; rates are in extra_info.
"""

import pytest
from measured import count, listing, play_out

import boardrace as br

FULL = "5,4,4,4,4,4,4,4,4,4,4"
POSITIONS = {
    "start": ({}, f"sorry 0 - {FULL} S,S,S,S S,S,S,S", 12, 2303883),
    "one_pawn_each": ({}, f"sorry 0 - {FULL} S,4,20,s1 S,S,13,50", 8, 2742758),
    "six_on_the_track": ({}, "sorry 1 - 2,1,0,2,1,2,1,2,2,1,2 S,6,22,47 S,12,37,55", 8, 10436426),
    "near_the_end": ({}, "sorry 0 - 1,2,1,2,2,1,1,2,2,2,1 s1,s4,H,H 29,s0,H,H", 10, 550326),
    "three": ({"players": 3}, f"sorry 1 - {FULL} S,S,9,40 S,7,21,s2 S,S,35,H", 8, 1585901),
    "four_both_slide": (
        {"players": 4, "exchange_slides": "both"},
        "sorry 2 - 3,3,2,2,1,3,3,3,3,3,3 S,S,8,33 S,S,28,s0 S,11,44,H S,S,20,H",
        8,
        1238574,
    ),
    "teams": (
        {"teams": True},
        "sorry 0 - 4,4,4,4,4,4,4,4,4,4,4 S,S,8,33 S,S,28,s0 S,11,44,H S,S,20,H",
        6,
        543552,
    ),
}


@pytest.mark.parametrize("position", POSITIONS)
def test_perft(benchmark, position):
    options, text, depth, nodes = POSITIONS[position]
    state = br.load("sorry", **options).parse(text)
    count(benchmark, state, depth, nodes)


@pytest.mark.parametrize(
    "options",
    [{}, {"exchange_slides": "both"}, {"players": 3}, {"players": 4}, {"teams": True}],
    ids=str,
)
def test_playouts(benchmark, options):
    game = br.load("sorry", **options)
    games = 200 if options.get("teams") else 2000
    play_out(benchmark, game, games)


def test_sevens(benchmark):
    """The legal splits of a 7 with all pawns out, from Python."""
    text = "sorry 1 7 2,1,0,2,1,2,1,2,2,1,2 S,6,22,47 10,12,37,55"
    state = br.load("sorry").parse(text)
    assert len(benchmark(listing(state))) == 35


def test_explain(benchmark):
    state = br.load("sorry").parse("sorry 0 7 5,4,4,4,4,3,4,4,4,4,4 S,S,21,26 S,S,S,S")
    assert benchmark(state.explain, "R21+3,R26+4").code == "rest_of_seven"
