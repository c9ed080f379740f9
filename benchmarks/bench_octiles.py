"""Octiles: perft from the start and from positions in the middle, playouts, path tracing.

Counts are asserted; rates are in extra_info.
"""

import pytest
from measured import count, listing, play_out, rate

import boardrace as br
from boardrace.rulebook.octiles import EDGES, PLACE_NAMES, board

POSITIONS = {
    "start": (
        {},
        "octiles 0 K o,c,j,q,h,g,l,d,n,f,p,i,b,a,r,m,e S1,S2,S3,S4,S5 N1,N2,N3,N4,N5 0 -",
        6,
        1399216,
    ),
    "opening": (
        {},
        "octiles 0 M C2,K2,J6,N3,h,g,l,B7,D5,f,p,i,A0,E1,r,O1,Q0"
        " S4,S5,s8,s13,s15 N5,s1,s2,s6,s9 0 1",
        4,
        2447200,
    ),
    "middle": (
        {},
        "octiles 0 O H1,D2,R0,J1,M7,I2,l,A0,N4,Q1,p,B5,C3,F1,G2,K2,E4"
        " S5,s3,s5,s14,s15 N3,s1,s7,s12,S3 0 1",
        3,
        105461,
    ),
    "late": (
        {},
        "octiles 0 L N7,F3,A1,Q1,B1,g,J1,O2,R0,K2,H1,i,E3,P2,M5,C7,D2"
        " S4,s2,s14,N2,N5 N3,s3,s9,s10,S1 0 1",
        3,
        97144,
    ),
    "three": (
        {"players": 3},
        "octiles 0 E p,d,m,b,a,H3,o,n,r,g,C7,j,k,q,i,f,l"
        " S1,S2,S3,S4,S5 W1,W2,W3,W4,W5 N1,N2,N3,N4,N5 0 -",
        5,
        93548,
    ),
    "four": (
        {"players": 4, "runners": 3},
        "octiles 0 P R0,G4,L1,O2,B1,F0,I1,M0,H4,A0,E0,K3,C7,N5,Q1,J6,D6"
        " s6,N1,N2 s5,s15,E2 s9,S1,S4 s2,s7,s13 0 3",
        3,
        12033,
    ),
}


@pytest.mark.parametrize("position", POSITIONS)
def test_perft(benchmark, position):
    options, text, depth, nodes = POSITIONS[position]
    state = br.load("octiles", **options).parse(text)
    count(benchmark, state, depth, nodes)


@pytest.mark.parametrize(
    "options",
    [{}, {"runners": 3}, {"players": 3}, {"players": 4}, {"players": 4, "play_on": True}],
    ids=str,
)
def test_playouts(benchmark, options):
    game = br.load("octiles", **options)
    play_out(benchmark, game, 400)


def test_trace_every_exit(benchmark):
    """From every place through every edge that touches it, from Python."""
    state = br.load("octiles").parse(POSITIONS["late"][1])
    exits = [
        (PLACE_NAMES[place], f"o{port // 8}", EDGES[port % 8])
        for place, ports in enumerate(board().touching)
        for port in ports
    ]
    traces = benchmark(lambda: [state.trace(*one) for one in exits])
    assert len(traces) == 72
    rate(benchmark, "paths_per_second", len(exits))


def test_legal_actions(benchmark):
    state = br.load("octiles").parse(POSITIONS["late"][1])
    assert len(benchmark(listing(state))) == 37


def test_explain(benchmark):
    state = br.load("octiles").parse(POSITIONS["late"][1])
    assert benchmark(state.explain, "o8.0:s2-s3").code == "occupied"
