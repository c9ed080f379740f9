"""Inner Circle: the rules one by one, boards of other printings, reasons, texts, pictures.

The positions of tests/corpus/inner_circle.jsonl are checked by test_corpus.py.
"""

from __future__ import annotations

import copy
import itertools
import json
import pickle
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardrace as br
from boardrace.rulebook.inner_circle import (
    AXIAL,
    CENTRE,
    NUMBER,
    RIM,
    SPACES,
    InnerCircleGame,
    as_rows,
    ends_from,
    turned,
)

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parent / "corpus" / "inner_circle.jsonl").read_text().splitlines()
]
USUAL = json.loads((files("boardrace") / "boards" / "inner_circle.json").read_text("utf-8"))


def state(text, **options):
    options.setdefault("players", len(text.split()) - 7)
    return br.load("inner_circle", **options).parse("inner_circle " + text.partition(" ")[2])


def at(text, **options):
    """The state of a position's text without the game's name."""
    return state("inner_circle " + text, **options)


def texts(position):
    return [position.action_to_str(int(action)) for action in position.legal_actions()]


def after(position, *actions):
    position = position.copy()
    for action in actions:
        position.apply(action)
    return str(position).removeprefix("inner_circle ")


# ---------------------------------------------------------------- placing


@pytest.mark.parametrize("players", [2, 3, 4])
def test_start(players):
    start = br.load("inner_circle", players=players).new_state()
    assert str(start) == f"inner_circle 0 0 0000 -{' -' * players} 0 0"
    assert [br.perft(start, depth) for depth in range(1, 6)] == [18, 306, 4896, 73440, 1028160]
    assert texts(start) == ["@" + SPACES[space] for space in sorted(RIM)]


@pytest.mark.parametrize("players, pawns", [(2, 9), (3, 6), (4, 4)])
def test_placing_ends_with_player_0_to_move(players, pawns):
    position = br.load("inner_circle", players=players).new_state()
    for k in range(players * pawns):
        assert position.level == 0 and position.current_player == k % players
        position.apply(texts(position)[0])
    assert position.level == 1 and position.current_player == 0
    assert [own.bit_count() for own in position.pawn_sets()] == [pawns] * players
    assert str(position).endswith(" 0 0")


# ---------------------------------------------------------------- moves


def test_a_move_goes_over_everything_as_far_as_the_dots_say():
    # 00 has 2 dots: over the pawn on 01 and over the hole 11; 02 is taken
    assert texts(at("0 1 0000 - 00 01,02 0 0")) == ["00-20", "00-22"]


def test_a_pawn_in_a_hole_stays():
    position = at("0 1 0000 - 11,63 00 0 0")
    assert {text[:2] for text in texts(position)} == {"63"}
    assert position.explain("11-12").code == "in_hole"


def test_the_inner_circle_sends_the_pawn_on():
    position = at("0 1 0000 - 13,63 00 0 7")
    position.apply("13-33")
    assert str(position) == "inner_circle 0 1 0000 33 33,63 00 0 8"
    assert position.current_player == 0
    reached = [text.removeprefix("33-") for text in texts(position)]
    assert len(reached) == 16 and "13" in reached  # 18 spaces, less the two pawns there
    assert after(position, "33-13") == "1 1 0000 - 13,63 00 0 9"
    assert after(position, "33-34") == "1 1 0000 - 34,63 00 0 0"  # a hole


def test_the_limit_waits_for_the_end_of_the_turn():
    position = at("0 1 0000 - 13,63 00 0 11", stall_limit=12)
    position.apply("13-33")
    assert not position.is_terminal and str(position).endswith(" 0 12")
    beyond = position.copy()
    beyond.apply("33-22")
    assert beyond.is_terminal and str(beyond).endswith(" 0 13") and beyond.winners == ()
    assert list(beyond.returns()) == [0, 0]
    position.apply("33-34")  # a hole filled: the count begins again
    assert not position.is_terminal and str(position).endswith(" 0 0")


def test_no_limit_counts_nothing():
    position = at("0 1 0000 - 13,63 00 0 0", stall_limit=0)
    position.apply("63-60")
    assert str(position).endswith(" 0 0")


# ---------------------------------------------------------------- passes and lifts


def test_passing_is_the_only_action_of_who_cannot_move():
    position = at("0 4 0000 - 13 00,51 0 0")
    assert texts(position) == ["pass"]
    assert after(position, "pass") == "1 4 0000 - 13 00,51 1 1"
    assert after(position, "pass", "00-30") == "0 4 0000 - 13 30,51 0 2"


