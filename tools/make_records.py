"""Record ten games of each kind for the tests: tests/records/NAME-NUMBER.txt.

Made once: a record that changes means that the rules or the text forms have changed, or the
stream of random numbers. Games end or are broken off; players are mixed, options too.

    python tools/make_records.py
"""

from itertools import cycle
from pathlib import Path

import boardrace as br
from boardrace._files import write_file
from boardrace._registry import game_class
from boardrace.records import record
from boardrace.search import match, player

FOLDER = Path(__file__).parent.parent / "tests" / "records"
#: Long enough for whole games between players that try to win.
MOST_PLIES = 600


def varied(name):
    """The plain game, and others that change one option each as its listed values allow."""
    texts = {name: None}
    for option in game_class(name).option_list:
        for value in option.values.split(", "):
            try:
                texts[str(br.load(f"{name}({option.name}={value})"))] = None
            except ValueError:
                continue  # "0 to 255", words
    return list(texts)


def main():
    FOLDER.mkdir(exist_ok=True)
    for name in br.games():
        seats = cycle(["forward", "uniform", "forward", "search", "forward"])
        for number, text in zip(range(10), cycle(varied(name)), strict=False):
            game = br.load(text)
            names = [next(seats) for _ in range(game.num_players)]
            players = [
                player(one, seed=100 * number + k, playouts=30) for k, one in enumerate(names)
            ]
            state = match(game.new_state(number), players, br.Rng(number), max_plies=MOST_PLIES)
            tags = {f"Player{k}": one for k, one in enumerate(names)}
            write_file(FOLDER / f"{name}-{number}.txt", record(state, End=str(state), **tags))
            print(game, state.num_plies, state.returns())


if __name__ == "__main__":
    main()
