"""A full disk or a kill in the middle of writing loses no earlier file."""

import os
import signal
import subprocess
import sys

import pytest

from boardrace._files import try_file, write_file

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and kills are POSIX's")

LIMITED = """
import resource, sys
from boardrace._files import write_file
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_file(sys.argv[1], "new" * 1000)
except OSError as error:
    print(error.filename)
"""

KILLED = """
import os, signal, sys
from boardrace._files import write_file
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
write_file(sys.argv[1], "new" * 1000)
"""


def run(program: str, path: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", program, str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_no_room(tmp_path):
    path = tmp_path / "game.txt"
    write_file(path, "old")
    done = run(LIMITED, path)
    assert done.stdout.strip() == str(path), done.stderr
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["game.txt"]


def test_a_kill(tmp_path):
    path = tmp_path / "game.txt"
    write_file(path, "old")
    assert run(KILLED, path).returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    # What is left beside it is hidden, and the next writing is not disturbed by it.
    assert all(one == "game.txt" or one.startswith(".game.txt.") for one in os.listdir(tmp_path))
    write_file(path, "new")
    assert path.read_text() == "new"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_device_that_is_full():
    with pytest.raises(OSError, match="/dev/full"):
        write_file("/dev/full", "x" * 100_000)


def test_what_is_tried_is_left_as_it_is(tmp_path):
    path, link, new = tmp_path / "game.txt", tmp_path / "link.txt", tmp_path / "new.txt"
    path.write_text("old")
    link.symlink_to(path)
    for one in (path, link, new, "/dev/null"):
        try_file(one)
    assert path.read_text() == "old" and sorted(os.listdir(tmp_path)) == ["game.txt", "link.txt"]
    with pytest.raises(OSError, match=f"directory: '{tmp_path}'"):
        try_file(tmp_path)
    with pytest.raises(OSError, match="no/such'"):
        try_file(tmp_path / "no/such")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_the_command_line_says_so():
    done = subprocess.run(
        [sys.executable, "-m", "boardrace", "show", "traverse", "--svg", "/dev/full"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2 and "/dev/full" in done.stderr and "Traceback" not in done.stderr