def test_all_passing_is_a_draw():
    position = at("0 4 0000 - 13 51 0 0")
    position.apply("pass")
    assert not position.is_terminal
    position.apply("pass")
    assert position.is_terminal and str(position) == "inner_circle 0 4 0000 - 13 51 2 2"
    assert list(position.returns()) == [0, 0] and position.winners == ()


def test_lifts():
    position = at("0 4 0000 - 12,13 51 0 2", blocked_lift=True)
    assert texts(position) == ["12-50", "12-54", "lift13"]
    # a lift by a player who could have moved is no pass
    assert after(position, "lift13") == "1 4 0000 - 12,13 51 0 3"
    assert after(at("0 4 0000 - 12,13 51 1 2", blocked_lift=True), "lift13").endswith(" 0 3")
    # one by a player who could not, is
    stuck = at("0 4 0000 - 13 51 0 2", blocked_lift=True)
    assert texts(stuck) == ["lift13"]
    assert after(stuck, "lift13", "lift51") == "0 4 0000 - 13 51 2 4"
    stuck.apply("lift13")
    stuck.apply("lift51")
    assert stuck.is_terminal and stuck.winners == ()


def test_with_lifts_passing_is_left_to_who_has_no_pawn_outside_holes():
    in_holes = at("0 1 0000 - 11,23 00 0 0", blocked_lift=True)
    assert texts(in_holes) == ["pass"]


def test_a_second_move_cannot_be_lifted():
    position = at("0 1 0000 33 33 00 0 1", blocked_lift=True)
    assert all(text.startswith("33-") for text in texts(position))
    assert position.explain("lift33").code == "must_move_again"


# ---------------------------------------------------------------- the end of a level, the end


def test_the_last_hole_lifts_the_board():
    position = at("0 3 0000 - 12,21 00,24 53 0 5")
    assert position.open_holes() == ("44",)
    # on the next level only the pawns from the holes are left, and player 2 is out
    assert after(position, "12-44") == "1 4 0000 - 21,44 24 - 0 0"


def test_players_who_are_out_are_left_out():
    position = at("1 4 0000 - - 00 - 01 0 0")
    assert after(position, texts(position)[0]).startswith("3 4")
    position = at("3 4 0000 - - 00 - 01 0 0")
    assert after(position, texts(position)[0]).startswith("1 4")


def test_the_only_player_left_wins():
    position = at("0 3 0000 - 12,21,24 00 0 5")
    position.apply("12-44")
    assert str(position) == "inner_circle 0 4 0000 - 21,24,44 - 0 0"
    assert position.is_terminal and position.winners == (0,) and list(position.returns()) == [1, -1]
    assert not len(position.legal_actions())


def test_the_hole_of_level_4_wins():
    start = next(name for name in SPACES if name in at("0 4 0000 - 00 01 0 0").sources("33"))
    position = at(f"0 4 0000 - {start} 13 51 0 5")
    position.apply(f"{start}-33")
    assert str(position) == "inner_circle 1 4 0000 - 33 13 51 0 0"
    assert position.is_terminal and position.winners == (0,)
    assert list(position.returns()) == [1, -0.5, -0.5]
    assert [position.progress(player) for player in range(3)] == [1.0, 30 / 31, 30 / 31]


def test_progress():
    position = at("0 2 0000 - 02,10 00,20 - 0 0")
    assert [position.progress(p) for p in range(3)] == [12 / 31, 10 / 31, 0]
    assert br.load("inner_circle").new_state().progress(0) == 0


# ---------------------------------------------------------------- the boards


def test_the_usual_boards():
    game = br.load("inner_circle")
    assert [game.board(level).count("H") for level in (1, 2, 3, 4)] == [10, 7, 3, 1]
    for level in (1, 2, 3):
        assert game.board(level)[CENTRE] == "C"
    assert game.board(4)[CENTRE] == "H"
    assert len(RIM) == 18
    assert as_rows(game.board(2)) == tuple(USUAL["levels"][1]["rows"])


def test_no_turn_puts_a_hole_or_the_inner_circle_under_a_hole():
    game = br.load("inner_circle")
    for level in (1, 2, 3):
        for above, below in itertools.product(range(6), repeat=2):
            pairs = zip(game.board(level, above), game.board(level + 1, below), strict=True)
            assert not any(over == "H" and under in "HC" for over, under in pairs)


def test_boards_turn_clockwise():
    game = br.load("inner_circle")
    board = game.board(1)
    for (q, z), letter in zip(AXIAL, board, strict=True):
        assert game.board(1, 1)[AXIAL.index((-z, q + z))] == letter
    assert turned(board, 6) == board
    # what is in the top left corner comes to the top right
    assert game.board(1, 1)[NUMBER["03"]] == board[NUMBER["00"]]


