"""Traverse against its corpus."""

import json
from pathlib import Path

import pytest

import boardrace as br

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parent / "corpus" / "traverse.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("entry", CORPUS, ids=lambda entry: entry["tag"])
def test_corpus(entry):
    state = br.load("traverse", **entry["options"]).parse(entry["position"])
    assert str(state) == entry["position"]
    if entry["turn"] == "terminal":
        assert state.is_terminal and list(state.legal_actions()) == []
        assert list(state.returns()) == pytest.approx(entry["returns"])
        return
    assert state.current_player == entry["turn"]
    actions = [int(action) for action in state.legal_actions()]
    assert actions == sorted(set(actions))
    assert sorted(map(state.action_to_str, actions)) == sorted(entry["actions"])
    for text, child in entry["children"].items():
        before = state.hash
        state.apply(text)
        assert str(state) == child
        assert state == state.game.parse(child) and state.hash == state.game.parse(child).hash
        state.undo()
        assert state.hash == before
    for depth, count in enumerate(entry["perft"], 1):
        if count < 300_000:
            assert br.perft(state, depth) == count
