"""Traverse by hand-made positions: each hop of a rule sheet, each reason, texts, options, queries.

Positions of the corpus are tested in test_corpus.py, the promises of every game in
test_conformance.py.
"""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardrace as br
from boardrace.rulebook._traverse_hops import SHAPES, row_of, square_name, square_number

ADVANCED = {"rules": "advanced"}
#: Where a spare piece stands when its start row has no room.
SPARE = (["b2", "i2"], ["b9", "i9"])


def position(own="", other="", *, turn=0, pending="-", blocks="0,0", passes=0, lacking=(0, 0)):
    """A two-player position: the pieces named, the others on their start rows where there is room.

    Player 0's spare pieces stand on rank 1, player 1's on rank 10. `lacking`: circles off board.
    """
    fields = []
    used = {piece[1:] for piece in f"{own} {other}".split()}
    for player, named in enumerate((own, other)):
        pieces = named.split()
        shapes = [piece[0] for piece in pieces]
        spare = list("SSDDTTCC")
        for shape in shapes:
            spare.remove(shape)
        for _ in range(lacking[player]):
            spare.remove("C")
        row = [square_name(s) for s in row_of("SN"[player])]
        free = [name for name in row if name not in used] + SPARE[player]
        pieces += [shape + name for shape, name in zip(spare, free, strict=False)]
        assert len(pieces) == 8 - lacking[player]
        pieces.sort(key=lambda piece: square_number(piece[1:]))
        fields.append(",".join(pieces))
    return f"traverse {turn} {fields[0]} {fields[1]} {pending} {blocks} {passes}"


def check(options, text, action, code):
    """One position, one text: explain, parse_action, apply and the list all say the same."""
    state = br.load("traverse", **options).parse(text)
    before = str(state)
    verdict = state.explain(action)
    assert verdict.code == code, f"{action} at {text}: {verdict}"
    assert verdict.message.endswith(".") and verdict.legal == (code == "legal")
    texts = {state.action_to_str(int(a)) for a in state.legal_actions()}
    if code == "legal":
        number = state.parse_action(action)
        assert state.action_to_str(number) in texts
        state.apply(action)
        assert state.history == [number]
        state.undo()
    else:
        assert action not in texts
        with pytest.raises(br.IllegalActionError) as caught:
            state.apply(action)
        assert caught.value.code == code
    assert str(state) == before
    return verdict.message


# ---------------------------------------------------------------- steps

OPEN = {  # where a lone piece on e5 steps to, player 0 going north
    "S": "d5 f5 e4 e6",
    "D": "d4 f4 d6 f6",
    "T": "d6 f6 e4",
    "C": "d5 f5 e4 e6 d4 f4 d6 f6",
}


@pytest.mark.parametrize("shape", "SDTC")
def test_steps(shape):
    around = [f + r for f in "def" for r in "456" if f + r != "e5"]
    state = br.load("traverse").parse(position(f"{shape}e5"))
    assert state.reachable("e5") == sorted(OPEN[shape].split(), key=square_number)
    for square in around:
        code = "legal" if square in OPEN[shape].split() else "direction"
        check({}, position(f"{shape}e5"), f"e5-{square}", code)


@pytest.mark.parametrize(
    "player, forward", [(0, "d6 f6 e4"), (1, "f4 f6 d5"), (2, "d4 f4 e6"), (3, "d4 d6 f5")]
)
def test_triangles_point_away_from_their_side(player, forward):
    fields = []
    for seat, side in enumerate("SWNE"):
        squares = row_of(side)
        pieces = [shape + square_name(s) for shape, s in zip("SSDDTTCC", squares, strict=True)]
        if seat == player:
            pieces[4] = "Te5"
        fields.append(",".join(sorted(pieces, key=lambda piece: square_number(piece[1:]))))
    text = f"traverse {player} {' '.join(fields)} - 0,0,0,0 0"
    state = br.load("traverse", players=4).parse(text)
    assert state.reachable("e5") == sorted(forward.split(), key=square_number)


# ---------------------------------------------------------------- hops: the rule sheet's pictures