def test_the_hole_63_of_level_2_is_reached_by_a_second_move_only():
    assert at("0 2 0000 - 00 01 0 0").sources("63") == ("33",)


def test_each_hole_of_level_3_is_reached_from_one_space():
    position = at("0 3 0000 - 00 01 0 0")
    for hole in ("21", "24", "44"):
        assert len(position.sources(hole)) == 1, hole


def test_13_and_51_of_level_4_reach_only_each_other():
    position = at("0 4 0000 - 00 01 0 0")
    assert position.targets("13") == ("51",) and position.targets("51") == ("13",)
    assert position.reach("13", 9) == {"51": 1}


def test_a_second_move_is_always_there():
    """18 spaces around, and no more than 17 other pawns."""
    lengths = [len(ends_from(br.load("inner_circle").board(1), CENTRE))]
    assert lengths == [18] and max(2 * 9, 3 * 6, 4 * 4) <= 18


@pytest.mark.parametrize("turns", ["0000", "1234", "5151"])
def test_moves_on_turned_boards_are_turned_moves(turns):
    """A position turned with its boards has the turned moves."""
    plain, other = br.load("inner_circle"), br.load("inner_circle", turns=turns)
    for level in (1, 2, 3, 4):
        k = int(turns[level - 1])
        for start in range(37):
            where = turned_space(start, k)
            ends = {turned_space(end, k) for end in ends_from(plain.board(level), start)}
            assert ends == set(ends_from(other.board(level, k), where))


def turned_space(space, sixths):
    q, z = AXIAL[space]
    for _ in range(sixths):
        q, z = -z, q + z
    return AXIAL.index((q, z))


def test_turns_by_the_seed():
    game = br.load("inner_circle", turns="random")
    seen = {str(game.new_state(seed)).split()[3] for seed in range(200)}
    assert len(seen) > 150 and all(set(one) <= set("012345") for one in seen)
    assert str(game.new_state(7)) == str(game.new_state(7))
    for one in list(seen)[:5]:
        assert str(game.parse(f"inner_circle 0 0 {one} - - - 0 0")).split()[3] == one


def test_turns_of_boards_that_lie_below_are_dealt_anew():
    game = br.load("inner_circle", turns="random")
    assert game._rules.has_hidden and not br.load("inner_circle")._rules.has_hidden
    position = game.parse("inner_circle 0 2 1234 - 00 01 0 0")
    dealt = {str(position.determinize(seed)).split()[3] for seed in range(100)}
    assert {one[:2] for one in dealt} == {"12"} and len(dealt) > 25
    assert position.determinize(3) == position.determinize(3)
    assert {str(game.parse("inner_circle 0 4 1234 - 00 01 0 0").determinize(5)).split()[3]} == {
        "1234"
    }


# ---------------------------------------------------------------- options, other boards


def test_options():
    assert str(br.load("inner_circle")) == "inner_circle"
    game = br.load("inner_circle", players=4, turns="0425", blocked_lift=True, stall_limit=12)
    assert str(game) == 'inner_circle(blocked_lift=true,players=4,stall_limit=12,turns="0425")'
    assert br.load(str(game)) == game
    assert br.load("inner_circle(turns=4343)") == br.load("inner_circle", turns="4343")
    assert br.load("inner_circle(turns=0425)") == br.load("inner_circle", turns="0425")
    bad_turns = [{"turns": turns} for turns in ("0006", "000", 42, None, "")]
    others = [{"blocked_lift": 1}, {"stall_limit": -1}, {"hide_covered": "no"}, {"size": 4}]
    for bad in ({"players": 5}, *bad_turns, *others):
        with pytest.raises(ValueError):
            br.load("inner_circle", **bad)


def other_boards(**changes):
    """The usual boards with other dots on space 00 of level 1."""
    boards = copy.deepcopy(USUAL)
    boards["levels"][0]["rows"][0] = "3321"
    boards.update(changes)
    return boards


def test_boards_from_a_file_a_mapping_or_text(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(other_boards()))
    games = [
        br.load("inner_circle", boards=other_boards()),
        br.load("inner_circle", boards=str(path)),
        br.load("inner_circle", boards=path),
        br.load("inner_circle", boards=path.read_text()),
        br.load(f"inner_circle(boards={path})"),
    ]
    text = str(games[0])
    path.unlink()  # read once: the game's text holds the content
    games += [br.load(text), pickle.loads(pickle.dumps(games[1])), copy.deepcopy(games[2])]
    assert len({*games}) == 1 and {str(game) for game in games} == {text}
    assert games[0] != br.load("inner_circle")
    position = games[0].parse("inner_circle 0 1 0000 - 00 01 0 0")
    assert texts(position) == ["00-03", "00-30", "00-33"]  # 3 dots
    assert pickle.loads(pickle.dumps(position)) == position


