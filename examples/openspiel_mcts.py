"""OpenSpiel's tree search plays whole games of boardrace against a uniform player.

    python examples/openspiel_mcts.py traverse sorry --games 40 --simulations 200

The search is OpenSpiel's own (open_spiel.python.algorithms.mcts); positions are valued by the
players' progress. Seats alternate from game to game.
"""

import argparse
import time

import numpy as np
from open_spiel.python.algorithms import mcts
from open_spiel.python.bots import uniform_random

from boardrace.envs import openspiel


def play(game, bots, rng):
    """One game; its returns and its number of plies."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=weights)))
        else:
            state.apply_action(bots[state.current_player()].step(state))
    return state.returns(), state.move_number()


def match(text, games, simulations, max_plies, seed):
    """How often the search wins, loses, neither; with the plies and the seconds a game took."""
    game = openspiel.load(text, seed=seed, max_plies=max_plies)
    won = lost = plies = 0
    started = time.perf_counter()
    for number in range(games):
        rng = np.random.RandomState(seed + number)
        seat = number % game.num_players()
        search = mcts.MCTSBot(
            game,
            uct_c=0.1,
            max_simulations=simulations,
            evaluator=openspiel.ProgressEvaluator(),
            random_state=rng,
        )
        bots = [
            search if player == seat else uniform_random.UniformRandomBot(player, rng)
            for player in range(game.num_players())
        ]
        returns, length = play(game, bots, rng)
        won += returns[seat] > 0
        lost += returns[seat] < 0
        plies += length
    seconds = time.perf_counter() - started
    return won, lost, games - won - lost, plies / games, seconds / games


def positive(text):
    """A whole number from 1 on, for argparse."""
    number = int(text)
    if number < 1:
        raise ValueError(number)
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", nargs="*", default=["traverse", "sorry"])
    parser.add_argument("--games", type=positive, default=40)
    parser.add_argument("--simulations", type=positive, default=200)
    parser.add_argument("--max-plies", type=positive, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for text in given.game:
        try:
            openspiel.load(text)
        except ValueError as error:
            parser.error(str(error))
    for text in given.game:
        won, lost, neither, plies, seconds = match(
            text, given.games, given.simulations, given.max_plies, given.seed
        )
        print(
            f"{text}: won {won}, lost {lost}, neither {neither} of {given.games} games with "
            f"{given.simulations} simulations a move; {plies:.0f} plies and {seconds:.1f} s a game"
        )


if __name__ == "__main__":
    main()
