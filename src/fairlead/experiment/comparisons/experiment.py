"""A comparison as the runner takes it: every case in every scenario, network after network (DMCBM 4.1 to 4.9)."""

import os
import secrets
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairlead import config
from fairlead.cluster.cluster_file import load_cluster
from fairlead.errors import LaunchError
from fairlead.experiment.comparisons import calibrate, calibration
from fairlead.experiment.comparisons.calibrate import CalibrationRun
from fairlead.experiment.comparisons.calibration import Calibration
from fairlead.experiment.factors.congestion import Episode
from fairlead.experiment.factors.program import Program, prepare_program
from fairlead.experiment.plans import comparison_form, forecast
from fairlead.experiment.plans.comparison import CLEAN, Case, ComparisonPlan, NetworkPlan
from fairlead.experiment.plans.design import Row, planned_rows
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.plans.templates import Levels
from fairlead.experiment.running import trial
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.experiment.running.runner import PILOT, Experiment
from fairlead.experiment.running.testbed import Running, Testbed
from fairlead.experiment.running.trial import Trial
from fairlead.lab import description as lab_description
from fairlead.lab.resolve import resolve_lab
from fairlead.placement.json_form import Placement
from fairlead.prices.book import kept
from fairlead.programs import own_files
from fairlead.progress import Progress as SurveyProgress
from fairlead.store import Run, Store
from fairlead.store.connection import to_json
from fairlead.store.records import Label

CALIBRATION, TRIAL = "calibration", "trial"