def test_the_usual_boards_given_are_no_other_game():
    assert br.load("inner_circle", boards=USUAL) == br.load("inner_circle")
    assert br.load("inner_circle", boards=USUAL).options["boards"] is None
    shuffled = {**USUAL, "levels": USUAL["levels"][::-1]}
    assert br.load("inner_circle", boards=shuffled) == br.load("inner_circle")


def test_boards_of_a_game_cannot_be_changed():
    boards = br.load("inner_circle", boards=other_boards()).options["boards"]
    for change in (
        lambda: boards.update(levels=[]),
        lambda: boards.__setitem__("levels", []),
        lambda: boards["pawns"].pop("2"),
        lambda: boards["levels"][0].clear(),
    ):
        with pytest.raises(TypeError):
            change()
    assert pickle.loads(pickle.dumps(boards)) == boards


def test_own_numbers_of_pawns():
    game = br.load("inner_circle", boards=other_boards(pawns={2: 5, "3": 3, "4": 2}))
    assert game.pawns_each == 5
    position = game.new_state()
    for _ in range(10):
        position.apply(texts(position)[0])
    assert position.level == 1
    assert br.load("inner_circle", boards={"levels": USUAL["levels"]}) == br.load("inner_circle")


def broken(level, row, text):
    boards = copy.deepcopy(USUAL)
    boards["levels"][level - 1]["rows"][row] = text
    return boards


BAD_BOARDS = [
    (broken(2, 3, "H24X122"), "level 2, row 3, column 3 is 'X'"),
    (broken(1, 0, "232"), "level 1, row 0 has 3 spaces where there must be 4"),
    (broken(1, 0, "23215"), "level 1, row 0 has 5"),
    (broken(3, 6, "12C1"), "level 3, row 6, column 2 is the inner circle"),
    (broken(4, 3, "213C232"), "level 4, row 3, column 3 is the inner circle"),
    (broken(4, 0, "32H1"), "level 4, row 0, column 2 is a hole"),
    (broken(4, 3, "2131232"), "level 4 has no hole"),
    (broken(2, 0, 7), "level 2, row 0 must be a text"),
    (broken(2, 1, "HH241"), "level 2, row 1, column 1 lies under a hole of level 1"),
    ({**USUAL, "levels": USUAL["levels"][:3]}, "list of four"),
    ({**USUAL, "levels": [*USUAL["levels"][:3], USUAL["levels"][0]]}, "level 1 is there twice"),
    ({**USUAL, "levels": [{"level": 5, "rows": []}, *USUAL["levels"][:3]]}, "it must be 1 to 4"),
    ({**USUAL, "levels": [{"level": 1, "rows": ["2321"]}, *USUAL["levels"][1:]]}, "7 rows"),
    ({**USUAL, "levels": [3, 4, 5, 6]}, "must hold level and rows"),
    ({**USUAL, "side": 5}, "side"),
    ({**USUAL, "rows_top_to_bottom": False}, "top to bottom"),
    ({**USUAL, "pawns": {"2": 10, "3": 6, "4": 4}}, "pawns for 2 players is 10"),
    ({**USUAL, "pawns": {"2": 9, "3": 6}}, "pawns for 4 players is None"),
    ({**USUAL, "pawns": [9, 6, 4]}, "pawns must give"),
    ({}, "levels"),
    ("{", "no JSON"),
    ("[1]", "cannot be read"),
    ("{" + '"a":[' * 3000, "no JSON"),
    ("/no/such/file.json", "cannot be read"),
    (str(Path(__file__)), "no JSON"),
]


@pytest.mark.parametrize("boards, message", BAD_BOARDS, ids=range(len(BAD_BOARDS)))
def test_bad_boards(boards, message):
    with pytest.raises(ValueError, match="boards|turns") as error:
        br.load("inner_circle", boards=boards)
    assert message in str(error.value)


def test_boards_of_no_kind_at_all():
    for absurd in (5, 1.5, [USUAL], b"{}", True):
        with pytest.raises(TypeError):
            br.load("inner_circle", boards=absurd)


def test_a_file_too_long_is_refused(tmp_path):
    path = tmp_path / "long.json"
    path.write_text(" " * (1 << 20) + json.dumps(USUAL))
    with pytest.raises(ValueError, match="longer"):
        br.load("inner_circle", boards=path)


