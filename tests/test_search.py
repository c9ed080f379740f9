"""Players that choose for themselves."""

import threading
import time

import pytest
from option_sets import option_sets

import boardrace as br
from boardrace.search import PLAYERS, match, player, search


def to_move(game, seed=3, plies=20):
    """A state in which a player has a choice."""
    state = game.new_state(seed)
    rng = br.Rng(seed)
    while state.current_player < 0 or len(state.legal_actions()) < 2 or state.num_plies < plies:
        if state.is_terminal:
            return to_move(game, seed + 1, plies)
        state.sample(rng)
    return state


@pytest.mark.parametrize("game", option_sets(), ids=str)
def test_every_option_set_can_be_searched(game):
    state = to_move(game)
    before = str(state), state.history
    found = search(state, playouts=40, seed=5)
    assert (str(state), state.history) == before
    legal = state.legal_actions().tolist()
    assert sorted(choice.action for choice in found.choices) == legal
    assert sum(choice.visits for choice in found.choices) == found.playouts == 40
    assert found.action == found.choices[0].action and found.text == found.choices[0].text
    assert all(-1 <= choice.value <= 1 for choice in found.choices)
    again = search(state, playouts=40, seed=5)
    assert again.choices == found.choices


@pytest.mark.parametrize("name", br.games())
def test_forward_is_what_playouts_call_forward(name):
    game = br.load(name)
    by_core = br.playouts(game, 3, seed=8, policy="forward", max_plies=300)
    for number in range(3):
        # One stream of numbers, for choices and chance alike, as playouts have it.
        rng = br.Rng(8, number)
        state = game.new_state(rng)
        from boardrace._core.search import forward_action

        while not state.is_terminal and state.num_plies < 300:
            state.apply(forward_action(state, rng))
        assert state.num_plies == by_core.lengths[number]
        if state.is_terminal:
            assert state.returns().tolist() == pytest.approx(by_core.returns[number].tolist())


@pytest.mark.parametrize("name", br.games())
def test_search_beats_forward(name):
    game = br.load(name)
    won = 0
    for number in range(4):
        seat = number % 2
        seats = [player("forward", seed=number), player("forward", seed=number)]
        seats[seat] = player("search", seed=number, playouts=60)
        won += seat in match(game.new_state(number), seats, br.Rng(number), max_plies=600).winners
    assert won >= 2


def test_it_sees_a_win():
    game = br.load("traverse")
    seats = [player("forward", seed=1), player("uniform", seed=1)]
    state = match(game.new_state(), seats, br.Rng(1))
    assert state.winners == (0,)
    state.undo()
    assert state.current_player == 0
    found = search(state, playouts=200, seed=1)
    state.apply(found.action)
    assert state.winners == (0,)


def test_hidden_tiles_do_not_tell():
    """Positions that differ only in what is hidden are searched alike."""
    state = to_move(br.load("octiles"), plies=4)
    other = state.determinize(77)
    assert other != state
    assert search(state, playouts=60, seed=2).action in state.legal_actions()
    assert {c.text for c in search(state, playouts=60, seed=2).choices} == {
        c.text for c in search(other, playouts=60, seed=2).choices
    }


def test_seconds():
    state = br.load("traverse").new_state()
    begun = time.perf_counter()
    found = search(state, seconds=0.1)
    assert found.seconds >= 0.1 and time.perf_counter() - begun < 3
    assert found.playouts == sum(choice.visits for choice in found.choices)
    assert search(state, seconds=60, playouts=3).playouts == 3


def test_other_threads_run_meanwhile():
    state = br.load("traverse").new_state()
    worker = threading.Thread(target=search, args=(state,), kwargs={"seconds": 0.5})
    worker.start()
    turns = 0
    while worker.is_alive():
        turns += 1
        time.sleep(0.001)
    assert turns > 20


def test_two_threads_on_one_tree():
    from boardrace._core.search import Tree

    tree = Tree(br.load("traverse").new_state(), 1, 40, True, 1.5)
    worker = threading.Thread(target=tree.run, args=(3000,))
    worker.start()
    refused = 0
    while worker.is_alive():
        try:
            tree.children()
        except RuntimeError:
            refused += 1
        time.sleep(0.001)
    worker.join()
    assert refused
    assert sum(visits for _, visits, _ in tree.children()) == 3000


def test_long_trees_and_sharp_bounds():
    state = br.load("traverse").new_state()
    found = search(state, playouts=20_000, seed=1, max_plies=0)
    assert found.playouts == 20_000
    assert search(state, playouts=1, seed=2**64 - 1).playouts == 1
    assert search(state, playouts=30, seed=1, exploration=0.0).playouts == 30
    assert search(state, playouts=30, seed=1, policy="uniform").playouts == 30


@pytest.mark.parametrize(
    "given",
    [
        {"playouts": 0},
        {"seconds": 0.0},
        {"seconds": float("nan")},
        {"policy": "best"},
        {"playouts": 1, "max_plies": -1},
        {"playouts": 1, "exploration": -1.0},
        {"playouts": 1, "exploration": float("nan")},
    ],
)
def test_bad_numbers(given):
    with pytest.raises(ValueError):
        search(br.load("traverse").new_state(), **given)


def test_no_player_to_act():
    state = br.load("switchboard").new_state(1)
    assert state.is_chance
    with pytest.raises(ValueError, match="no player is to act"):
        search(state)


def test_players():
    state = br.load("traverse").new_state()
    for name in PLAYERS:
        one, same = (player(name, seed=4, playouts=20) for _ in range(2))
        assert [one(state) for _ in range(4)] == [same(state) for _ in range(4)]
        assert state.num_plies == 0
    with pytest.raises(ValueError, match="there is no player 'nobody'"):
        player("nobody")
    with pytest.raises(ValueError, match="playouts is 0: it must be 1 or more"):
        player("search", playouts=0)
    with pytest.raises(TypeError, match="state must be a State, not int"):
        search(5, playouts=5)
    with pytest.raises(TypeError, match="a player is a callable"):
        match(state, [1, 2], br.Rng(1))
    with pytest.raises(ValueError, match="max_plies is -4"):
        match(state, [player("uniform")] * 2, br.Rng(1), max_plies=-4)
    with pytest.raises(ValueError, match="the game has 2 seats"):
        match(state, [player("uniform")], br.Rng(1))
