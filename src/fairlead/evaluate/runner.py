"""Runs a plan: block after block, resumable at any instant, every sample committed when it is taken."""

import secrets
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead import config, programs
from fairlead.cluster import launch
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.launchers import Launcher
from fairlead.display import words
from fairlead.errors import LaunchError, NoProgramError
from fairlead.evaluate import forecast, traffic
from fairlead.evaluate.dataset import BLOCK, KIND, REPLICATION, ROW, TIME
from fairlead.evaluate.design import Block, Key, Row, further_block, key_of, planned_blocks, rows_of
from fairlead.evaluate.neighbours import Instance, Neighbours
from fairlead.evaluate.plan import LEAST_TO_STOP, Levels, Plan, RunTable, fill, fill_ranks
from fairlead.evaluate.testbed import Testbed
from fairlead.evaluate.traffic import HostTraffic
from fairlead.manage.journal import recorded
from fairlead.manage.remains import Remains
from fairlead.manage.supervisor import Launch, Management, Outcome, supervise, timed
from fairlead.protocol.messages import AgentEvent
from fairlead.statistics import blocks
from fairlead.store import Attachment, Event, Run, Series, Store
from fairlead.store.connection import to_json

TIMED_SECTION = "timed_section_s"
ATTEMPT = "attempt"
_MOST_SHOWN = 200
"""Characters of a row's error on the terminal; the store has all."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class _Taken:
    outcome: Outcome
    output: bytes
    neighbours: tuple[Instance, ...]
    events: tuple[Event, ...]
    traffic: tuple[HostTraffic, ...]


class Evaluation:
    """A plan and the store that its samples go to. The same plan and store again go on where they stopped."""

    def __init__(self, plan: Plan, store: Store) -> None:
        self._plan = plan
        self._store = store
        self._remains = Remains(store.directory)
        self.experiment = self._open()
        self._values: dict[Key, list[tuple[int, int, float]]] = {}  # replication, block and sample
        self._done: set[str] = set()
        self._failures: Counter[str] = Counter()
        self._reasons: dict[str, str] = {}  # of rows that failed and have no sample
        self._announce: Callable[[str], None] = lambda text: None
        self._spent_s = 0.0
        self._over_budget = False
        self._pace = forecast.Pace(plan)
        series = store.series_of_children(self.experiment, plan.run.value)
        for run in store.runs(ROW, parent=self.experiment):
            self._count(run, series[run.id][0].scalar() if run.id in series else None)

    @property
    def finished(self) -> bool:
        """Whether all of it has been run before."""
        return self._store.run(self.experiment).ended_s is not None

    @property
    def failed_rows(self) -> int:
        """Rows of which there is no sample because every try at them failed."""
        return sum(count > self._plan.replications.retries for count in self._failures.values())

    @property
    def empty_cells(self) -> int:
        """Planned cells that have no sample."""
        return sum(key_of(levels) not in self._values for levels in self._plan.combinations())

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

    def run(
        self,
        progress: Progress = lambda done, total, text: None,
        announce: Callable[[str], None] = lambda text: None,
    ) -> None:
        """Run what is left.

        Args:
            announce: called with what else is to be told: also with the reason of every try at a row that fails, as
                soon as it has failed.
            progress: called before every row with (finished rows, all known rows, what comes now and the time left).

        Raises:
            FairleadError: the lab, a host or a set-up failed, or a program is not on a host. A row that fails does not
                raise: it is recorded.
        """
        self._announce = announce
        for what in self._remains.end():
            announce(f"ended what an earlier start had left: {what}")
        if self.finished:
            return
        position = 0
        planned = planned_blocks(self._plan)
        later = [rows_of(self._plan, block, 0) for block in planned[1:]]
        with Testbed(self._plan, self._store, self._remains) as testbed:
            block: Block | None = planned[0]
            while block is not None:
                rows = rows_of(self._plan, block, position, self._open_cells(block, planned))
                position += len(rows)
                if not self._run_rows(rows, [row for each in later[block.number :] for row in each], testbed, progress):
                    self._over_budget = True
                    break
                following = planned[block.number + 1 : block.number + 2]
                block = following[0] if following else further_block(self._plan, block)
                if block is not None and block.number >= len(planned) and not self._open_cells(block, planned):
                    block = None
        if not self._over_budget and not self.failed_rows:  # else it may go on: with a larger budget, more retries
            self._store.finish_run(self.experiment)

    def _open(self) -> int:
        plan = {**self._plan.stored(), "networks": config.content(self._plan.networks())}
        same = _what_is_run(plan)
        found = [run for run in self._store.runs(KIND) if _what_is_run(run.plan) == same]
        if found:
            return found[-1].id
        labels = {"name": self._plan.evaluation.name, "origin": "run"}
        series = {TIME: "s"} if self._plan.run.value == TIME else {TIME: "s", TIMED_SECTION: "s"}
        facts: dict[str, Any] = {"factors": list(self._plan.factors), "series": series, "value": self._plan.run.value}
        facts["cells"] = sum(1 for _ in self._plan.combinations())
        return self._store.begin_run(KIND, labels, plan=plan, seed=self._plan.evaluation.seed, facts=facts)

    def _count(self, run: Run, value: float | None) -> None:
        """Take a recorded row into account."""
        self._spent_s += (run.ended_s or run.started_s) - run.started_s
        name = to_json("row", run.plan)
        if run.status != "ok":
            self._failures[name] += run.status == "failed"
            where = ", ".join(f"{factor} {run.labels[factor]}" for factor in self._plan.factors)
            number = int(run.labels[REPLICATION]) + 1
            self._reasons[name] = f"{where}, replication {number}: {_one_line(run.error or 'no reason is known')}"
            return
        self._done.add(name)
        self._reasons.pop(name, None)
        levels: Levels = {factor: run.labels[factor] for factor in self._plan.factors}
        if value is not None:
            numbers = int(run.labels[REPLICATION]), int(run.labels[BLOCK])
            self._values.setdefault(key_of(levels), []).append((*numbers, value))
        self._pace.add(levels, (run.ended_s or run.started_s) - run.started_s)

    def _open_cells(self, block: Block, planned: Sequence[Block]) -> set[Key] | None:
        """Cells that a block runs; None: all. Of later blocks those whose interval is still too wide.

        The interval is of block means: what is set up once a block is no reason to stop early. Only samples of earlier
        replications count, so that a resumed block holds the rows it began with.
        """
        width = self._plan.replications.half_width
        if block.number < len(planned) or width is None:
            return None
        wide = set()
        for levels in self._plan.combinations():
            before = [(number, value) for k, number, value in self._values.get(key_of(levels), []) if k < block.first]
            if len(before) < 2:  # it fails
                continue
            if _is_wide(before, width, self._plan.replications.level):
                wide.add(key_of(levels))
        return wide

    def _is_over(self, row: Row) -> bool:
        name = to_json("row", row.plan)
        return name in self._done or self._failures[name] > self._plan.replications.retries

    def _run_rows(self, rows: Sequence[Row], later: Sequence[Row], testbed: Testbed, progress: Progress) -> bool:
        """Run a block's rows that are left; False: the budget has ended."""
        waiting = [row for row in rows if not self._is_over(row)]
        total = len(self._done) + len(waiting) + len(later)
        while waiting:
            if self._plan.replications.budget_s is not None and self._spent_s >= self._plan.replications.budget_s:
                progress(len(self._done), total, "the budget is spent")
                return False
            row = waiting[0]
            left = self._pace.words([each.levels for each in (*waiting, *later)])
            progress(len(self._done), total, f"{_in_words(row)}; {left}")
            testbed.prepare(row)
            self._run_row(row, testbed)
            if self._is_over(row):
                waiting.pop(0)
        return True

    def _run_row(self, row: Row, testbed: Testbed) -> None:
        name = to_json("row", row.plan)
        labels = {
            **row.levels,
            BLOCK: row.block,
            REPLICATION: row.replication,
            ATTEMPT: self._failures[name],
            "cluster": testbed.cluster.name,
        }
        news, started_s = testbed.take_news(), time.time()
        record: dict[str, Any] = {
            "parent": self.experiment,
            "plan": row.plan,
            "started_s": started_s,
            "seed": self._plan.evaluation.seed,
            "position": row.position,
            "facts": testbed.facts,
        }
        try:
            record |= _as_record(self._plan.run, row, self._take(row, testbed))
        except NoProgramError:  # every further try would miss it, too
            raise
        except LaunchError as error:
            record |= {"status": "failed", "error": str(error), "attachments": getattr(error, "attachments", ())}
        record["events"] = [*news, *record.get("events", ())]
        run = self._store.record(ROW, labels, **record)
        value = next((s.scalar() for s in record.get("series", ()) if s.name == self._plan.run.value), None)
        self._count(self._store.run(run), value)
        if record.get("status") == "failed":
            self._tell_failure(name, _last_line(record["attachments"]))

    def _tell_failure(self, name: str, printed: str) -> None:
        """The reason in one line with what was printed last, and what comes of the row."""
        if printed:
            self._reasons[name] = _one_line(f"{self._reasons[name]}; last output: {printed}")
        left = self._plan.replications.retries + 1 - self._failures[name]
        then = f"{words.count(left, 'try', 'tries')} left" if left > 0 else "no try left"
        self._announce(f"FAILED {self._reasons[name]} ({then})")

    def _take(self, row: Row, testbed: Testbed) -> _Taken:
        cluster = self._hosts_of(0, testbed.cluster)
        components = self._plan.components_at(row.levels)
        # Before neighbours are there: the network is characterised quiet.
        management = testbed.management(components) if components.agents else None
        launcher, job = self._job(self._plan.run.command, self._plan.run.ranks, row, cluster)
        instances = self._neighbours(row, testbed)
        testbed.share_processors(1 + len(self._plan.neighbours_at(row.levels)))
        watch = testbed.watch()
        with tempfile.TemporaryFile() as output:

            def launch_it(on_end: Callable[[], None]) -> int:
                return launch.run(
                    cluster,
                    launcher,
                    job,
                    stdin=subprocess.DEVNULL,
                    stdout=output.fileno(),
                    stderr=subprocess.STDOUT,
                    timeout_s=self._plan.run.timeout_s,
                    on_signal=None,  # a signal is for the evaluation, not for this row of it
                    on_end=on_end,
                    leash=True,
                    prefix=testbed.prefix(0),
                )

            try:
                with self._remains.running(job.id), Neighbours(instances):
                    outcome, events = _supervised(testbed.cluster, management, launch_it, job)
            except LaunchError as error:
                output.seek(0)
                raise _RowError(error, output.read()) from error
            output.seek(0)
            sent = watch.taken() if watch else []
            return _Taken(outcome, output.read(), tuple(instances), tuple(events), tuple(sent))

    def _job(self, command: Sequence[str], ranks: int | str, row: Row, cluster: Cluster) -> tuple[Launcher, Job]:
        if self._plan.run.mpirun:
            cluster = cluster.with_mpirun(self._plan.run.mpirun)
        argv = [fill(word, row.levels) for word in command]
        forced = self._plan.run.launcher if self._plan.run.launcher == "custom" else None
        launcher, job = launch.prepare(
            cluster, argv, fill_ranks(ranks, row.levels), job_id=secrets.token_hex(4), launcher=forced
        )
        return launcher, programs.brought(cluster, job, launcher.family)

    def _hosts_of(self, instance: int, cluster: Cluster) -> Cluster:
        """What an instance runs on; the main program is the first."""
        table = self._plan.neighbours
        return cluster.only(table.hosts[instance]) if table and table.hosts else cluster

    def _neighbours(self, row: Row, testbed: Testbed) -> list[Instance]:
        table = self._plan.neighbours
        instances = []
        for number, name in enumerate(self._plan.neighbours_at(row.levels), start=1):
            assert table is not None  # it named the neighbours
            program, cluster = table.programs[name], self._hosts_of(number, testbed.cluster)
            launcher, job = self._job(program.command, program.ranks, row, cluster)
            prefix = testbed.prefix(number)
            if not self._plan.silent_at(row.levels):
                instances.append(Instance(number, name, cluster, launcher, job, self._remains, prefix))
                continue
            for host, ranks in job.ranks_on().items():
                alone = cluster.only([host])
                launcher, job = self._job(program.command, ranks, row, alone)
                instances.append(Instance(number, name, alone, launcher, job, self._remains, prefix, host))
        return instances