def covered_boards():
    """Level 2 has a hole at 11, where level 1 has one, and which other turns take away."""
    boards = copy.deepcopy(USUAL)
    boards["levels"][1]["rows"][1] = "HH241"
    return boards


def test_set_ups_with_a_hole_under_a_hole_are_refused():
    with pytest.raises(ValueError, match="level 2, row 1, column 1 lies under a hole of level 1"):
        br.load("inner_circle", boards=covered_boards())
    game = br.load("inner_circle", boards=covered_boards(), turns="random")
    fitting = set()
    for seed in range(300):
        turns = str(game.new_state(seed)).split()[3]
        fitting.add((int(turns[1]) - int(turns[0])) % 6)
    assert 0 not in fitting and fitting
    with pytest.raises(br.PositionError) as error:
        game.parse("inner_circle 0 0 0000 - - - 0 0")
    assert error.value.field == "TURNS"
    difference = fitting.pop()
    br.load("inner_circle", boards=covered_boards(), turns=f"0{difference}00")


def test_boards_that_fit_in_no_turn_are_refused():
    boards = copy.deepcopy(USUAL)
    ring = ["2321", "2H124", "1H2HH2", "1HHCHH1", "41HHH2", "4H1H2", "1223"]
    boards["levels"][0]["rows"] = ring
    boards["levels"][1]["rows"] = ["2133", "H2241", "13HH4H", "H24C122", "433441", "H1344", "24HH"]
    boards["levels"][0]["rows"][2] = "12HHH2"
    boards["levels"][0]["rows"][3] = "1HHCHH1"
    boards["levels"][0]["rows"][4] = "4HHHH2"
    with pytest.raises(ValueError, match="however they are turned"):
        br.load("inner_circle", boards=boards, turns="random")


# ---------------------------------------------------------------- reasons

LIFT = {"blocked_lift": True}
CIRCLE = "0 1 0000 33 11,33 00 0 1"
PLAY = "0 1 0000 - 00,11,63 03,20 0 0"
REASONS = [
    ({}, "0 0 0000 - - - 0 0", "@03", "legal"),
    ({}, "0 0 0000 - - - 0 0", "@33", "not_rim"),
    ({}, "0 0 0000 - - - 0 0", "@99", "not_rim"),
    ({}, "1 0 0000 - 03 - 0 0", "@03", "occupied"),
    ({}, "1 0 0000 - 03 - 0 0", "pass", "must_move"),
    ({}, "1 0 0000 - 03 - 0 0", "03-00", "not_yours"),
    ({}, "1 0 0000 - 03 - 0 0", "00-03", "no_pawn"),
    ({}, "0 0 0000 - 03 00 0 0", "03-04", "off_board"),
    ({}, "0 0 0000 - 03 00 0 0", "03-01", "wrong_distance"),
    ({}, "0 0 0000 - 03 02 0 0", "03-02", "occupied"),
    ({}, "0 0 0000 - 03 00 0 0", "03-02", "must_move"),
    ({}, "0 0 0000 - 03 00 0 0", "lift03", "can_move"),
    ({}, CIRCLE, "33-34", "legal"),
    ({}, CIRCLE, "pass", "must_move_again"),
    ({}, CIRCLE, "lift11", "must_move_again"),
    ({}, CIRCLE, "00-02", "must_move_again"),
    ({}, CIRCLE, "@01", "must_move_again"),
    ({}, CIRCLE, "33-99", "off_board"),
    ({}, CIRCLE, "33-01", "not_straight"),
    ({}, CIRCLE, "33-33", "wrong_distance"),
    ({}, CIRCLE, "33-00", "occupied"),
    ({}, PLAY, "00-02", "legal"),
    ({}, PLAY, "01-03", "no_pawn"),
    ({}, PLAY, "99-03", "no_pawn"),
    ({}, PLAY, "03-01", "not_yours"),
    ({}, PLAY, "@01", "must_move"),
    ({}, PLAY, "@12", "not_rim"),
    ({}, PLAY, "@03", "occupied"),
    ({}, PLAY, "11-13", "in_hole"),
    ({}, PLAY, "63-65", "off_board"),
    ({}, PLAY, "00-04", "off_board"),
    ({}, PLAY, "00-13", "not_straight"),
    ({}, PLAY, "00-01", "wrong_distance"),
    ({}, PLAY, "00-33", "wrong_distance"),
    ({}, PLAY, "00-00", "wrong_distance"),
    ({}, PLAY, "00-20", "occupied"),
    ({}, PLAY, "pass", "must_move"),
    ({}, PLAY, "lift00", "can_move"),
    (LIFT, PLAY, "lift00", "can_move"),
    (LIFT, PLAY, "lift11", "in_hole"),
    (LIFT, PLAY, "lift03", "not_yours"),
    (LIFT, PLAY, "lift01", "no_pawn"),
    (LIFT, "0 4 0000 - 12,13 51 0 2", "lift13", "legal"),
    ({}, "0 4 0000 - 12,13 51 0 2", "lift13", "must_move"),
    (LIFT, "0 4 0000 - 13 51 0 2", "pass", "must_move"),
    ({}, "0 4 0000 - 13 51 0 2", "pass", "legal"),
    ({}, "0 4 0000 - 13 51 0 2", "13-51", "occupied"),
    ({}, "0 4 0000 - 13 51 2 2", "pass", "game_over"),
    ({}, "0 4 0000 - 13 51 2 2", "zz", "game_over"),
]