class ComparisonExperiment(Experiment):
    """A plan and the store that its samples go to.

    Args:
        only: names of the cases to run now; None: all. Those left out can be run later by the same plan.
        bring: files that hosts get before the first run on them, and that the plan's commands name. With other ones, or
            other content, it is another experiment.

    Raises:
        FileError: one of them cannot be read.
    """

    kind = "experiment"
    row_kind = "run"
    begins_anew = True

    def __init__(
        self,
        plan: ComparisonPlan,
        store: Store,
        only: Collection[str] | None = None,
        ledger: CleanupLedger | None = None,
        bring: Sequence[Path] = (),
    ) -> None:
        self._plan = plan
        self._bring = own_files.identities(bring)
        self._copies: Mapping[Path, str] = {}  # on the network that is up
        self._cases = {case.name: case for case in plan.all_cases()}
        self._only = set(self._cases if only is None else only)
        self._networks = comparison_form.parts(plan)
        self._calibrations: dict[NetworkPlan, Calibration] = {}
        every = [row for part in self._networks.values() for row in planned_rows(part)]
        self._planned = {comparison_form.key(row): row for row in every}
        super().__init__(list(self._networks.values()), store, ledger)
        self._calibrations = self._read_calibrations()

    def calibrated(self) -> list[NetworkPlan]:
        """Networks of which scale and lengths were found."""
        return list(self._calibrations)

    # ---------------------------------------------------------------- as the runner asks

    def _stored(self) -> dict[str, Any]:
        found = {str(file.absolute()): identity for file, identity in self._bring.items()}
        return stored(self._plan) | ({"brought": found} if found else {})

    def _begin(self, plan: dict[str, Any]) -> int:
        table = self._plan.comparison
        facts = {"cases": list(self._cases)}
        return self._store.begin_run(self.kind, {"name": table.name}, plan=plan, seed=table.seed, facts=facts)

    def _key(self, row: Row) -> Any:
        return comparison_form.key(row)

    def _levels(self, run: Run) -> Levels | None:
        row = self._planned.get(run.plan) if isinstance(run.plan, str) else None
        return None if row is None else row.levels

    def _labels(self, row: Row, testbed: Testbed) -> dict[str, Label]:
        case = self._case(row.levels)
        length = {"length": self._length(case)} if case.program.length else {}
        return {**comparison_form.labels(row, case), "cluster": testbed.cluster.name, **length}

    def _describe(self, row: Row) -> str:
        return f"{row.levels[comparison_form.CASE]}: {comparison_form.scenario(row.levels)}"

    def _pilot(self, plan: Plan, row: Row, testbed: Testbed) -> tuple[str, Any, Mapping[str, Label]]:
        case = self._pilot_case(self._case(row.levels))
        first = replace(row, levels={**row.levels, comparison_form.CASE: case.name}, replication=0)
        return self.row_kind, _pilot_key(case), {**self._labels(first, testbed), "scenario": PILOT}

    def _needs_pilot(self, plan: Plan, row: Row) -> bool:
        return True  # the time that is left is told by it, too

    def _expected_s(self, levels: Levels) -> float | None:
        case = self._case(levels)
        clean_s = self._clean_s.get(to_json("row", _pilot_key(self._pilot_case(case))), planned_clean_s(case))
        return None if clean_s is None else expected_s(self._networks[case.network], levels, clean_s)

    def _program(self, plan: Plan, levels: Levels) -> Program:
        case, program = self._case(levels), replace(plan.program_at(levels), copies=self._copies)
        if not case.program.length:
            return program
        return replace(program, command=case.program.of_length(self._length(case)).command)

    def _drawn_by(self, plan: Plan, row: Row) -> str:
        return str(row.levels[comparison_form.CASE])

    def _rows(self, rows: Sequence[Row]) -> list[Row]:
        return [row for row in rows if row.levels[comparison_form.CASE] in self._only]

    def _check(self, plan: Plan, testbed: Testbed) -> None:
        super()._check(plan, testbed)
        hosts = testbed.cluster.compute_names()
        self._copies = own_files.copies(testbed.cluster, self._bring, hosts, self._announce)
        for levels in {str(levels[comparison_form.CASE]): levels for levels in plan.combinations()}.values():
            program = replace(plan.program_at(levels), copies=self._copies)
            prepare_program(testbed.cluster, program, secrets.token_hex(4))

    def _testbed(self, plan: Plan, survey: SurveyProgress, running: Running | None) -> Testbed:
        network = next(network for network, part in self._networks.items() if part is plan)
        found = Calibration() if running else self._calibrations.get(network) or self._calibrate(network)
        return Testbed(plan, self._store, self._ledger, scale=found.scale, progress=survey, running=running)

    def _is_complete(self) -> bool:
        tried = {run.plan for run in self._store.runs(self.row_kind, parent=self.experiment) if run.ended_s is not None}
        return all(key in tried for key in self._planned)

    def _case(self, levels: Mapping[str, Any]) -> Case:
        return self._cases[str(levels[comparison_form.CASE])]

    def _pilot_case(self, case: Case) -> Case:
        """The first with the same program on the same network: one pilot is enough for all of them."""
        alike = (each for each in self._cases.values() if each.network == case.network)
        return next(each for each in alike if each.program == case.program)

    # ---------------------------------------------------------------- scale and lengths

    def _length(self, case: Case) -> int:
        found = self._calibrations.get(case.network)
        return (found.lengths.get(case.program.name) if found else None) or case.program.number

    def _read_calibrations(self) -> dict[NetworkPlan, Calibration]:
        networks = list(self._networks)
        found = [run for run in self._store.runs(CALIBRATION, parent=self.experiment) if run.status == "ok"]
        return {networks[int(run.labels["position"])]: Calibration.from_json(run.facts) for run in found}

    def _calibrate(self, network: NetworkPlan) -> Calibration:
        """What a network's cases need, found by trials of all of them: those chosen now may be others the next time."""
        scale = self._plan.comparison.scale
        cases = [case for case in self._cases.values() if case.network == network]
        if not calibrate.needed(cases, scale):
            return Calibration(scale if isinstance(scale, float) else None)
        done, total = self.stored_rows, self.stored_rows + len(self.left())
        found = calibrate.calibrate(
            cases,
            scale,
            self._first_scale(network),
            lambda tried: self._started(self._networks[network], tried),
            self._try,
            lambda text: self._progress(done, total, text),
        )
        labels: dict[str, Label] = {"network": network.name, "position": list(self._networks).index(network)}
        run = self._store.begin_run(CALIBRATION, labels, parent=self.experiment, facts=found.to_json())
        self._store.finish_run(run, "ok")
        self._calibrations[network] = found
        self._progress(done, total, found.describe())
        return found

    def _first_scale(self, network: NetworkPlan) -> float:
        """Where to begin: where another program of the same lab ended."""
        found = [each.scale for known, each in self._calibrations.items() if known.lab == network.lab]
        guessed = calibration.first_scale(len(os.sched_getaffinity(0)), managed_hosts(network))
        return next((scale for scale in reversed(found) if scale is not None), guessed)

    @contextmanager
    def _started(self, plan: Plan, scale: float | None) -> Iterator[Testbed]:
        with Testbed(plan, self._store, self._ledger, scale=scale) as testbed:
            testbed.prepare(planned_rows(plan)[0])
            self._check(plan, testbed)
            yield testbed

    def _try(self, case: Case, testbed: Testbed, number: int | None, congested: bool) -> CalibrationRun:
        """Run a case's program once, plain, and see how long it takes and how busy processors are meanwhile.

        Args:
            number: its length; None: as its command says.
            congested: at the congestion's first bottleneck, from the start.

        Raises:
            FairleadError: it could not be started, or failed.
        """
        assert testbed.lab is not None  # only labs have a scale
        program = (case.program if number is None else case.program.of_length(number)).resolved()
        program = replace(program, transport=self._plan.comparison.transport, copies=self._copies)
        labels: dict[str, Label] = {"case": case.name, "program": case.program.name, "ranks": program.ranks}
        labels |= {"cluster": testbed.cluster.name, "scale": testbed.lab.plan.scale}
        labels |= {"scenario": comparison_form.CONGESTED if congested else CLEAN}
        labels |= {} if number is None else {"length": number}
        launcher, job = prepare_program(testbed.cluster, program, secrets.token_hex(4))
        bottlenecks, started_s = case.congestion.bottlenecks, time.time()
        tried = Trial(
            testbed.cluster,
            testbed.cluster,
            launcher,
            job,
            program.timeout_s,
            episodes=[Episode(0.0, 0)] if congested else (),
            bottlenecks=bottlenecks,
            congest=lambda bottleneck: testbed.congestion(bottlenecks[bottleneck]),
            in_lab=True,
        )
        try:
            taken = trial.run(tried, self._ledger)
        except LaunchError as error:
            hint = error.hint or f"it may need more than timeout_s = {program.timeout_s:g}, or a larger scale"
            raise _failed_trial(case, testbed, str(error), hint) from error
        failure = taken.failure(program.command[0])
        record = taken.record(failure)
        facts = testbed.facts(program)
        self._store.record(TRIAL, labels, parent=self.experiment, plan=None, started_s=started_s, facts=facts, **record)
        if failure:
            raise _failed_trial(case, testbed, failure, "see its output with `fairlead export`")
        return CalibrationRun(taken.said.timed_s, taken.use)