def _what_is_run(plan: Mapping[str, Any]) -> str:
    """A stored plan as text, but for what only says when to give up: with another value of that the same rows go on."""
    replications = {k: v for k, v in (plan.get("replications") or {}).items() if k not in ("budget_s", "retries")}
    return to_json("plan", {**plan, "replications": replications})


def _is_wide(samples: Sequence[tuple[int, float]], width: float, level: float) -> bool:
    """Whether a cell needs further samples, (block, value) each: too few blocks, or too wide an interval."""
    if len({number for number, _ in samples}) < LEAST_TO_STOP:
        return True
    interval = blocks.mean_of_blocks([value for _, value in samples], [number for number, _ in samples], level)
    return interval.high - interval.value > width * abs(interval.value)


class _RowError(LaunchError):
    """A row that failed, with what it had printed."""

    def __init__(self, error: LaunchError, output: bytes) -> None:
        super().__init__(error.args[0], hint=error.hint)
        self.attachments = (Attachment("output", output),)


def _supervised(
    cluster: Cluster, management: Management | None, launch_it: Launch, job: Job
) -> tuple[Outcome, list[Event]]:
    """Run the main program with what the plan has beside it; and what fairlead's agents said meanwhile."""
    if management is None:
        return timed(launch_it), []
    names = [host.name for host in cluster.managed_hosts()]
    events: list[Event] = []

    def keep(host: int, event: AgentEvent) -> None:
        entry = recorded(names, host, event, time.time())
        if entry is not None:
            events.append(entry)

    return supervise(cluster, management, launch_it, argv=job.argv, sinks=[keep], quiet=True), events


