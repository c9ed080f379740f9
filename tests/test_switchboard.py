"""Switchboard: the corpus, the rules one by one, the tiles, the texts."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardrace as br
from boardrace.rulebook._switchboard_tiles import STANDARD, read_printing
from boardrace.rulebook.switchboard import SwitchboardState

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parent / "corpus" / "switchboard.jsonl").read_text().splitlines()
]
FIRST_LAYOUT = ",".join(f"{column}.{row}.0" for row in range(6) for column in range(6))
START = f"switchboard 0 roll - {FIRST_LAYOUT} -,- .,. -"


def game_of(entry):
    return br.load("switchboard", **entry["options"])


def state(text, **options):
    return br.load("switchboard", **options).parse(text)


def texts(position):
    return [position.action_to_str(int(action)) for action in position.legal_actions()]


def with_tiles(changes, rest, base=FIRST_LAYOUT):
    """A position's text: the first layout with some tiles elsewhere. `rest` has TILES for them."""
    tiles = base.split(",")
    for label, where in changes.items():
        tiles[(int(label[0]) - 1) * 6 + int(label[1]) - 1] = where
    return rest.replace("TILES", ",".join(tiles))


# ---------------------------------------------------------------- the corpus


def test_start_counts():
    start = br.load("switchboard").new_state()
    assert str(start) == START
    assert [br.perft(start, depth) for depth in range(8)] == [
        1, 21, 22, 250, 5250, 5641, 112196, 1801190,
    ]  # fmt: skip
    counts = {6: [21, 22, 69, 1449, 1577, 12827, 124724], 7: [21, 22, 250, 5250, 5641, 98200]}
    for table, expected in counts.items():
        start = br.load("switchboard", table=table).new_state()
        assert [br.perft(start, depth + 1) for depth in range(len(expected))] == expected
    for players in (3, 4):
        start = br.load("switchboard", players=players).new_state()
        assert [br.perft(start, depth) for depth in (4, 5, 6)] == [5250, 5641, 112196]


def test_corpus_texts_as_actions():
    """Every action text of the corpus is read back, and explained as legal."""
    for entry in CORPUS[::6]:
        position = game_of(entry).parse(entry["position"])
        for action, text in zip(position.legal_actions(), texts(position), strict=True):
            assert position.parse_action(text) == action
            assert position.explain(text).legal, (entry["position"], text)


# ---------------------------------------------------------------- the tiles


def test_facts_of_the_tiles():
    colours = Counter(colour for tile in STANDARD["tiles"] for colour in tile["spots"].values())
    assert colours == {"G": 30, "R": 29, "Y": 59, "F": 1}
    assert sum(colours.values()) == 119
    start = br.load("switchboard").new_state()
    assert len(start.joins()) == 35
    # one path from 11 to 34, no tile joined to more than two others
    beside = {}
    for one, other in start.joins():
        beside.setdefault(one[:2], []).append(other[:2])
        beside.setdefault(other[:2], []).append(one[:2])
    path = ["11"]
    while True:
        further = [tile for tile in beside[path[-1]] if tile not in path[-2:-1]]
        if not further:
            break
        assert len(further) == 1
        path.append(further[0])
    assert len(path) == 36 and path[-1] == "34"
    # the entry spot is the first of 108 spots; a token enters onto it with its first step
    assert start.distance() == 108
    assert start.colour("34N") == "F"


def test_first_moves_by_total():
    start = br.load("switchboard").new_state()
    ends = {2: ["11C"], 3: ["11E", "11S"], 4: ["21N"], 5: ["21C"], 6: ["21S"]}
    ends |= {7: ["31N"], 8: ["31C"], 9: ["31S"], 10: ["41N"], 11: ["41C"], 12: ["41S"]}
    for total, spots in ends.items():
        assert list(start.walks(total)) == spots
        low = max(1, total - 6)
        position = start.copy()
        position.apply(f"{low}+{total - low}")
        assert texts(position) == [f">{spot}" for spot in spots]


