"""The fuzz targets on their seeds, on what once broke them, and on some inputs by chance."""

import random
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "fuzz"
sys.path.insert(0, str(HERE))

from run import change, seeds  # noqa: E402
from targets import TARGETS  # noqa: E402


@pytest.mark.parametrize("target", TARGETS)
def test_seeds_and_finds(target):
    found = seeds(target)
    assert len(found) >= 2
    for path in found:
        TARGETS[target](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_inputs_by_chance(target):
    dice = random.Random(3)
    known = [path.read_bytes() for path in seeds(target)]
    for _ in range(12):
        TARGETS[target](change(dice.choice(known), dice, known))
