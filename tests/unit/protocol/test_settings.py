"""Settings of the agents that a user changes."""

from typing import Any

import pytest

from fairlead.protocol.setting_table import SETTINGS
from fairlead.protocol.settings import checked, describe, require_consistent, ways_in


def test_full_names_and_tables_by_group_are_the_same() -> None:
    assert checked({"detour.dwell_s": 1, "probes.burst": 4}) == {"detour.dwell_s": 1, "probes.burst": 4}
    assert checked({"detour": {"dwell_s": 1}, "probes": {"burst": 4}}) == {"detour.dwell_s": 1, "probes.burst": 4}


def test_defaults_may_be_written_too() -> None:
    assert len(SETTINGS) > 50
    assert checked({name: setting.default for name, setting in SETTINGS.items()}) == {
        name: setting.default for name, setting in SETTINGS.items()
    }


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"detour.dwel_s": 1}, r"there is no setting detour\.dwel_s; detour\.dwell_s\?"),
        ({"x": 1}, r"there is no setting x, see docs/reference/agent-settings\.md"),
        ({"detour": 1}, r"there is no setting detour"),
        ({"detour.dwell_s": "1"}, r"detour\.dwell_s must be a number"),
        ({"detour.dwell_s": True}, r"detour\.dwell_s must be a number"),
        ({"detour.dwell_s": -1}, r"detour\.dwell_s = -1 must be between 0 and 3600"),
        ({"detour.dwell_s": float("nan")}, r"detour\.dwell_s = nan must be between 0 and 3600"),
        ({"probes.burst": 3.0}, r"probes\.burst must be a whole number"),
    ],
)
def test_mistakes_are_named(values: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        checked(values)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (
            {"congestion_level.medium_factor": 5},
            r"congestion_level\.medium_factor = 5 is more than congestion_level\.high_factor = 3; change both",
        ),
        (
            {"congestion_level.high_factor": 1.2},
            r"congestion_level\.medium_factor = 1\.5 is more than congestion_level\.high_factor = 1\.2; change both",
        ),
    ],
)
def test_settings_that_depend_on_each_other(values: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        require_consistent(values)
    require_consistent({"congestion_level.medium_factor": 5, "congestion_level.high_factor": 6})


def test_people_read_what_differs() -> None:
    dwell = SETTINGS["detour.dwell_s"].default
    assert describe({"detour.dwell_s": 7.5}) == f"detour.dwell_s = 7.5 (default {dwell:g})"


def test_there_are_no_ways_unless_they_are_asked_for() -> None:
    assert ways_in({}) == 0
    assert ways_in({"detour.dwell_s": 1, "ways.count": 7}) == 7