def _as_record(run: RunTable, row: Row, taken: _Taken) -> dict[str, Any]:
    """What of a row that ended is recorded."""
    outcome, said = taken.outcome, programs.verdict(taken.output)
    record: dict[str, Any] = {
        "exit_code": outcome.exit_code,
        "attachments": [Attachment("output", taken.output)],
        "events": [*taken.events, *(event for each in taken.neighbours for event in _events(each))],
    }
    failure = programs.failure(fill(run.command[0], row.levels), outcome.exit_code, said)
    if failure is None and run.value == TIMED_SECTION and said.timed_s is None:
        failure = "it prints no time of its own (run.value = timed_section_s)"
    if failure is not None:
        return {**record, "status": "failed", "error": failure}
    series = [Series(TIME, "s", {}, np.array([outcome.time_s]))]
    if said.timed_s is not None:
        series.append(Series(TIMED_SECTION, "s", {}, np.array([said.timed_s])))
    series += [
        Series("neighbour_time_s", "s", _about(each), np.array(each.times_s))
        for each in taken.neighbours
        if each.times_s
    ]
    if taken.traffic:
        series += traffic.series(taken.traffic)
        record["attachments"].append(traffic.attachment(taken.traffic))
    return {**record, "series": series}


def _events(neighbour: Instance) -> list[Event]:
    times = (("neighbour_runs", neighbour.began_s), ("neighbour_gone", neighbour.stopped_s))
    return [Event(t_s, kind, _about(neighbour)) for kind, t_s in times if t_s is not None]


def _about(neighbour: Instance) -> dict[str, str | int | float]:
    return {
        **{"instance": neighbour.number, "program": neighbour.name},
        **({"host": neighbour.part} if neighbour.part else {}),
    }


def _in_words(row: Row) -> str:
    return f"{', '.join(str(level) for level in row.levels.values())}, replication {row.replication + 1}"


def _last_line(attachments: Sequence[Attachment]) -> str:
    """What a row printed last."""
    output = b"".join(each.content for each in attachments if each.name == "output")
    lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _one_line(text: str) -> str:
    """A reason without its line breaks, and not longer than a terminal is wide twice."""
    joined = "; ".join(line.strip() for line in text.splitlines() if line.strip())
    return joined if len(joined) <= _MOST_SHOWN else f"{joined[:_MOST_SHOWN]} ..."
