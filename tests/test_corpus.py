"""Positions confirmed by two programs written apart from each other and from this one.

tests/corpus/GAME.jsonl: a position a line with its actions, every child, perft counts and returns;
tests/corpus/start_perft.json: start positions with their counts.
"""

import json

import numpy as np
import pytest
from option_sets import CORPORA, CORPUS, load_set

import boardrace as br

#: Larger counts are left to `boardrace verify`.
MOST_NODES = 400_000

POSITIONS = [
    (f"{file.stem}-{number}", json.loads(line))
    for file in CORPORA
    for number, line in enumerate(file.read_text().splitlines())
]
STARTS = [
    entry
    for entry in json.loads((CORPUS / "start_perft.json").read_text())
    if (CORPUS / f"{entry['game']}.jsonl").exists()
]


def test_the_corpus_is_there():
    assert len(POSITIONS) > 100 and {entry["game"] for _, entry in POSITIONS} <= set(br.games())


@pytest.mark.parametrize("entry", [e for _, e in POSITIONS], ids=[name for name, _ in POSITIONS])
def test_position(entry):
    game = load_set(entry["game"], entry["options"])
    state = game.parse(entry["position"])
    assert str(state) == entry["position"]
    if entry["turn"] == "terminal":
        assert state.is_terminal
        assert state.returns() == pytest.approx(entry["returns"])
    elif entry["turn"] == "chance":
        assert state.is_chance
    else:
        assert state.current_player == entry["turn"]
    texts = [state.action_to_str(int(action)) for action in state.legal_actions()]
    assert sorted(texts) == sorted(entry["actions"])
    value = state.hash
    for text, child in entry["children"].items():
        state.apply(text)
        assert str(state) == child, text
        assert state.hash == game.parse(child).hash, text
        state.undo()
        assert str(state) == entry["position"] and state.hash == value, text
    for depth, nodes in enumerate(entry["perft"], 1):
        if nodes <= MOST_NODES:
            assert br.perft(state, depth) == nodes, depth


@pytest.mark.parametrize("entry", STARTS, ids=lambda e: f"{e['game']}-{e['options']}")
def test_start(entry):
    state = load_set(entry["game"], entry["options"]).parse(entry["position"])
    for depth, nodes in enumerate(entry["perft"], 1):
        if nodes <= 5_000_000:
            assert br.perft(state, depth) == nodes, depth


def test_no_two_positions_of_the_corpus_share_a_hash():
    texts, values = set(), []
    for _, entry in POSITIONS:
        game = load_set(entry["game"], entry["options"])
        for text in {entry["position"], *entry["children"].values()}:
            if (str(game), text) not in texts:
                texts.add((str(game), text))
                values.append(game.parse(text).hash)
    assert len(np.unique(np.array(values, np.uint64))) == len(texts)