LONG = {"long_hops": True}
HOPS = [
    # name, options, own, other, action, code
    ("over an own piece", {}, "Se4 De5", "", "e4-e6", "legal"),
    ("over another's piece", {}, "Se4", "De5", "e4-e6", "legal"),
    ("diamond diagonally", {}, "De4", "Sf5", "e4-g6", "legal"),
    ("diamond not straight on", {}, "De4", "Se5", "e4-e6", "direction"),
    ("square not diagonally", {}, "Se4", "Sf5", "e4-g6", "direction"),
    ("circle diagonally", {}, "Ce4", "Sf5", "e4-g6", "legal"),
    ("circle straight on", {}, "Ce4", "Te5", "e4-e6", "legal"),
    ("triangle forward", {}, "Te4", "Sf5", "e4-g6", "legal"),
    ("triangle straight back", {}, "Te6", "Se5", "e6-e4", "legal"),
    ("triangle not straight forward", {}, "Te4", "Se5", "e4-e6", "direction"),
    ("triangle not diagonally back", {}, "Te6", "Sd5", "e6-c4", "direction"),
    ("onto an occupied square", {}, "Se4 De5 Ce6", "", "e4-e6", "occupied"),
    ("step onto an occupied square", {}, "Se4 De5", "", "e4-e5", "occupied"),
    ("over nothing", {}, "Se4", "", "e4-e6", "nothing_hopped"),
    ("two squares like a step", {}, "Se4", "", "e4-e7", "nothing_hopped"),
    ("over two pieces", {}, "Se4 De5 Ce6", "", "e4-e7", "two_pieces"),
    ("over two pieces, long", LONG, "Se4 De5 Ce6", "", "e4-e7", "two_pieces"),
    ("knight's way", {}, "Ce4 De5", "", "e4-f6", "not_straight"),
    ("far without long hops", {}, "Se3", "De5", "e3-e7", "too_far"),
    ("far with long hops", LONG, "Se3", "De5", "e3-e7", "legal"),
    ("three away", LONG, "Sb5", "De5", "b5-h5", "legal"),
    ("far diagonally", LONG, "Dc3", "Te5", "c3-g7", "legal"),
    ("landing too near", LONG, "Se3", "De5", "e3-e6", "not_symmetric"),
    ("landing too far", LONG, "Se3", "De4", "e3-e6", "not_symmetric"),
    ("even and not symmetric", LONG, "Se3", "De6", "e3-e7", "not_symmetric"),
    ("a piece before the hopped one", LONG, "Se3 Ce4", "De5", "e3-e7", "line_blocked"),
    ("a piece behind the hopped one", LONG, "Se3 Ce6", "De5", "e3-e7", "line_blocked"),
    ("long onto an occupied square", LONG, "Se3 Ce7", "De5", "e3-e7", "occupied"),
    ("series that turns", {}, "Ce4", "De5 Df7", "e4-e6-g8", "legal"),
    ("series by its ends", {}, "Ce4", "De5 Df7", "e4-g8", "legal"),
    ("series, not all of it", {}, "Ce4", "De5 Df7", "e4-e6", "legal"),
    ("no such series", {}, "Ce4", "De5", "e4-g8", "no_series"),
    ("no such series, off the lines", {}, "Ce4", "De5", "e4-g6", "nothing_hopped"),
    ("no series at all", {}, "Ce4", "De5", "e4-c8", "no_series"),
    ("off the lines onto a piece", {}, "Ce4 Tc8", "De5", "e4-c8", "occupied"),
    ("step after a hop", {}, "Ce4", "De5", "e4-e6-e7", "step_after_hop"),
    ("hop after a step", {}, "Ce4", "De6", "e4-e5-e7", "step_after_hop"),
    ("two steps", {}, "Ce4", "", "e4-e5-e6", "step_after_hop"),
    ("second hop over nothing", {}, "Ce4", "De5", "e4-e6-e8", "nothing_hopped"),
    ("second hop over two", {}, "Ce4", "De5 Te7 Se8", "e4-e6-e9", "two_pieces"),
    ("second hop off the line", {}, "Ce4", "De5", "e4-e6-f8", "not_straight"),
    ("second hop in a wrong direction", {}, "Te4", "Df5 Dg7", "e4-g6-g8", "direction"),
    ("back to the own square", {}, "Ce4", "De5", "e4-e6-e4", "same_square"),
    ("the same square", {}, "Ce4", "", "e4-e4", "same_square"),
    ("the same square on the way", {}, "Ce4", "De5 Df7", "e4-e6-e6-g8", "same_square"),
    ("round by the own square", {}, "Ce4", "De5 Df4", "e4-e6-e4-g4", "legal"),
    ("the lifted piece is no pivot", {}, "Ce4", "Dd5 De6", "e4-c6", "legal"),
    ("over the lifted piece", {}, "Ce4", "De5 De3", "e4-e2-e4-e6", "legal"),
    # the edge
    ("along the edge", {}, "Cc4", "Db5 Db7", "c4-a6-c8", "legal"),
    ("stop on the edge", {}, "Cc4", "Db5", "c4-a6", "may_not_rest"),
    ("step onto the edge", {}, "Cb5", "", "b5-a5", "may_not_rest"),
    ("stop in a corner", {}, "Cc3 Db2", "", "c3-a1", "may_not_rest"),
    ("through a corner", {}, "Sc1 Tb2 Sb1 Dc2 Dd2 Te2 Cf2", "", "c1-a1-c1", "same_square"),
    ("into the own start row", {}, "Ce3 De2 Sb1 Sc1 Dd1 Tf1 Tg1 Ch1", "", "e3-e1", "may_not_rest"),
    (
        "step into the own start row",
        {},
        "Ce2 Sb1 Sc1 Dd1 Df1 Tg1 Th1 Ci1",
        "",
        "e2-e1",
        "may_not_rest",
    ),
    ("along the own start row", {}, "Cd1 Se1 Sb2 Dc2 Dg2 Tb3 Tc3 Cg3", "", "d1-f1", "legal"),
    ("step along it", {}, "Cd1 Sb2 Sc3 Dc2 Dg2 Tb3 Tc4 Cg3", "", "d1-e1", "legal"),
    ("into the finish row", {}, "Ce8 Se9", "Sb8", "e8-e10", "occupied"),
    ("no piece there", {}, "Ce4", "", "e5-e6", "no_piece"),
    ("another's piece", {}, "Ce4", "De5", "e5-d4", "not_yours"),
    # not an action at all
    ("pass", {}, "Ce4", "", "pass", "must_move"),
    ("put back", {}, "Ce4", "", "@d10", "must_move"),
    ("order", {}, "Ce4", "", "=SDTCCTDS", "must_move"),
    ("words", {}, "Ce4", "", "e4 to e5", "bad_text"),
    ("nothing", {}, "Ce4", "", "", "bad_text"),
    ("off the board", {}, "Ce4", "", "e4-k5", "bad_text"),
    ("rank 0", {}, "Ce4", "", "e4-e0", "bad_text"),
    ("bad order", {}, "Ce4", "", "=SSSDDTTC", "bad_text"),
    ("one square", {}, "Ce4", "", "e4", "bad_text"),
    ("a circle twice", ADVANCED, "Se4", "Ce5", "e4-e6*e5*e5", "bad_text"),
    # circles
    ("removes a circle", ADVANCED, "Se4", "Ce5", "e4-e6*e5", "legal"),
    ("removal cannot be left out", ADVANCED, "Se4", "Ce5", "e4-e6", "wrong_circles"),
    ("no circle is removed", ADVANCED, "Se4", "De5 Cg7", "e4-e6*g7", "wrong_circles"),
    ("no piece is removed", ADVANCED, "Se4", "De5", "e4-e6*e5", "wrong_circles"),
    ("own circles stay", ADVANCED, "Se4 Ce5", "", "e4-e6", "legal"),
    ("circles stay in the basic game", {}, "Se4", "Ce5", "e4-e6", "legal"),
    ("a whole way needs no circles", ADVANCED, "Se4", "Ce5", "e4-e6", "wrong_circles"),
    ("a whole way removes them", ADVANCED, "Ce4", "Ce5 Df7", "e4-e6-g8", "legal"),
    ("a whole way with its circles", ADVANCED, "Ce4", "Ce5 Df7", "e4-e6-g8*e5", "legal"),
    ("a whole way with others", ADVANCED, "Ce4", "Ce5 Df7", "e4-e6-g8*f7", "wrong_circles"),
    ("a step removes nothing", ADVANCED, "Ce4", "Ce5", "e4-d4*e5", "wrong_circles"),
    ("in another order", ADVANCED, "Ce4", "Ce5 Cf6", "e4-e6-g6*f6*e5", "legal"),
    ("hop over its empty square", ADVANCED, "Ce4", "Ce5", "e4-e6-e4-e6", "nothing_hopped"),
    ("circle on its start row", {"circles": "return"}, "Se9 Te8", "Cd9", "e9-c9*d9", "legal"),
    ("there it stays", ADVANCED, "Cd9", "Ce10 Sb7", "d9-f10", "not_straight"),
]


