"""Traverse's fast ways beside the slow ones, on random positions; run by test_traverse_speed.py.

python traverse_twins.py SEED POSITIONS
"""

import random
import sys

import numpy as np
from batch_by_hand import play_beside

import boardrace as br
from boardrace._core import perft
from boardrace.rulebook._traverse_hops import FIELD, OPPOSITE, SIDES, row_of, square_name

OPTION_SETS = [
    {},
    {"long_hops": True},
    {"circles": "return"},
    {"circles": "return_all"},
    {"finish": "frozen", "block_limit": 1},
    {"rules": "advanced"},
    {"rules": "advanced", "circles": "return_all", "block_limit": 2},
    {"players": 3},
    {"players": 3, "rules": "advanced"},
    {"players": 4, "long_hops": True, "block_limit": 0},
    {"players": 4, "rules": "advanced", "circles": "return_all"},
]


def random_position(game, numbers):
    """Pieces anywhere they may rest; often nearly all at home or still at the start."""
    players = game.num_players
    taken = set()
    fields = []
    turn = numbers.randrange(players)
    limit = game.options["block_limit"]
    for side in SIDES[players]:
        places = [(row_of(side), numbers.choice((0, 1, 4, 8))), (sorted(FIELD), 8)]
        places.insert(0, (row_of(OPPOSITE[side]), numbers.choice((0, 1, 3, 6, 7))))
        squares = []
        for where, most in places:
            free = [square for square in where if square not in taken]
            for square in numbers.sample(free, min(most, 8 - len(squares), len(free))):
                taken.add(square)
                squares.append(square)
        shapes = list("SSDDTTCC")
        numbers.shuffle(shapes)
        pieces = sorted(zip(squares, shapes, strict=True))
        fields.append(",".join(shape + square_name(square) for square, shape in pieces))
    blocks = ",".join(str(numbers.randrange(limit) if limit else 0) for _ in range(players))
    passes = numbers.choice((0, 0, 0, players - 1))
    return game.parse(f"traverse {turn} {' '.join(fields)} - {blocks} {passes}")


def compare(state, depth):
    """Fast and slow counts of a position and of what follows it."""
    actions = [int(action) for action in state.legal_actions()]
    text = str(state)
    assert actions == sorted(set(actions)), text
    assert state._count() == len(actions), text
    assert perft.count(state, depth) == perft.count(state, depth, plain=True), (depth, text)


def compare_playouts(game, start, seed, n, max_plies):
    """Games played side by side in lanes beside the same games played action by action."""
    states = [start.copy() if start else game.new_state(br.Rng(seed, i)) for i in range(n)]
    begun = b"".join(state._bytes() for state in states)
    ended, plies = game._rules.play_on(begun, seed, max_plies)
    played = br.playouts(start or game, n, seed=seed, max_plies=max_plies)
    size = len(begun) // n
    for i, state in enumerate(states):
        where = (str(game), str(state), seed, i)
        rng = br.Rng(seed, i)
        count = 0
        while not state.is_terminal and count < max_plies:
            state.sample(rng)
            count += 1
        assert ended[i * size : (i + 1) * size] == state._bytes(), where
        assert plies[i] == played.lengths[i] == count, where
        assert played.truncated[i] == (not state.is_terminal), where
        assert list(played.returns[i]) == [np.float32(x) for x in state.returns()], where


def compare_batch(game, seed, numbers, n):
    """Random positions side by side beside the same ones action by action."""
    states = []
    while len(states) < n:
        try:
            states.append(random_position(game, numbers))
        except br.PositionError:
            continue  # two have won
    play_beside(states, seed, 4)


def main(seed, positions):
    numbers = random.Random(seed)
    for options in OPTION_SETS:
        game = br.load("traverse", **options)
        for _ in range(positions):
            try:
                state = random_position(game, numbers)
            except br.PositionError:
                continue  # two have won
            compare(state, 2)
        compare_batch(game, seed, numbers, positions)
        state = random_position(game, numbers)
        compare(state, 3)
        state = game.new_state(seed)
        rng = br.Rng(seed)
        while not state.is_terminal and state.num_plies < 2 * positions:
            state.sample(rng)
            compare(state, 2)
        compare_playouts(game, None, seed, 40, 150)
        for _ in range(positions // 8):
            try:
                state = random_position(game, numbers)
            except br.PositionError:
                continue
            compare_playouts(game, state, seed, 5, 100)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
