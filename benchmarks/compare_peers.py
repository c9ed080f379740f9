"""Compare with other programs in one run: python benchmarks/compare_peers.py [--seconds 2]

Measured when installed: OpenSpiel's chinese_checkers, backgammon and maedn (pip install
open-spiel), random rollouts in its own C++ loop and from Python step by step, in turns with ours
(medians of five rounds); python-chess perft (pip install chess); Stockfish perft (a `stockfish` on
the path). One thread each, processor seconds. Plies are actions of players and outcomes of chance,
in the same way for all. From Python there are two ways: list the actions, choose one and apply it;
and, with boardrace, sample. The numbers to choose by are drawn before, the same for all, so that
the generator is not timed.
"""

import argparse
import json
import random
import re
import resource
import shutil
import statistics
import subprocess
import time
from pathlib import Path

import boardrace as br

#: The game nearest in kind.
NEAREST = {
    "chinese_checkers": ["traverse"],
    "backgammon": ["sorry"],
    "maedn": ["sorry"],
}


def rate(play, seconds):
    """Plies a second of play(seed), which gives the plies it made."""
    play(0)
    plies = seed = 0
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        seed += 1
        plies += play(seed)
    return plies / (time.process_time() - begin)


#: Numbers to choose by: a game takes 500 of them, from a place that its seed gives.
CHOOSER = random.Random(1)
NUMBERS = [CHOOSER.getrandbits(30) for _ in range(10_500)]


def numbers(seed):
    begin = seed * 37 % 10_000
    return NUMBERS[begin : begin + 500]


def both(ours, theirs, seconds, rounds=5):
    """The rates of two programs that take turns: medians of so many rounds."""
    found = [[], []]
    for _ in range(rounds):
        for rates, play in zip(found, (ours, theirs), strict=True):
            rates.append(rate(play, seconds / rounds))
    return [statistics.median(rates) for rates in found]


def our_steps(game):
    def play(seed):
        state = game.new_state(seed=seed)
        rng = br.Rng(seed)
        for number in numbers(seed):
            player = state.current_player
            if player >= 0:
                actions = state.legal_actions()
                state.apply(actions[number % len(actions)])
            elif player == br.CHANCE:
                state.sample(rng)
            else:
                break
        return state.num_plies

    return play


def our_samples(game):
    def play(seed):
        state, rng = game.new_state(seed=seed), br.Rng(seed)
        sample = state.sample
        while not state.is_terminal and state.num_plies < 500:
            sample(rng)
        return state.num_plies

    return play


def our_loop(game):
    def play(seed):
        played = br.playouts(game, 2000, seed=seed, max_plies=500)
        return int(played.lengths.sum())

    return play


def their_steps(game):
    def play(seed):
        chooser = random.Random(seed)
        state = game.new_initial_state()
        plies = 0
        for number in numbers(seed):
            player = state.current_player()
            if player >= 0:
                actions = state.legal_actions()
                state.apply_action(actions[number % len(actions)])
            elif player == br.CHANCE:
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chooser.choices(outcomes, chances)[0])
            else:
                break
            plies += 1
        return plies

    return play


def their_loop(pyspiel, game):
    """OpenSpiel's rollouts in C++: one step of its tree search, which evaluates the root by them.

    It does not say how many plies it played: the mean length of its random games is measured from
    Python first.
    """
    lengths = []
    for seed in range(30):
        chooser = random.Random(seed)
        state = game.new_initial_state()
        plies = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chooser.choices(outcomes, chances)[0])
            else:
                state.apply_action(chooser.choice(state.legal_actions()))
            plies += 1
        lengths.append(plies)
    mean = sum(lengths) / len(lengths)
    start = game.new_initial_state()
    while start.is_chance_node():
        start.apply_action(start.legal_actions()[0])

    def play(seed):
        evaluator = pyspiel.RandomRolloutEvaluator(50, seed)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 10, False, seed, False)
        bot.mcts_search(start)
        return 50 * mean

    return play


def compare_openspiel(seconds, note):
    try:
        import pyspiel
    except ImportError:
        print("OpenSpiel is not installed (pip install open-spiel): left out")
        return
    for peer, nearest in NEAREST.items():
        game = pyspiel.load_game(peer)
        steps, loop = their_steps(game), their_loop(pyspiel, game)
        for name in nearest:
            ours = br.load(name)
            beside = f"{name} beside OpenSpiel {peer}"
            for how, mine, yours in (
                ("Python: list and apply", our_steps(ours), steps),
                ("Python: sample", our_samples(ours), steps),
                ("whole loop", our_loop(ours), loop),
            ):
                note(f"{beside}, {how}", *both(mine, yours, seconds))


def our_perft(seconds):
    state = br.load("traverse").new_state()
    return rate(lambda seed: br.perft(state, 6), seconds)


def compare_chess(seconds, note):
    try:
        import chess
    except ImportError:
        print("python-chess is not installed (pip install chess): left out")
    else:

        def count(board, depth):
            if depth == 1:
                return board.legal_moves.count()
            total = 0
            for move in board.legal_moves:
                board.push(move)
                total += count(board, depth - 1)
                board.pop()
            return total

        board = chess.Board()
        assert count(board, 3) == 8902
        theirs = rate(lambda seed: count(board, 3), seconds)
        note("traverse perft beside python-chess perft", our_perft(seconds), theirs)
    program = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if program is None:
        print("there is no stockfish on the path: left out")
        return
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = subprocess.run(
        [program], input="go perft 6\nquit\n", capture_output=True, text=True, check=True
    )
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
    nodes = int(re.search(r"Nodes searched: (\d+)", run.stdout)[1])
    assert nodes == 119060324
    note("traverse perft beside Stockfish perft", our_perft(seconds), nodes / took)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = []

    def note(what, ours, theirs):
        print(
            f"{what:66} {ours / 1e6:10.3f} {theirs / 1e6:10.3f} M/s  ratio {ours / theirs:8.1f}",
            flush=True,
        )
        rows.append({"what": what, "ours": ours, "theirs": theirs})

    compare_openspiel(given.seconds, note)
    compare_chess(given.seconds, note)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