@pytest.mark.parametrize("options, position, text, code", REASONS)
def test_reason(options, position, text, code):
    position = at(position, **options)
    verdict = position.explain(text)
    assert verdict.code == code and bool(verdict) == (code == "legal")
    assert (verdict.message[0].isupper() or verdict.message[0].isdigit()) and verdict.message[
        -1
    ] == "."
    if code == "legal":
        assert position.action_to_str(position.parse_action(text)) == text
        position.apply(text)
        return
    for refused in (position.parse_action, position.apply):
        with pytest.raises(br.IllegalActionError) as error:
            refused(text)
        assert error.value.code == code and str(error.value) == verdict.message


BAD_TEXTS = ["", "0", "@", "@3", "@003", "03", "03-", "03-2", "a0-00", "PASS", "pass ", "lift"]
BAD_TEXTS += ["lift3", "Lift03", "03 25", "+1-02", "\u0660\u0663-\u0660\u0665"]


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_bad_text(text):
    assert at(PLAY).explain(text).code == "bad_text"


def test_messages_name_what_is_wrong():
    assert at(PLAY).explain("00-01").message == (
        "00 has two dots, so its pawn moves exactly two spaces; 01 is one space off."
    )
    assert at(PLAY).explain("lift00").message == (
        "The pawn on 00 can move to 02, 22: only stuck pawns may be lifted."
    )


# ---------------------------------------------------------------- texts of positions

BAD_POSITIONS = [
    ("0 0 0000 - - - 0", "text"),
    ("0 0 0000 - - - 0 0 0", "text"),
    ("2 0 0000 - - - 0 0", "TURN"),
    ("1 0 0000 - - - 0 0", "TURN"),
    ("00 0 0000 - - - 0 0", "TURN"),
    ("0 5 0000 - - - 0 0", "LEVEL"),
    ("0 0 0001 - - - 0 0", "TURNS"),
    ("0 0 000 - - - 0 0", "TURNS"),
    ("0 0 0006 - - - 0 0", "TURNS"),
    ("0 0 0000 34 - - 0 0", "AGAIN"),
    ("0 0 0000 33 - - 0 0", "AGAIN"),
    ("0 0 0000 - 11 00 0 0", "PAWNS"),
    ("1 0 0000 - - 00 0 0", "PAWNS"),
    ("0 0 0000 - - - 1 0", "PASSES"),
    ("0 0 0000 - - - 0 1", "STALL"),
    ("0 0 0000 - 00,01,02,03,10,14,20,25,30 36,40,45,50,54,60,61,62,63 0 0", "LEVEL"),
    ("0 1 0000 - 01,00 63 0 0", "PAWNS"),
    ("0 1 0000 - 00,00 63 0 0", "PAWNS"),
    ("0 1 0000 - 00,63 63 0 0", "PAWNS"),
    ("0 1 0000 - 00,04 63 0 0", "PAWNS"),
    ("0 1 0000 - 00, 63 0 0", "PAWNS"),
    ("0 1 0000 - 00,01,02,03,10,12,13,14,20,21 63 0 0", "PAWNS"),
    ("0 1 0000 - - - 0 0", "PAWNS"),
    ("0 1 0000 - - 63 0 0", "TURN"),
    ("0 1 0000 - 33 63 0 0", "AGAIN"),
    ("0 1 0000 33 32 63 0 0", "AGAIN"),
    ("1 1 0000 33 33 63 0 0", "AGAIN"),
    ("0 1 0000 33 33 63 1 0", "PASSES"),
    ("0 1 0000 - 00 63 3 0", "PASSES"),
    ("0 1 0000 - 00 - 1 0", "PASSES"),
    ("0 1 0000 - 00 63 0 202", "STALL"),
    ("0 1 0000 - 00 63 1 201", "STALL"),
    ("0 1 0000 33 33 63 0 201", "STALL"),
    ("0 4 0000 - 00 63 0 201", "STALL"),
    ("0 1 0000 - 11,23,24,31,32 34,35,42,51,53 0 0", "LEVEL"),
    ("0 2 0000 - 00,01,02,03,10,11 12,13,14,20,21 0 0", "PAWNS"),
    ("0 3 0000 - 00,01,02,03 60,61,62,63 0 0", "PAWNS"),
    ("0 4 0000 - 00,01 60,61 0 0", "PAWNS"),
    ("0 4 0000 33 33 60 0 0", "AGAIN"),
    ("0 4 0000 - 33 60 0 0", "TURN"),
    ("1 4 0000 - 33 60 1 0", "PASSES"),
]


