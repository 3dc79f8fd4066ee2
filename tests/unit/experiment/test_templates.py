"""Texts of plans with levels in them."""

import pytest

from fairlead.errors import ConfigError
from fairlead.experiment.plans.templates import fill_ranks


def test_ranks_may_be_a_level() -> None:
    assert fill_ranks("{n}6", {"n": 1}) == 16
    assert fill_ranks(2**20, {}) == 2**20


@pytest.mark.parametrize("ranks", [0, "x", "1.5", 2**20 + 1, "9" * 5000])
def test_what_no_program_has_is_no_number_of_ranks(ranks: int | str) -> None:
    with pytest.raises(ConfigError, match="is not a number of ranks"):
        fill_ranks(ranks, {})
