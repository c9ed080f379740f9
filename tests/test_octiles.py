"""Octiles: the rules one by one, texts, hidden tiles, symmetry, reasons, queries, pictures."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardrace as br
from boardrace.rulebook import octiles as rulebook

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parent / "corpus" / "octiles.jsonl").read_text().splitlines()
]
OPTION_SETS = [
    {},
    {"players": 3},
    {"players": 4},
    {"runners": 3},
    {"runners": 4},
    {"players": 3, "play_on": True},
    {"players": 4, "play_on": True},
    {"players": 4, "runners": 3, "circles": "145"},
    {"players": 3, "runners": 4, "play_on": True},
    {"players": 4, "runners": 5},
    {"players": 3, "circles": ["125", "145", "135"]},
]
ALL_DOWN = "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r"
FIVE = "S1,S2,S3,S4,S5 N1,N2,N3,N4,N5"


def down(hand: str) -> str:
    """All tiles but the switch tile face down."""
    return ALL_DOWN.replace(hand.lower() + ",", "").removesuffix("," + hand.lower())


def texts(state: br.State) -> list[str]:
    return [state.action_to_str(int(action)) for action in state.legal_actions()]


def random_states(options: dict, seed: int, plies: int):
    """States of random play, one after every ply."""
    game = br.load("octiles", **options)
    state = game.new_state(seed=seed)
    rng = br.Rng(seed, 1)
    for _ in range(plies):
        if state.is_terminal:
            return
        yield state
        state.sample(rng)


# ---------------------------------------------------------------- set-up and options


def test_first_moves_by_tile_sum_to_150():
    """Each seat has the same first moves, by letter, with all other tiles face down."""
    seats = []
    game = br.load("octiles", players=4, runners=5)
    for seat in range(4):
        counts = {}
        for hand in rulebook.LETTERS:
            runners = " ".join(",".join(f"{side}{k}" for k in range(1, 6)) for side in "SWNE")
            state = game.parse(f"octiles {seat} {hand} {down(hand)} {runners} 0 -")
            counts[hand] = len(state.legal_actions())
        seats.append(counts)
    assert sum(seats[0].values()) == 150
    assert all(counts == seats[0] for counts in seats)


def test_options():
    game = br.load("octiles", circles="125")
    assert game.options["runners"] == 3 and str(game) == 'octiles(circles="125",runners=3)'
    assert (
        br.load(str(game))
        == game
        == br.load("octiles", circles=125)
        == br.load("octiles(circles=125)")
    )
    mixed = br.load("octiles", circles=["125", "145"])
    assert br.load(str(mixed)) == mixed
    assert str(mixed.new_state(seed=1)).split()[4:6] == ["S1,S2,S5", "N1,N4,N5"]
    assert br.load("octiles", circles=["135", "135"]) == br.load("octiles", runners=3)
    assert br.load("octiles", players=4).options["runners"] == 4
    assert str(br.load("octiles", players=4, runners=5)) == "octiles(players=4,runners=5)"
    assert str(br.load("octiles")) == "octiles"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"players": 5}, "2 to 4"),
        ({"players": "2"}, "whole number"),
        ({"runners": 2}, "3 to 5"),
        ({"circles": "234"}, "1 and 5"),
        ({"circles": "15"}, "3 to 5"),
        ({"circles": "153"}, "ascending"),
        ({"circles": True}, "text"),
        ({"circles": 1.5}, "text"),
        ({"circles": ["135"]}, "2 players"),
        ({"circles": ["135", "1245"]}, "same number"),
        ({"circles": "135", "runners": 4}, "must be 3"),
        ({"play_on": True}, "three or four"),
        ({"play_on": 1, "players": 3}, "false, true"),
        ({"tiles": 3}, "no option"),
    ],
)
def test_wrong_options(options, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        br.load("octiles", **options)


def test_set_up():
    hands: Counter[str] = Counter()
    for seed in range(60):
        state = br.load("octiles").new_state(seed=seed)
        hands[str(state).split()[2]] += 1
        assert state.bitboards()[2] == 2**17 - 1
        three = str(br.load("octiles", players=3).new_state(seed=seed)).split()[3].split(",")
        assert [k for k in range(17) if three[k][0].isupper()] == [5, 10]
    assert len(hands) > 12
    assert str(br.load("octiles").new_state(seed=3)) == str(br.load("octiles").new_state(seed=3))


# ---------------------------------------------------------------- texts


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (f"octile 0 R {down('R')} {FIVE} 0 -", "game"),
        (f"octiles  0 R {down('R')} {FIVE} 0 -", "text"),
        (f"octiles 2 R {down('R')} {FIVE} 0 -", "TURN"),
        (f"octiles 0 S {down('R')} {FIVE} 0 -", "HAND"),
        (f"octiles 0 Q {down('R')} {FIVE} 0 -", "TILES"),
        (f"octiles 0 R a,{down('R')} {FIVE} 0 -", "TILES"),
        (f"octiles 0 R {down('R').replace('a', 'A2')} {FIVE} 0 -", "TILES"),
        (f"octiles 0 R {down('R').replace('a', 'a0')} {FIVE} 0 -", "TILES"),
        (f"octiles 0 R {down('R')} S1,S2,S3,S5,S4 N1,N2,N3,N4,N5 0 -", "RUNNERS"),
        (f"octiles 0 R {down('R')} S1,S2,S3,S4 N1,N2,N3,N4,N5 0 -", "RUNNERS"),
        (f"octiles 0 R {down('R')} S1,S2,S3,S4,s16 N1,N2,N3,N4,N5 0 -", "RUNNERS"),
        (f"octiles 0 R {down('R')} S1,S2,S3,S4,W1 N1,N2,N3,N4,N5 0 -", "RUNNERS"),
        (f"octiles 0 R {down('R')} S1,S2,S3,S4,N1 N1,N2,N3,N4,N5 0 -", "RUNNERS"),
        (f"octiles 0 R {down('R')} S1,S1,S3,S4,S5 N1,N2,N3,N4,N5 0 -", "RUNNERS"),
        (f"octiles 0 R {down('R')} N1,N2,N3,N4,N5 S1,S2,S3,S4,S5 0 -", "RUNNERS"),
        (f"octiles 0 R {down('R')} {FIVE} 3 -", "PASSES"),
        (f"octiles 0 R {down('R')} {FIVE} 00 -", "PASSES"),
        (f"octiles 0 R {down('R')} N1,N2,N3,N4,N5 s1,s2,s3,s4,s5 1 0", "PASSES"),
        (f"octiles 0 R {down('R')} {FIVE} 0 2", "LAST"),
        (f"octiles 0 R {down('R')} {FIVE} 0 - -", "text"),
    ],
)
def test_wrong_positions(text, field):
    with pytest.raises(br.PositionError) as caught:
        br.load("octiles").parse(text)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("1 R {t} N1,N2,N4 W1,W3,W5 N3,N5,S1 0 - -", "FINISHED"),
        ("1 R {t} N1,N2,N3 W1,W3,W5 N1,N5,S1 0 - 0", "RUNNERS"),
        ("0 R {t} N1,N2,N3 W1,W3,W5 N5,S1,S2 0 - 0", "TURN"),
        ("1 R {t} N1,N2,N3 W1,W3,W5 N5,S1,S2 0 - 0,0", "FINISHED"),
        ("1 R {t} N1,N2,N3 W1,W3,W5 N5,S1,S2 3 - 0", "PASSES"),
        ("1 R {t} N1,N2,N3 E1,E3,E5 S3,S1,S2 0 - 0,1,2", "RUNNERS"),
        ("1 R {t} S2,N2,N3 E1,E3,W5 N5,S1,S3 0 - -", "RUNNERS"),
    ],
)
def test_wrong_positions_with_places(text, field):
    with pytest.raises(br.PositionError) as caught:
        br.load("octiles", players=3, runners=3, play_on=True).parse(
            "octiles " + text.format(t=down("R"))
        )
    assert caught.value.field == field


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_mutated_texts(data):
    """Any text is refused with a PositionError or goes round."""
    case = data.draw(st.sampled_from(CORPUS))
    game = br.load("octiles", **case["options"])
    text = list(case["position"])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        letter = data.draw(st.sampled_from("0123456789abcrsABCRSWNE,- é\n"))
        match data.draw(st.integers(0, 2)):
            case 0:
                text[at] = letter
            case 1:
                text.insert(at, letter)
            case _:
                del text[at]
    mutated = "".join(text)
    try:
        state = game.parse(mutated)
    except br.PositionError:
        return
    assert str(state) == mutated
    for action in state.legal_actions()[:3]:
        state.apply(int(action))
        assert str(game.parse(str(state))) == str(state)
        state.undo()


def test_actions_as_numbers():
    """The layout in docs/games/octiles.md, and the same number for the same text everywhere."""
    for options in OPTION_SETS[:3]:
        game = br.load("octiles", **options)
        pairs = {2: 626, 3: 811, 4: 996}[game.num_players]
        assert game.num_actions == 17 * 8 * pairs + 1
    seen: dict[str, int] = {}
    for state in random_states({"players": 4}, 5, 120):
        for action in state.legal_actions():
            text = state.action_to_str(int(action))
            assert seen.setdefault(text, int(action)) == action
            assert state.parse_action(text) == action
    assert len(set(seen.values())) == len(seen)
    with pytest.raises(ValueError):
        game.new_state(seed=1).action_to_str(game.num_actions)


# ---------------------------------------------------------------- symmetry


def quarter_text(text: str) -> str:
    """The position turned a quarter clockwise, the seats renamed: who sat at S sits at W."""
    fields = text.split(" ")
    n = 4
    spaces = rulebook.spaces_turned()
    tokens = [""] * 17
    for k, token in enumerate(fields[3].split(",")):
        if token[1:]:
            turns = rulebook.board().turns[rulebook.LETTERS.index(token[0])]
            token = f"{token[0]}{(int(token[1:]) + 2) % turns}"
        tokens[spaces[k]] = token
    runners = [""] * n
    for player in range(n):
        places = [quarter_place(name) for name in fields[4 + player].split(",")]
        kinds = [
            [p for p in places if p[0] == "SWNE"[(player + 1) % n]],
            [p for p in places if p[0] == "s"],
        ]
        kinds.append([p for p in places if p not in kinds[0] + kinds[1]])
        runners[(player + 1) % n] = ",".join(
            name for kind in kinds for name in sorted(kind, key=lambda name: int(name[1:]))
        )
    last = fields[-1] if fields[-1] == "-" else str((int(fields[-1]) + 1) % n)
    turn = str((int(fields[1]) + 1) % n)
    return " ".join(["octiles", turn, fields[2], ",".join(tokens), *runners, fields[-2], last])


def quarter_place(name: str) -> str:
    return rulebook.PLACE_NAMES[rulebook.places_turned()[rulebook.PLACE_NUMBERS[name]]]


def quarter_action(text: str, hand: str) -> str:
    if text == "pass":
        return text
    space, r, start, end = rulebook._read_action(text)
    turns = rulebook.board().turns[rulebook.LETTERS.index(hand)]
    names = [quarter_place(rulebook.PLACE_NAMES[k]) for k in (start, end)]
    return f"o{rulebook.spaces_turned()[space]}.{(r + 2) % turns}:{names[0]}-{names[1]}"


@pytest.mark.parametrize("seed", range(4))
def test_quarter_turn(seed):
    game = br.load("octiles", players=4)
    for state in random_states({"players": 4}, seed, 80):
        turned = game.parse(quarter_text(str(state)))
        hand = str(state).split()[2]
        assert sorted(texts(turned)) == sorted(quarter_action(text, hand) for text in texts(state))
        for player in range(4):
            other = (player + 1) % 4
            assert turned.progress(other) == state.progress(player)
            assert np.array_equal(turned.observation(other), state.observation(player))
        assert br.perft(turned, 2) == br.perft(state, 2)


# ---------------------------------------------------------------- hidden tiles


def rebuilt(observation: np.ndarray, options: dict, player: int) -> str:
    """The position's text from one player's observation, '?' for each face-down tile."""
    game = br.load("octiles", **options)
    n = game.num_players
    side = game.seats[player]
    spaces, places = list(range(17)), list(range(36))
    for _ in range((4 - side) % 4):
        spaces = [rulebook.spaces_turned()[k] for k in spaces]
        places = [rulebook.places_turned()[k] for k in places]
    grid = observation[: 26 * 17].reshape(17, 26)
    tokens = []
    for k in range(17):
        tile, r = grid[spaces[k], :18], grid[spaces[k], 18:]
        if not tile.any():
            tokens.append("?")
            continue
        turns = rulebook.board().turns[int(tile.argmax())]
        turned = (int(r.argmax()) - 2 * ((4 - side) % 4)) % turns
        tokens.append(f"{rulebook.LETTERS[int(tile.argmax())]}{turned}")
    rest = observation[26 * 17 :]
    hand, rest = rulebook.LETTERS[int(rest[:18].argmax())], rest[18:]
    runners, rest = rest[: 36 * n].reshape(n, 36), rest[36 * n :]
    turn, last, passes = rest[:n], rest[n : 2 * n], rest[2 * n]
    order = rest[2 * n + 1 :].reshape(n, n)
    fields = ["octiles", str((int(turn.argmax()) + player) % n), hand, ",".join(tokens)]
    state = game.new_state(seed=0)
    for seat in range(n):
        taken = sum(1 << k for k in range(36) if runners[(seat - player) % n][places[k]])
        fields.append(",".join(rulebook.PLACE_NAMES[k] for k in state._places(seat, taken)))
    fields += [str(passes), str((int(last.argmax()) + player) % n) if last.any() else "-"]
    if game.options["play_on"]:
        done = [str((int(row.argmax()) + player) % n) for row in order if row.any()]
        fields.append(",".join(done) or "-")
    return " ".join(fields)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_observation_rebuilds_what_is_visible(options):
    for state in random_states(options, 8, 150):
        visible = re.sub(r"(?<=[ ,])[a-r](?=[ ,])", "?", str(state), count=17)
        for player in range(state.game.num_players):
            assert rebuilt(state.observation(player), options, player) == visible


def test_hidden_tiles_are_not_shown():
    state = br.load("octiles", players=3).new_state(seed=2)
    for _ in range(6):
        other = state.determinize(11)
        assert (
            str(other) != str(state)
            and other.legal_actions().tolist() == state.legal_actions().tolist()
        )
        for player in range(3):
            assert np.array_equal(state.observation(player), other.observation(player))
        assert np.array_equal(state.bitboards(), other.bitboards())
        assert state.render() == other.render() and state.svg(last=False) == other.svg()
        state.sample(br.Rng(3))


def test_determinize_is_even():
    """All deals are equally likely: every deal of four tiles, and every tile on every space."""
    game = br.load("octiles")
    text = f"octiles 0 R a,B1,c,D1,E1,F1,G1,h,I1,J1,K1,L1,M1,n,O1,P1,Q1 {FIVE} 0 0"
    state = game.parse(text)
    deals = Counter(str(state.determinize(seed)).split()[3] for seed in range(12_000))
    assert len(deals) == 24
    assert sum((n - 500) ** 2 / 500 for n in deals.values()) < 49.7  # 0.1 % of chi-squared, 23
    state = game.new_state(seed=4)
    where: Counter[tuple[int, str]] = Counter()
    for seed in range(3_400):
        fields = str(state.determinize(seed)).split()
        assert fields[2] == str(state).split()[2]
        where.update(enumerate(fields[3].split(",")))
    assert len(where) == 17 * 17
    assert sum((n - 200) ** 2 / 200 for n in where.values()) * 16 / 17 < 331.0  # 0.1 %, 16 * 16


def test_determinize_keeps_what_is_known():
    for state in random_states({"players": 3}, 3, 60):
        other = state.determinize(7)
        shown = re.compile(r"[A-R][0-7]")
        assert shown.findall(str(other)) == shown.findall(str(state))
        assert other.history == [] and sorted(str(other)) == sorted(str(state))


# ---------------------------------------------------------------- reasons

HAND_R = f"octiles 0 R {down('R')} "
#: Position after the game's name, action text, reason, words of the message.
REASONS = [
    (f"0 R {down('R')} {FIVE} 0 -", "o15.0:s5-s13", "no_runner", "s5"),
    (f"0 R {down('R')} {FIVE} 0 -", "o15.0:N1-s13", "not_yours", "player 1"),
    (
        f"0 R {down('R')} N1,N2,N3,S4,S5 N4,N5,S1,S2,S3 0 -".replace(
            "N1,N2,N3,S4,S5", "S4,S5,N1,N2,N3"
        ),
        "o1.0:N1-s1",
        "finished",
        "N1",
    ),
    (f"0 R {down('R')} {FIVE} 0 -", "o15.1:S2-s13", "wrong_turn", "only 1 different turn"),
    (f"0 E {down('E')} {FIVE} 0 -", "o16.0:S1-s13", "face_down", "o15"),
    (f"0 E {down('E')} {FIVE} 0 -", "o15.0:S1-s14", "face_down", "cannot be crossed"),
    (
        "0 R b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,A1 " + FIVE + " 0 -",
        "o15.0:S5-s15",
        "misses_tile",
        "o15",
    ),
    (f"0 E {down('E')} {FIVE} 0 -", "o15.4:S1-S2", "wrong_circle", "N1 to N5"),
    (f"0 A {down('A')} {FIVE} 0 -", "o15.1:S1-S1", "face_down", "o15"),
    (f"0 R {down('R')} S1,S2,S3,S4,s14 N1,N2,N3,N4,N5 0 -", "o16.0:s14-S4", "wrong_circle", "S4"),
    (f"0 R {down('R')} S1,S2,S3,S4,s14 N2,N3,N4,N5,s13 0 -", "o15.0:S1-s14", "occupied", "s14"),
    (f"0 R {down('R')} {FIVE} 0 -", "o15.0:S1-s5", "no_path", "end at s14"),
    (
        f"0 R {down('R')} S1,s0,N1,N2,N3 N4,S2,S3,S4,S5 0 1",
        "o2.0:s0-s5",
        "must_open_finish",
        "S1 to S5",
    ),
    (f"0 R {down('R')} {FIVE} 0 -", "pass", "must_move", "o15.0:S1-s14"),
    (f"0 R {down('R')} {FIVE} 0 -", "o15.0:S1-s14", "legal", "S1 > o15 SW-NE > s14"),
    (f"0 R {down('R')} {FIVE} 2 -", "pass", "game_over", "over"),
    (f"0 R {down('R')} {FIVE} 0 -", "o17.0:S1-s14", "bad_text", "no action"),
    (f"0 R {down('R')} {FIVE} 0 -", "o15.8:S1-s14", "bad_text", "no action"),
    (f"0 R {down('R')} {FIVE} 0 -", "o15.0:S1-s16", "bad_text", "s16"),
    (f"0 R {down('R')} {FIVE} 0 -", "o15.0:S6-s14", "bad_text", "S6"),
    (f"0 R {down('R')} {FIVE} 0 -", "", "bad_text", "no action"),
]


@pytest.mark.parametrize(("text", "action", "code", "words"), REASONS)
def test_reasons(text, action, code, words):
    state = br.load("octiles").parse("octiles " + text)
    verdict = state.explain(action)
    assert (verdict.code, bool(verdict)) == (code, code == "legal")
    assert words in verdict.message and verdict.message[-1] == "."
    if verdict:
        assert state.action_to_str(state.parse_action(action)) == action
    else:
        with pytest.raises(br.IllegalActionError) as caught:
            state.apply(action)
        assert caught.value.code == code and str(state) == "octiles " + text


def test_every_text_is_explained():
    """Legal exactly where it is in the list, whatever is asked."""
    codes = set()
    for options in ({}, {"players": 4, "play_on": True}):
        rng = np.random.default_rng(1)
        for state in random_states(options, 6, 150):
            legal = {state.action_to_str(int(action)) for action in state.legal_actions()}
            for text in [*list(legal)[:3], "pass"]:
                assert state.explain(text).legal == (text in legal)
            for _ in range(12):
                space, r, a, b = (int(rng.integers(k)) for k in (17, 8, 36, 36))
                if rng.random() < 0.8:
                    turn = state.current_player
                    own = rulebook._members(int(state.bitboards()[turn]))
                    a = own[int(rng.integers(len(own)))]
                text = f"o{space}.{r}:{rulebook.PLACE_NAMES[a]}-{rulebook.PLACE_NAMES[b]}"
                verdict = state.explain(text)
                codes.add(verdict.code)
                assert verdict.legal == (text in legal)
    assert codes >= {"no_runner", "not_yours", "finished", "wrong_turn", "face_down", "no_path"}


# ---------------------------------------------------------------- rules by hand


def test_must_open_the_finish():
    """The corpus holds these by tag: only such moves, none possible, one circle empty."""
    tags = {case["tag"]: case for case in CORPUS}
    blocked = br.load("octiles").parse(tags["hand-made+must-open-fallback"]["position"])
    assert all(not text.split(":")[1].startswith("S") for text in texts(blocked))
    opened = [case for case in CORPUS if "must-open-only" in case["tag"]]
    for case in opened:
        game = br.load("octiles", **case["options"])
        state = game.parse(case["position"])
        side = "SWNE"[game.seats[state.turn]]
        assert {text.split(":")[1][0] for text in texts(state)} == {side}
    assert opened


def test_loops_are_told_apart_by_runner():
    case = next(case for case in CORPUS if case["tag"] == "hand-made+two-loops")
    assert {"o8.0:s5-s5", "o8.0:s6-s6"} <= set(texts(br.load("octiles").parse(case["position"])))


def test_all_passing_ends_the_game():
    case = next(case for case in CORPUS if "all-stuck-two-passes" in case["tag"])
    state = br.load("octiles").parse(case["position"])
    hand = str(state).split()[2]
    assert texts(state) == ["pass"]
    state.apply("pass")
    assert str(state).split()[2] == hand and state.current_player == 1
    state.apply("pass")
    last = case["position"].split()[-1]
    assert state.is_terminal and state.winners == (int(last),)


def test_places_are_played_for():
    game = br.load("octiles", players=3, runners=3, play_on=True)
    state = game.new_state(seed=1)
    rng = br.Rng(2)
    while not state.is_terminal and state.num_plies < 20_000:
        state.sample(rng)
    assert sorted(state.returns()) == [-1, 0, 1]
    finished = [int(k) for k in str(state).split()[-1].split(",")]
    assert [state.returns()[k] for k in finished] == [1, 0]
    assert state.turn not in finished
    assert [state.progress(k) for k in finished] == [1, 1]


# ---------------------------------------------------------------- queries


def test_trace_and_paths_agree_with_the_actions():
    """Every path of every runner: traced with the tile laid it gives the list of actions."""
    for state in random_states({"players": 3}, 9, 60):
        fields = str(state).split()
        hand, turn = fields[2], state.turn
        side = "SWN"[turn]
        finish = "SWNE"[("SWNE".index(side) + 2) % 4]
        taken = {name for field in fields[4:7] for name in field.split(",")}
        found = set()
        for start in fields[4 + turn].split(","):
            if start[0] == finish:
                continue
            place = rulebook.PLACE_NUMBERS[start]
            for space in range(17):
                for r in range(rulebook.board().turns[rulebook.LETTERS.index(hand)]):
                    for port in rulebook.board().touching[place]:
                        path = state.trace(
                            start, port // 8, port % 8, space=space, tile=f"{hand}{r}"
                        )
                        if path.end is None:
                            assert path.why == "face_down"
                            continue
                        crossed = any(step.octagon == f"o{space}" for step in path.steps)
                        open_to = path.end[0] in ("s", finish) and path.end not in taken
                        loop = path.end == start and start[0] == "s"
                        if crossed and (open_to or loop):
                            found.add(f"o{space}.{r}:{start}-{path.end}")
        legal = set(texts(state))
        if not any(text.split(":")[1][0] == side for text in found):
            assert legal == (found or {"pass"})
        assert legal <= found or legal == {"pass"}
        for text in list(legal)[:4]:
            if text != "pass":
                assert 1 <= len(state.paths(text)) <= 4
                assert state.paths(state.parse_action(text)) == state.paths(text)


def test_trace_of_every_exit():
    """A path runs the same way back."""
    state = br.load("octiles").new_state(seed=1)
    rng = br.Rng(5)
    for _ in range(60):
        state.sample(rng)
    ways = 0
    for place in range(36):
        for port in rulebook.board().touching[place]:
            path = state.trace(
                rulebook.PLACE_NAMES[place], f"o{port // 8}", rulebook.EDGES[port % 8]
            )
            if path.end is None:
                continue
            last = path.steps[-1]
            back = state.trace(path.end, last.octagon, last.leave)
            assert back.end == path.start and len(back.steps) == len(path.steps)
            ways += 1
    assert ways > 30


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        (("s16", 0, 0), {}, ValueError),
        (("s5", "o8", 0), {}, ValueError),
        ((5, 0, 0), {}, TypeError),
        (("s5", "o17", 0), {}, ValueError),
        (("s5", 17, 0), {}, ValueError),
        (("s5", "o8", 8), {}, ValueError),
        (("s5", "o8", "X"), {}, ValueError),
        (("s5", "o8", "NW"), {"space": 3}, ValueError),
        (("s5", "o8", "NW"), {"tile": "B1"}, ValueError),
        (("s5", "o8", "NW"), {"space": 3, "tile": "B9"}, ValueError),
        (("s5", "o8", "NW"), {"space": 3, "tile": "A3"}, ValueError),
        (("s5", "o8", "NW"), {"space": 3, "tile": 3}, TypeError),
        (("s5", 1.5, 0), {}, TypeError),
    ],
)
def test_wrong_traces(arguments, options, error):
    with pytest.raises(error):
        br.load("octiles").new_state(seed=1).trace(*arguments, **options)


# ---------------------------------------------------------------- pictures


def test_one_can_follow_the_paths_in_the_text_picture():
    """The letters at the edges pair them as the chords do; nothing is wider than 79 columns."""
    for state in random_states({"players": 4}, 3, 120):
        lines = state.render().splitlines()
        assert max(map(len, lines)) <= 79 and len(lines) == 32
        picture = [line.ljust(80) for line in lines[1:]]
        tokens = str(state).split()[3].split(",")
        for k, (x, y) in enumerate(rulebook.board().space_at):
            column, row = int(40 + 14 * x), int(15 - 6 * y)
            assert f" o{k} " in picture[row][column - 4 : column + 5]
            ways = ((0, -2), (3, -2), (4, 0), (3, 2), (0, 2), (-3, 2), (-4, 0), (-3, -2))
            letters = [picture[row + down][column + across] for across, down in ways]
            if tokens[k].islower():
                assert not set(letters) & set("abcd")
                assert "???" in picture[row + 1][column - 4 : column + 5]
                continue
            assert tokens[k] in picture[row + 1][column - 4 : column + 5]
            tile, r = rulebook.LETTERS.index(tokens[k][0]), int(tokens[k][1])
            for edge in range(8):
                out = (rulebook.board().chords[tile][(edge - r) % 8] + r) % 8
                assert letters[edge] == letters[out] and letters.count(letters[edge]) == 2
        text = state.render()
        for player, field in enumerate(str(state).split()[4:8]):
            assert all(f"{name}={player}" in text for name in field.split(","))


def test_svg():
    state = br.load("octiles", players=4).new_state(seed=5)
    rng = br.Rng(4)
    for _ in range(30):
        state.sample(rng)
    plain = state.svg()
    assert plain.startswith("<svg") and plain == state._repr_svg_()
    assert state.svg(last=False) != plain != state.svg(player=1)
    assert state.svg(size=200) != plain != state.svg(show_hidden=True)
    text = texts(state)[0]
    assert rulebook.PATH in state.svg(mark=text) and rulebook.PATH not in plain
    assert state.svg(mark=[text]) == state.svg(mark=text)
    with pytest.raises(br.IllegalActionError):
        state.svg(mark="o0.0:s1-s1")
    with pytest.raises(ValueError):
        state.svg(player=4)
    while not state.is_terminal:
        state.sample(rng)
    assert f"player {state.winners[0]} wins" in state.svg()
    import xml.etree.ElementTree as ElementTree

    ElementTree.fromstring(plain)


@pytest.mark.parametrize("number", [-1, 2**31, 2**80, -(2**80)])
def test_a_number_that_is_no_action_has_no_text(number):
    state = br.load("octiles").new_state(seed=1)
    with pytest.raises(ValueError, match="there is no action"):
        state.action_to_str(number)
