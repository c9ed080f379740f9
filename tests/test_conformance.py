"""Every game, with every option set of the corpora, through every general promise."""

import pytest
from option_sets import option_sets

from boardrace import conformance

GAMES = option_sets()


@pytest.mark.parametrize("check", conformance.CHECKS.values(), ids=list(conformance.CHECKS))
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_conformance(game, check):
    check(game, seed=11, plies=24)
