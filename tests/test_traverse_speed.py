"""Traverse's fast ways give what the slow ones give, on every level of the processor."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from boardrace._core import cpu

HERE = Path(__file__).parent


@pytest.mark.parametrize("level", cpu.levels())
def test_twins(level):
    done = subprocess.run(
        [sys.executable, HERE / "traverse_twins.py", "7", "40"],
        env={**os.environ, "BOARDRACE_LEVEL": level},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
