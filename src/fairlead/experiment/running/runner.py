"""Runs plans: block after block, resumable at any instant, every sample committed when it is taken."""

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from fairlead.analysis.evaluations.dataset import TIME
from fairlead.display import words
from fairlead.errors import LaunchError, NoProgramError
from fairlead.experiment.factors.program import Program
from fairlead.experiment.plans.design import (
    Block,
    Key,
    Row,
    further_block,
    key_of,
    planned_blocks,
    planned_rows,
    rows_of,
)
from fairlead.experiment.plans.forecast import RemainingTime
from fairlead.experiment.plans.plan import LEAST_TO_STOP, Plan
from fairlead.experiment.plans.templates import Levels
from fairlead.experiment.running import row_trial, trial
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.experiment.running.testbed import Running, Testbed
from fairlead.experiment.running.trial import Trial
from fairlead.manage.migration import movers
from fairlead.prices.book import KEPT
from fairlead.progress import Progress as SurveyProgress
from fairlead.statistics import blocks
from fairlead.store import Attachment, Run, Store
from fairlead.store.connection import to_json
from fairlead.store.records import Label

PILOT = "pilot"
"""Kind of a run on a clean network that gives the time scale of congestion; it is no sample."""
_NEAR_THE_END = 20  # lines of output
_MOST_SHOWN = 200
"""Characters of a row's error on the terminal; the store has all."""

Progress = Callable[[int, int, str], None]
Tell = Callable[[str], None]