@pytest.mark.parametrize("hop", HOPS, ids=[f"{n}-{hop[0]}" for n, hop in enumerate(HOPS)])
def test_hops(hop):
    _, options, own, other, action, code = hop
    check(options, position(own, other), action, code)


def test_every_reason_has_a_position():
    reasons = {hop[5] for hop in HOPS}
    assert reasons >= set(
        "no_piece not_yours same_square not_straight direction occupied nothing_hopped two_pieces "
        "line_blocked not_symmetric too_far step_after_hop may_not_rest no_series wrong_circles "
        "must_move bad_text legal".split()
    )  # must_put_back, frozen and game_over are below


def test_messages_name_squares_and_the_rule():
    state = br.load("traverse", long_hops=True).parse(position("Se2", "De4"))
    message = state.explain("e2-e5").message
    assert message == (
        "e2 to e5 is not symmetric: one empty square before the piece on e4, none after it."
    )
    assert "e2-e6" in state.explain("e2-e6").message


def test_through_a_corner():
    """A corner is only passed over: with three empty squares between, c3 by a1 to a5 and on."""
    state = br.load("traverse", long_hops=True).parse(
        position("Cc3 Db2 Sb4 Sc1 Dd1 Te1 Tf1 Ch1", "Db9")
    )
    assert state.explain("c3-a1").code == "may_not_rest"
    assert state.explain("c3-a5").code == "may_not_rest"
    assert state.explain("c3-a1-a3").code == "nothing_hopped"