@pytest.mark.parametrize("text, field", BAD_POSITIONS)
def test_refused_positions(text, field):
    with pytest.raises(br.PositionError) as error:
        br.load("inner_circle").parse("inner_circle " + text)
    assert error.value.field == field and str(error.value).startswith(field)


def test_no_stall_is_counted_without_a_limit():
    with pytest.raises(br.PositionError) as error:
        at("0 1 0000 - 00 63 0 1", stall_limit=0)
    assert error.value.field == "STALL"


@pytest.mark.parametrize(
    "text",
    [
        "0 1 0000 - 00 63 0 201",  # a second move went beyond the limit
        "0 1 0000 33 33 63 0 200",
        "1 4 0000 - 33 60 0 0",
        "0 1 0000 - 00 - 0 0",  # by hand: one player alone has won
        "0 1 0000 - 00 63 2 9",
    ],
)
def test_accepted_positions(text):
    assert str(at(text)) == "inner_circle " + text


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_mutated_texts(data):
    entry = data.draw(st.sampled_from(CORPUS))
    game = br.load("inner_circle", **entry["options"])
    text = entry["position"]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 2))
        text = (
            text[:place]
            + data.draw(st.text("0123456789,- inerc_", max_size=2))
            + text[place + cut :]
        )
    try:
        position = game.parse(text)
    except br.PositionError as error:
        assert error.field
    else:
        assert str(position) == text
        for action in position.legal_actions():
            position.apply(int(action))
            assert game.parse(str(position)) == position  # play leads to nothing that is refused
            position.undo()


# ---------------------------------------------------------------- actions, observation, bit sets


def test_the_layout_of_actions():
    game = br.load("inner_circle", blocked_lift=True)
    position = game.new_state()
    words = [position.action_to_str(action) for action in range(game.num_actions)]
    assert len(set(words)) == game.num_actions
    assert words[:18] == ["@" + SPACES[space] for space in sorted(RIM)]
    moves = [word for word in words if "-" in word]
    assert moves == sorted(moves) and words[18 : 18 + len(moves)] == moves
    pairs = {
        f"{SPACES[start]}-{SPACES[end]}"
        for level in (1, 2, 3, 4)
        for start in range(37)
        for end in ends_from(game.board(level), start)
    }
    assert set(moves) == pairs
    assert words[-1] == "pass" and words[18 + len(moves)] == "lift00"
    assert br.load("inner_circle").num_actions == 18 + len(moves) + 1
    for bad in (-1, game.num_actions, 2**80):
        with pytest.raises(ValueError):
            position.action_to_str(bad)


@pytest.mark.parametrize("hide", [True, False])
def test_the_observation_shows_what_is_seen(hide):
    for entry in CORPUS[::2]:
        game = br.load("inner_circle", **entry["options"], hide_covered=hide)
        position = game.parse(entry["position"])
        n, limit = game.num_players, game.options["stall_limit"]
        for player in range(n):
            planes = position.observation(player)
            assert planes.shape == (2 * n + 14, 7, 7) == game.observation_shape
            seen = planes[:, [z + 3 for _, z in AXIAL], [q + 3 for q, _ in AXIAL]]
            assert planes[: n + 6].sum() == seen[: n + 6].sum()  # nothing off the board
            pawns = [
                ",".join(SPACES[k] for k in np.flatnonzero(seen[(seat - player) % n])) or "-"
                for seat in range(n)
            ]
            level = int(np.flatnonzero(planes[n + 6 : n + 11, 0, 0])[0])
            turn = (int(np.flatnonzero(planes[n + 11 : 2 * n + 11, 0, 0])[0]) + player) % n
            again = "33" if planes[2 * n + 11, 0, 0] else "-"
            passes = round(float(planes[2 * n + 12, 0, 0]) * n)
            stall = round(float(planes[2 * n + 13, 0, 0]) * limit)
            turns = entry["position"].split()[3]
            if limit and entry["position"].endswith(f" {limit + 1}"):
                stall = limit + 1  # a second move beyond the limit is shown as the limit
            fields = ["inner_circle", turn, level, turns, again, *pawns, passes, stall]
            assert " ".join(map(str, fields)) == entry["position"]
            taken = seen[:n].sum(axis=0)
            board = ["?"] * 37
            for plane, letter in zip(seen[n : n + 6], "1234HC", strict=True):
                for space in np.flatnonzero(plane):
                    board[space] = letter
            for space, letter in enumerate(position.board()):
                if hide and taken[space] and letter in "1234":
                    assert board[space] == "?"
                else:
                    assert board[space] == letter


