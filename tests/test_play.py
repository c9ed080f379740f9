"""A game at the terminal, played through a list of lines."""

import pytest

import boardrace as br
from boardrace.play import COMMANDS, Seat, Table
from boardrace.search import player


def sit(game, lines, *, people=(0,), others="forward", **given):
    """A table, what was said at it after the lines were typed, and what was asked."""
    lines = iter(lines)
    said = []

    def read(prompt):
        said.append(prompt)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    seats = [
        Seat("human", None) if k in people else Seat(others, player(others, seed=k, playouts=20))
        for k in range(game.num_players)
    ]
    table = Table(game.new_state(1), seats, read, said.append, 1, **given)
    table.run()
    return table, "\n".join(said)


TRAVERSE = br.load("traverse")


def test_a_move_and_its_answer():
    table, said = sit(TRAVERSE, ["b1-b2"])
    assert table.state.num_plies == 2
    assert "Player 0 (human)> " in said
    assert "Player 1 (forward) plays " in said
    assert said.endswith("The game is left.")


def test_what_is_not_legal_is_explained_and_asked_again():
    table, said = sit(TRAVERSE, ["b1-b9", "nonsense", "", "why b1-b9", "why", "b1-b2"])
    assert table.state.history[0] == TRAVERSE.new_state().parse_action("b1-b2")
    reason = TRAVERSE.new_state().explain("b1-b9").message
    assert said.count(reason) == 2
    assert "why ACTION" in said


@pytest.mark.parametrize("name", br.games())
def test_why_gives_an_example_of_the_game_at_hand(name):
    table, said = sit(br.load(name), ["why"])
    assert f"\nwhy ACTION, as why {table._texts()[0]}\n" in said


def test_lists():
    table, said = sit(TRAVERSE, ["?", "? b1", "?zz", "help"])
    for text in table._texts():
        assert text in said
    assert "No legal action begins with zz" in said
    assert "undo" in said


def test_undo_goes_back_to_the_persons_last_choice():
    table, said = sit(TRAVERSE, ["undo", "b1-b2", "i1-i2", "undo", "undo", "undo"])
    assert table.state.num_plies == 0
    assert said.count("There is nothing to take back.") == 2


def test_save(tmp_path):
    path = tmp_path / "game.txt"
    table, said = sit(TRAVERSE, ["b1-b2", "save", f"save {path}", f"save {tmp_path}/no/such"])
    assert br.replay(path.read_text()) == table.state
    assert '[Player1 "forward"]' in path.read_text()
    assert "where to?" in said and "cannot be saved" in said


def test_show_hint_quit():
    table, said = sit(TRAVERSE, ["show", "hint", "quit", "b1-b2"])
    assert said.count(TRAVERSE.new_state().render()) == 2
    assert "would play" in said
    assert table.state.num_plies == 0


@pytest.mark.parametrize("word", ["quit", "q"])
def test_words_that_leave(word):
    table, said = sit(TRAVERSE, [word, "b1-b2"])
    assert table.state.num_plies == 0 and said.endswith("\nThe game is left.")
    assert "no action" not in said


def test_words_for_completion():
    table, _ = sit(TRAVERSE, [])
    words = table.words()
    assert set(COMMANDS) < {word.strip() for word in words} and "b1-b2" in words
    assert "why " in words


@pytest.mark.parametrize("name", br.games())
def test_a_whole_game_that_people_play(name):
    """Two people who type the first legal action each time see no error and lose nothing."""
    game = br.load(name)

    class Lines:
        table = None

        def __next__(self):
            text = self.table._texts()[0]
            return text

    said = []
    lines = Lines()
    seats = [Seat("human", None)] * game.num_players
    lines.table = Table(game.new_state(2), seats, lambda prompt: next(lines), said.append, 2, 60)
    lines.table.run()
    state = lines.table.state
    assert state.is_terminal or state.num_plies == 60
    assert br.replay(br.record(state)) == state


@pytest.mark.parametrize("name", br.games())
def test_players_among_themselves(name):
    table, said = sit(br.load(name), [], people=(), max_plies=2000)
    assert table.state.is_terminal or "broken off after 2000 plies" in said
    if table.state.winners:
        assert f"Player {table.state.winners[0]} (forward) wins" in said


def test_the_search_plays_at_a_table():
    table, said = sit(TRAVERSE, ["b1-b2", "i1-i2"], others="search")
    assert table.state.num_plies == 4
    assert said.count("Player 1 (search) plays ") == 2


def test_seats_must_fit():
    with pytest.raises(ValueError, match="the game has 2"):
        Table(TRAVERSE.new_state(), [Seat("human", None)], input, print, 1)
