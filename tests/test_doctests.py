"""The examples in docstrings show what they say."""

import doctest
import importlib
import pkgutil

import pytest

import boardrace

#: Adaptors need packages of their own; their tests run their examples where those are there.
NAMES = [
    module.name
    for module in pkgutil.walk_packages(boardrace.__path__, "boardrace.")
    if not module.name.startswith(("boardrace.envs.", "boardrace.__main__"))
]


@pytest.mark.parametrize("name", ["boardrace", *NAMES])
def test_examples(name):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(importlib.import_module(name), optionflags=flags).failed == 0
