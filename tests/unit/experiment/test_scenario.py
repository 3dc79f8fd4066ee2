"""Order, scenarios and congestion of a comparison: all rows, in random blocks, the same for the same seed."""

import pytest

from fairlead.experiment.factors.congestion import episodes
from fairlead.experiment.factors.management import Managed
from fairlead.experiment.plans.comparison import ComparisonPlan
from fairlead.experiment.plans.comparison_form import managements_of, parts, rows_of, scenario
from fairlead.manage.components import FULL, NONE, Components

FOUR = ["clean", "clean_managed", "congested", "congested_managed"]


def plan(*programs: str, **table: object) -> ComparisonPlan:
    return ComparisonPlan.model_validate(
        {
            "comparison": {"name": "c", "lab": "mesh8.toml", **table},
            "congestion": {"bottlenecks": [{"kind": "delay", "link": ["leaf0", "leaf1"]}]},
            "programs": [{"name": name, "command": ["cg"], "ranks": 4} for name in programs or ("cg",)],
        }
    )


def managed(**table: object) -> dict[str, Managed]:
    """How each scenario is managed."""
    made = plan(**table)
    (part,) = parts(made).values()
    return {scenario(row.levels): part.managed_at(row.levels) for row in rows_of(made)}


def test_each_block_holds_every_program_in_every_scenario_once() -> None:
    ordered = rows_of(plan("cg", "nbody", replications=3, seed=1))
    assert [row.position for row in ordered] == list(range(24))
    for replication in range(3):
        block = ordered[8 * replication : 8 * replication + 8]
        assert {row.replication for row in block} == {replication}
        assert len({(row.levels["case"], scenario(row.levels)) for row in block}) == 8


def test_order_depends_on_the_seed_alone() -> None:
    order = [row.levels for row in rows_of(plan(replications=5, seed=1))]
    assert order == [row.levels for row in rows_of(plan(replications=5, seed=1))]
    assert order != [row.levels for row in rows_of(plan(replications=5, seed=2))]


def test_stages_add_one_component_at_a_time() -> None:
    found = managed(stages=True)
    stages = ["", "_agents", "_detection", "_detours"]
    parts = [found[f"congested{stage}"].components for stage in stages]
    on = [(part.agents, part.detection, part.detours, part.migration, part.monitor) for part in parts]
    assert on == [tuple(place < count for place in range(5)) for count in range(4)]
    assert set(found) == {f"{network}{stage}" for network in ("clean", "congested") for stage in stages}


def test_episodes_start_within_the_onset_and_change_their_bottleneck() -> None:
    for replication in range(50):
        drawn = episodes(
            seed=7,
            case="cg",
            replication=replication,
            clean_time_s=10.0,
            bottlenecks=2,
            onset=(0.1, 0.4),
            moves=1,
        )
        assert 1.0 <= drawn[0].start_s <= 4.0
        assert drawn[1].start_s == pytest.approx((drawn[0].start_s + 10.0) / 2)
        assert drawn[0].bottleneck != drawn[1].bottleneck


def test_congestion_from_the_start() -> None:
    (episode,) = episodes(seed=7, case="cg", replication=0, clean_time_s=10.0, bottlenecks=1, onset=(0.0, 0.0), moves=0)
    assert episode.start_s == 0.0


def test_impossible_combinations_are_refused() -> None:
    with pytest.raises(ValueError, match="fewer than two bottlenecks"):
        episodes(seed=1, case="cg", replication=0, clean_time_s=1, bottlenecks=1, onset=(0, 0), moves=1)
    with pytest.raises(ValueError, match="detours need detection"):
        Components(agents=True, detection=False, detours=True)


def test_only_a_plan_that_migrates_has_migrating_runs() -> None:
    plain, moving = managed(), managed(migrate=True)
    assert sorted(plain) == sorted(moving) == FOUR
    assert [plain[name].components for name in FOUR] == [NONE, FULL, NONE, FULL]
    assert [moving[name].components.migration for name in FOUR] == [False, True, False, True]
    added = set(managed(stages=True, migrate=True)) - set(managed(stages=True))
    assert added == {"clean_migration", "congested_migration"}


def test_each_of_several_planes_has_scenarios_of_its_own() -> None:
    one = managed(planes=["relay"])
    assert sorted(one) == FOUR
    assert [one[name].plane for name in FOUR] == ["route", "relay", "route", "relay"]
    several = managed(planes=["route", "relay"])
    assert {name: each.plane for name, each in several.items() if each.components.agents} == {
        "clean_route": "route",
        "clean_relay": "relay",
        "congested_route": "route",
        "congested_relay": "relay",
    }
    staged = managed(stages=True, planes=["relay"])
    assert sorted(name for name, each in staged.items() if each.plane == "relay") == [
        *("clean_detours", "congested_detours")
    ]


def test_a_comparison_is_a_plan_with_the_factors_network_and_management() -> None:
    (part,) = parts(plan("cg", "nbody", migrate=True, planes=["relay"], monitor=True)).values()
    assert part.factors == {
        "case": ("cg", "nbody"),
        "network": ("clean", "congested"),
        "management": ("none", "managed"),
    }
    row = {"case": "nbody", "network": "congested", "management": "managed"}
    assert part.program_at(row).ranks == 4
    assert part.congestion_at(row) is not None
    assert part.congestion_at({**row, "network": "clean"}) is None
    assert list(managements_of(plan().comparison)) == ["none", "managed"]


def test_pauses_that_show_what_reroutes_give_can_be_left_out() -> None:
    assert managements_of(plan().comparison)["managed"].benefit
    assert not managements_of(plan(benefit=False).comparison)["managed"].benefit