def _pilot_key(case: Case) -> str:
    return f"{case.name}/{PILOT}/0"


def _failed_trial(case: Case, testbed: Testbed, why: str, hint: str) -> LaunchError:
    """The trials are of all programs of a network, also of those that were not chosen this time."""
    where = f" with the lab's rates times {testbed.lab.plan.scale:g}" if testbed.lab is not None else ""
    return LaunchError(f"{case.program.name} fails in a trial{where}: {why}", hint=hint)


def planned_clean_s(case: Case) -> float | None:
    """Run time of a case's program on a clean network, as the plan says; None: it says nothing."""
    program = case.program
    if program.clean_s is not None:
        return program.clean_s
    return None if program.timed_s is None else program.timed_s + forecast.BEGIN_AND_END_S


def expected_s(part: Plan, levels: Levels, clean_s: float) -> float:
    """Expected time of a row with everything around it."""
    return forecast.row_s(clean_s, part.congestion_at(levels), part.managed_at(levels).components)


def managed_hosts(network: NetworkPlan) -> int:
    """How many hosts of a network have agents."""
    if network.cluster is not None:
        return len(load_cluster(network.cluster).managed_hosts())
    assert network.lab is not None  # the plan has one of the two
    hosts = resolve_lab(lab_description.load(network.lab)).hosts
    return sum(host.role != "other" for host in hosts)


def stored(plan: ComparisonPlan) -> dict[str, Any]:
    """A plan as the store keeps it, to know it again: with what the files that it names say, for they may change.

    Raises:
        ConfigError: a file of a lab or cluster, or a placement, cannot be read.
    """
    data: dict[str, Any] = plan.model_dump(mode="json")
    networks = [path for case in plan.all_cases() for path in (case.network.lab, case.network.cluster) if path]
    data["networks"] = config.content(networks)
    data |= kept(plan.comparison.prices)
    for program, written in zip(plan.programs, data["programs"], strict=True):
        if program.placement is not None:
            written["placement"] = Placement.read(program.placement).host_of_rank
    return data