# ---------------------------------------------------------------- numbers of actions


@pytest.mark.parametrize("options", [{}, {"table": 6}, {"table": 7}, {"players": 4, "table": 33}])
def test_each_number_has_a_text_of_its_own(options):
    position = br.load("switchboard", **options).new_state()
    seen = [position.action_to_str(action) for action in range(position.game.num_actions)]
    assert len(set(seen)) == len(seen)
    for action in range(0, len(seen), 97):
        assert position._number(seen[action]) == action
    for action in (-1, len(seen)):
        with pytest.raises(ValueError, match="there is no action"):
            position.action_to_str(action)
    table = position.game.options["table"]
    cells = {text[3:].rsplit(",", 1)[0] for text in seen if ":" in text}
    # every cell of the table and beside it but for the corners, where nothing can be joined
    assert len(cells) == (36 if table == 6 else table * table + 4 * table)


# ---------------------------------------------------------------- texts


def bad(field, text, **options):
    with pytest.raises(br.PositionError) as caught:
        state(text, **options)
    assert caught.value.field == field, str(caught.value)


def test_refused_texts():
    bad("game", START.replace("switchboard", "octiles"))
    bad("text", START + " ")
    bad("text", START + " x")
    bad("text", START.replace("roll", "röll"))
    bad("TURN", START.replace(" 0 roll", " 2 roll"))
    bad("TURN", START.replace(" 0 roll", " 00 roll"))
    bad("PHASE", START.replace("roll", "throw"))
    bad("DICE", START.replace("roll -", "roll 1+2"))
    bad("DICE", START.replace("roll -", "move -"))
    bad("DICE", START.replace("roll -", "move 2+1"))
    bad("DICE", START.replace("roll -", "move 1+7"))
    bad("TILES", START.replace(",5.5.0", ""))
    bad("TILES", START.replace(",5.5.0", ",5.5"))
    bad("TILES", START.replace(",5.5.0", ",5.05.0"))
    bad("TILES", START.replace(",5.5.0", ",5.5.4"))
    bad("TILES", START.replace(",5.5.0", ",4.5.0"))
    bad("TILES", START.replace(",5.5.0", ",24.5.0"))
    bad("TILES", START.replace(",5.5.0", ",6.5.0"), table=6)
    bad("TILES", START.replace(",4.5.0", ",4.5.2"))  # a straight tile half turned
    bad("TILES", START.replace(".0.0,", ".9.0,"))  # no tile in row 0
    bad("TOKENS", START.replace("-,-", "-"))
    bad("TOKENS", START.replace("-,-", "-,-,-"))
    bad("TOKENS", START.replace("-,-", "-,12N"))  # no spot there
    bad("TOKENS", START.replace("-,-", "-,77C"))
    bad("TOKENS", START.replace("-,-", "21C,21C"))
    bad("TOKENS", START.replace("-,-", "34N,-"))
    bad("TOKENS", START.replace("-,-", "*,-"))
    bad("TOKENS", START.replace("roll -", "bump 1+1").replace("-,- .,. -", "-,* .,. 1"))
    bad("TOKENS", START.replace("roll -", "bump 1+1").replace("-,- .,. -", "11C,21C .,. 1"))
    bad("TOKENS", START.replace("roll -", "move 1+1").replace("-,-", "-,34N"))
    bad("FLAGS", START.replace(".,.", ".,"))
    bad("FLAGS", START.replace(".,.", ".,o"))
    bad("FLAGS", START.replace(".,.", ".,+"))
    bad("FLAGS", START.replace(".,.", "x,."))
    bad("BUMPED", START[:-1] + "1")
    bad("BUMPED", START.replace("roll -", "bump 1+1").replace("-,- .,. -", "11C,* .,. 0"))
    bad("BUMPED", START.replace("roll -", "turn 1+1").replace("-,- .,. -", "11C,21C .,. 22"))
    bad("BUMPED", START.replace("roll -", "turn 1+1").replace("-,- .,. -", "11C,21C .,. 77"))
    bad("BUMPED", START.replace("roll -", "turn 1+1").replace("-,- .,. -", "11C,14C .,. 14"))


