"""The OpenSpiel games, by OpenSpiel's own tests and ours."""

import pickle
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from env_games import plain_games, player_counts
from option_sets import option_sets

import boardrace as br

pyspiel = pytest.importorskip("pyspiel")

from boardrace.envs import openspiel  # noqa: E402

GAMES = player_counts()
PLAIN = plain_games()


def walk(game, seed):
    """One state through a random game, yielded at each node."""
    rng = random.Random(seed)
    state = game.new_initial_state()
    yield state
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            action = rng.choices(outcomes, weights)[0]
        else:
            action = rng.choice(state.legal_actions())
        state.apply_action(action)
        yield state


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_random_simulation(game, capfd):
    """What OpenSpiel runs its own games through."""
    pyspiel.random_sim_test(
        openspiel.load(game, max_plies=70), num_sims=1, serialize=True, verbose=False
    )


@pytest.mark.parametrize("game", option_sets(), ids=str)
def test_every_option_set(game):
    """OpenSpiel's text of a game, and a dictionary of its parameters, give the same game."""
    loaded = openspiel.load(game, seed=3, max_plies=25)
    for again in (
        pyspiel.load_game(str(loaded)),
        pyspiel.load_game(openspiel.NAME, loaded.get_parameters()),
        pickle.loads(pickle.dumps(loaded)),
    ):
        assert again.game == game and again.seed == 3 and again.max_plies == 25
        assert str(again) == str(loaded)
        assert str(again.new_initial_state()) == str(loaded.new_initial_state())
    *_, end = walk(loaded, 1)
    assert end.is_terminal()


@pytest.mark.parametrize("game", PLAIN, ids=str)
def test_agrees_with_boardrace(game):
    loaded = openspiel.load(game, seed=5, max_plies=60)
    assert loaded.num_players() == game.num_players
    assert loaded.num_distinct_actions() == game.num_actions
    assert tuple(loaded.observation_tensor_shape()) == game.observation_shape
    own = game.new_state(seed=5)
    for state in walk(loaded, 2):
        if state.history():
            own.apply(state.history()[-1])
        assert str(state) == str(own) and state.board == own
        if own.num_plies == 60:
            assert state.is_terminal() and not any(state.returns())
            break
        assert state.current_player() == own.current_player
        assert state.legal_actions() == own.legal_actions().tolist()
        for action in state.legal_actions()[:5]:
            text = state.action_to_string(action)
            assert text == own.action_to_str(action)
            if not state.is_chance_node():
                assert state.string_to_action(text) == action
        if state.is_chance_node():
            outcomes, probabilities = own.chance_outcomes()
            assert state.chance_outcomes() == list(
                zip(outcomes.tolist(), probabilities.tolist(), strict=True)
            )
        for player in range(game.num_players):
            seen = np.array(state.observation_tensor(player)).reshape(game.observation_shape)
            assert np.array_equal(seen, own.observation(player).astype(np.float32))
    assert state.is_terminal()
    if own.is_terminal:
        assert state.returns() == own.returns().tolist()


@pytest.mark.parametrize("game", PLAIN, ids=str)
def test_clones_and_texts(game):
    loaded = openspiel.load(game, max_plies=40)
    nodes = walk(loaded, 3)
    for _ in range(12):
        state = next(nodes)
    here = str(state)
    for other in (
        state.clone(),
        loaded.deserialize_state(state.serialize()),
        pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(loaded, state))[1],
        pickle.loads(pickle.dumps(state)),
    ):
        assert str(other) == here and other.history() == state.history()
        assert other.board.num_plies == state.board.num_plies
        while not other.is_terminal():
            other.apply_action(other.legal_actions()[0])
        assert len(other.history()) <= 40
        assert str(state) == here
    assert str(loaded.new_initial_state(here)) == here


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_information_states(game):
    """Perfect recall, and nothing of what is hidden."""
    loaded = openspiel.load(game, max_plies=30)
    hides = loaded.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    rng = random.Random(1)
    seen = {}
    dealt = set()
    for seed in range(3):
        for state in walk(loaded, seed):
            for player in range(game.num_players):
                text = state.information_state_string(player)
                tensor = state.information_state_tensor(player)
                assert len(tensor) == loaded.information_state_tensor_size()
                assert seen.setdefault((player, text), state.history()) == state.history()
                other = state.resample_from_infostate(player, rng.random)
                dealt.add(str(other) == str(state))
                assert other.information_state_string(player) == text
                assert other.information_state_tensor(player) == tensor
                assert other.observation_string(player) == state.observation_string(player)
                assert other.observation_tensor(player) == state.observation_tensor(player)
                assert other.history() == state.history()
                assert other.current_player() == state.current_player()
    # Something that is hidden is now and then dealt otherwise; else the state stays the same.
    assert (False in dealt) == hides