class Experiment(ABC):
    """Plans in the general form and the store that their samples go to. The same again goes on where it stopped.

    Attributes:
        experiment: its run in the store.

    Args:
        parts: run one after the other.
        ledger: notes what runs; None: in the store's directory.
    """

    kind: ClassVar[str]
    """Of the experiment's run in the store."""
    row_kind: ClassVar[str]
    """Of each row's."""
    begins_anew: ClassVar[bool] = False
    """One that has ended is run again by the same command, and rows that failed do not keep it from ending."""

    def __init__(self, parts: Sequence[Plan], store: Store, ledger: CleanupLedger | None = None) -> None:
        self._parts = tuple(parts)
        self._store = store
        self._ledger = ledger or CleanupLedger(store.directory)
        self._values: dict[Key, list[tuple[int, int, float]]] = {}  # replication, block and sample
        self._done: set[str] = set()
        self._failures: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}  # of rows that failed and have no sample
        self._clean_s: dict[str, float] = {}  # by key of the pilot
        self._announce: Tell = lambda text: None
        self._progress: Progress = lambda done, total, text: None
        self._others: list[Row] = []  # of parts that come later
        self._total = 0  # rows that are known
        self._spent_s = 0.0
        self._over_budget = False
        self._remaining = RemainingTime(self._expected_s)
        self.experiment = self._open()
        self._read()

    # ---------------------------------------------------------------- what kinds of experiments differ in

    @abstractmethod
    def _stored(self) -> dict[str, Any]:
        """The plan as the store keeps it, to know it again."""

    @abstractmethod
    def _begin(self, plan: dict[str, Any]) -> int:
        """Record that it begins."""

    @abstractmethod
    def _key(self, row: Row) -> Any:
        """Names a row in the store for good."""

    @abstractmethod
    def _labels(self, row: Row, testbed: Testbed) -> dict[str, Label]:
        """What the store selects a row by."""

    @abstractmethod
    def _levels(self, run: Run) -> Levels | None:
        """The levels of a recorded row; None: it is none."""

    @abstractmethod
    def _describe(self, row: Row) -> str:
        """A row for people."""

    @abstractmethod
    def _pilot(self, plan: Plan, row: Row, testbed: Testbed) -> tuple[str, Any, Mapping[str, Label]]:
        """Kind, key and labels of the pilot that a row goes by."""

    def _needs_pilot(self, plan: Plan, row: Row) -> bool:
        """Whether the program's run time on a clean network is measured before the row."""
        return row_trial.needs_pilot(plan, row)

    def _expected_s(self, levels: Levels) -> float | None:
        """Expected time of a row; None: nobody knows."""
        return self._parts[0].run.expected_s

    def _program(self, plan: Plan, levels: Levels) -> Program:
        """A row's program."""
        return plan.program_at(levels)

    def _drawn_by(self, plan: Plan, row: Row) -> str:
        """Names rows that face the same congestion in each replication."""
        return "/".join(key_of(plan.unmanaged(row.levels)))

    def _testbed(self, plan: Plan, survey: SurveyProgress, running: Running | None) -> Testbed:
        return Testbed(plan, self._store, self._ledger, progress=survey, running=running)

    def _rows(self, rows: Sequence[Row]) -> list[Row]:
        """Those of a plan's rows that are to be run."""
        return list(rows)

    def _check(self, plan: Plan, testbed: Testbed) -> None:
        """What is missing is told before anything is measured."""
        cells = plan.combinations()
        congestions = dict.fromkeys(each for each in map(plan.congestion_at, cells) if each is not None)
        for bottleneck in (bottleneck for each in congestions for bottleneck in each.bottlenecks):
            testbed.congestion(bottleneck)
        if any(plan.managed_at(levels).components.migration for levels in cells):
            movers.maker(testbed.cluster, None)

    # ---------------------------------------------------------------- how far it is

    @property
    def finished(self) -> bool:
        """Whether all of it has been run before."""
        return self._store.run(self.experiment).ended_s is not None

    @property
    def failed_rows(self) -> int:
        """Rows of which there is no sample because every try at them failed."""
        retries = self._parts[0].replications.retries
        return sum(count > retries for name, count in self._failures.items() if name not in self._done)

    @property
    def empty_cells(self) -> int:
        """Planned cells that have no sample."""
        return sum(key_of(levels) not in self._values for plan in self._parts for levels in plan.combinations())

    @property
    def over_budget(self) -> bool:
        """Whether it stopped before its end because the budget was spent."""
        return self._over_budget

    @property
    def stored_rows(self) -> int:
        """Rows that have a sample."""
        return len(self._done)

    @property
    def failures(self) -> list[str]:
        """Rows without a sample, with the reason of the last try at each, a line a row."""
        return list(self._reasons.values())

    def left(self, plan: Plan | None = None) -> list[Row]:
        """Planned rows, of one part or of all, that are to be run and have no sample yet."""
        found: list[Row] = []
        first = 0
        for part in self._parts:
            rows = planned_rows(part, first)
            first += len(rows)
            found += self._rows(rows) if plan is None or part is plan else []
        return [row for row in found if not self._is_over(row)]

    # ---------------------------------------------------------------- running

    def end_remains(self, tell: Tell) -> None:
        """End what an earlier start had left.

        Raises:
            FairleadError: something cannot be ended.
        """
        for what in self._ledger.end():
            tell(f"cleaned up after an earlier start: {what}")

    def run(
        self,
        progress: Progress = lambda done, total, text: None,
        announce: Tell = lambda text: None,
        survey: SurveyProgress = lambda what, done, total: None,
        running: Running | None = None,
    ) -> None:
        """Run what is left.

        Args:
            progress: called before every row with (finished rows, all known rows, what comes now and the time left).
            announce: called with what else is to be told: also with the reason of every try at a row that fails, as
                soon as it has failed.
            survey: progress of characterizations.
            running: what all rows run on; None: what the plan names.

        Raises:
            FairleadError: the lab, a host or a set-up failed, or a program is not on a host. A row that fails does not
                raise: it is recorded.
        """
        self._announce, self._progress = announce, progress
        if running is None:
            self.end_remains(announce)
        if self.finished:
            return
        position = 0
        for number, plan in enumerate(self._parts):
            self._others = [row for part in self._parts[number + 1 :] for row in self.left(part)]
            if self.left(plan) or plan.replications.half_width is not None:
                with self._testbed(plan, survey, running) as testbed:
                    self._run_part(plan, testbed, position)
            position += len(planned_rows(plan))
            if self._over_budget:
                return
        if self._is_complete():  # else it may go on: with a larger budget, more retries, other cases
            self._store.finish_run(self.experiment)

    def _is_complete(self) -> bool:
        return not self.failed_rows

    def _run_part(self, plan: Plan, testbed: Testbed, position: int) -> None:
        planned = planned_blocks(plan)
        later = [self._rows(rows_of(plan, block, 0)) for block in planned[1:]]
        block: Block | None = planned[0]
        while block is not None:
            rows = rows_of(plan, block, position, self._open_cells(plan, block, planned))
            position += len(rows)
            to_come = [row for each in later[block.number :] for row in each]
            if not self._run_rows(plan, self._rows(rows), to_come, testbed):
                self._over_budget = True
                return
            following = planned[block.number + 1 : block.number + 2]
            block = following[0] if following else further_block(plan, block)
            if block is not None and block.number >= len(planned) and not self._open_cells(plan, block, planned):
                block = None

    def _run_rows(self, plan: Plan, rows: Sequence[Row], later: Sequence[Row], testbed: Testbed) -> bool:
        """Run a block's rows that are left; False: the budget has ended."""
        waiting = [row for row in rows if not self._is_over(row)]
        later = [row for row in (*later, *self._others) if not self._is_over(row)]
        self._total = total = len(self._done) + len(waiting) + len(later)
        budget_s = plan.replications.budget_s
        while waiting:
            if budget_s is not None and self._spent_s >= budget_s:
                self._progress(len(self._done), total, "the budget is spent")
                return False
            row = waiting[0]
            if testbed.prepare(row):
                if remark := testbed.take_remark():
                    self._announce(remark)
                self._check(plan, testbed)
                self._run_pilots(plan, waiting, testbed)
            managed, program = plan.managed_at(row.levels), self._program(plan, row.levels)
            if managed.components.agents and row_trial.can_manage(plan, row, testbed, program):
                testbed.management(managed)  # a characterization is no part of a row
            left = self._remaining.words([each.levels for each in (*waiting, *later)])
            self._progress(len(self._done), total, f"{self._describe(row)}; {left}")
            self._run_row(plan, row, testbed)
            if self._is_over(row):
                waiting.pop(0)
        return True

    def _run_row(self, plan: Plan, row: Row, testbed: Testbed) -> None:
        name, program = self._name(row), self._program(plan, row.levels)
        labels = self._labels(row, testbed)
        news, started_s = testbed.take_news(), time.time()
        key, facts = self._key(row), testbed.facts(program)
        try:
            taken = trial.run(self._trial(plan, row, testbed), self._ledger)
            testbed.check_bonds()
            kept = taken.record(taken.failure(program.command[0], plan.run.value))
        except NoProgramError:  # every further try would miss it, too
            raise
        except LaunchError as error:
            kept = trial.failed(error)
        kept["events"] = [*news, *kept.get("events", ())]
        order = {"seed": plan.evaluation.seed, "position": row.position}
        run = self._store.record(
            self.row_kind, labels, parent=self.experiment, plan=key, started_s=started_s, facts=facts, **order, **kept
        )
        value = next((s.scalar() for s in kept.get("series", ()) if s.name == plan.run.value), None)
        self._count(self._store.run(run), row.levels, value)
        if kept.get("status") == "failed":
            self._tell_failure(name, _telling_line(kept["attachments"]))

    def _trial(self, plan: Plan, row: Row, testbed: Testbed, *, alone: bool = False) -> Trial:
        """What a row runs; ``alone``: without congestion and management."""
        return row_trial.of(
            plan,
            row,
            testbed,
            self._ledger,
            self._program(plan, row.levels),
            drawn_by=self._drawn_by(plan, row),
            clean_time_s=partial(self._clean_time_s, plan, row, testbed),
            alone=alone,
        )

    # ---------------------------------------------------------------- pilots

    def _run_pilots(self, plan: Plan, rows: Sequence[Row], testbed: Testbed) -> None:
        """Those that rows on this set-up go by and that have not been run yet."""
        for row in rows:
            here = plan.whole_plot_levels(row.levels) == plan.whole_plot_levels(rows[0].levels)
            if here and self._needs_pilot(plan, row):
                self._clean_time_s(plan, row, testbed)

    def _clean_time_s(self, plan: Plan, row: Row, testbed: Testbed) -> float:
        """Run time on a clean network, measured once.

        Raises:
            LaunchError: the program fails even there.
        """
        kind, key, labels = self._pilot(plan, row, testbed)
        name = to_json("row", key)
        if name in self._clean_s:
            return self._clean_s[name]
        done = [run for run in self._store.runs(kind, parent=self.experiment) if run.plan == key and run.status == "ok"]
        done = done or [self._run_pilot(plan, row, testbed, kind, key, labels)]
        self._clean_s[name] = self._store.one_series(done[-1].id, TIME).scalar()
        return self._clean_s[name]

    def _run_pilot(
        self, plan: Plan, row: Row, testbed: Testbed, kind: str, key: Any, labels: Mapping[str, Label]
    ) -> Run:
        program, started_s = self._program(plan, row.levels), time.time()
        about = str(labels.get("program", program.command[0]))
        self._progress(len(self._done), self._total, f"{about}: pilot on a clean network")
        facts, order = testbed.facts(program), {"seed": plan.evaluation.seed, "position": 0}
        try:
            taken = trial.run(self._trial(plan, row, testbed, alone=True), self._ledger)
            testbed.check_bonds()
            kept = taken.record(taken.failure(program.command[0]))
        except LaunchError as error:
            kept = trial.failed(error)
        run = self._store.record(
            kind, labels, parent=self.experiment, plan=key, started_s=started_s, facts=facts, **order, **kept
        )
        if kept.get("status") == "failed":
            raise LaunchError(
                f"{about} fails on a clean network: {kept['error']}",
                hint="see its output with `fairlead export`; nothing was compared",
            )
        return self._store.run(run)

    # ---------------------------------------------------------------- the store

    def _open(self) -> int:
        plan = self._stored()
        same = _what_is_run(plan)
        found = [run for run in self._store.runs(self.kind) if _what_is_run(run.plan) == same]
        if self.begins_anew:
            found = [run for run in found if run.ended_s is None]
        return found[-1].id if found else self._begin(plan)

    def _read(self) -> None:
        """Take the recorded rows into account."""
        value = self._parts[0].run.value
        series = self._store.series_of_children(self.experiment, value)
        for run in self._store.runs(self.row_kind, parent=self.experiment):
            levels = self._levels(run)
            if levels is not None and not (self.begins_anew and run.status != "ok"):
                self._count(run, levels, series[run.id][0].scalar() if run.id in series else None)

    def _name(self, row: Row) -> str:
        return to_json("row", self._key(row))

    def _count(self, run: Run, levels: Levels, value: float | None) -> None:
        """Take a row into account."""
        taken_s = (run.ended_s or run.started_s) - run.started_s
        self._spent_s += taken_s
        name, replication = to_json("row", run.plan), int(run.labels["replication"])
        if run.status != "ok":
            self._failures[name] += run.status == "failed"
            where = ", ".join(f"{factor} {level}" for factor, level in levels.items())
            reason = _one_line(run.error or "no reason is known")
            self._reasons[name] = f"{where}, replication {replication + 1}: {reason}"
            return
        self._done.add(name)
        self._reasons.pop(name, None)
        if value is not None:
            block = int(run.labels.get("block", replication))
            self._values.setdefault(key_of(levels), []).append((replication, block, value))
        self._remaining.add(levels, taken_s)

    def _open_cells(self, plan: Plan, block: Block, planned: Sequence[Block]) -> set[Key] | None:
        """Cells that a block runs; None: all. Of later blocks those whose interval is still too wide.

        The interval is of block means: what is set up once a block is no reason to stop early. Only samples of earlier
        replications count, so that a resumed block holds the rows it began with.
        """
        width = plan.replications.half_width
        if block.number < len(planned) or width is None:
            return None
        wide = set()
        for levels in plan.combinations():
            before = [(number, value) for k, number, value in self._values.get(key_of(levels), []) if k < block.first]
            if len(before) < 2:  # it fails
                continue
            if _is_wide(before, width, plan.replications.level):
                wide.add(key_of(levels))
        return wide

    def _is_over(self, row: Row) -> bool:
        name = self._name(row)
        return name in self._done or self._failures[name] > self._parts[0].replications.retries

    def _tell_failure(self, name: str, printed: str) -> None:
        """The reason in one line with what was printed last, and what comes of the row."""
        if printed:
            self._reasons[name] = _one_line(f"{self._reasons[name]}; last output: {printed}")
        left = self._parts[0].replications.retries + 1 - self._failures[name]
        then = f"{words.count(left, 'try', 'tries')} left" if left > 0 else "no try left"
        self._announce(f"FAILED {self._reasons[name]} ({then})")


