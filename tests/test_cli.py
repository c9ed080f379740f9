"""The command line, in this process where that does, in one of its own where it must be."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import boardrace as br
from boardrace.cli import main
from boardrace.records import read_record

HERE = Path(__file__).parent
CORPORA = sorted((HERE / "corpus").glob("*.jsonl"))
RECORDS = sorted((HERE / "records").glob("*.txt"))
COMMAND = [sys.executable, "-m", "boardrace"]


@pytest.fixture
def run(capsys):
    """Run a command line; (exit status, stdout, stderr)."""

    def run(*arguments):
        status = main([str(one) for one in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def test_without_a_command_there_is_help(run):
    status, out, err = run()
    assert status == 0 and "Usage: boardrace" in out and not err
    for name in (
        *("games", "perft", "divide", "playout", "bench"),
        *("show", "explain", "play", "replay", "verify"),
    ):
        assert f"  {name} " in out
        status, out2, _ = run(name, "--help")
        assert status == 0 and "Examples:" in out2 and f"boardrace {name}" in out2


def test_version(run):
    assert run("--version") == (0, f"boardrace {br.__version__}\n", "")


# ---------------------------------------------------------------- games, perft, divide


def test_games(run):
    status, out, _ = run("games")
    assert status == 0 and all(name in out for name in br.games())
    listed = json.loads(run("games", "--json")[1])
    assert [one["game"] for one in listed] == list(br.games())
    for one in listed:
        status, out, _ = run("games", one["game"])
        assert status == 0
        for option in one["options"]:
            assert option["name"] in out and option["help"]


def test_perft(run):
    status, out, err = run("perft", "traverse", "-d", "4")
    assert status == 0 and out.startswith("90000 at depth 4 of traverse, in ") and not err
    assert out.count("\n") == 1


def test_perft_json_and_options(run):
    status, out, _ = run(
        *("perft", "traverse", "-d", 3, "-o", "players=3", "-o", "rules=advanced"),
        *("--threads", 2, "--hash-mb", 4, "--json"),
    )
    found = json.loads(out)
    assert status == 0 and found["count"] == 4191
    assert found["game"] == str(br.load("traverse", players=3, rules="advanced"))
    assert found["depth"] == 3 and found["seconds"] > 0
    assert json.loads(run("perft", "traverse(players=3)", "-d", 2, "--json")[1])["count"] == 254


def test_perft_from_a_position(run):
    state = br.load("traverse").new_state()
    state.apply("b1-b2")
    found = json.loads(run("perft", "traverse", "--position", state, "-d", 2, "--json")[1])
    assert found["count"] == br.perft(state, 2) and found["position"] == str(state)


def test_the_seed_is_0_unless_given(run):
    plain = json.loads(run("perft", "octiles", "-d", 1, "--json")[1])
    assert plain["position"] == str(br.load("octiles").new_state(0))
    seeded = json.loads(run("perft", "octiles", "-d", 1, "--seed", 7, "--json")[1])
    assert seeded["position"] == str(br.load("octiles").new_state(7))


def test_divide(run):
    status, out, _ = run("divide", "traverse", "-d", 3)
    assert status == 0 and out.splitlines()[-1] == "16 actions, 4800 in all"
    assert "b1-b2" in out
    found = json.loads(run("divide", "traverse", "-d", 3, "--json")[1])
    assert found["counts"] == br.divide(br.load("traverse").new_state(), 3)
    assert found["count"] == 4800


# ---------------------------------------------------------------- playout, bench


def test_playout(run):
    status, out, _ = run("playout", "sorry", "-n", 50, "--seed", 3)
    assert status == 0 and "50 games of sorry, seed 3" in out
    found = json.loads(run("playout", "sorry", "-n", 50, "--seed", 3, "--json")[1])
    r = br.playouts(br.load("sorry"), 50, seed=3)
    assert found["plies"] == r.lengths.sum() and found["games"] == 50
    assert found["wins"] == list(r.summary().wins)


def test_playout_policies_and_position(run):
    state = br.load("traverse").new_state()
    state.apply("b1-b2")
    found = json.loads(
        run(
            *("playout", "traverse", "-n", 20, "--position", state, "--max-plies", 500),
            *("--policy", "forward", "--policy", "uniform", "--threads", 2, "--json"),
        )[1]
    )
    r = br.playouts(state, 20, seed=0, policy=["forward", "uniform"], max_plies=500)
    assert found["plies"] == r.lengths.sum() and found["truncated"] == r.truncated.sum()


def test_bench(run):
    status, out, _ = run("bench", "traverse", "--seconds", "0.4", "--json")
    found = json.loads(out)
    assert status == 0 and found["machine"]["cores"] >= 1
    (one,) = found["games"]
    assert all(one[name] > 0 for name in found["units"])
    status, out, _ = run("bench", "sorry", "--seconds", "0.2")
    assert status == 0 and "sorry" in out and "a second" in out


# ---------------------------------------------------------------- show, explain


@pytest.mark.parametrize("name", br.games())
def test_show(run, name, tmp_path):
    state = br.load(name).new_state(4)
    status, out, _ = run("show", name, "--seed", 4, "--actions")
    assert status == 0 and state.render() in out and str(state) in out
    for action in state.legal_actions():
        assert state.action_to_str(int(action)) in out
    svg, png = tmp_path / "a.svg", tmp_path / "a.png"
    pytest.importorskip("cairosvg")
    status, out, _ = run("show", name, "--svg", svg, "--png", png, "--size", 200)
    assert status == 0 and not out
    assert svg.read_text().startswith("<svg") and png.read_bytes().startswith(b"\x89PNG")


def test_show_marks_and_turns(run, tmp_path):
    path = tmp_path / "a.svg"
    assert run("show", "traverse", "--svg", path)[0] == 0
    plain = path.read_text()
    assert run("show", "traverse", "--svg", path, "--mark", "b1-b2", "--player", 1)[0] == 0
    assert path.read_text() != plain
    assert run("show", "traverse", "--mark", "b1-b2")[0] == 2


@pytest.mark.parametrize("name", br.games())
def test_show_marks_what_is_legal(run, name, tmp_path):
    state = br.load(name).new_state(0)
    rng = br.Rng(1)
    while state.is_chance:
        state.sample(rng)
    path = tmp_path / "a.svg"
    command = ("show", name, "--position", state, "--svg", path, "--mark")
    legal = state.action_to_str(int(state.legal_actions()[0]))
    assert run(*command, legal)[0] == 0
    path.unlink()
    for text in ("nonsense", {"sorry": "R4+5", "switchboard": "none"}.get(name, "pass")):
        status, out, err = run(*command, text)
        assert status == 2 and not out and not path.exists()
        reason = " ".join(state.explain(text).message.split()).rstrip(".")
        assert err.startswith(f"boardrace: --mark {text}: {reason}. (Help: ")


def test_png_without_its_extra(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    status, _, err = run("show", "traverse", "--png", tmp_path / "a.png")
    assert status == 2 and "pip install 'boardrace[svg]'" in err
    assert not list(tmp_path.iterdir())


def test_explain(run):
    state = br.load("traverse").new_state()
    status, out, _ = run("explain", "traverse", "b1-b5")
    assert status == 0 and out == state.explain("b1-b5").message + "\n"
    found = json.loads(run("explain", "traverse", "b1-b2", "--json")[1])
    assert found["legal"] is True and found["code"] == "legal"


# ---------------------------------------------------------------- replay, play


def test_replay_in_a_pipe(run, monkeypatch):
    path = next(path for path in RECORDS if path.stem == "traverse-0")
    state = br.replay(path.read_text())
    last = len(state.history)
    status, out, _ = run("replay", path, "--from", last - 2)
    assert status == 0 and f"\n{last - 2} of {last}: " in out and out.count(f" of {last}") == 3
    assert (
        state.render() in out and f"Result: {read_record(path.read_text()).tags['Result']}" in out
    )
    found = json.loads(run("replay", path, "--json")[1])
    assert found["plies"] == last and found["steps"][-1]["position"] == str(state)
    assert run("replay", path, "--from", last + 1)[0] == 2


def test_replay_of_a_damaged_record(run, tmp_path):
    path = tmp_path / "game.txt"
    path.write_text(br.record(br.load("traverse").new_state()) + "b1-b2 b1-b2")
    status, out, err = run("replay", path)
    assert status == 1 and not out and "action 2 (b1-b2) is not legal" in err
    assert err.count("\n") == 1
    path.write_bytes(b"\xff\xfe")
    assert run("replay", path)[0] == 1


def test_play_through_a_pipe(tmp_path):
    path = tmp_path / "game.txt"
    lines = f"?\nwhy b1-b9\nb1-b2\nsave {path}\nquit\n"
    done = subprocess.run(
        [*COMMAND, "play", "traverse", "--against", "forward", "--seed", "5"],
        input=lines,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and not done.stderr
    assert "Player 1 (forward) plays" in done.stdout and f"Saved to {path}" in done.stdout
    assert br.replay(path.read_text()).num_plies == 2


def test_play_on_from_a_record_and_watch(run, tmp_path):
    path, later = tmp_path / "game.txt", tmp_path / "later.txt"
    state = br.load("sorry").new_state(1)
    for _ in range(10):
        state.sample(br.Rng(2))
    path.write_text(br.record(state))
    status, out, _ = run(
        *("play", "sorry", "--record", path, "--watch", "--against", "uniform"),
        *("--max-plies", 40, "--save", later),
    )
    assert status == 0 and "broken off after 40 plies" in out
    again = br.replay(later.read_text())
    assert again.num_plies == 40 and again._at(10) == state
    assert run("play", "traverse", "--record", path)[0] == 2


WATCH = ("play", "traverse", "--watch", "--against", "uniform", "--max-plies", 3)


def test_play_that_could_not_be_saved_does_not_begin(run, tmp_path):
    for path, reason in ((tmp_path / "no/such", "No such file"), (tmp_path, "Is a directory")):
        status, out, err = run(*WATCH, "--save", path)
        assert status == 2 and not out and err.startswith(f"boardrace: {path}: {reason}")
    path = tmp_path / "game.txt"
    path.write_text("old")
    # What refuses later leaves the file as it is.
    assert run(*WATCH, "--save", path, "--seat", 7)[0] == 2
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["game.txt"]


def test_a_game_that_cannot_be_saved_is_printed(run, tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr("boardrace.play.write_file", full)
    path = tmp_path / "game.txt"
    status, out, err = run(*WATCH, "--save", path)
    assert status == 3 and "It cannot be saved: " in out
    assert err == f"boardrace: {path}: not saved; the record is on standard output\n"
    assert br.replay(out[out.index("[Game ") :]).num_plies == 3
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--seat", "2"),
        ("--seat", "0", "--seat", "0"),
        ("--watch", "--seat", "0"),
        ("--against", "nobody"),
        ("--against", "uniform", "--against", "uniform"),
        ("--seat", "0", "--seat", "1", "--against", "uniform"),
        ("--watch", *["--against", "uniform"] * 3),
        ("--seconds", "0"),
        ("--seconds", "nan"),
        ("--seconds", "inf"),
    ],
)
def test_bad_seats(run, arguments):
    status, out, err = run("play", "traverse", *arguments)
    assert status == 2 and not out and err.count("\n") == 1


# ---------------------------------------------------------------- verify


def test_verify_the_corpora(run):
    # All of them, with all their counts, are read by test_corpus.py.
    status, out, err = run("verify", *CORPORA[:2], "--max-nodes", 200)
    assert status == 0 and not err
    assert out.splitlines()[-1].endswith(" in 2 files, 0 wrong")


def test_verify_start_counts(run, tmp_path):
    path = tmp_path / "start.json"
    entries = [
        {"game": "traverse", "options": {}, "position": str(state), "perft": [16, 256, 4800]}
        for state in [br.load("traverse").new_state()]
    ]
    path.write_text(json.dumps(entries, indent=1))
    status, out, _ = run("verify", path, "--threads", 2)
    assert status == 0 and "1 positions, 0 wrong, 5072 positions counted" in out


GOOD = json.loads(CORPORA[-1].read_text().partition("\n")[0])
DAMAGES = {
    "turn": (lambda e: e | {"turn": 3}, "to act is"),
    "actions": (
        lambda e: e | {"actions": ["x-y", *e["actions"][1:]]},
        "actions listed but not legal: x-y",
    ),
    "children": (
        lambda e: e | {"children": {a: GOOD["position"] for a in e["children"]}},
        "leads to",
    ),
    "perft": (lambda e: e | {"perft": [3]}, "perft 1 is"),
    "position": (lambda e: e | {"position": e["position"] + " "}, ""),
    "game": (lambda e: e | {"game": "chess"}, "there is no game 'chess'"),
    "options": (lambda e: e | {"options": {"nosuch": 1}}, "no option 'nosuch'"),
    "kind": (lambda e: [1, 2], "no JSON object"),
    "missing": (lambda e: {"game": e["game"]}, "position is missing"),
    "returns": (lambda e: e | {"returns": [1, -1, 0]}, "the returns are"),
    "odd": (lambda e: e | {"actions": 3}, "actions is 3: it must be a list of strings"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_verify_reports_each_failure(run, tmp_path, damage):
    change, says = DAMAGES[damage]
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in (GOOD, change(GOOD), GOOD)) + "\n")
    status, out, err = run("verify", path, "--max-nodes", 10)
    assert status == 1 and "1 of 3 positions do not agree" in err
    assert f"{path}, entry 2: " in out and says in out
    found = json.loads(run("verify", path, "--max-nodes", 10, "--json")[1])
    assert found["wrong"] == 1 and found["files"][0]["failures"][0]["entry"] == 2


START = str(br.load("traverse").new_state())
SAID = {
    "key": ({"pertf": [17]}, ['there is no key "pertf": perft may be meant']),
    "case": ({"Perft": [17]}, ['there is no key "Perft": perft may be meant']),
    "twice": (
        {"actions": ["b1-b2", "b1-b2"]},
        [
            "actions legal but not listed: c1-b2, c1-d2, d1-c2, d1-e2, e1-d2, ... (15 in all)",
            "actions listed more than once: b1-b2",
        ],
    ),
    "number": ({"perft": 16}, ["perft is 16: it must be a list of whole numbers"]),
    "letters": ({"perft": "abc"}, ['perft is "abc": it must be a list of whole numbers']),
    "halves": ({"perft": [16.0, True]}, ["perft is [16.0, true]: it must be a list of whole"]),
    "turn": ({"turn": "0"}, ['turn is "0": it must be a player\'s number, "chance" or "terminal"']),
    "bool": ({"turn": False}, ["turn is false: it must be"]),
    "long": ({"returns": ["x" * 100]}, [f'returns is ["{"x" * 55}...: it must be a list of num']),
    "nan": ({"returns": [float("nan"), 0]}, ["returns is [NaN, 0]: it must be a list of numbers"]),
    "all": (
        {"turn": 1, "perft": [17], "returns": [1, -1], "actions": "b1-b2", "children": {"x": ""}},
        [
            "actions is ",
            "to act is 0, not 1",
            "the returns are [0.0, 0.0], not [1, -1]",
            'children has "x", which is not legal: ',
            "perft 1 is 16, not 17",
        ],
    ),
    "children": (
        {"children": {"b1-b2": "p", "c1-d2": "q"}},
        ["b1-b2 leads to ", "c1-d2 leads to "],
    ),
    "counts": ({"perft": [17, 256, 4801]}, ["perft 1 is 16, not 17", "perft 3 is 4800, not 4801"]),
    "endless": (
        {"perft": [1] * 40},
        ["perft 1 is 16, not 1", "perft 2 and deeper are not counted: 1 is less than 16"],
    ),
    "options": ({"options": 3, "turn": 9}, ["options is 3: it must be an object"]),
    "file": (
        {"game": "switchboard", "options": {"tiles": "none.json"}},
        ["No such file or directory"],
    ),
}


@pytest.mark.parametrize("case", SAID)
def test_verify_reports_all_that_is_wrong_with_an_entry(run, tmp_path, case):
    said, expected = SAID[case]
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"game": "traverse", "position": START} | said))
    status, out, err = run("verify", path)
    lines = [line for line in out.splitlines() if line.startswith(f"{path}, entry 1: ")]
    assert status == 1 and "1 of 1 positions do not agree" in err
    assert len(lines) == len(expected)
    for line, words in zip(lines, expected, strict=True):
        assert words in line and "Error" not in line
    found = json.loads(run("verify", path, "--json")[1])
    assert found["wrong"] == 1 and len(found["files"][0]["failures"]) == len(expected)


def test_verify_counts_what_it_counted(run, tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"game": "traverse", "position": START, "perft": [16, 256, 4801]}))
    assert "1 positions, 1 wrong, 5072 positions counted" in run("verify", path)[1]


@pytest.mark.parametrize("content", ["", "\n \n", "[]"])
def test_verify_with_nothing_to_check(run, tmp_path, content):
    path = tmp_path / "corpus.jsonl"
    path.write_text(content)
    status, out, _ = run("verify", path)
    assert status == 1 and "there is nothing to check in this file" in out


def test_verify_takes_the_keys_of_all_the_corpora(run):
    status, out, err = run("verify", *CORPORA, HERE / "corpus/start_perft.json", "--max-nodes", 0)
    assert status == 0 and not err and out.splitlines()[-1].endswith(" in 6 files, 0 wrong")


def test_verify_files_that_are_none(run, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text("{")
    assert run("verify", path)[0] == 1
    path.write_text("[1,")
    assert run("verify", path)[0] == 1
    path.write_text("[" * 200_000)
    assert run("verify", path)[0] == 1
    status, _, err = run("verify", tmp_path / "none.jsonl")
    assert status == 2 and "No such file" in err


def test_verify_finds_files_beside_the_corpus(run, tmp_path):
    boards = br.load("switchboard").options["tiles"]
    if not isinstance(boards, str):
        boards = json.dumps(boards)
    (tmp_path / "own.json").write_text(boards)
    state = br.load("switchboard").new_state(0)
    entry = {"game": "switchboard", "options": {"tiles": "own.json"}, "position": str(state)}
    (tmp_path / "c.jsonl").write_text(json.dumps(entry))
    assert run("verify", tmp_path / "c.jsonl")[0] == 0


# ---------------------------------------------------------------- what is wrong, in one line


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("perft", "chess", "-d", "1"), "there is no game 'chess'; there are "),
        (("perft", "traverse"), "'-d'"),
        (("perft", "traverse", "-d", "-1"), "-1 is not in the range"),
        (("perft", "traverse", "-d", "x"), "'x' is not a valid integer"),
        (("perft", "traverse", "-d", "1", "-o", "players=9"), "players is 9"),
        (("perft", "traverse", "-d", "1", "-o", "players"), "must be KEY=VALUE"),
        (("perft", "traverse", "-d", "1", "-o", "nosuch=1"), "no option 'nosuch'"),
        (("perft", "traverse", "-d", "1", "-o", "players=3", "-o", "players=2"), "given twice"),
        (("perft", "traverse(", "-d", "1"), "is no game"),
        (("perft", "traverse", "-d", "1", "--position", "traverse 0"), ""),
        (("perft", "traverse", "-d", "1", "--seed", "-1"), "-1 is not in the range"),
        (("perft", "traverse", "-d", "1", "--threads", "0"), "0 is not in the range"),
        (("divide", "traverse", "-d", "0"), "must be 1 or more"),
        (("playout", "traverse", "-n", "0"), "0 is not in the range"),
        (("bench", "--seconds", "nan"), "nan is no number of seconds"),
        (("playout", "traverse", "--policy", "best"), "'best' is not one of"),
        (("playout", "traverse", *["--policy", "forward"] * 3), ""),
        (("show", "traverse", "--svg", "/no/such/folder/a.svg"), "No such file"),
        (("replay", "/no/such/file"), "No such file"),
        (("games", "chess"), "there is no game 'chess'"),
        (("nosuch",), "No such command 'nosuch'"),
        (("perft", "traverse", "-d", "1", "--nosuch"), "No such option"),
        (("perft", "traverse", "-d", "2", "--dask", "local", "--threads", "2"), "together"),
    ],
)
def test_bad_usage(run, arguments, says):
    status, out, err = run(*arguments)
    assert status == 2 and not out
    assert err.startswith("boardrace: ") and err.count("\n") == 1 and says in err


def test_dask_that_is_not_there(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    status, _, err = run("perft", "traverse", "-d", 1, "--dask", "local")
    assert status == 2 and "pip install 'boardrace[dask]'" in err


def test_a_dask_cluster_on_this_machine():
    pytest.importorskip("distributed")
    done = subprocess.run(
        [*COMMAND, "divide", "traverse", "-d", "4", "--dask", "local", "--json"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["counts"] == br.divide(br.load("traverse").new_state(), 4)
    assert found["dask"] == "local"


# ---------------------------------------------------------------- processes, terminals, signals


def test_as_a_module():
    done = subprocess.run(
        [*COMMAND, "perft", "traverse", "-d", "3"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and done.stdout.startswith("4800 ") and not done.stderr
    done = subprocess.run([*COMMAND, "perft", "x", "-d", "3"], capture_output=True, timeout=60)
    assert done.returncode == 2


def test_a_reader_that_leaves():
    process = subprocess.Popen(
        [*COMMAND, "replay", str(RECORDS[0])], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.read(10)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert b"Traceback" not in err and b"Exception" not in err


# ---------------------------------------------------------------- streams that do not work

NO_FULL_DEVICE = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
NO_SHELL = pytest.mark.skipif(os.name != "posix", reason="the shell is POSIX's")


def shell(line):
    """What a shell makes of a line, in which BR stands for the command."""
    line = line.replace("BR", shlex.join(COMMAND))
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60)


@NO_FULL_DEVICE
@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "--help",
        "--version",
        "games",
        "games --json",
        "perft traverse -d 2",
        "divide traverse -d 1",
        "playout traverse -n 1",
        "show traverse",
        "explain traverse b1-b2",
        "play traverse --watch --max-plies 2 --against uniform",
        f"replay '{RECORDS[0]}'",
        f"verify '{CORPORA[0]}' --max-nodes 0",
        "perft --help",
    ],
)
def test_output_that_cannot_be_written(arguments):
    for full, reason in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
        done = shell(f"BR {arguments} {full}")
        assert done.returncode == 3
        assert done.stderr == f"boardrace: standard output cannot be written: {reason}\n"


@NO_SHELL
def test_input_that_cannot_be_read():
    done = shell("BR play traverse --against uniform <&-")
    assert done.returncode == 3
    assert done.stderr == "boardrace: standard input cannot be read: Bad file descriptor\n"
    assert shell("BR perft traverse -d 2 <&-").returncode == 0


@NO_FULL_DEVICE
def test_errors_that_cannot_be_written():
    for full in ("2>/dev/full", "2>&-"):
        assert shell(f"BR perft chess -d 2 {full}").returncode == 2
        assert shell(f"BR perft traverse -d 2 {full}").returncode == 0


@NO_SHELL
@pytest.mark.parametrize("arguments", ["games", "--help", f"replay '{RECORDS[0]}'"])
def test_every_command_is_silent_when_its_reader_leaves(arguments):
    done = shell(f"(sleep 0.7; BR {arguments}; echo $? >&2) | true")
    assert done.stderr == "141\n"


def test_letters_that_the_output_does_not_have(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"game": "traverse", "position": "\\ud800"}')
    done = subprocess.run([*COMMAND, "verify", str(path)], capture_output=True, timeout=60)
    assert done.returncode == 1 and b"\\ud800" in done.stdout and b"Traceback" not in done.stderr


def test_what_cannot_be_done_is_no_failed_check(run, monkeypatch):
    def too_much(*given, **named):
        raise MemoryError

    status, _, err = run("perft", "sorry", "-d", 3, "--hash-mb", 10**20)
    assert status == 3 and err == "boardrace: there is not enough memory for this\n"
    monkeypatch.setattr("boardrace.playouts", too_much)
    assert run("playout", "sorry")[::2] == (status, err)

    def too_large(*given, **named):
        raise OverflowError("the count does not fit in 64 bits")

    monkeypatch.setattr("boardrace.perft", too_large)
    status, _, err = run("perft", "sorry", "-d", 3)
    assert status == 3 and err == "boardrace: the count does not fit in 64 bits\n"


def test_a_refusal_of_the_library_is_one_line(run, monkeypatch):
    def refuse(*given, **named):
        raise ValueError("n is 1:\nit must be 2")

    monkeypatch.setattr("boardrace.playouts", refuse)
    status, out, err = run("playout", "sorry")
    assert status == 2 and not out
    assert err == "boardrace: n is 1: it must be 2. (Help: boardrace playout --help)\n"


def test_importing_boardrace_loads_no_command_line():
    code = (
        "import sys, boardrace; late = ('click', 'rich', 'boardrace.cli', 'boardrace.records'); "
        "print([name for name in late if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"
