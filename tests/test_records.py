"""Records: what is written is read back, and nothing else is."""

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from option_sets import option_sets

import boardrace as br
from boardrace._files import read_file, write_file
from boardrace.records import MOST_BYTES, read_record, result_text

RECORDS = sorted((Path(__file__).parent / "records").glob("*.txt"))


def played(game, seed, plies):
    """A state with a history of random plies."""
    state = game.new_state(seed)
    rng = br.Rng(seed)
    while state.num_plies < plies and not state.is_terminal:
        state.sample(rng)
    return state


def test_ten_games_of_each_are_recorded():
    games = [br.load(read_record(path.read_text()).tags["Game"]).name for path in RECORDS]
    assert {name: games.count(name) for name in br.games()} == dict.fromkeys(br.games(), 10)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_recorded_game(path):
    text = path.read_text()
    state = br.replay(text)
    tags, actions = read_record(text)
    assert len(state.history) == len(actions)
    assert str(state) == tags["End"]
    assert result_text(state) == tags["Result"]
    further = {name: tags[name] for name in tags if name not in ("Game", "Start", "Result")}
    assert br.record(state, **further) == text
    while state.history:
        state.undo()
    assert str(state) == tags["Start"]


@pytest.mark.parametrize("game", option_sets(), ids=str)
def test_round_trip(game):
    state = played(game, 5, 60)
    again = br.replay(br.record(state))
    assert again == state
    assert again.game == game
    assert again.history == state.history
    assert br.record(again) == br.record(state)


def test_a_record_begins_where_the_history_does():
    state = played(br.load("traverse"), 1, 12)
    later = state.copy()
    assert read_record(br.record(later)).actions == []
    assert br.replay(br.record(later)) == state
    later.sample(br.Rng(3))
    assert len(read_record(br.record(later)).actions) == 1


def test_lines_are_short_and_actions_whole():
    text = br.record(played(br.load("traverse"), 2, 200))
    body = text.partition("\n\n")[2]
    assert max(map(len, body.splitlines())) <= 98
    assert len(body.split()) == 200


def test_texts_with_quotes_and_backslashes_round_trip():
    state = played(
        br.load("traverse", players=4, order=["TCSDCTDS", "SCDTTSCD", "DDTTSSCC", "CTSDCTSD"]), 1, 5
    )
    assert '"' in str(state.game)
    text = br.record(state)
    assert br.replay(text) == state
    noted = br.record(state, Remark='a "quoted" \\ word,\na tab\t and ü')
    assert read_record(noted).tags["Remark"] == 'a "quoted" \\ word,\na tab\t and ü'
    assert br.replay(noted) == state
    assert noted.isascii()


START = br.record(br.load("traverse").new_state())


def test_other_line_ends_and_further_tags_are_read():
    text = START.replace("\n\n", '\n[Date "today"]\n\n') + "b1-b2\n\n  b10-b9"
    for version in (text, text.replace("\n", "\r\n"), "\ufeff" + text, "\n\n" + text):
        assert br.replay(version).num_plies == 2


def test_another_spelling_is_read_and_the_kept_one_written():
    state = br.replay(START + "b1-b2")
    assert "b1-b2" in br.record(state)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t.replace("[Game", "[Name"), "no tag Game"),
        (lambda t: t.replace("[Start", "[Begin"), "no tag Start"),
        (lambda t: t.replace('"traverse"', '"nosuch"'), "tag Game is bad: there is no game"),
        (lambda t: t.replace('"traverse"', '"traverse(players=9)"'), "tag Game is bad: players"),
        (lambda t: t.replace('"traverse 0', '"traverse 7'), "tag Start is bad"),
        (lambda t: t.replace('"traverse"', "traverse"), "tag 1 of the record"),
        (lambda t: t.replace('"traverse"', '"trav\\x"'), "tag Game is badly written"),
        (lambda t: t.replace("[Result", '[Game "a"]\n[Result'), "the tag Game twice"),
        (lambda t: t.replace('"*"', '"1 -1"'), "tag Result is 1 -1"),
        (lambda t: "", "no tag Game"),
        (lambda t: "b1-b2", "tag 1 of the record"),
        (lambda t: "[" * 10_000, "tag 1 of the record"),
        (lambda t: '[A "b"]\n' * 200, "twice"),
        (lambda t: "".join(f'[A{k} "b"]\n' for k in range(200)), "more than 100 tags"),
        (lambda t: t.replace('"traverse"', '"traverse(order=' + "[" * 200_000 + ')"'), "tag Game"),
    ],
)
def test_bad_tags(change, says):
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        br.replay(change(START))
    assert not isinstance(caught.value, br.IllegalActionError)


