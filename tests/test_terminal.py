"""The command line at a terminal, and what Ctrl-C does to it."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# Where there are no such terminals (Windows) there is nothing to test here.
fcntl = pytest.importorskip("fcntl")
pty = pytest.importorskip("pty", exc_type=ImportError)
termios = pytest.importorskip("termios")

HERE = Path(__file__).parent
RECORDS = sorted((HERE / "records").glob("*.txt"))
COMMAND = [sys.executable, "-m", "boardrace"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("perft", "traverse", "-d", "40"),
        ("perft", "traverse", "-d", "40", "--threads", "2"),
        ("playout", "traverse", "-n", "100000000"),
        ("play", "traverse", "--watch", "--against", "search", "--playouts", "1000000000"),
    ],
)
def test_ctrl_c(arguments):
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        out, err = process.communicate(timeout=20)
        took = time.monotonic() - begun
    finally:
        process.kill()
    assert process.returncode == 130 and "Traceback" not in err
    assert took < 5


def on_terminal(arguments, keys=()):
    """What a command writes when it has a terminal, keys pressed each time it asks for some."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        # The terminal becomes the process's own, so that Ctrl-C typed there reaches it.
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    written = b""
    waiting = list(keys)
    key = b""
    try:
        while True:
            # Python does not hear a Ctrl-C that comes while it turns to wait for a key.
            while key == b"\x03" and not select.select([ours], [], [], 2)[0]:
                os.write(ours, key)
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            written += part
            if waiting and written.rstrip(b"\x1b[?2004h").endswith((b"> ", b"or q: ")):
                key = waiting.pop(0).encode()
                os.write(ours, key)
        process.wait(timeout=60)
    finally:
        process.kill()
        os.close(ours)
    assert not waiting
    return process.returncode, written.decode()


def test_replay_at_a_terminal():
    path = next(path for path in RECORDS if path.stem == "traverse-0")
    keys = ["\n", "5\n", "b\n", "quit\n"]
    status, written = on_terminal(["replay", str(path), "--from", "2"], keys)
    assert status == 0
    assert plies(written) == ["2", "3", "5", "4"]


def plies(written):
    """The plies that a replay showed."""
    return [line.split()[0] for line in written.splitlines() if " of 125: " in line]


def test_a_replay_says_what_it_does_not_understand():
    path = next(path for path in RECORDS if path.stem == "traverse-0")
    for typed, says in (
        ("xyz", "'xyz' is not understood: Enter goes on, b back, a number to that ply, q leaves."),
        ("b 3", "'b 3' is not understood"),
        ("Q", "'Q' is not understood"),
        ("9" * 30, "is not understood"),
        ("-1", "There is no ply -1: they are 0 to 125."),
        ("126", "There is no ply 126: they are 0 to 125."),
        ("b", "This is the start."),
    ):
        status, written = on_terminal(["replay", str(path)], [f"{typed}\n", "q\n"])
        assert status == 0 and says in written and plies(written) == ["0"], typed


def test_play_at_a_terminal():
    arguments = ["play", "traverse", "--against", "forward"]
    status, written = on_terminal(arguments, ["b1-\t\n", "wh\tb1-b9\n", "quit\n"])
    assert status == 0 and "The game is left." in written
    # Completed: the first key to the one action that begins so, then "why" with a blank.
    assert "Player 1 (forward) plays " in written
    assert "No piece stands on b1." in written


def test_ctrl_c_at_the_prompt():
    status, written = on_terminal(["play", "traverse", "--against", "forward"], ["\x03"])
    assert status == 130 and "Traceback" not in written


def test_a_bar_on_a_terminal_and_none_in_a_pipe():
    arguments = ["playout", "traverse", "-n", "300", "--policy", "forward"]
    status, written = on_terminal(arguments)
    assert status == 0 and "playing" in written
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    assert "playing" not in done.stdout and not done.stderr