def test_a_series_through_a_corner():
    fields = (
        "Sb1,Td1,De1,Sf1,Tg1,Ch1,Db2,Cc3 Da2,Sa4,Cb4,Ta5,Ca6,Ta7,Da8,Sa9 "
        "Sb10,Dc10,Td10,Ce10,Cf10,Tg10,Dh10,Si10 Sj2,Dj3,Tj4,Cj5,Cj6,Tj7,Dj8,Sj9"
    )
    state = br.load("traverse", players=4).parse(f"traverse 0 {fields} - 0,0,0,0 0")
    assert state.explain("c3-a1").code == "may_not_rest"
    assert state.explain("c3-a1-a3").code == "may_not_rest"
    assert state.series("c3-c5") == ["a1", "a3", "c5"]


def test_frozen_finish():
    own = "Cb10 Sc10 Dd9"
    for options, code in (({}, "legal"), ({"finish": "frozen"}, "frozen"), (ADVANCED, "frozen")):
        text = position(own, "Sb8 Sc8 Dd8 De8 Tf8 Tg8 Ch8 Ci8")
        check(options, text, "c10-c9", code)
    # within the turn that brings it there it may hop along the row and out again
    text = position("Sb8 Sb9 Tc10 Dd9", "Sf9 Sg8 Df8 De8 Tf7 Tg7 Ch8 Ci8")
    check({"finish": "frozen"}, text, "b8-b10-d10", "legal")
    check({"finish": "frozen"}, text, "b8-b10-d10-d8", "legal")


def test_own_start_row_only_by_a_clean_way():
    # d1 over e2 to f3, over f2 to f1: it ends in its start row, but not all squares lie in it
    text = position("Cd1 De2 Df2 Sb3 Sc3 Tb4 Tc4 Cb5")
    check({}, text, "d1-f3-f1", "may_not_rest")
    check({}, text, "d1-f1", "may_not_rest")


# ---------------------------------------------------------------- circles


def test_put_backs():
    game = br.load("traverse", rules="advanced")
    state = game.parse(position("Ce4", "Ce5 Cg6 Df7"))
    state.apply("e4-e6*e5")
    assert str(state).split()[-3:] == ["1", "0,0", "0"] and state.current_player == 0
    texts = [state.action_to_str(int(a)) for a in state.legal_actions()]
    row = [f"@{square_name(s)}" for s in sorted(row_of("N"))]
    assert texts == [t for t in row if t[1:] not in str(state)]
    for text, code in [
        ("e6-e7", "must_put_back"),
        ("pass", "must_put_back"),
        ("=SDTCCTDS", "must_put_back"),
        ("@e7", "may_not_rest"),
        ("@g6", "occupied"),
        (texts[0], "legal"),
    ]:
        check(ADVANCED, str(state), text, code)
    state.apply(texts[0])
    assert state.current_player == 1