def test_accepted_texts():
    for text in (
        START.replace("roll -", "move 1+1").replace("-,-", "34N,-"),
        START.replace(".,.", ".,x"),
        START.replace("roll -", "shift 1+1").replace(".,.", "+,x"),
        START.replace("roll -", "turn 1+1").replace("-,- .,. -", "11C,21C .,x 21"),
        with_tiles({"66": "23.23.3"}, START.replace(FIRST_LAYOUT, "TILES")),
    ):
        assert str(state(text)) == text


LETTERS = "0123456789,.:+-*x NESWCrollmovebumpturnshift"


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(CORPUS),
    st.lists(st.tuples(st.integers(0, 10_000), st.sampled_from("rdis"), st.sampled_from(LETTERS)),
             min_size=1, max_size=4),
)  # fmt: skip
def test_mutated_texts(entry, changes):
    text = list(entry["position"])
    for where, kind, letter in changes:
        k = where % len(text)
        if kind == "r":
            text[k] = letter
        elif kind == "d" and len(text) > 1:
            del text[k]
        elif kind == "i":
            text.insert(k, letter)
        else:
            text[k], text[k - 1] = text[k - 1], text[k]
    mutated = "".join(text)
    try:
        position = game_of(entry).parse(mutated)
    except br.PositionError:
        return
    assert str(position) == mutated
    for action in position.legal_actions()[:40]:
        position.apply(int(action))
        assert str(position.game.parse(str(position))) == str(position)
        position.undo()
    assert str(position) == mutated


# ---------------------------------------------------------------- a printing of one's own


def changed_printing(**changes):
    content = json.loads(json.dumps(STANDARD))
    content.update(changes)
    return content


def test_own_tiles_are_compared_by_content(tmp_path):
    file = tmp_path / "own tiles.json"
    content = changed_printing(legend={"G": "again"})
    file.write_text(json.dumps(content, indent=2))
    assert br.load("switchboard", tiles=str(file)) == br.load("switchboard")
    assert str(br.load("switchboard", tiles=file)) == "switchboard"
    content["tiles"][0]["spots"]["N"] = "R"
    for tile in content["tiles"]:
        tile["col"] -= 3
    file.write_text(json.dumps(content))
    game = br.load("switchboard", tiles=file, players=3)
    assert game != br.load("switchboard", players=3)
    assert game == br.load("switchboard", tiles=content, players=3)
    file.unlink()  # it is read once
    assert br.load(str(game)) == game and hash(br.load(str(game))) == hash(game)
    assert str(br.load(str(game))) == str(game)
    import copy
    import pickle

    assert pickle.loads(pickle.dumps(game)) == game
    assert copy.deepcopy(game.options["tiles"]) == game.options["tiles"]
    assert pickle.loads(pickle.dumps(game.options["tiles"])) == game.options["tiles"]
    assert game.new_state().colour("11N") == "R"
    assert game.new_state().hash != br.load("switchboard", players=3).new_state().hash
    with pytest.raises(TypeError):
        game.options["tiles"]["entry"] = {}
    with pytest.raises(TypeError):
        game.options["tiles"]["tiles"][0]["spots"]["N"] = "G"


def broken(message, change):
    content = json.loads(json.dumps(STANDARD))
    content = change(content) or content
    with pytest.raises(ValueError, match=message):
        br.load("switchboard", tiles=content)