def _what_is_run(plan: Mapping[str, Any]) -> str:
    """A stored plan as text, but for when to give up, and for prices: with others of these the same rows go on.

    A plan of an earlier version says nothing of the transport, which is as if it left that to the cluster.
    """
    replications = {k: v for k, v in (plan.get("replications") or {}).items() if k not in ("budget_s", "retries")}
    tables = {key: _as_run(plan[key]) for key in ("evaluation", "comparison", "run") if key in plan}
    return to_json("plan", {**_as_run(plan), **tables, "replications": replications})


def _as_run(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key != KEPT and (key, value) != ("transport", None)}


def _is_wide(samples: Sequence[tuple[int, float]], width: float, level: float) -> bool:
    """Whether a cell needs further samples, (block, value) each: too few blocks, or too wide an interval."""
    if len({number for number, _ in samples}) < LEAST_TO_STOP:
        return True
    interval = blocks.mean_of_blocks([value for _, value in samples], [number for number, _ in samples], level)
    return interval.high - interval.value > width * abs(interval.value)


def _telling_line(attachments: Sequence[Attachment]) -> str:
    """What a row printed last, or close to its end of an error: many programs say more after that."""
    output = b"".join(each.content for each in attachments if each.name == "output")
    lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines[-_NEAR_THE_END:] if line.lower().startswith("error")]
    return next(iter(errors or lines[-1:]), "")


def _one_line(text: str) -> str:
    """A reason without its line breaks, and not longer than a terminal is wide twice."""
    joined = "; ".join(line.strip() for line in text.splitlines() if line.strip())
    return joined if len(joined) <= _MOST_SHOWN else f"{joined[:_MOST_SHOWN]} ..."