def test_removed_circles_are_told_apart_by_rank():
    game = br.load("traverse", rules="advanced")
    numbers = set()
    for circle, far in (("e5", "g8"), ("e5", "b7")):
        state = game.parse(position("Se4", f"C{circle} C{far}"))
        numbers.add(state.parse_action(f"e4-e6*{circle}"))
    assert numbers == {10_000 + 100 * 34 + 54}
    state = game.parse(position("Se4", "Ce5 Cb4"))
    assert state.parse_action("e4-e6*e5") == 20_000 + 100 * 34 + 54
    state = game.parse(position("Ce4", "Ce5 Cf6"))
    assert state.parse_action("e4-g6*e5*f6") == 30_000 + 100 * 34 + 56


def test_return_all_removes_in_the_finish_row_too():
    own = "Cd2 Sb4 Sc4 Db5 Dc5 Tb6 Tc6 Cb7"
    for options, action in (
        ({"circles": "stay"}, "d2-f2"),
        ({"circles": "return"}, "d2-f2*e2"),
        ({"circles": "return_all"}, "d2-f2*e2"),
    ):
        check(options, position(own, "Ce2"), action, "legal")
    own = "Sd1 Sb4 Cc4 Db5 Dc5 Tb6 Tc6 Cb7"
    for options, action in (
        ({"circles": "stay"}, "d1-f1"),
        ({"circles": "return"}, "d1-f1"),
        ({"circles": "return_all"}, "d1-f1*e1"),
    ):
        check(options, position(own, "Ce1"), action, "legal")


# ---------------------------------------------------------------- the end


def test_winning_by_a_move():
    own = "Sb10 Sc10 Dd10 De10 Tf10 Tg10 Ch10 Ci9"
    state = br.load("traverse").parse(position(own, "Sb3 Sc3 Dd3 De3 Tf3 Tg3 Ch3 Ci3"))
    state.apply("i9-i10")
    assert state.is_terminal and state.winners == (0,) and list(state.returns()) == [1, -1]
    assert state.turn == 1 and state.explain("b3-b2").code == "game_over"
    assert state.progress(0) == 1.0
    with pytest.raises(br.IllegalActionError) as caught:
        state.apply("b3-b2")
    assert caught.value.code == "game_over"


def test_blocking():
    own = "Cb5 Sc10 Sd10 De10 Df10 Tg10 Th10 Ci10"
    other = "Tb1 Sc2 Td2 De2 Df2 Cg2 Ch2 Sb10"
    for limit in (1, 2, 3, 0):
        state = br.load("traverse", block_limit=limit).parse(position(own, other, turn=1))
        for turn in range(1, 5):
            state.apply(["c2-c3", "c3-c2"][turn % 2 == 0])
            blocks = str(state).split()[-2]
            assert blocks == (f"{turn},0" if limit else "0,0")
            if turn == limit:
                assert state.winners == (0,) and state.turn == 0
                break
            state.apply(["b5-b6", "b6-b5"][turn % 2 == 0])
        assert state.is_terminal == bool(limit)


def test_draw_by_passes():
    text = position(
        "Sb10 Sc10 Dd10 De10 Tf10 Tg10 Ch10 Cb2", "Sb3 Sc3 Dd3 De3 Tf3 Tg3 Ch3 Ci3", passes=1
    )
    state = br.load("traverse").parse(text)
    assert state.explain("pass").code == "must_move"
    stuck = (
        "traverse 0 Sb2,Sc10,Dd10,De10,Tf10,Tg10,Ch10,Ci10 Sc2,Dd2,Sb3,Db4,Te5,Tf5,Ch5,Ci5 - 0,0 1"
    )
    state = br.load("traverse", finish="frozen").parse(stuck)
    assert [state.action_to_str(int(a)) for a in state.legal_actions()] == ["pass"]
    assert state.explain("pass").legal
    state.apply("pass")
    assert state.is_terminal and state.winners == () and list(state.returns()) == [0, 0]


# ---------------------------------------------------------------- texts