def test_bitboards():
    position = at("0 2 0000 - 00,02 10,63 0 0")
    words = position.bitboards()
    assert tuple(words[:2].tolist()) == position.pawn_sets()
    board = position.board()
    for word, letter in zip(words[2:].tolist(), "HC1234", strict=True):
        assert [k for k in range(37) if word >> k & 1] == [
            k for k in range(37) if board[k] == letter
        ]


def test_a_position_is_48_bytes():
    assert br.load("inner_circle")._rules.position_bytes == 48


# ---------------------------------------------------------------- queries, pictures


def test_reach_and_targets():
    position = at("0 1 0000 - 00,11,63 03,20 0 0")
    assert position.targets("00") == ("02", "22") and position.targets("11") == ()
    assert position.reach("00", 0) == {}
    one = position.reach("00")
    assert one == {"02": 1, "22": 1}
    two = position.reach("00", 2)
    assert one.items() <= two.items() and set(two.values()) == {1, 2}
    assert "33" not in position.reach("00", 20)
    for bad in ("", "07", "333"):
        with pytest.raises(ValueError):
            position.targets(bad)
    with pytest.raises(ValueError):
        position.reach("00", -1)
    with pytest.raises(TypeError):
        position.reach("00", 1.5)
    with pytest.raises(ValueError):
        position.board(5)
    assert position.open_holes() == ("23", "24", "31", "32", "34", "35", "42", "51", "53")


def test_reach_is_what_moves_reach():
    """One turn of reach against the moves themselves, the second move included."""
    for entry in CORPUS[::7]:
        position = br.load("inner_circle", **entry["options"]).parse(entry["position"])
        if position.is_terminal or position.level == 0 or " 33 " in str(position):
            continue
        found = {}
        for text in texts(position):
            if "-" not in text:
                continue
            ends = found.setdefault(text[:2], set())
            if text.endswith("-33") and position.level < 4:
                second = position.copy()
                second.apply(text)
                ends |= {one[3:] for one in texts(second)} - {text[:2]}
            else:
                ends.add(text[3:])
        for space, ends in found.items():
            assert set(position.reach(space)) == ends, f"{space} at {position}"


def test_render():
    for entry in CORPUS[::5]:
        picture = br.load("inner_circle", **entry["options"]).parse(entry["position"]).render()
        assert all(len(line) <= 80 for line in picture.splitlines())
    picture = (
        br.load("inner_circle", hide_covered=False)
        .parse("inner_circle 0 1 0000 - 00,11 63 0 0")
        .render()
    )
    assert "A2" in picture and "(A)" in picture and "B3" in picture and "< >" in picture


def test_svg():
    game = br.load("inner_circle", players=4)
    position = game.new_state()
    rng = br.Rng(3)
    while position.level < 2:
        position.sample(rng)
    plain = position.svg()
    ElementTree.fromstring(plain)
    assert position.svg(player=0) == plain != position.svg(player=1)
    assert position.svg(last=False) != plain != position.svg(show_hidden=True)
    assert position.svg(mark="00-02") != plain != position.svg(mark=["@01", "lift03", "pass"])
    assert 'height="200"' in position.svg(size=200) or 'width="200"' in position.svg(size=200)
    shown = br.load("inner_circle", players=4, hide_covered=False).parse(str(position))
    assert shown.svg() == shown.svg(show_hidden=True) == position.svg(show_hidden=True, last=False)
    assert position.svg(player=np.int64(2)) == position.svg(player=2)
    for bad in ({"player": 4}, {"mark": "zz"}, {"mark": "00-99"}):
        with pytest.raises(ValueError):
            position.svg(**bad)
    for absurd in ({"player": True}, {"mark": [3.5]}):
        with pytest.raises(TypeError):
            position.svg(**absurd)


def test_the_class_by_its_name():
    assert isinstance(br.load("inner_circle"), InnerCircleGame)
