"""Order and congestion of a comparison: all rows, in random blocks, the same for the same seed."""

import pytest

from fairlead.manage.components import Components
from fairlead.manage.scenario import FOUR, episodes, four, rows, staged


def test_each_block_holds_every_program_in_every_scenario_once() -> None:
    ordered = rows(["cg", "nbody"], FOUR, replications=3, seed=1)
    assert [row.position for row in ordered] == list(range(24))
    for replication in range(3):
        block = ordered[8 * replication : 8 * replication + 8]
        assert {row.replication for row in block} == {replication}
        assert len({row.key for row in block}) == 8


def test_order_depends_on_the_seed_alone() -> None:
    order = [row.key for row in rows(["cg"], FOUR, 5, seed=1)]
    assert order == [row.key for row in rows(["cg"], FOUR, 5, seed=1)]
    assert order != [row.key for row in rows(["cg"], FOUR, 5, seed=2)]


def test_stages_add_one_component_at_a_time() -> None:
    switched = [
        sum(vars(scenario.components).values()) for scenario in staged(migrate=False) if scenario.network == "congested"
    ]
    assert switched == [0, 1, 2, 3]


def test_episodes_start_within_the_onset_and_change_place() -> None:
    for replication in range(50):
        drawn = episodes(
            seed=7,
            case="cg",
            replication=replication,
            clean_time_s=10.0,
            places=2,
            onset=(0.1, 0.4),
            moves=1,
        )
        assert 1.0 <= drawn[0].start_s <= 4.0
        assert drawn[1].start_s == pytest.approx((drawn[0].start_s + 10.0) / 2)
        assert drawn[0].place != drawn[1].place


def test_congestion_from_the_start() -> None:
    (episode,) = episodes(seed=7, case="cg", replication=0, clean_time_s=10.0, places=1, onset=(0.0, 0.0), moves=0)
    assert episode.start_s == 0.0


def test_impossible_combinations_are_refused() -> None:
    with pytest.raises(ValueError, match="fewer than two places"):
        episodes(seed=1, case="cg", replication=0, clean_time_s=1, places=1, onset=(0, 0), moves=1)
    with pytest.raises(ValueError, match="detours need detection"):
        Components(agents=True, detection=False, detours=True)


def test_only_a_plan_that_migrates_has_migrating_runs() -> None:
    assert four(migrate=False) == FOUR
    assert [each.components.migration for each in four(migrate=True)] == [False, True, False, True]
    assert [each.name for each in four(migrate=True)] == [each.name for each in FOUR]
    added = {each.name for each in staged(migrate=True)} - {each.name for each in staged(migrate=False)}
    assert added == {"clean_migration", "congested_migration"}


def test_each_of_several_planes_has_scenarios_of_its_own() -> None:
    assert [each.plane for each in four(migrate=False, planes=["relay"])] == ["route", "relay", "route", "relay"]
    assert [each.name for each in four(migrate=False, planes=["relay"])] == [each.name for each in FOUR]
    names = [(each.name, each.plane) for each in four(migrate=False, planes=["route", "relay"]) if each.managed]
    assert names == [
        ("clean_route", "route"),
        ("clean_relay", "relay"),
        ("congested_route", "route"),
        ("congested_relay", "relay"),
    ]
    carrying = [each.name for each in staged(migrate=False, plane="relay") if each.plane == "relay"]
    assert carrying == ["clean_detours", "congested_detours"]