def test_refused_printings(tmp_path):
    broken("'entry'", lambda c: c.pop("entry") and None)
    broken("'tiles'", lambda c: c.pop("tiles") and None)
    broken("36 tiles.*missing: 66", lambda c: c["tiles"].pop() and None)
    broken("12 is given twice", lambda c: c["tiles"].append(c["tiles"][1]))
    broken("'17' is no label", lambda c: c["tiles"][0].update(id="17"))
    broken(": 11 is no label", lambda c: c["tiles"][0].update(id=11))
    broken("col of tile 11", lambda c: c["tiles"][0].update(col="0"))
    broken("row of tile 11", lambda c: c["tiles"][0].pop("row") and None)
    broken("row of tile 11", lambda c: c["tiles"][0].update(row=True))
    broken("11 and 12 both lie at", lambda c: c["tiles"][1].update(col=0))
    broken("11 has no 'spots'", lambda c: c["tiles"][0].update(spots="GYGR"))
    broken("no spot at its centre", lambda c: c["tiles"][0]["spots"].pop("C") and None)
    broken("spot at 'X'", lambda c: c["tiles"][0]["spots"].update(X="G"))
    broken("the colour 'B'", lambda c: c["tiles"][0]["spots"].update(N="B"))
    broken("here are 0", lambda c: c["tiles"][15]["spots"].update(N="Y"))
    broken("here are 2: 11N, 34N", lambda c: c["tiles"][0]["spots"].update(N="F"))
    broken("entry's tile", lambda c: c["entry"].update(tile="70"))
    broken("entry's side 'C'", lambda c: c["entry"].update(side="C"))
    broken("11W, where there is no spot", lambda c: c["entry"].update(side="W"))
    broken("first layout of the tiles needs 26", lambda c: c["tiles"][0].update(col=-20))
    broken("must be a mapping", lambda c: c["tiles"].append(7))
    broken("must be a list", lambda c: c.update(tiles={"11": {}}))

    def no_yellow(content):
        for tile in content["tiles"]:
            for side, colour in tile["spots"].items():
                if colour == "Y":
                    tile["spots"][side] = "G"

    broken("0 yellow spots", no_yellow)
    with pytest.raises(ValueError, match="cannot read"):
        br.load("switchboard", tiles=str(tmp_path / "missing.json"))
    for content in ("{", "[" * 100_000, '{"tiles": 1, "tiles": 2}'):
        (tmp_path / "bad.json").write_text(content)
        with pytest.raises(ValueError, match="is not JSON"):
            br.load("switchboard", tiles=tmp_path / "bad.json")
    (tmp_path / "bad.json").write_bytes(b" " * 2_000_000)
    with pytest.raises(ValueError, match="longer than"):
        br.load("switchboard", tiles=tmp_path / "bad.json")
    for value in (5, None, ["11"], b"x", "a\0b"):
        with pytest.raises(ValueError, match="tiles"):
            br.load("switchboard", tiles=value)


def test_printing_with_bare_tiles():
    """Tiles without arms can be bumped onto, but not reached or shifted; a finish at a centre."""
    content = json.loads(json.dumps(STANDARD))
    for tile in content["tiles"]:
        if tile["id"] in ("55", "66"):
            tile["spots"] = {"C": "Y"}
        if tile["id"] == "34":
            tile["spots"] = {"C": "F", "S": "Y"}
    game = br.load("switchboard", tiles=content)
    assert br.load(str(game)) == game
    position = game.new_state(seed=1)
    seen = {position.action_to_str(action) for action in range(game.num_actions)}
    assert "*55C" in seen and ">55C" not in seen and not any(text[:3] == "55:" for text in seen)
    rng = br.Rng(5)
    for _ in range(400):
        if position.is_terminal:
            break
        assert str(game.parse(str(position))) == str(position)
        position.sample(rng)
    position = game.parse(START.replace("roll -", "move 1+1").replace("-,-", "34S,-"))
    position.apply(">44C")
    assert position.turn == 0 and not position.is_terminal
    position = game.parse(START.replace("roll -", "move 1+2").replace("-,-", "44C,-"))
    position.apply(">34C")
    assert position.winners == (0,)
    assert read_printing(content) == game.options["tiles"]