def test_the_first_bad_action_is_named_by_its_number():
    with pytest.raises(
        br.IllegalActionError, match=r"^action 3 \(a1-a2\) is not legal: "
    ) as caught:
        br.replay(START + "b1-b2 b10-b9 a1-a2 d1-d2")
    good = br.replay(START + "b1-b2 b10-b9")
    assert str(caught.value).endswith(f"The record is good up to action 2: {good}")
    assert caught.value.code == good.explain("a1-a2").code
    with pytest.raises(br.IllegalActionError, match="action 1 .* good up to the start position: "):
        br.replay(START + "x" * 10_000)


def test_actions_after_the_end_are_refused():
    finished = [path for path in RECORDS if read_record(path.read_text()).tags["Result"] != "*"]
    assert len(finished) >= 40
    for path in finished[::7]:
        state = br.replay(path.read_text())
        assert state.is_terminal
        with pytest.raises(br.IllegalActionError) as caught:
            br.replay(path.read_text() + state.action_to_str(state.history[-1]))
        assert caught.value.code == "game_over"
        assert str(caught.value).startswith(f"action {state.num_plies + 1} (")


def test_a_record_opens_no_file(tmp_path):
    path = tmp_path / "boards.json"
    path.write_text("{}")
    for option in ("switchboard(tiles=", "inner_circle(boards="):
        text = f'[Game {json.dumps(option + json.dumps(str(path)) + ")")}]\n[Start "x"]\n'
        with pytest.raises(ValueError, match="must hold the content itself"):
            br.replay(text)


def test_boards_of_ones_own_are_in_the_record(tmp_path):
    """What was read from a file is kept as content, so the record needs no file."""
    standard = Path(br.__file__).parent / "boards" / "inner_circle.json"
    path = tmp_path / "own.json"
    boards = json.loads(standard.read_text())
    first, second = boards["levels"][0]["rows"][0][:2]
    rows = boards["levels"][0]["rows"]
    rows[0] = second + first + rows[0][2:]
    path.write_text(json.dumps(boards))
    game = br.load("inner_circle", boards=str(path))
    state = played(game, 1, 20)
    text = br.record(state)
    path.unlink()
    assert br.replay(text) == state


def test_sizes_are_bounded():
    with pytest.raises(ValueError, match="longer than"):
        br.replay(START + "x" * MOST_BYTES)


def test_types():
    with pytest.raises(TypeError):
        br.record("traverse")
    with pytest.raises(TypeError):
        br.replay(b"")
    with pytest.raises(TypeError):
        br.record(br.load("traverse").new_state(), Note=3)
    for name in ("Game", "no good", ""):
        with pytest.raises(ValueError, match="further tag"):
            br.record(br.load("traverse").new_state(), **{name: "x"})


WHOLE = br.record(played(br.load("traverse", order="TCDSDCST"), 4, 30))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_records_are_refused_or_round_trip(data):
    at = data.draw(st.integers(0, len(WHOLE) - 1))
    cut = data.draw(st.integers(0, 5))
    put = data.draw(st.text(alphabet='"\\[]{}abc123- \n\x00é,', max_size=4))
    text = WHOLE[:at] + put + WHOLE[at + cut :]
    try:
        state = br.replay(text)
    except ValueError:
        return
    assert br.replay(br.record(state)) == state


# ---------------------------------------------------------------- files


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "game.txt"
    write_file(path, "first")
    path.chmod(0o640)
    write_file(path, "second")
    assert path.read_text() == "second"
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o640

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_file(path, "third")
    assert path.read_text() == "second"
    assert [one.name for one in tmp_path.iterdir()] == ["game.txt"]


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    try:
        link.symlink_to(target)
    except OSError:  # Windows, where it takes a right of its own
        return
    write_file(link, b"new")
    assert link.is_symlink() and target.read_text() == "new"


def test_what_cannot_be_written_is_named(tmp_path):
    for path in (tmp_path, tmp_path / "no" / "such"):
        with pytest.raises(OSError) as caught:
            write_file(path, "x")
        assert caught.value.filename == str(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_written_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_file(path, "through")
    assert os.read(end, 100) == b"through"
    os.close(end)
    assert path.is_fifo()


def test_reading_is_bounded(tmp_path):
    path = tmp_path / "long"
    path.write_bytes(b"x" * 11)
    with pytest.raises(ValueError, match="longer than 10"):
        read_file(path, 10)
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match="no UTF-8"):
        read_file(path, 10)


def test_json_in_a_game_text_is_kept():
    game = br.load("traverse", players=4, order=["TCSDCTDS", "SCDTTSCD", "DDTTSSCC", "CTSDCTSD"])
    tag = read_record(br.record(game.new_state())).tags["Game"]
    assert tag == str(game)
    assert json.loads(re.search(r"order=(\[.*?\])", tag)[1])[1] == "SCDTTSCD"
