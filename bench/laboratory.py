"""The network that a benchmark runs on: a lab of its own, its cluster, its store, and runs on it."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench import shims
from bench.session import Session
from fairlead import lab, programs
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.characterize import characterize
from fairlead.characterize.survey import SurveySettings
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import launch
from fairlead.cluster.launchers import Launcher
from fairlead.errors import ConfigError, LaunchError
from fairlead.experiment.comparisons import session as comparison_session
from fairlead.experiment.comparisons.experiment import ComparisonExperiment
from fairlead.experiment.factors.congestion import CongestionPlan
from fairlead.experiment.factors.program import ProgramPlan
from fairlead.experiment.plans.comparison import ComparisonPlan
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.experiment.running.congestion_schedule import RunningCongestion
from fairlead.experiment.running.testbed import SIZES_B, Running
from fairlead.lab import congestion
from fairlead.lab import description as lab_description
from fairlead.lab.congestion import CongestionDescription
from fairlead.manage.components import FULL, ROUTE
from fairlead.manage.known_network import management_for
from fairlead.manage.management import Management
from fairlead.store import Store

EXAMPLES = Path(__file__).parents[1] / "examples"
MESH8 = EXAMPLES / "mesh8.toml"
MESH16 = EXAMPLES / "mesh16.toml"


def plan(session: Session) -> ComparisonPlan:
    """The programs, and the congestion that all benchmarks with congestion share.

    Raises:
        MissingToolError: the library that HPCC is run with cannot be built.
    """
    return _with_shims(comparison_session.read(session.programs))


def congestion_of(given: ComparisonPlan) -> CongestionPlan:
    """The one congestion of a plan.

    Raises:
        ConfigError: it has several, or none.
    """
    if given.congestion is None:
        raise ConfigError(f"the plan {given.comparison.name} has no [congestion] of its own")
    return given.congestion


def _with_shims(given: ComparisonPlan) -> ComparisonPlan:
    """The plan with HPCC told which library ends it after its communication parts.

    Raises:
        MissingToolError: the library cannot be built.
    """
    changed = [
        program.model_copy(update={"command": (*program.command, str(shims.build("hpcc_end", "mpicc.openmpi")))})
        if program.name == "hpcc"
        else program
        for program in given.programs
    ]
    return given.model_copy(update={"programs": tuple(changed)})


@dataclass(frozen=True)
class Network:
    """A running lab and the store for what is measured on it."""

    lab: lab.Lab
    cluster: Cluster
    store: Store
    ledger: CleanupLedger
    session: Session

    def characterize(self, sizes_B: tuple[int, ...] = SIZES_B) -> Characterization:
        """Measure the network, so that runs can be managed.

        Raises:
            FairleadError: see `fairlead.characterize`.
        """
        said: set[str] = set()

        def progress(what: str, done: int, total: int) -> None:
            if what not in said:
                said.add(what)
                self.session.say(f"characterizing: {what}")

        return characterize(self.cluster, self.store, SurveySettings(sizes_B=sizes_B), progress)

    def management(self, plane: str = ROUTE) -> Management:
        """Everything of fairlead at work, by the last characterization."""
        return replace(management_for(self.cluster, FULL, self.store, quiet=True), plane=plane)

    def compare(self, plan: ComparisonPlan, kind: type[ComparisonExperiment] = ComparisonExperiment) -> int:
        """Run what is left of a comparison whose only network is this one; its number in the store.

        Raises:
            FairleadError: see `fairlead.experiment.running.runner.Experiment.run`.
        """
        comparison = kind(plan, self.store, ledger=self.ledger)
        comparison.run(self.session.progress, running=Running(self.lab, self.cluster))
        if not comparison.finished:  # or the same plan would find nothing to do the next time
            self.store.finish_run(comparison.experiment)
        return comparison.experiment

    def congestion(self, bottleneck: CongestionDescription) -> AbstractContextManager[RunningCongestion]:
        """Congestion for the length of a block.

        Raises:
            LabError: it names what the lab does not have.
        """
        return congestion.make(self.lab, bottleneck)

    def job(
        self,
        program: ProgramPlan,
        *,
        job_id: str,
        hosts: Sequence[str] | None = None,
        options: Sequence[str] = (),
        env: dict[str, str] | None = None,
    ) -> tuple[Launcher, Job]:
        """A program ready to be launched; the bundled ones by name."""
        launcher, job = launch.prepare(
            self.cluster, program.command, program.ranks, job_id=job_id, hosts=hosts, options=options, env=env
        )
        return launcher, replace(job, argv=programs.resolve(program.command, launcher.family, job.ranks))

    def run(
        self,
        launcher: Launcher,
        job: Job,
        course: launch.Course = launch.UNTOLD,
        *,
        timeout_s: float = 600.0,
    ) -> int:
        """Run a job to its end; its output goes to a file of the group's directory.

        Raises:
            LaunchError: it did not start, hung, failed, or did not verify its own result.
        """
        output = self.session.directory / "output.txt"
        with output.open("w+b") as file:
            code = launch.run(
                self.cluster,
                launcher,
                job,
                stdin=subprocess.DEVNULL,
                stdout=file.fileno(),
                stderr=subprocess.STDOUT,
                timeout_s=timeout_s,
                on_signal=None,  # a signal is for the benchmarks, not for this run
                course=course,
            )
            file.seek(0)
            verdict = programs.verdict(file.read())
        if why := programs.failure(Path(job.argv[0]).name, code, verdict):
            raise LaunchError(f"{job.argv[0]} failed: {why}", hint=f"its output is in {output}")
        return code


@contextmanager
def network(
    session: Session, description: Path, *, scale: float | None = None, unprivileged: bool = False
) -> Iterator[Network]:
    """A lab for the length of a block, and a store in the group's directory.

    Args:
        scale: of its rates; ranks sleep then while they wait. None: the description's.
        unprivileged: as an ordinary user has it, inside a user namespace.

    Raises:
        LabError: the lab could not be made. StoreError: the store is in use.
        FairleadError: what a killed benchmark left cannot be ended.
    """
    described = lab_description.load(description)
    with Store.open(session.directory) as store:
        ledger = CleanupLedger(session.directory)
        ledger.end()
        try:
            running, cluster = ledger.start_lab(described, user_namespace=unprivileged or None, scale=scale)
            yield Network(running, cluster, store, ledger, session)
        finally:
            ledger.end_lab()
