"""An evaluation as the runner takes it: one plan, and rows that the store selects by the levels of its factors."""

from collections.abc import Mapping
from typing import Any

from fairlead import config
from fairlead.analysis.evaluations.dataset import BLOCK, KIND, REPLICATION, ROW, TIME
from fairlead.experiment.plans.design import Row
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.plans.templates import Levels
from fairlead.experiment.running.runner import PILOT, Experiment
from fairlead.experiment.running.testbed import Testbed
from fairlead.experiment.running.trial import TIMED_SECTION
from fairlead.placement.json_form import Placement
from fairlead.prices.book import kept
from fairlead.store import Run, Store
from fairlead.store.records import Label

ATTEMPT = "attempt"


class Evaluation(Experiment):
    """A plan and the store that its samples go to."""

    kind = KIND
    row_kind = ROW

    def __init__(self, plan: Plan, store: Store) -> None:
        self._plan = plan
        super().__init__([plan], store)

    def _stored(self) -> dict[str, Any]:
        files = {str(path): Placement.read(path).host_of_rank for path in self._plan.placements()}
        placements = {"placements": files} if files else {}
        networks = {"networks": config.content(self._plan.networks())}
        return {**self._plan.stored(), **networks, **placements, **kept(self._plan.evaluation.prices)}

    def _begin(self, plan: dict[str, Any]) -> int:
        labels = {"name": self._plan.evaluation.name, "origin": "run"}
        series = {TIME: "s"} if self._plan.run.value == TIME else {TIME: "s", TIMED_SECTION: "s"}
        facts: dict[str, Any] = {"factors": list(self._plan.factors), "series": series, "value": self._plan.run.value}
        facts["cells"] = sum(1 for _ in self._plan.combinations())
        return self._store.begin_run(KIND, labels, plan=plan, seed=self._plan.evaluation.seed, facts=facts)

    def _key(self, row: Row) -> Any:
        return row.plan

    def _labels(self, row: Row, testbed: Testbed) -> dict[str, Label]:
        return {
            **row.levels,
            BLOCK: row.block,
            REPLICATION: row.replication,
            ATTEMPT: self._failures[self._name(row)],
            "cluster": testbed.cluster.name,
        }

    def _levels(self, run: Run) -> Levels | None:
        return {factor: run.labels[factor] for factor in self._plan.factors}

    def _describe(self, row: Row) -> str:
        return f"{', '.join(str(level) for level in row.levels.values())}, replication {row.replication + 1}"

    def _pilot(self, plan: Plan, row: Row, testbed: Testbed) -> tuple[str, Any, Mapping[str, Label]]:
        levels = plan.undisturbed(row.levels)
        return PILOT, {"levels": levels}, {**levels, "cluster": testbed.cluster.name}
