"""Sorry!: the rules one by one, beside a second rule program, and what a player is told."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sorry_by_hand import COLOURS, FULL, Table, offset

import boardrace as br

PILE = "5,4,4,4,4,4,4,4,4,4,4"
OPTIONS = [
    {},
    {"exchange_slides": "both"},
    {"quick_start": True},
    {"players": 3},
    {"players": 3, "exchange_slides": "both", "quick_start": True},
    {"players": 4},
    {"teams": True},
    {"teams": True, "exchange_slides": "both", "quick_start": True},
]


def full_options(options):
    return {"players": 4 if options.get("teams") else 2, **options}


def at(card, *pawns, turn=0, pile=PILE, **options):
    """A state with these pawns and that card in hand."""
    if not options.get("teams") and len(pawns) > 2:
        options.setdefault("players", len(pawns))
    counts = [int(n) for n in pile.split(",")]
    if card != "-" and pile == PILE:
        counts[list(FULL).index(card)] -= 1
    text = f"sorry {turn} {card} {','.join(map(str, counts))} {' '.join(pawns)}"
    return br.load("sorry", **options).parse(text)


def texts(state):
    return [state.action_to_str(int(action)) for action in state.legal_actions()]


def after(state, play):
    """The pawns after a play."""
    child = state.copy()
    child.apply(play)
    return str(child).split(" ")[4:]


# ---------------------------------------------------------------- beside the second program


def random_position(table, rnd):
    """A position of any look: pawns crowd around slides and each other."""
    n = len(table.colours)
    while True:
        taken, fields = set(), []
        style, base = rnd.randrange(4), rnd.randrange(60)
        for _ in table.colours:
            places = []
            while len(places) < 4:
                kind = rnd.randrange(10)
                if kind == 0:
                    places.append("S")
                elif kind == 1:
                    places.append("H")
                elif kind == 2:
                    place = f"s{rnd.randrange(5)}"
                    if place not in places:
                        places.append(place)
                else:
                    square = [
                        rnd.randrange(60),
                        (base + rnd.randrange(18)) % 60,
                        15 * rnd.randrange(4) + rnd.choice([1, 2, 3, 4, 9, 10, 12, 13]),
                        (base + rnd.randrange(9)) % 60,
                    ][style]
                    if square not in taken:
                        taken.add(square)
                        places.append(str(square))
            fields.append(
                ",".join(
                    sorted(p for p in places if p == "S")
                    + sorted((p for p in places if p.isdigit()), key=int)
                    + sorted(p for p in places if p[0] == "s")
                    + [p for p in places if p == "H"]
                )
            )
        deck = [rnd.randrange(FULL[card] + 1) for card in FULL]
        card = rnd.choice(list(FULL))
        deck[list(FULL).index(card)] = rnd.randrange(FULL[card])
        turn = rnd.randrange(n)
        text = f"sorry {turn} {card} {','.join(map(str, deck))} {' '.join(fields)}"
        if not table.winners(table.read(text)):
            return text


def compare(table, state):
    """The two programs say the same of a state; returns the action texts."""
    text = str(state)
    draws = table.draws(text)
    children = {card: child for card, (_, child) in draws.items()} or table.actions(text)
    assert sorted(texts(state)) == sorted(children), text
    total = sum(n for n, _ in draws.values())
    if draws:
        outcomes, chances = state.chance_outcomes()
        for outcome, chance in zip(outcomes, chances, strict=True):
            assert chance == pytest.approx(draws[state.action_to_str(int(outcome))][0] / total)
    for play, child in children.items():
        state.apply(play)
        assert str(state) == child, f"{play} at {text}"
        state.undo()
    return children


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_games_beside_the_second_program(options):
    table, game = Table(**full_options(options)), br.load("sorry", **options)
    rng = br.Rng(3)
    state = game.new_state()
    assert str(state) == table.start()
    for _ in range(250):
        compare(table, state)
        if state.is_terminal:
            state = game.new_state()
        state.sample(rng)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_positions_beside_the_second_program(options):
    """Set-up positions, whose slides and splits meet more often than in play."""
    table, game = Table(**full_options(options)), br.load("sorry", **options)
    rnd = random.Random(7)
    for _ in range(60):
        text = random_position(table, rnd)
        state = game.parse(text)
        compare(table, state)
        kept = {}
        for parts, play, child in table.plays(text):
            kept.setdefault(child, []).append(((len(parts), parts), play))
        for plays in kept.values():  # every way of writing a play gives the one kept
            name = min(plays)[1]
            for _, play in plays:
                assert state.action_to_str(state.parse_action(play)) == name, text
                assert state.explain(play).legal, text


def test_start_counts():
    for options, counts in (
        ({}, [11, 11, 121, 122, 1342, 1366, 15026, 15670, 172358, 185854, 2043769]),
        ({"teams": True}, [11, 13, 143, 173, 1903, 2397, 26367, 35381, 389154, 569268]),
    ):
        state = br.load("sorry", **options).new_state()
        assert [br.perft(state, depth + 1) for depth in range(len(counts))] == counts


# ---------------------------------------------------------------- known faults of `apologies`


def test_safety_zones_of_two_colours_do_not_meet():
    state = at("1", "S,S,S,s2", "S,S,S,s1", turn=1)
    assert texts(state) == ["YS", "Ys1+1"]
    assert after(state, "Ys1+1") == ["S,S,S,s2", "S,S,S,s2"]


def test_a_sliding_pawn_does_not_bump_itself():
    state = at("4", "28,H,H,H", "S,S,S,S")
    assert texts(state) == ["R28-4"]
    assert after(state, "R28-4") == ["28,H,H,H", "S,S,S,S"]
    state = at("3", "S,S,S,21", "S,S,S,S")
    assert after(state, "R21+3") == ["S,S,S,28", "S,S,S,S"]


def test_no_two_own_pawns_on_one_square_after_a_split():
    state = at("7", "S,S,21,24", "S,S,S,S")
    # 24 to 28, then 21 to the triangle on 24: the slide's end counts, so the first goes to Start.
    assert after(state, "R24+4,R21+3") == ["S,S,S,28", "S,S,S,S"]
    assert state.explain("R21+3,R24+4").code == "own_pawn"
    # Both parts to one square.
    assert state.explain("R21+5,R24+2").code == "own_pawn"
    assert state.explain("R24+2,R21+5").code == "own_pawn"


def test_an_exchange_is_not_forced():
    state = at("11", "S,S,S,s1", "S,S,S,35")
    assert texts(state) == ["pass"]
    state = at("11", "S,S,50,s1", "S,S,S,35")
    assert texts(state) == ["R50+11", "R50x35"]
    state = at("11", "S,S,58,s1", "S,S,S,35")
    assert texts(state) == ["decline", "R58x35"]
    assert after(state, "decline") == ["S,S,58,s1", "S,S,S,35"]


# ---------------------------------------------------------------- the rules one by one


def test_starts_and_the_second_draw_after_a_two():
    state = at("2", "S,S,S,S", "S,S,S,S")
    assert texts(state) == ["RS"]
    state.apply("RS")
    assert state.is_chance and state.turn == 0
    assert str(state).split(" ")[4:] == ["S,S,S,4", "S,S,S,S"]
    state = at("1", "S,S,S,4", "S,S,S,S")
    assert texts(state) == ["R4+1"]  # the circle is taken
    state.apply("R4+1")
    assert state.turn == 1
    state = at("2", "s4,H,H,H", "S,S,S,S")  # the pass on a 2
    assert texts(state) == ["pass"]
    state.apply("pass")
    assert state.is_chance and state.turn == 0


def test_a_pawn_on_the_circle_is_bumped():
    state = at("1", "S,S,S,S", "S,S,S,4")
    assert after(state, "RS") == ["S,S,S,4", "S,S,S,S"]


def test_the_way_into_the_safety_zone_and_back():
    assert after(at("5", "S,S,S,0", "S,S,S,S"), "R0+5") == ["S,S,S,s2", "S,S,S,S"]
    assert after(at("10", "S,S,S,s0", "S,S,S,S"), "Rs0-1") == ["S,S,S,2", "S,S,S,S"]
    assert after(at("4", "S,S,S,s1", "S,S,S,S"), "Rs1-4") == ["S,S,S,0", "S,S,S,S"]
    # Never backwards into it: from the circle back 4 on the track, past the entry.
    assert after(at("4", "S,S,S,4", "S,S,S,S"), "R4-4") == ["S,S,S,0", "S,S,S,S"]
    # The square before the circle needs one step more than the circle.
    assert after(at("12", "S,S,S,3", "S,S,S,S"), "R3+12") == ["S,S,S,15", "S,S,S,S"]


def test_home_needs_the_exact_count():
    state = at("3", "S,S,S,s3", "S,S,S,S")
    assert texts(state) == ["pass"]
    assert after(at("2", "S,S,S,s3", "S,S,S,S"), "Rs3+2") == ["S,S,S,H", "S,S,S,S"]


def test_slides():
    # Of another colour only; all on the rest of it go to Start, own pawns and the end included.
    state = at("3", "S,S,21,26", "S,S,25,28")
    assert after(state, "R21+3") == ["S,S,S,28", "S,S,S,S"]
    state = at("5", "S,S,S,54", "S,S,S,1")
    assert after(at("5", "S,S,S,56", "S,S,S,4"), "R56+5") == ["S,S,S,1", "S,S,S,4"]
    assert after(state, "R54+5") == ["S,S,S,59", "S,S,S,1"]
    # Nobody plays green with three, and its slides work.
    state = at("1", "S,S,S,45", "S,S,S,S", "S,S,S,47", players=3)
    assert after(state, "R45+1") == ["S,S,S,49", "S,S,S,S", "S,S,S,S"]
    # Landing on an own pawn is illegal, on a triangle too.
    assert "R21+3" not in texts(at("3", "S,S,21,24", "S,S,S,S"))


def test_sevens():
    state = at("7", "S,S,21,26", "S,S,S,S")
    assert texts(state) == [
        "R21+7", "R26+7", "R21+1,R26+6", "R21+2,R26+5", "R21+4,R26+3", "R26+4,R21+3",
    ]  # fmt: skip
    # A part may land where the other pawn stood before it left.
    assert after(at("7", "S,S,5,8", "S,S,S,S"), "R8+4,R5+3") == ["S,S,8,12", "S,S,S,S"]
    # Splits with the same end are one, a 7 by one pawn before them.
    state = at("7", "S,S,5,8", "S,S,S,S")
    assert texts(state) == ["R5+7", "R8+7", "R5+1,R8+6", "R5+2,R8+5", "R5+4,R8+3"]
    assert state.action_to_str(state.parse_action("R8+4,R5+3")) == "R5+7"
    # The slide of the first part sends the second pawn to Start: that order is illegal.
    state = at("7", "S,S,21,26", "S,S,S,S")
    verdict = state.explain("R21+3,R26+4")
    assert verdict.code == "rest_of_seven" and "R26" in verdict.message
    # The second part may send the first pawn to Start.
    state = at("7", "S,S,20,21", "S,S,S,S")
    assert after(state, "R20+4,R21+3") == ["S,S,S,28", "S,S,S,S"]
    # Bumps and slides between the parts: the first part's slide frees the second's square.
    state = at("7", "S,20,22,25", "S,S,S,26")
    assert after(state, "R22+2,R20+5") == ["S,S,25,28", "S,S,S,S"]
    assert state.explain("R20+5,R22+2").code == "own_pawn"
    # A 7 is not for a pawn in Start.
    assert texts(at("7", "S,S,S,S", "S,S,S,S")) == ["pass"]
    # Both parts Home, and the win.
    state = at("7", "s1,s2,H,H", "S,S,S,S")
    assert texts(state) == ["Rs1+4,Rs2+3"]
    state.apply("Rs2+3,Rs1+4")
    assert state.is_terminal and state.winners == (0,)
    assert state.returns().tolist() == [1, -1]


def test_exchanges():
    # The mover's pawn slides, the other stays on its triangle.
    state = at("11", "S,S,S,46", "S,S,S,24")
    assert after(state, "R46x24") == ["S,S,S,28", "S,S,S,46"]
    state = at("11", "S,S,S,54", "S,S,S,24")
    assert after(state, "R54x24") == ["S,S,S,28", "S,S,S,54"]
    both = at("11", "S,S,S,54", "S,S,S,24", exchange_slides="both")
    assert after(both, "R54x24") == ["S,S,S,28", "S,S,S,58"]
    # An own slide does nothing: 39 is yellow's.
    both = at("11", "S,S,S,39", "S,S,S,20", exchange_slides="both")
    assert after(both, "R39x20") == ["S,S,S,20", "S,S,S,39"]
    # The slide may send the pawn exchanged with to Start.
    state = at("11", "S,S,S,26", "S,S,S,24")
    assert after(state, "R26x24") == ["S,S,S,28", "S,S,S,S"]


def test_sorry_cards():
    state = at("S", "S,S,S,20", "S,S,24,s0")
    assert texts(state) == ["RS>24"]
    assert after(state, "RS>24") == ["S,S,20,28", "S,S,S,s0"]
    assert texts(at("S", "20,H,H,H", "S,S,24,s0")) == ["pass"]


def test_a_play_that_changes_nothing_may_be_forced():
    state = at("4", "28,43,H,H", "S,S,S,S")  # 39 to 43 and 24 to 28 are slides: both end alike
    assert texts(state) == ["R28-4"]
    assert state.action_to_str(state.parse_action("R43-4")) == "R28-4"
    assert after(state, "R28-4") == ["28,43,H,H", "S,S,S,S"]


def test_teams():
    state = at("1", "S,S,S,S", "S,S,S,S", "S,S,S,20", "S,S,S,S", teams=True)
    assert texts(state) == ["RS", "YS", "Y20+1"]
    # Landing on the partner bumps it.
    assert after(at("5", "S,S,S,15", "S,S,S,S", "S,S,S,20", "S,S,S,S", teams=True), "R15+5") == [
        "S,S,S,20", "S,S,S,S", "S,S,S,S", "S,S,S,S",
    ]  # fmt: skip
    # A seven over two colours.
    state = at("7", "S,S,S,5", "S,S,S,S", "S,S,S,20", "S,S,S,S", teams=True)
    assert "R5+3,Y20+4" in texts(state)
    # Sorry!: opponents first, else the team's other colour.
    state = at("S", "S,S,S,5", "S,S,S,20", "S,S,S,40", "S,S,S,S", teams=True)
    assert texts(state) == ["RS>20", "YS>20"]
    assert state.explain("RS>40").code == "no_target"
    state = at("S", "S,S,S,5", "S,S,S,S", "S,S,S,40", "S,S,S,S", teams=True)
    assert texts(state) == ["RS>40", "YS>5"]
    assert after(state, "YS>5") == ["S,S,S,S", "S,S,S,S", "S,S,5,40", "S,S,S,S"]
    state = at("S", "5,H,H,H", "S,S,S,20", "40,H,H,H", "S,S,S,S", teams=True)
    assert texts(state) == ["pass"]
    # An 11 may be declined when neither colour can go forward 11.
    state = at("11", "S,S,S,58", "S,S,S,20", "S,S,S,28", "S,S,S,S", teams=True)
    assert texts(state) == ["decline", "R58x20", "Y28x20"]
    state = at("11", "S,S,S,58", "S,S,S,20", "S,S,S,35", "S,S,S,S", teams=True)
    assert "decline" not in texts(state)
    # All eight at Home win for both.
    state = at("1", "s4,H,H,H", "S,S,S,S", "H,H,H,H", "S,S,S,S", teams=True, turn=2)
    state.apply("Rs4+1")
    assert state.is_terminal and state.winners == (0, 2)
    assert state.returns().tolist() == [1, -1, 1, -1]
    assert state.progress(0) == state.progress(2) == 1
    state = at("1", "s4,H,H,H", "S,S,S,S", "S,H,H,H", "S,S,S,S", teams=True)
    state.apply("Rs4+1")
    assert not state.is_terminal


def test_draws_and_the_new_shuffle():
    state = at("-", "S,S,S,S", "S,S,S,S", pile="0,0,3,0,0,1,0,0,0,0,0")
    outcomes, chances = state.chance_outcomes()
    assert [state.action_to_str(int(outcome)) for outcome in outcomes] == ["3", "7"]
    assert chances.tolist() == [0.75, 0.25]
    assert state.explain("3").legal and state.explain("5").code == "chance"
    assert state.explain("RS").code == "chance"
    empty = at("-", "S,S,S,S", "S,S,S,S", pile="0,0,0,0,0,0,0,0,0,0,0")
    assert len(texts(empty)) == 11
    empty.apply("S")
    assert empty.pile == {**FULL, "S": 3}
    seen = Counter()
    for number in range(45):
        drawn = at("-", "S,S,S,S", "S,S,S,S", pile="5,0,0,0,0,0,0,0,0,0,4")
        seen[drawn.action_to_str(drawn.sample(br.Rng(number)))] += 1
    assert set(seen) == {"1", "S"}


def test_a_whole_pile_is_drawn_without_replacement():
    state = br.load("sorry").new_state()
    rng, drawn = br.Rng(1), Counter()
    while sum(drawn.values()) < 45:
        action = state.sample(rng)
        if action < 11:
            drawn[state.action_to_str(action)] += 1
    assert dict(drawn) == FULL


def test_history_and_records_go_through_chance():
    state = br.load("sorry", players=3).new_state()
    rng = br.Rng(9)
    for _ in range(60):
        state.sample(rng)
    again = br.load("sorry", players=3).new_state()
    for action in state.history:
        again.apply(action)
    assert again == state and again.history == state.history
    read = br.replay(br.record(state))
    assert read == state and read.history == state.history
    while state.history:
        state.undo()
    assert state == br.load("sorry", players=3).new_state()


def test_progress():
    state = at("-", "S,3,4,s4", "2,H,H,H")
    assert state.progress(0) == (0 + 1 + 2 + 65) / 264
    assert state.progress(1) == ((2 - 34) % 60 + 2 + 3 * 66) / 264


# ---------------------------------------------------------------- why and why not

TEAM = {"teams": True}


@pytest.mark.parametrize(
    ("card", "pawns", "options", "play", "code", "words"),
    [
        ("5", ["S,S,S,20", "S,S,S,30"], {}, "R21+5", "no_pawn", "square 21"),
        ("5", ["S,S,S,20", "S,S,S,30"], {}, "B20+5", "no_pawn", "Nobody plays blue"),
        ("7", ["S,S,S,20", "S,S,S,30"], {}, "R20+3,R20+4", "no_pawn", "two pawns"),
        ("1", ["20,H,H,H", "S,S,S,30"], {}, "RS", "no_pawn", "red's Start"),
        ("5", ["S,S,S,20", "S,S,S,30"], {}, "Y30+5", "not_yours", "yellow"),
        ("5", ["S,S,S,20", "S,S,S,S", "S,S,S,30", "S,S,S,1"], TEAM, "G1+5", "not_yours", "red and"),
        ("5", ["S,S,S,20", "S,S,S,30"], {}, "R20+6", "wrong_card", "A 5 moves 5 forward"),
        ("10", ["S,S,S,20", "S,S,S,30"], {}, "R20-4", "wrong_card", "10 forward or 1 back"),
        ("3", ["S,S,S,20", "S,S,S,30"], {}, "RS", "wrong_card", "a 1 or a 2"),
        ("S", ["S,S,S,20", "S,S,S,30"], {}, "RS", "wrong_card", "RS>40"),
        ("3", ["S,S,S,20", "S,S,S,30"], {}, "R20x30", "wrong_card", "an 11"),
        ("3", ["S,S,S,20", "S,S,S,30"], {}, "RS>30", "wrong_card", "Sorry!"),
        ("8", ["S,S,19,20", "S,S,S,30"], {}, "R19+3,R20+5", "wrong_card", "Only a 7"),
        ("7", ["S,S,19,20", "S,S,S,30"], {}, "R19+3,R20+5", "wrong_card", "exactly 7"),
        ("S", ["S,S,19,20", "S,S,S,30"], {}, "R19+3", "wrong_card", "A Sorry!"),
        ("3", ["S,S,S,20", "S,S,S,30"], {}, "decline", "wrong_card", "a 3"),
        ("5", ["S,S,20,H", "S,S,S,30"], {}, "RH+5", "at_home", "stays"),
        ("5", ["S,S,20,H", "S,S,S,30"], {}, "RS+5", "in_start", "Start"),
        ("11", ["S,S,20,H", "S,S,S,30"], {}, "RSx30", "in_start", "Start"),
        ("7", ["S,S,20,H", "S,S,S,30"], {}, "R20+3,RS+4", "in_start", "Start"),
        ("11", ["S,S,20,s2", "S,S,S,30"], {}, "Rs2x30", "safe", "s2"),
        ("11", ["S,S,20,s2", "S,S,S,30"], {}, "R20x31", "no_target", "31"),
        ("11", ["S,S,20,21", "S,S,S,30"], {}, "R20x21", "no_target", "red too"),
        ("S", ["S,S,20,s2", "S,S,S,30"], {}, "RS>20", "no_target", "red too"),
        ("S", ["S,S,20,s2", "S,S,S,30"], {}, "RS>33", "no_target", "33"),
        ("11", ["S,S,S,20", "S,S,S,S", "S,S,S,30", "S,S,S,1"], TEAM, "R20x30", "no_target", "team"),
        ("11", ["S,S,S,s1", "S,S,S,S"], {}, "decline", "no_target", "nothing"),
        ("5", ["S,S,20,s2", "S,S,S,30"], {}, "Rs2+5", "overshoots_home", "3 away"),
        ("7", ["S,S,20,s2", "S,S,S,30"], {}, "R20+3,Rs2+4", "overshoots_home", "3 away"),
        ("5", ["S,S,20,25", "S,S,S,30"], {}, "R20+5", "own_pawn", "square 25"),
        ("1", ["S,S,S,4", "S,S,S,30"], {}, "RS", "own_pawn", "circle"),
        ("1", ["S,S,s1,s2", "S,S,S,30"], {}, "Rs1+1", "own_pawn", "s2"),
        ("7", ["S,19,21,30", "S,S,S,S"], {}, "R19+2,R30+5", "own_pawn", "first lands"),
        ("7", ["S,19,25,30", "S,S,S,S"], {}, "R30+1,R19+6", "own_pawn", "then lands"),
        ("7", ["S,S,21,26", "S,S,S,S"], {}, "R21+3,R26+4", "rest_of_seven", "sends it to Start"),
        ("7", ["S,S,21,26", "S,S,S,S"], {}, "R21+2", "rest_of_seven", "the other 5"),
        ("5", ["S,S,S,20", "S,S,S,30"], {}, "pass", "must_move", "R20+5"),
        ("11", ["S,S,S,s1", "S,S,S,30"], {}, "pass", "legal", "no play"),
        ("11", ["S,S,S,59", "S,S,S,30"], {}, "pass", "must_move", "or decline"),
        ("11", ["S,S,S,20", "S,S,S,30"], {}, "decline", "must_move", "R20+11"),
        ("5", ["S,S,S,20", "S,S,S,30"], {}, "R20", "bad_text", "R12+5"),
        ("5", ["S,S,S,20", "S,S,S,30"], {}, "R20+05", "bad_text", "R12+5"),
        ("5", ["S,S,S,20", "S,S,S,30"], {}, "R60+5", "bad_text", "R12+5"),
        ("5", ["S,S,S,20", "S,S,S,30"], {}, "5", "bad_text", "drawn"),
        ("S", ["S,S,S,20", "S,S,S,30"], {}, "R20>30", "bad_text", "RS>40"),
        ("5", ["S,S,S,20", "S,S,S,25"], {}, "R20+5", "legal", "Y25 to Start"),
        ("3", ["S,S,21,26", "S,S,S,28"], {}, "R21+3", "legal", "square 28; R26 and Y28 to"),
        ("11", ["S,S,S,59", "S,S,S,30"], {}, "decline", "legal", "may decline"),
        ("S", ["S,S,S,20", "S,S,S,30"], {}, "RS>30", "legal", "Y30 to Start"),
        ("11", ["S,S,S,20", "S,S,S,30"], {}, "R20x30", "legal", "changes places"),
        ("1", ["S,S,S,20", "S,S,S,4"], {}, "RS", "legal", "comes out to its circle, square 4; Y4"),
        ("4", ["S,S,S,20", "S,S,S,30"], {}, "R20-4", "legal", "4 back"),
        ("7", ["S,S,21,31", "S,S,S,S"], {}, "R31+2,R21+5", "legal", "like R21+5,R31+2"),
    ],
)  # fmt: skip
def test_reasons(card, pawns, options, play, code, words):
    state = at(card, *pawns, **options)
    text = str(state)
    verdict = state.explain(play)
    assert verdict.code == code, verdict
    assert words in verdict.message, verdict
    assert verdict.message[-1] == "." and bool(verdict) == (code == "legal")
    assert str(state) == text
    if code == "legal":
        state.parse_action(play)
    else:
        with pytest.raises(br.IllegalActionError) as error:
            state.parse_action(play)
        assert error.value.code == code and str(error.value) == verdict.message


def test_game_over():
    state = br.load("sorry").parse(f"sorry 1 - {PILE} H,H,H,H S,S,S,S")
    assert state.is_terminal and state.explain("pass").code == "game_over"
    assert state.plays("1") == {} and state.outlook() == {"YS": {}}
    assert "red has won" in state.render()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_text_has_a_verdict(options):
    """explain says legal of just what can be played, whatever the text."""
    table, game = Table(**full_options(options)), br.load("sorry", **options)
    rnd = random.Random(11)
    for _ in range(20):
        text = random_position(table, rnd)
        state = game.parse(text)
        legal = {play for _, play, _ in table.plays(text)}
        others = set()
        for play in [*legal, "R5+3", "YS", "R1x2", "pass", "decline", "RS>7", "YH+1", "Bs3+2,GS+5"]:
            others.add(play)
            for _ in range(4):
                k = rnd.randrange(len(play))
                others.add(play[:k] + rnd.choice("RBYGSHsx>+-,0123456789") + play[k + 1 :])
        for play in others:
            assert state.explain(play).legal == (play in legal), f"{play} at {text}"


# ---------------------------------------------------------------- queries, pictures, arrays


def test_plays_of_other_cards():
    state = at("-", "S,S,S,16", "S,S,S,17")
    assert state.plays("1") == {"RS": "S,S,4,16 S,S,S,17", "R16+1": "S,S,S,17 S,S,S,S"}
    with pytest.raises(ValueError, match="no card is to be played"):
        state.plays()
    with pytest.raises(ValueError, match="there is no card '6'"):
        state.plays("6")
    with pytest.raises(TypeError):
        state.plays(3)
    for card in FULL:
        other = at(card, "S,S,S,16", "S,S,S,17")
        assert list(state.plays(card)) == list(other.plays()) == texts(other)
        for play, pawns in other.plays().items():
            assert after(other, play) == pawns.split(" ")


def test_outlook_has_every_play_of_every_pawn():
    state = at("-", "S,20,21,s2", "S,S,S,17", "S,S,S,28", "S,S,S,S", teams=True)
    outlook = state.outlook()
    assert list(outlook) == ["RS", "R20", "R21", "Rs2", "YS", "Y28"]
    found = {card: set() for card in FULL}
    for cards in outlook.values():
        for card, plays in cards.items():
            found[card].update(plays)
    for card in FULL:
        assert found[card] == set(state.plays(card)) - {"pass", "decline"}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_observation_shows_all(options):
    game = br.load("sorry", **options)
    rng, state, n = br.Rng(2), game.new_state(), game.num_players
    colours = Table(**full_options(options)).colours
    for _ in range(150):
        if state.is_terminal:
            state = game.new_state()
        state.sample(rng)
        for player in range(n):
            seen = state.observation(player)
            pawns = [""] * n
            for k in range(n):
                who = (player + k) % n
                own = seen[67 * k : 67 * (k + 1)]
                base = offset(colours[player], 0)
                places = ["S"] * int(own[65])
                places += map(str, sorted((int(i) + base) % 60 for i in np.flatnonzero(own[:60])))
                places += [f"s{i}" for i in np.flatnonzero(own[60:65])] + ["H"] * int(own[66])
                pawns[who] = ",".join(places)
            rest = seen[67 * n :]
            card = "".join(list(FULL)[i] for i in np.flatnonzero(rest[:11])) or "-"
            turn = (int(np.flatnonzero(rest[22:])[0]) + player) % n
            deck = ",".join(str(count) for count in rest[11:22])
            assert f"sorry {turn} {card} {deck} {' '.join(pawns)}" == str(state)


def test_bitboards():
    words = at("-", "S,3,59,s4", "2,s0,H,H").bitboards()
    assert words.tolist() == [1 << 3 | 1 << 59, 1 << 4, 1 << 2, 1 << 0]


def test_pictures():
    state = at("7", "S,S,21,26", "S,S,35,s1")
    picture = state.render()
    assert max(map(len, picture.splitlines())) <= 80
    assert picture.count("(R)") == 2 and picture.count("(Y)") == 2 and "plays a 7" in picture
    plain = state.svg()
    assert plain.count(">R<") == 4 and plain.count(">Y<") == 4 and 'width="480"' in plain
    assert "polyline" in state.svg(mark="R21+1,R26+6") and "polyline" not in plain
    assert state.svg(player=1) != plain and state.svg(size=200) != plain
    with pytest.raises(br.IllegalActionError):
        state.svg(mark="R21+8")
    with pytest.raises(ValueError):
        state.svg(player=2)
    with pytest.raises(TypeError):
        state.svg(colour=1)
    state.apply("R21+1,R26+6")
    assert state.svg() != state.svg(last=False)


# ---------------------------------------------------------------- texts and options


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (f"sorry 2 - {PILE} S,S,S,S S,S,S,S", "TURN"),
        (f"sorry 00 - {PILE} S,S,S,S S,S,S,S", "TURN"),
        (f"sorry 0 6 {PILE} S,S,S,S S,S,S,S", "CARD"),
        (f"sorry 0 s {PILE} S,S,S,S S,S,S,S", "CARD"),
        (f"sorry 0 3 {PILE} S,S,S,S S,S,S,S", "DECK"),
        ("sorry 0 - 6,4,4,4,4,4,4,4,4,4,4 S,S,S,S S,S,S,S", "DECK"),
        ("sorry 0 - 5,4,4,4,4,4,4,4,4,4 S,S,S,S S,S,S,S", "DECK"),
        ("sorry 0 - 5,4,4,4,4,4,4,4,4,4,04 S,S,S,S S,S,S,S", "DECK"),
        (f"sorry 0 - {PILE} S,S,S S,S,S,S", "PAWNS"),
        (f"sorry 0 - {PILE} 4,S,S,S S,S,S,S", "PAWNS"),
        (f"sorry 0 - {PILE} S,S,S,60 S,S,S,S", "PAWNS"),
        (f"sorry 0 - {PILE} S,S,S,s5 S,S,S,S", "PAWNS"),
        (f"sorry 0 - {PILE} S,S,4,4 S,S,S,S", "PAWNS"),
        (f"sorry 0 - {PILE} S,S,s1,s1 S,S,S,S", "PAWNS"),
        (f"sorry 0 - {PILE} S,S,S,4 S,S,S,4", "PAWNS"),
        (f"sorry 0 - {PILE} H,H,H,H H,H,H,H", "PAWNS"),
        ("sorry 0 1 4,4,4,4,4,4,4,4,4,4,4 H,H,H,H S,S,S,S", "CARD"),
        (f"sorry 0 - {PILE} S,S,S,S", "text"),
        (f"sorry 0 -  {PILE} S,S,S,S S,S,S,S", "text"),
        (f"chess 0 - {PILE} S,S,S,S S,S,S,S", "game"),
    ],
)
def test_refused_texts(text, field):
    with pytest.raises(br.PositionError) as error:
        br.load("sorry").parse(text)
    assert error.value.field == field


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_texts(data):
    options = data.draw(st.sampled_from(OPTIONS))
    table = Table(**full_options(options))
    text = random_position(table, random.Random(data.draw(st.integers(0, 999))))
    for _ in range(data.draw(st.integers(1, 3))):
        k = data.draw(st.integers(0, len(text) - 1))
        piece = data.draw(st.text("SHs0123456789,- RBYG", max_size=3))
        text = text[:k] + piece + text[k + data.draw(st.integers(0, 2)) :]
    game = br.load("sorry", **options)
    try:
        state = game.parse(text)
    except br.PositionError:
        return
    assert str(state) == text
    state.legal_actions()


def test_options():
    assert str(br.load("sorry", teams=True)) == "sorry(teams=true)"
    assert br.load("sorry", teams=True, players=4) == br.load("sorry", teams=True)
    assert br.load("sorry", players=4) != br.load("sorry", teams=True)
    for bad in (
        {"players": 5}, {"players": 1}, {"players": True}, {"teams": 1},
        {"teams": True, "players": 2},
        {"exchange_slides": "none"}, {"quick_start": "yes"}, {"slides": True},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            br.load("sorry", **bad)


def test_every_number_has_its_own_text():
    for options in ({}, {"teams": True}):
        game = br.load("sorry", **options)
        state = game.new_state()
        names = {state.action_to_str(number) for number in range(game.num_actions)}
        assert len(names) == game.num_actions
    assert COLOURS == "RBYG"
