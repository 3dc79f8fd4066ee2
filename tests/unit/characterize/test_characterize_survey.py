"""A whole characterization of simulated networks: the relation against the truth, with and without noise."""

from typing import Any

import pytest

from fairlead.characterize.samples import Exchanges, Ints, Window
from fairlead.characterize.score import Score, score, truth_of
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.characterize.survey import Survey, SurveySettings
from fairlead.errors import AgentError
from fairlead.lab.description import Description
from fairlead.lab.resolve import resolve_lab
from fairlead.lab.topology import ResolvedLab

from .simulated_network import SimulatedAgents, run

FAST = {"sizes_B": (64, 65536)}
GIGABIT = {"rate": "1gbit", "queue": "10ms"}
TRUNK = {"rate": "200mbit", "queue": "20ms"}


def plan_of(topology: str, **lab: Any) -> ResolvedLab:
    tables: dict[str, Any] = {"lab": {"name": "sim", "topology": topology, **lab}, "host_link": GIGABIT}
    if topology != "star":
        tables["trunk"] = TRUNK
    return resolve_lab(Description.model_validate(tables))


PLANS = {
    "star": plan_of("star", hosts_per_leaf=8),
    "mesh": plan_of("mesh", leafs=4, hosts_per_leaf=2),
    "leaf-spine": plan_of("leaf-spine", leafs=4, spines=2, hosts_per_leaf=2),
    "leaf-one-spine": plan_of("leaf-spine", leafs=3, spines=1, hosts_per_leaf=3),
    "star of 3": plan_of("star", hosts_per_leaf=3),
    "two leafs": plan_of("mesh", leafs=2, hosts_per_leaf=3),
}


class Nowhere:
    def __init__(self) -> None:
        self.taken: list[Exchanges | Window] = []

    def exchanges(self, sample: Exchanges) -> None:
        self.taken.append(sample)

    def window(self, sample: Window) -> None:
        self.taken.append(sample)

    def groups(self, group_of: Ints) -> None:
        pass


def survey_of(agents: SimulatedAgents, **changes: Any) -> Survey:
    return Survey(agents, SurveySettings(**{**FAST, **changes}), Nowhere(), lambda what, done, total: None)


def scored(plan: ResolvedLab, noise: float) -> Score:
    survey = survey_of(SimulatedAgents(plan, noise))
    run(survey.run())
    truth = truth_of(plan.shared_bottlenecks(), [host.name for host in plan.hosts])
    assert truth.any()
    return score(SharedBottlenecks.of(survey.samples).dense(), truth)


@pytest.mark.parametrize("name", PLANS)
def test_relation_on_a_quiet_machine_is_the_truth(name: str) -> None:
    result = scored(PLANS[name], noise=0.0)
    assert (result.missed, result.invented) == (0, 0)


@pytest.mark.parametrize("name", PLANS)
def test_relation_survives_noise(name: str) -> None:
    result = scored(PLANS[name], noise=0.3)
    assert result.precision >= 0.95 and result.recall >= 0.95, result


def test_few_windows_and_few_flows_suffice() -> None:
    agents = SimulatedAgents(PLANS["mesh"])
    survey = survey_of(agents)
    run(survey.run())
    windows = [window for window in survey.samples.windows if window.tests]
    assert len(windows) < 56, "there are so many pairs of hosts"
    assert survey.samples.group_of is not None
    assert survey.samples.group_of.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert agents.most_flows <= 4


def test_an_agent_that_dies_ends_the_survey_and_keeps_its_samples() -> None:
    survey = survey_of(SimulatedAgents(PLANS["mesh"], dies_after=200))
    with pytest.raises(AgentError, match="killed by signal 9"):
        run(survey.run())
    assert 0 < len(survey.samples.windows) < 56
    assert survey.samples.exchanges == []


def test_progress_names_every_stage_from_its_first_step_to_its_last() -> None:
    told: list[tuple[str, int, int]] = []
    settings = SurveySettings(sizes_B=(64, 65536, 512 * 1024))
    survey = Survey(
        SimulatedAgents(PLANS["star of 3"], 0.0),
        settings,
        Nowhere(),
        lambda what, done, total: told.append((what, done, total)),
    )
    run(survey.run())
    stages = list(dict.fromkeys(what for what, _, _ in told))
    assert stages[:2] == ["probing the quiet network", "injecting traffic, some pairs at a time"]
    assert "latency of messages of 64 B to 64 KiB" in stages
    assert stages[-1] == "latency of messages of 512 KiB"
    for stage in stages:
        steps = [(done, total) for what, done, total in told if what == stage]
        assert steps[-1][0] == steps[-1][1], stage
        assert steps[0][0] == 0, stage
    assert [each for each in told if each[0] == stages[-1]][1] == (stages[-1], 1, 3)
