"""The option sets that general tests play: those of the corpora, which cover every option."""

import json
from pathlib import Path
from typing import Any

import boardrace as br

CORPUS = Path(__file__).with_name("corpus")
CORPORA = sorted(CORPUS.glob("*.jsonl"))


def load_set(name: str, options: dict[str, Any]) -> br.Game[Any]:
    """The game of a corpus line; files named in its options lie beside the corpus."""
    here = {
        key: str(CORPUS / value) if isinstance(value, str) and value.endswith(".json") else value
        for key, value in options.items()
    }
    return br.load(name, **here)


def option_sets() -> list[br.Game[Any]]:
    """One game a different option set, ordered by text."""
    games = {}
    for file in CORPORA:
        for line in file.read_text().splitlines():
            entry = json.loads(line)
            game = load_set(entry["game"], entry["options"])
            games[str(game)] = game
    return [games[text] for text in sorted(games)]
