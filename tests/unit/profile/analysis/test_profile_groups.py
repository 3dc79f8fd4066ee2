"""The four groups of dependence on the network, against the profiled programs that were sorted into them."""

import pytest

from fairlead.config import parse
from fairlead.errors import ConfigError
from fairlead.profile.analysis.groups import DEPENDENT, HIGHLY_DEPENDENT, LOW, NONE, Thresholds, group_of
from fairlead.profile.settings import ProfileSettings

# Share of time in MPI in per cent on Ethernet, read off the bars that were published at github.com/andermm/CMP223, and
# the group of each program in section 5.1 of the interconnection thesis (Maliszewski 2021).
PUBLISHED = {
    "FT": (93.55, HIGHLY_DEPENDENT),
    "IS": (93.87, HIGHLY_DEPENDENT),
    "CG": (83.87, DEPENDENT),
    "MG": (80.00, DEPENDENT),
    "BT": (40.00, LOW),
    "SP": (71.94, LOW),
    "LU": (43.87, LOW),
    "EP": (9.03, NONE),
}


@pytest.mark.parametrize("program", PUBLISHED)
def test_published_programs_fall_into_their_groups(program: str) -> None:
    mpi_pct, group = PUBLISHED[program]
    assert group_of(mpi_pct / 100, Thresholds()) == group


@pytest.mark.parametrize(
    ("mpi_share", "group"),
    [(1.0, HIGHLY_DEPENDENT), (0.9, HIGHLY_DEPENDENT), (0.8999, DEPENDENT), (0.75, DEPENDENT), (0.25, LOW),
     (0.2499, NONE), (0.0, NONE)],
)  # fmt: skip
def test_a_group_begins_at_its_threshold(mpi_share: float, group: str) -> None:
    assert group_of(mpi_share, Thresholds()) == group


def test_thresholds_are_settings() -> None:
    settings = parse("[groups]\nlow = 0.05\n", ProfileSettings, source="s.toml")
    assert settings.groups == Thresholds(highly_dependent=0.9, dependent=0.75, low=0.05)
    assert group_of(0.0903, settings.groups) == LOW
    assert parse("", ProfileSettings, source="s.toml").groups == Thresholds()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[groups]\nlow = 0.8\n", "s.toml:1: groups: the thresholds must descend"),
        ("[groups]\ndependent = 1.5\n", "s.toml:2: groups.dependent: must be at most 1"),
        ("[groups]\nnone = 0.1\n", "s.toml:2: groups.none: unknown key `none`"),
    ],
)
def test_settings_that_make_no_sense_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        parse(text, ProfileSettings, source="s.toml")
