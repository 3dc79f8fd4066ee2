"""Values of a plan that ``--set`` changes."""

from pathlib import Path

import pytest

from fairlead import config
from fairlead.config_changes import ConfigChange
from fairlead.errors import ConfigError
from fairlead.experiment.plans.comparison import ComparisonPlan
from fairlead.experiment.plans.plan import Plan

PLAN = """\
[evaluation]
name = "p"
cluster = "c.toml"

[factors]
program = ["is", "ft"]
class = ["C"]

[run]
command = ["{program}", "--class", "{class}"]
ranks = 8
"""
COMPARISON = """\
[comparison]
name = "one"
lab = "mesh8.toml"

[congestion]
[[congestion.bottlenecks]]
kind = "delay"
link = ["leaf0", "leaf1"]

[[programs]]
name = "cg"
command = ["cg"]
ranks = 4
"""


def changed(*texts: str) -> Plan:
    return config.parse(PLAN, Plan, source="plan.toml", changes=[ConfigChange.parse(text) for text in texts])


def test_a_factor_gets_other_levels() -> None:
    assert changed("class=W").factors == {"program": ("is", "ft"), "class": ("W",)}
    assert changed('class=["S", "W"]').factors["class"] == ("S", "W")
    assert changed("factors.class=W").factors["class"] == ("W",)
    assert changed("program=is", "class=A").factors == {"program": ("is",), "class": ("A",)}


def test_levels_that_are_left_out_may_still_be_excluded_and_grouped() -> None:
    more = """
[[exclude]]
program = "ft"
class = ["C"]

[report]
configurations = ["class"]
baseline = { class = "C" }

[[report.groups]]
name = "high"
where = { program = ["is", "ft"] }

[[report.groups]]
name = "ft"
where = { program = ["ft"] }
"""
    plan = config.parse(PLAN + more, Plan, source="plan.toml", changes=[ConfigChange.parse("program=is")])
    assert [group.where for group in plan.report.groups] == [{"program": ("is",)}, {"program": ()}]
    assert plan.exclude == ({"program": (), "class": ("C",)},)
    assert [row["program"] for row in plan.combinations()] == ["is"]
    with pytest.raises(ConfigError, match="program has no level 'lu'"):
        config.parse(
            PLAN + more.replace('"is", "ft"', '"lu"'), Plan, source="p", changes=[ConfigChange.parse("program=is")]
        )


def test_a_key_of_a_table_gets_another_value() -> None:
    plan = changed("run.ranks=16", "replications.count=3", "evaluation.name=other", "run.timeout_s = 7.5")
    assert plan.run.ranks == 16
    assert plan.replications.count == 3
    assert plan.evaluation.name == "other"
    assert plan.run.timeout_s == 7.5


def test_an_entry_of_a_list_of_tables_goes_by_its_name() -> None:
    change = [ConfigChange.parse("programs.cg.ranks=16"), ConfigChange.parse("comparison.seed=3")]
    plan = config.parse(COMPARISON, ComparisonPlan, source="plan.toml", changes=change)
    assert plan.programs[0].ranks == 16
    assert plan.comparison.seed == 3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("class", "--set class: must be KEY=VALUE"),
        ("=W", "--set =W: must be KEY=VALUE"),
        ("clas=W", "--set clas: the plan has no such factor\n  it has the factors program, class, and keys of the"),
        ("run.rank=4", "--set run.rank: unknown key `rank` (did you mean `ranks`?)"),
        ("rum.ranks=4", "--set rum.ranks: unknown key `rum` (did you mean `run`?)"),
        ("run.ranks.many=4", "--set run.ranks.many: run.ranks is not a table"),
        ("run.timeout_s=-1", "--set run.timeout_s: must be greater than 0"),
        ("exclude.0.program=is", "--set exclude.0.program: "),
    ],
)
def test_what_is_wrong_is_told_with_what_there_is(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        changed(text)
    assert complaint in str(caught.value)


def test_an_unknown_entry_is_told_with_those_that_there_are() -> None:
    with pytest.raises(ConfigError, match=r"--set programs\.ft\.ranks: there is no entry ft\n  there are cg"):
        config.parse(COMPARISON, ComparisonPlan, source="p", changes=[ConfigChange.parse("programs.ft.ranks=4")])
    with pytest.raises(
        ConfigError, match="no such factor\n  it has keys of the tables comparison, congestion, programs"
    ):
        config.parse(COMPARISON, ComparisonPlan, source="p", changes=[ConfigChange.parse("class=W")])


def test_mistakes_of_the_file_keep_their_line(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(PLAN.replace("ranks = 8", "rank = 8"))
    with pytest.raises(ConfigError, match=r"plan.toml:11: run.rank: unknown key"):
        config.load(file, Plan, [ConfigChange.parse("class=W")])