def test_refused_texts():
    good = position("Ce4")
    for game, text, field in [
        ({}, good.replace("traverse", "octiles"), "game"),
        ({}, good + " 0", "text"),
        ({}, good.replace(" - ", "  - "), "text"),
        ({}, good.replace("traverse 0", "traverse 2"), "TURN"),
        ({}, good.replace("traverse 0", "traverse 00"), "TURN"),
        ({}, good.replace("Sb1,Sc1", "Sc1,Sb1"), "PIECES"),
        ({}, good.replace("Ce4", "Ca5"), "PIECES"),
        ({}, good.replace("Sb1", "Sa1"), "PIECES"),
        ({}, good.replace("Ce4", "Cb10"), "PIECES"),
        ({}, good.replace("Ce4", "Se4"), "PIECES"),
        ({}, good.replace(",Ce4", ""), "PIECES"),
        ({}, good.replace("Ce4", "Xe4"), "PIECES"),
        ({}, good.replace("Ce4", "Ce04"), "PIECES"),
        ({}, good.replace(" - ", " 1 "), "PENDING"),
        ({"circles": "return"}, good.replace(" - ", " 0 "), "PENDING"),
        ({"circles": "return"}, good.replace(" - ", " 1 "), "PIECES"),
        ({"circles": "return"}, good.replace(",Ce4", ""), "PIECES"),
        ({"circles": "return"}, good.replace(" - ", " 111 "), "PENDING"),
        ({}, good.replace("0,0", "0"), "BLOCKS"),
        ({}, good.replace("0,0", "0,4"), "BLOCKS"),
        ({}, good.replace("0,0", "0,3"), "BLOCKS"),
        ({}, good.replace("0,0", "0,-1"), "BLOCKS"),
        ({"block_limit": 0}, good.replace("0,0", "0,1"), "BLOCKS"),
        ({}, good[:-1] + "3", "PASSES"),
        ({}, good.replace("traverse 0 ", "traverse 0 - "), "text"),
        ({"players": 3}, good, "text"),
        ({}, "traverse 0 - - - 0,0 0", "PIECES"),
        ({"setup": "choose"}, "traverse 1 - - - 0,0 0", "TURN"),
        ({"setup": "choose"}, "traverse 0 - - - 0,1 0", "BLOCKS"),
        ({"setup": "choose"}, "traverse 0 - - - 0,0 1", "PASSES"),
        ({}, "", "text"),
        ({}, "traverse\n0", "text"),
    ]:
        with pytest.raises(br.PositionError) as caught:
            br.load("traverse", **game).parse(text)
        assert caught.value.field == field, text
        assert str(caught.value).startswith(field)


@settings(max_examples=150, deadline=None)
@given(
    which=st.sampled_from(
        [({}, position("Ce4")), (ADVANCED, position("Ce4", "Cd5", pending="1", lacking=(0, 1)))]
    ),
    place=st.integers(0, 140),
    new=st.text("0123456789abcdefghijSTDC,- *", max_size=3),
    cut=st.integers(0, 4),
)
def test_mutated_texts(which, place, new, cut):
    options, text = which
    game = br.load("traverse", **options)
    text = text[:place] + new + text[place + cut :]
    try:
        state = game.parse(text)
    except br.PositionError:
        return
    assert str(state) == text
    for action in state.legal_actions()[::5]:
        copy = state.copy()
        copy.apply(int(action))
        assert game.parse(str(copy)) == copy


# ---------------------------------------------------------------- options


def test_options():
    load = br.load
    assert str(load("traverse")) == "traverse"
    advanced = "traverse(circles=return,finish=frozen,long_hops=true)"
    assert str(load("traverse", rules="advanced")) == advanced
    assert load(advanced) == load("traverse", rules="advanced")
    assert load("traverse", rules="advanced", long_hops=False).options["finish"] == "frozen"
    assert load("traverse", order=["SDTCCTDS"] * 2) == load("traverse")
    assert load("traverse", setup="random", order="TTSSCCDD") == load("traverse", setup="random")
    assert load("traverse", players=np.int64(3)).num_players == 3
    for options in (
        {"players": 5},
        {"players": True},
        {"rules": "expert"},
        {"long_hops": 1},
        {"circles": "go"},
        {"finish": "closed"},
        {"block_limit": -1},
        {"block_limit": 256},
        {"setup": "own"},
        {"order": "SDTC"},
        {"order": ["SDTCCTDS"]},
        {"color": "red"},
    ):
        with pytest.raises(ValueError):
            load("traverse", **options)
    with pytest.raises(TypeError):
        load("traverse", order=7)


