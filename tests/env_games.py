"""The games that the tests of the adaptors play."""

from typing import Any

import boardrace as br
from boardrace._registry import game_class


def player_counts() -> list[br.Game[Any]]:
    """Every game with every number of players."""
    games = []
    for name in br.games():
        if any(option.name == "players" for option in game_class(name).option_list):
            games += [br.load(name, players=n) for n in (2, 3, 4)]
        else:
            games.append(br.load(name))
    return games


def plain_games() -> list[br.Game[Any]]:
    """Every game as it comes."""
    return [br.load(name) for name in br.games()]