@pytest.mark.parametrize("game", PLAIN, ids=str)
def test_observers(game):
    from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

    loaded = openspiel.load(game, max_plies=30)
    state = loaded.new_initial_state()
    plain = make_observation(loaded)
    plain.set_from(state, 0)
    assert plain.tensor.tolist() == state.observation_tensor(0)
    recall = make_observation(loaded, INFO_STATE_OBS_TYPE)
    recall.set_from(state, 0)
    assert recall.tensor.tolist() == state.information_state_tensor(0)
    assert set(recall.dict) == {"observation", "history"}
    with pytest.raises(ValueError):
        make_observation(loaded, None, {"zoom": 2})


def test_arguments():
    name = br.games()[-1]
    with pytest.raises(ValueError, match="no game"):
        openspiel.load("nothing")
    with pytest.raises(ValueError, match="seed"):
        openspiel.load(name, seed=-1)
    with pytest.raises(ValueError, match="max_plies"):
        openspiel.load(name, max_plies=0)
    with pytest.raises(TypeError):
        openspiel.load(3)
    with pytest.raises(br.PositionError):
        openspiel.load(name).new_initial_state("nothing")
    with pytest.raises(ValueError, match="no option"):
        pyspiel.load_game(f"boardrace(game={name}(nothing=1))")


def test_an_illegal_action_changes_nothing():
    state = openspiel.load(PLAIN[-1]).new_initial_state()
    before = str(state)
    for action in (-5, PLAIN[-1].num_actions, state.legal_actions()[-1] + 1):
        with pytest.raises(br.IllegalActionError):
            state.apply_action(action)
    assert str(state) == before and state.history() == [] and state.move_number() == 0


@pytest.mark.parametrize(
    "evaluator",
    [openspiel.ProgressEvaluator(), openspiel.PlayoutEvaluator(max_plies=100, seed=1)],
    ids=["progress", "playouts"],
)
@pytest.mark.parametrize("game", PLAIN, ids=str)
def test_tree_search_plays(game, evaluator):
    """A short game of OpenSpiel's tree search: here, that it runs; its strength is in the docs."""
    from open_spiel.python.algorithms import mcts

    loaded = openspiel.load(game, max_plies=12)
    bot = mcts.MCTSBot(
        loaded,
        uct_c=2.0,
        max_simulations=8,
        evaluator=evaluator,
        random_state=np.random.RandomState(1),
    )
    state = loaded.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        else:
            state.apply_action(bot.step(state))


@pytest.mark.parametrize("arguments", ["traverse --games 2", "sorry --games 1"])
def test_example(arguments):
    """The example runs; and where no luck is in it, the search wins."""
    example = Path(__file__).parents[1] / "examples" / "openspiel_mcts.py"
    run = subprocess.run(
        [sys.executable, example, *arguments.split(), "--simulations", "60"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "60 simulations a move" in run.stdout
    if "traverse" in arguments:
        assert "won 2, lost 0" in run.stdout


def test_progress_is_the_lead():
    loaded = openspiel.load(GAMES[-1], max_plies=50)
    *_, state = walk(loaded, 4)
    value = openspiel.ProgressEvaluator().evaluate(state)
    own = [state.board.progress(player) for player in range(loaded.num_players())]
    assert value.sum() == pytest.approx(0)
    assert value[0] == pytest.approx(own[0] - sum(own[1:]) / (len(own) - 1))


def test_examples():
    import doctest

    import boardrace.envs.openspiel as module

    tried = doctest.testmod(module)
    assert tried.attempted and not tried.failed