def test_numbers_of_actions():
    for players, options, number in (
        (2, {}, 10_000),
        (2, {"circles": "return"}, 40_000),
        (4, ADVANCED, 640_000),
        (4, {"setup": "choose"}, 10_000),
    ):
        assert br.load("traverse", players=players, **options).num_actions == number
    state = br.load("traverse", setup="choose").new_state()
    orders = [state.action_to_str(int(a)) for a in state.legal_actions()]
    assert orders == sorted(orders) and len(set(orders)) == 2520
    # the numbers of the orders stand for no move: nothing goes 3, 5, 7 or 9 files aside
    for action in state.legal_actions():
        aside = abs(int(action) // 100 % 10 - int(action) % 10)
        assert aside in (3, 5, 7, 9)


def test_setups():
    seen = {str(br.load("traverse", setup="random").new_state(seed)) for seed in range(20)}
    assert len(seen) == 20
    state = br.load("traverse", players=3, setup="choose").new_state()
    for order in ("SDTCCTDS", "TTSSCCDD", "CDSTCDST"):
        assert state.explain("b1-b2").code in ("no_piece", "not_yours")
        state.apply("=" + order)
    assert state.current_player == 0
    assert str(state) == (
        "traverse 0 Sb1,Dc1,Td1,Ce1,Cf1,Tg1,Dh1,Si1 Da2,Da3,Ca4,Ca5,Sa6,Sa7,Ta8,Ta9 "
        "Tb10,Sc10,Dd10,Ce10,Tf10,Sg10,Dh10,Ci10 - 0,0,0 0"
    )


# ---------------------------------------------------------------- what is seen


@pytest.mark.parametrize("options", [{}, ADVANCED, {"players": 3, **ADVANCED}, {"players": 4}])
def test_observation_tells_all(options):
    """The whole position is rebuilt from what a player sees."""
    game = br.load("traverse", **options)
    n = game.num_players
    sides = {2: "SN", 3: "SWN", 4: "SWNE"}[n]
    rng = br.Rng(3)
    state = game.new_state(rng)
    for _ in range(150):
        for viewer in range(n):
            planes = state.observation(viewer)
            turned = np.rot90(planes, "SWNE".index(sides[viewer]), axes=(1, 2))
            fields = [""] * n
            for seat in range(n):
                pieces = [
                    (10 * int(rank) + int(file), shape)
                    for shape in range(4)
                    for rank, file in np.argwhere(turned[4 * seat + shape])
                ]
                items = [SHAPES[shape] + square_name(square) for square, shape in sorted(pieces)]
                fields[(viewer + seat) % n] = ",".join(items)
            rest = planes[4 * n :, 0, 0].tolist()
            assert all((plane == plane[0, 0]).all() for plane in planes[4 * n :])
            if not rest[2 * n + 1]:
                turn = (viewer + rest[:n].index(1)) % n
                blocks = [str(rest[n + (player - viewer) % n]) for player in range(n)]
                pending = "".join(str((viewer + k - 1) % n) for k in rest[2 * n + 2 :] if k)
                text = f"traverse {turn} {' '.join(fields)} {pending or '-'} "
                assert text + f"{','.join(blocks)} {rest[2 * n]}" == str(state)
        if state.is_terminal:
            break
        state.sample(rng)


def test_bitboards():
    state = br.load("traverse").new_state()
    words = state.bitboards()
    assert words.shape == (16,)
    sets = {
        (player, shape): [
            s for s in range(100) if int(words[8 * player + 2 * k + s // 64]) >> s % 64 & 1
        ]
        for player in range(2)
        for k, shape in enumerate("SDTC")
    }
    assert sets[0, "S"] == [1, 8] and sets[1, "C"] == [94, 95]


def test_progress():
    state = br.load("traverse").parse(position("Ce4 Sd9"))
    assert state.progress(0) == (3 + 8) / 72 and state.progress(1) == 0


def test_pictures():
    state = br.load("traverse", players=4, rules="advanced").new_state()
    assert all(len(line) <= 80 for line in state.render().splitlines())
    assert state.render().splitlines()[10].split() == list("abcdefghij")
    state.apply(int(state.legal_actions()[0]))
    for options in (
        {},
        {"player": 1},
        {"last": False},
        {"mark": "a3-b2"},
        {"mark": ["a3-b2", "@b1"]},
    ):
        picture = state.svg(**options)
        assert picture.startswith("<svg") and picture.endswith("</svg>")
    with pytest.raises(ValueError):
        state.svg(mark="nonsense")
    with pytest.raises(ValueError):
        state.svg(player=4)


# ---------------------------------------------------------------- queries


def walk_states(options, seeds, plies):
    game = br.load("traverse", **options)
    for seed in seeds:
        rng = br.Rng(seed)
        state = game.new_state(rng)
        while not state.is_terminal and state.num_plies < plies:
            yield state
            state.sample(rng)


@pytest.mark.parametrize(
    "options",
    [{}, {"long_hops": True}, ADVANCED, {"circles": "return_all", "players": 3}],
    ids=str,
)
def test_queries_agree_with_the_actions(options):
    """Series, ways and reachable squares, found hop by hop, are those of the compiled floods."""
    for state in itertools.islice(walk_states(options, range(2), 120), 0, None, 8):
        if state._parts()["pending"]:
            continue
        reach = {}
        for action in state.legal_actions():
            text = state.action_to_str(int(action))
            if text == "pass":
                continue
            origin, target = text.split("*")[0].split("-")
            reach.setdefault(origin, set()).add(target)
            series = state.series(int(action))
            assert series[-1] == target
            if len(series) > 1:  # one hop is written like the ends of a series
                way = "-".join([origin, *series])
                assert state.explain(way).legal and state.parse_action(way) == action
            every = state.series_all(int(action), 20)
            assert len({tuple(one) for one in every}) == len(every)
            # some circles are removed only by coming back to a square: then there is none
            assert all(len(one) >= len(series) for one in every)
            if len(set(series)) == len(series) and origin not in series and len(every) < 20:
                assert series in every
            numbers = [[square_number(name) for name in one] for one in every]
            assert numbers == sorted(numbers)
        owner = state.current_player
        for square, _ in state._parts()["pieces"][owner]:
            name = square_name(square)
            assert set(state.reachable(name)) == reach.get(name, set())
            assert state.reachable(square) == state.reachable(name)


def test_series_all():
    # a ring of four hops around e5: two ways to the far corner
    state = br.load("traverse").parse(position("Sd4", "De4 Df5 Se6 Td5"))
    assert state.series_all("d4-f6") == [["f4", "f6"], ["d6", "f6"]]
    assert state.series_all("d4-f6", 1) == [["f4", "f6"]]
    assert state.series("d4-f6") == ["f4", "f6"]
    assert state.series("d4-c4") == ["c4"]


def test_bad_queries():
    state = br.load("traverse").parse(position("Sd4"))
    with pytest.raises(ValueError):
        state.reachable("d5")
    with pytest.raises(ValueError):
        state.reachable("z9")
    with pytest.raises(ValueError):
        state.reachable(100)
    with pytest.raises(TypeError):
        state.reachable(1.5)
    with pytest.raises(br.IllegalActionError):
        state.series("d4-d6")
    with pytest.raises(br.IllegalActionError):
        state.series(5)
    with pytest.raises(TypeError):
        state.series(None)
    with pytest.raises(ValueError):
        state.series_all("d4-d5", -1)


def test_random_texts_are_explained():
    """Whatever two or three squares: a reason, or an action that is in the list."""
    numbers = random.Random(5)
    for options in ({}, ADVANCED):
        for state in itertools.islice(walk_states(options, range(1), 200), 0, None, 10):
            texts = {state.action_to_str(int(a)) for a in state.legal_actions()}
            for _ in range(60):
                squares = [
                    square_name(numbers.randrange(100)) for _ in range(numbers.choice((2, 3)))
                ]
                own = [square for square, _ in state._parts()["pieces"][state.current_player]]
                squares[0] = square_name(numbers.choice(own))
                text = "-".join(squares)
                verdict = state.explain(text)
                if len(squares) == 2:
                    assert verdict.legal == (text in texts), text
                elif verdict.legal:
                    assert state.action_to_str(state.parse_action(text)) in texts