def test_options():
    for options, message in (
        ({"players": 5}, "2 to 4"),
        ({"players": 1}, "2 to 4"),
        ({"players": "two"}, "whole number"),
        ({"table": 5}, "6 to 64"),
        ({"table": 65}, "6 to 64"),
        ({"table": True}, "whole number"),
        ({"tile": "x"}, "no option 'tile'"),
    ):
        with pytest.raises(ValueError, match=message):
            br.load("switchboard", **options)


# ---------------------------------------------------------------- observation, bitboards, progress


def seen_by(position, player):
    """What the observation says, as fields of a position's text."""
    values = position.observation(player).tolist()
    players = position.game.num_players
    tiles = ",".join(".".join(map(str, values[3 * k : 3 * k + 3])) for k in range(36))
    rest = values[108:]
    tokens, flags = [""] * players, [""] * players
    for k in range(players):
        tile, side, flag = rest[3 * k : 3 * k + 3]
        seat = (player + k) % players
        label = f"{(tile + 5) // 6}{(tile - 1) % 6 + 1}"
        tokens[seat] = label + "NESWC"[side] if tile else "-*"[side]
        flags[seat] = ".+x"[flag]
    seat, phase, low, high, bumped = rest[3 * players :]
    dice = f"{low}+{high}" if phase else "-"
    label = f"{(bumped + 5) // 6}{(bumped - 1) % 6 + 1}" if bumped else "-"
    if phase == 2:
        label = str(tokens.index("*"))
    return (
        f"switchboard {(seat + player) % players} {'roll move bump turn shift'.split()[phase]} "
        f"{dice} {tiles} {','.join(tokens)} {','.join(flags)} {label}"
    )


def test_observation_shows_the_whole_position():
    for entry in CORPUS:
        position = game_of(entry).parse(entry["position"])
        for player in range(position.game.num_players):
            assert seen_by(position, player) == entry["position"]
        assert position.observation(0).dtype == np.uint8


