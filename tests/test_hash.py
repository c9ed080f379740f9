"""The hash of a position: 64 bits that two positions share by chance only."""

import numpy as np
import pytest

import boardrace as br
from boardrace._core.engine import walk_hashes


@pytest.mark.parametrize("name", br.games())
def test_no_collision_among_two_million_random_positions(name):
    """Five games together: ten million."""
    rules = br.load(name)._rules
    first, second = walk_hashes(rules, seed=5, n=2_000_000, max_plies=300)
    order = np.argsort(first)
    first, second = first[order], second[order]
    same = first[1:] == first[:-1]
    assert not np.any(same & (second[1:] != second[:-1]))
    assert np.count_nonzero(~same) > 300_000  # the games do not meet the same few positions


def test_options_and_games_are_mixed_in():
    text = str(br.load("traverse").new_state())
    values = {
        br.load("traverse", **options).parse(text).hash
        for options in ({}, {"long_hops": True}, {"circles": "return"}, {"block_limit": 2})
    }
    assert len(values) == 4
