"""Octiles: the corpus, the rules one by one, texts, hidden tiles, symmetry."""

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


# ---------------------------------------------------------------- corpus


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: f"{case['tag']}")
def test_corpus(case):
    game = br.load("octiles", **case["options"])
    state = game.parse(case["position"])
    assert str(state) == case["position"]
    if case["turn"] == "terminal":
        assert state.current_player == br.TERMINAL and len(state.legal_actions()) == 0
        assert np.allclose(state.returns(), case["returns"], atol=1e-9)
        assert [br.perft(state, depth) for depth in (1, 2)] == [0, 0]
        return
    assert state.current_player == case["turn"]
    assert sorted(texts(state)) == sorted(case["actions"])
    before = state.hash
    for text, child in case["children"].items():
        state.apply(text)
        assert str(state) == child
        assert state.hash == game.parse(child).hash
        state.undo()
        assert str(state) == case["position"] and state.hash == before
    for depth, count in enumerate(case["perft"], 1):
        if count <= 1_000_000:
            assert br.perft(state, depth) == count


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
        assert state.render() == other.render()
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