def test_bitboards():
    for entry in CORPUS[::5]:
        position = game_of(entry).parse(entry["position"])
        players = position.game.num_players
        words = position.bitboards().reshape(players + 5, 3)
        sets = [
            {f"{n // 30 + 1}{n // 5 % 6 + 1}{'NESWC'[n % 5]}" for n in range(180)
             if int(row[n // 64]) >> n % 64 & 1}
            for row in words
        ]  # fmt: skip
        for player in range(players):
            spot = position.where(player)
            assert sets[player] == ({spot} if spot else set())
        for colour, found in zip("YGRF", sets[players:], strict=False):
            assert all(position.colour(spot) == colour for spot in found)
        assert sum(len(found) for found in sets[players : players + 4]) == 119
        assert sets[-1] == {spot for pair in position.joins() for spot in pair}


def test_progress():
    start = br.load("switchboard").new_state()
    assert start.progress(0) == 20 / 128
    assert state(START.replace("roll -", "move 1+1").replace("-,-", "34N,34S")).progress(0) == 1
    position = state(START.replace("-,-", "34C,34S"))
    assert position.progress(0) == 127 / 128 and position.distance(0) == 1
    assert position.progress(1) == 126 / 128 and position.distance(1) == 2
    island = with_tiles({"34": "9.9.0"}, START.replace(FIRST_LAYOUT, "TILES"))
    assert state(island).progress(0) == 0 and state(island).distance() is None


def test_determinize_hides_nothing():
    position = state(CORPUS[40]["position"], **CORPUS[40]["options"])
    assert position.determinize(3) == position


def test_random_games_keep_to_the_rules():
    """Play at random; every position reads back, and undo leads back."""
    rng = random.Random(4)
    for options in ({}, {"players": 3, "table": 7}, {"players": 4, "table": 6}):
        position: SwitchboardState = br.load("switchboard", **options).new_state()
        numbers = br.Rng(rng.getrandbits(40))
        for _ in range(250):
            if position.is_terminal:
                break
            position.sample(numbers)
            text = str(position)
            again = position.game.parse(text)
            assert again == position and again.hash == position.hash
        while position.history:
            position.undo()
        assert str(position) == START.replace("-,- .,.", _empty(position.game.num_players))


def _empty(players):
    return ",".join("-" * players) + " " + ",".join("." * players)


# ---------------------------------------------------------------- reasons


def why(position, text):
    verdict = position.explain(text)
    assert verdict.message and not verdict.message[0].islower() and verdict.message[-1] == "."
    if verdict.code not in ("legal", "same_position"):
        with pytest.raises(br.IllegalActionError) as caught:
            position.parse_action(text)
        assert caught.value.code == verdict.code
    return verdict.code


def in_phase(phase_and_dice, tokens="-,-", flags=".,.", bumped="-", seat=0, tiles=None):
    tiles = FIRST_LAYOUT if tiles is None else with_tiles(tiles, "TILES")
    return state(f"switchboard {seat} {phase_and_dice} {tiles} {tokens} {flags} {bumped}")


def test_reasons_that_all_games_have():
    start = br.load("switchboard").new_state()
    assert why(start, "none") == "chance"
    assert why(start, "4+5") == "legal"
    over = in_phase("move 1+1", "34N,-")
    assert why(over, "stay") == "game_over"
    for text in (
        "", " ", "x", "5+4", "7+1", ">21", ">21X", ">71C", "*21", "t4", "t", "stay ", "None",
        "45:0,0", "45:0,0,4", "45:00,0,0", "45:-0,0,0", "45:+1,0,0", "45:0,0,0 ", "47:0,0,0",
        "45:99999,0,0", "\uff14+5",
    ):  # fmt: skip
        assert why(in_phase("move 4+5"), text) == "bad_text", text


def test_reasons_of_a_move():
    position = in_phase("move 4+5")
    for text in ("none", "4+5", "t0", "*21C", "45:0,0,0"):
        assert why(position, text) == "wrong_phase"
    assert why(position, ">12N") == "no_spot"
    assert why(position, ">21C") == "no_walk"
    assert "one of 5 does" in position.explain(">21C").message
    assert why(position, "stay") == "must_move"
    assert "31S" in position.explain("stay").message
    assert why(position, ">31S") == "legal"
    assert "11N-11C-11S-21N" in position.explain(">31S").message
    # an island of one straight tile: there is nowhere to go
    island = in_phase("move 4+5", "34C,-", tiles={"34": "9.9.0"})
    assert why(island, "stay") == "legal"
    assert why(island, ">34N") == "no_walk"


def test_reasons_of_a_bump_and_a_turn():
    position = in_phase("bump 4+5", "31S,*", bumped="1")
    assert why(position, ">31S") == "wrong_phase"
    assert why(position, "*12N") == "no_spot"
    assert why(position, "*11N") == "not_yellow"
    assert why(position, "*34N") == "not_yellow"
    assert why(position, "*12C") == "legal"
    position = state(f"switchboard 0 bump 4+5 {FIRST_LAYOUT} 21S,*,12C .,.,. 1", players=3)
    assert why(position, "*12C") == "occupied"
    assert why(position, "*21S") == "occupied"
    assert why(position, "*21N") == "legal"
    turn = in_phase("turn 4+5", "31S,21C", bumped="21")
    assert why(turn, "*21N") == "wrong_phase"
    assert texts(turn) == ["t0", "t1"]
    assert why(turn, "t1") == "legal"
    assert why(turn, "t2") == "same_position"
    assert turn.parse_action("t3") == turn.parse_action("t1")
    turn.apply("t2")
    assert turn.history == [turn.game.parse(str(turn))._number("t0")]
    assert len(texts(in_phase("turn 4+5", "31S,21N", bumped="21"))) == 4


def test_reasons_of_a_shift():
    position = in_phase("shift 4+5", "31S,-", flags="x,.")
    assert why(position, "t0") == "wrong_phase"
    assert why(position, "45:0,0,0") == "occupied"
    assert why(position, "44:6,0,0") == "not_rolled"
    assert why(position, "45:9,9,0") == "not_joined"
    assert why(position, "45:6,5,0") == "not_joined"
    assert why(position, "45:6,5,1") == "legal"
    assert why(position, "45:6,5,3") == "same_position"
    assert position.parse_action("45:6,5,3") == position.parse_action("45:6,5,1")
    assert why(position, "45:4,3,0") == "same_position"
    assert position.action_to_str(position.parse_action("45:4,3,0")) == "none"
    assert why(position, "none") == "legal"
    small = br.load("switchboard", table=6).parse(str(position))
    assert why(small, "45:6,5,1") == "off_table"
    assert texts(small) == ["none", "45:4,3,1", "54:3,4,1"]


def test_explain_agrees_with_the_list():
    """Of many texts, legal are exactly those listed."""
    rng = random.Random(9)
    labels = [f"{a}{b}" for a in range(1, 7) for b in range(1, 7)]
    spots = [label + side for label in labels for side in "NESWC"]
    for entry in rng.sample(CORPUS, 40):
        position = game_of(entry).parse(entry["position"])
        listed = set(texts(position))
        tried = {f">{spot}" for spot in rng.sample(spots, 12)} | {"stay", "none", "t0", "t2", "t3"}
        tried |= {f"*{spot}" for spot in rng.sample(spots, 12)} | set(sorted(listed)[:20])
        for text in sorted(listed)[:8]:
            if ":" in text:
                head, row, _ = text.split(",")
                tried |= {f"{head},{row},{turns}" for turns in range(4)}
                tried.add(f"{head},{int(row) + 1},0")
        for text in tried:
            verdict = position.explain(text)
            assert verdict.legal == (text in listed), (entry["position"], text, verdict)
            if verdict.code == "same_position":
                assert position.action_to_str(position.parse_action(text)) in listed


# ---------------------------------------------------------------- the rules, one by one


def test_a_ring_may_be_walked_round():
    """Four corner tiles in a square: after twelve steps the token is back."""
    ring = {"12": "10.10.0", "16": "11.10.0", "23": "10.11.3", "25": "11.11.1"}
    position = in_phase("move 6+6", "12C,-", tiles=ring)
    assert texts(position) == [">12C"]
    assert position.path(12, "12C")[0] == "12C"
    assert len(set(position.path(12, "12C"))) == 12


def test_entry_is_at_tile_11_wherever_it_lies():
    position = in_phase("move 1+1", tiles={"11": "6.4.1"})  # turned once: the entry is at its east
    assert texts(position) == [">11C"]
    assert position.path(2, "11C") == ("11E", "11C")
    # a tile joined outside of the entry spot does not lead the token back out
    position = in_phase("move 1+2", tiles={"11": "1.6.0"})
    assert "62" not in "".join(texts(position))


def test_finish_is_passed_or_hit():
    # tile 25 beyond the finish, its south spot facing it
    tiles = {"24": "9.9.0", "25": "3.1.0"}
    position = in_phase("move 1+2", "34C,-", tiles=tiles)
    assert texts(position) == [">25C", ">44C"]
    position = in_phase("move 1+3", "34S,-", tiles=tiles)
    assert ">25C" in texts(position)
    position = in_phase("move 1+1", "34S,-", tiles=tiles)
    position.apply(">34N")
    assert position.is_terminal and position.winners == (0,)
    assert list(position.returns()) == [1, -1]
    assert str(position).split()[1:4] == ["0", "move", "1+1"]


def test_colours_and_lost_turns():
    red = in_phase("move 1+2", "21N,-")
    red.apply(">31N")
    assert str(red).split()[6] == "x,."
    red.apply("none")
    assert (red.turn, str(red).split()[6]) == (1, "x,.")
    green = in_phase("move 1+2", "41N,-")
    green.apply(">51N")
    assert str(green).split()[6] == "+,."
    green.apply("none")
    assert (green.turn, str(green).split()[6]) == (0, ".,.")
    # both of two players lose a turn: both are passed over, and player 1 rolls
    both = in_phase("shift 1+2", "31N,-", flags="x,x")
    both.apply("none")
    assert (both.turn, str(both).split()[6]) == (1, ".,.")
    stay = in_phase("move 1+2", "31C,-", tiles={"31": "9.9.0"})
    stay.apply("stay")
    assert str(stay).split()[6] == ".,."


def test_a_bump_from_move_to_shift():
    position = in_phase("move 1+2", "21N,31N")
    position.apply(">31N")
    assert str(position).endswith(" 31N,* .,. 1") and position.current_player == 0
    assert len(texts(position)) == 59
    position.apply("*21C")
    assert str(position).endswith(" 31N,21C .,. 21") and position.current_player == 0
    position.apply("t1")
    assert str(position).split()[2] == "shift" and str(position).split()[6] == "x,."
    assert position.where(1) == "21C"
    assert position.colour("21N") is None and position.colour("21E") == "Y"


def test_tokens_turn_with_their_tile():
    position = in_phase("shift 1+3", "31N,31S", flags="x,.")
    position.apply("31:0,2,2")
    assert position.where(0) == "31S" and position.where(1) == "31N"


def test_shift_off_the_west_and_north_counts_anew():
    position = in_phase("shift 4+5", "31S,-", flags="x,.")
    position.apply("45:0,-1,0")
    assert str(position).split()[4].split(",")[0] == "0.1.0"
    assert str(position).split()[4].split(",")[22] == "0.0.0"


# ---------------------------------------------------------------- pictures and queries


def test_render_of_the_first_layout_fits_80_columns():
    start = br.load("switchboard", players=4).new_state()
    picture = start.render()
    assert max(map(len, picture.splitlines())) <= 80
    for label in ("11", "34", "66"):
        assert f"|{label} " in picture
    start.apply("1+1")
    start.apply(">11C")
    assert "(0)" in start.render() and "off the table" in start.render()
    wide = in_phase("roll -", "21C,34C", tiles={"66": "20.3.0"})
    assert max(map(len, wide.render().splitlines())) > 80
    assert "(0)" in wide.render() and "(1)" in wide.render()


def test_svg_is_well_formed():
    from xml.etree import ElementTree

    rng = br.Rng(6)
    position = br.load("switchboard", players=4).new_state()
    for _ in range(60):
        if position.is_terminal:
            break
        listed = texts(position)
        picture = position.svg(mark=listed[-3:], size=300)
        assert ElementTree.fromstring(picture).tag.endswith("svg")
        position.sample(rng)
    for entry in CORPUS[::20]:
        position = game_of(entry).parse(entry["position"])
        ElementTree.fromstring(position.svg(mark=texts(position)[:2], player=1, last=False))
        position.render()
    with pytest.raises(ValueError, match="no player 9"):
        position.svg(player=9)
    with pytest.raises(ValueError):
        position.svg(mark="nonsense")
    with pytest.raises(ValueError):
        position.svg(size=0)
    with pytest.raises(TypeError):
        position.svg(size="big")


def test_queries_refuse_nonsense():
    start = br.load("switchboard").new_state()
    for wrong in (1, 13):
        with pytest.raises(ValueError, match="2 to 12"):
            start.walks(wrong)
    with pytest.raises(TypeError):
        start.walks("4")
    with pytest.raises(ValueError, match="no player 2"):
        start.distance(2)
    with pytest.raises(TypeError):
        start.where(1.0)
    with pytest.raises(ValueError, match="no walk of 5 steps"):
        start.path(5, "34N")
    with pytest.raises(ValueError, match="is no spot"):
        start.colour("11")
    assert in_phase("bump 4+5", "31S,*", bumped="1").walks(4, 1) == ()
