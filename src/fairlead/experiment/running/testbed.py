"""What rows run on: a cluster that is up, or a lab; and the levels that need a re-configuration, set up and undone."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from fairlead import lab as labs
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.characterize import characterize
from fairlead.characterize.survey import SurveySettings
from fairlead.cluster import cgroups, run_facts
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.fabric import with_chosen_transport
from fairlead.cluster.remote import configure
from fairlead.errors import ConfigError, LaunchError, PrivilegeError
from fairlead.experiment.factors import network
from fairlead.experiment.factors.management import Managed
from fairlead.experiment.factors.program import Program
from fairlead.experiment.factors.transport import TCP_IN_PLAN
from fairlead.experiment.plans import row_checks
from fairlead.experiment.plans.design import Row
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.plans.templates import Levels, fill_template, placeholders
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.experiment.running.traffic_watch import TrafficWatch
from fairlead.lab import congestion
from fairlead.lab import description as lab_description
from fairlead.lab.congestion import Congestion, CongestionDescription
from fairlead.lab.migration import replug
from fairlead.manage.chosen_plane import on_plane
from fairlead.manage.known_network import management_for
from fairlead.manage.management import Management
from fairlead.net import apply as net
from fairlead.net.state import HostNetwork
from fairlead.progress import Progress
from fairlead.store import Event, Store

SIZES_B = (64, 1024, 8192, 65536)
"""Enough to manage by: larger messages are judged by throughput."""


@dataclass(frozen=True)
class Running:
    """A lab that is up already, with its cluster: whoever started it ends it, too."""

    lab: labs.Lab
    cluster: Cluster


class Testbed:
    """A context manager: whatever was set up is undone on the way out.

    Attributes:
        cluster: what rows run on now.
        lab: the lab that it is; None: it is none.
        news: events that belong to the next row (set-ups, resets).

    Args:
        scale: of the lab's rates; None: the description's.
        progress: of characterizations.
        running: what all rows run on; None: what the plan says, which is started.
    """

    cluster: Cluster
    lab: labs.Lab | None = None

    def __init__(
        self,
        plan: Plan,
        store: Store,
        ledger: CleanupLedger,
        *,
        scale: float | None = None,
        progress: Progress = lambda what, done, total: None,
        running: Running | None = None,
    ) -> None:
        self._plan = plan
        self._store = store
        self._ledger = ledger
        self._scale = scale
        self._progress = progress
        self._running = running
        self._managements: dict[Managed, Management] = {}
        self._characterized = False
        self._file: str | None = None  # of the cluster, or of the lab that is up
        self._place: tuple[int, Levels] | None = None
        self._home: dict[str, str] = {}  # server of each of the lab's virtual machines
        self._facts: dict[tuple[str | None, str | None], dict[str, Any]] = {}  # by mpirun and transport
        self._remark: str | None = None
        self._network: dict[str, Any] = {}
        self._bonds_end_s: float | None = None  # time.monotonic()
        self._read_back: dict[str, Any] = {}
        self._groups: cgroups.Cgroups | None = None
        self._processors: dict[str, Any] = {}
        self.news: list[Event] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as stack:  # each of them, whatever becomes of the others
            stack.callback(self._ledger.remove_groups)
            stack.callback(self._end_lab)
            if self._place is not None:
                self._undo()

    def share_processors(self, instances: int) -> None:
        """So many instances run beside each other from now on.

        Raises:
            FairleadError: the kernel refused.
        """
        if self._groups is not None and self._plan.neighbours and self._plan.neighbours.processors == "fixed":
            self._groups.cap(1 / instances)

    def prefix(self, instance: int) -> tuple[str, ...]:
        """Words before the command line of an instance, the main program being the first."""
        return () if self._groups is None else tuple(self._groups.enter(instance))

    def prepare(self, row: Row) -> bool:
        """Have the row's levels set up; whether anything was set up anew.

        Raises:
            FairleadError: a command of the plan failed, or the lab or a host could not be had.
        """
        levels = self._plan.whole_plot_levels(row.levels)
        place = (row.block, levels)
        if place == self._place and not self._have_bonds_ended():
            return False
        before = self._place
        if before is not None:
            self._undo()
            if before[0] != row.block:
                self._reset(before[0])
        begin_s = time.time()
        anew = self._have_cluster(levels)
        plot = self._plan.whole_plot
        self._place, self._unbonded = place, self.cluster  # from here on there is something to undo
        self._make_bonds(levels)
        if plot is not None:
            self._ledger.note_undo([[fill_template(word, levels) for word in line] for line in plot.undo], plot.on)
            self._on_all(plot.set_up, levels)
            read_back = self._on_all(plot.read_back, levels)
            self._read_back = {"read_back": read_back} if read_back else {}
            self._facts.clear()
            taken = {"levels": levels, "block": row.block, "taken_s": time.time() - begin_s}
            self.news.append(Event(begin_s, "set_up", taken))
        return anew or plot is not None

    def facts(self, program: Program) -> Mapping[str, Any]:
        """Of machine and software, of the network, and what ``read_back`` printed; kept with the program's rows.

        Raises:
            FairleadError: see `fairlead.cluster.run_facts.collect`.
        """
        mpirun, transport = program.mpirun_on(self.cluster), program.transport_on(self.cluster)
        if (mpirun, transport) not in self._facts:
            found = run_facts.collect(self.cluster, mpirun) | self._processors | self._read_back
            found |= {"transport": transport} if transport is not None else {}
            if self.lab is not None:
                found["lab"] = {"scale": self.lab.plan.scale, "asleep": self.lab.plan.asleep}
                found["network"] = network.facts(self.lab.plan)
            self._facts[mpirun, transport] = found | ({"network": self._network} if self._network else {})
        return self._facts[mpirun, transport]

    def watch(self) -> TrafficWatch | None:
        """Counts what the hosts send from now on; None where they do not count.

        Raises:
            LabError: the lab's counters cannot be read.
        """
        return TrafficWatch(self.lab) if self.lab is not None and self.lab.plan.count_flows else None

    def management(self, managed: Managed) -> Management:
        """How such rows are managed here. A lab is characterized once it is up: its hosts are new, and what was
        measured before is not relied on. A cluster that is up is characterized only if it never was.

        Raises:
            FairleadError: it could not be characterized.
        """
        if managed not in self._managements:
            if managed.components.detection and not self._characterized:
                new = self.lab is not None and self._running is None
                if new or Characterization.latest(self._store, self.cluster) is None:
                    characterize(self.cluster, self._store, SurveySettings(sizes_B=SIZES_B), self._progress, anew=new)
                self._characterized = True
            found = management_for(self.cluster, managed.components, self._store, dict(managed.settings), quiet=True)
            self._managements[managed] = on_plane(found, managed.plane)
        return self._managements[managed]

    def congestion(self, bottleneck: CongestionDescription) -> Congestion:
        """Congestion as described, not yet started.

        Raises:
            ConfigError: the cluster is no lab.
            LabError, MissingToolError: see `fairlead.lab.congestion.make`.
        """
        if self.lab is None:
            raise ConfigError(
                "congestion can only be created in a lab, and this cluster is not one",
                hint='give the plan `lab = "FILE"` instead of a cluster, or the cluster file of a lab that is up',
            )
        return congestion.make(self.lab, bottleneck)

    def restore(self) -> None:
        """Put a lab's virtual machines back where they were when it was taken."""
        if self.lab is None or not self._home:
            return
        now = labs.find_lab(self.lab.name).plan.host_by_name
        for host, server in self._home.items():
            if now[host].server != server:
                replug(labs.find_lab(self.lab.name), host, server)

    def take_news(self) -> list[Event]:
        """What happened since the last row."""
        news, self.news = self.news, []
        return news

    def take_remark(self) -> str | None:
        """What the user should know of the transport that was found on the cluster, once."""
        remark, self._remark = self._remark, None
        return remark

    def _have_cluster(self, levels: Levels) -> bool:
        """Start what the levels name, unless it is up; whether it is new."""
        table = self._plan.evaluation
        file = fill_template(table.lab or table.cluster or "", levels)
        # A lab that is a level is made for every whole plot.
        anew = table.lab is not None and (placeholders(table.lab) or self._plan.network is not None)
        if file == self._file and not anew:
            return False
        self._end_lab()
        self._managements, self._characterized = {}, False
        if self._running is not None:
            self.lab, self.cluster = self._running.lab, self._running.cluster
        elif table.lab is not None:
            self._start_lab(Path(file), levels)
        else:
            self.cluster = load_cluster(file)
            self._ledger.note_cluster(file)
            self.lab = labs.find_lab(self.cluster.lab) if self.cluster.lab else None
        self._choose_transport()
        self._home = {host.name: host.server for host in self.lab.plan.hosts if host.server} if self.lab else {}
        self._make_groups()
        self._facts.clear()
        self._file = file
        return True

    def _choose_transport(self) -> None:
        """Where neither the plan nor launch lines of its own say it, by the cluster's file or its hosts' devices."""
        if self._plan.run.transport is None and self._plan.run.launcher != "custom":
            self.cluster, self._remark = with_chosen_transport(self.cluster, other=TCP_IN_PLAN)

    def _make_groups(self) -> None:
        """Once, where the plan asks for them; facts say where there are none."""
        table = self._plan.neighbours
        if table is None or table.processors == "system" or self._processors:
            return
        asked = {"asked": table.processors}
        if why := row_checks.unshared_processors(self._plan, self.cluster):
            raise ConfigError(f"neighbours.processors: {why}", hint=row_checks.ONLY_HERE)
        names = cgroups.names(1 + max(map(len, table.levels.values())))
        self._ledger.note_groups(cgroups.candidates(names))
        try:
            self._groups = cgroups.make(names)
            self._processors = {"processors": {**asked, "way": f"cgroup v{self._groups.version}"}}
        except PrivilegeError as error:
            self._ledger.remove_groups()
            self._processors = {"processors": {**asked, "way": "none", "reason": error.args[0]}}

    def _start_lab(self, file: Path, levels: Levels) -> None:
        description = lab_description.load(file)
        nics = self._plan.nics_at(levels)
        if nics is not None:
            description = network.configured(description, nics)
        self.lab, self.cluster = self._ledger.start_lab(description, scale=self._scale)

    def _end_lab(self) -> None:
        if self._running is None:
            self._ledger.end_lab()
        self.lab, self._file = None, None

    def _make_bonds(self, levels: Levels) -> None:
        """On real hosts; a lab was made with them."""
        table, nics = self._plan.network, self._plan.nics_at(levels)
        self._network, self._bonds_end_s = {}, None
        if table is None or nics is None or self._plan.evaluation.lab is not None:
            return
        wanted, found = table.wanted(nics), {}
        if wanted is not None:
            self._ledger.note_bonds()
            hosts = self.cluster.managed_names()
            found = net.apply(executor_of(self.cluster), hosts, wanted, table.within_s)
            self._bonds_end_s = _end_of(found)
            self.cluster = network.over(self.cluster, wanted)
        self._network = network.kernel_facts(wanted, found)
        self._facts.clear()

    def check_bonds(self) -> None:
        """To be called after a row.

        Raises:
            LaunchError: the bonds were not there all the time, because of a host's DHCP lease.
            HostError: a host whose lease should have ended was not reached.
        """
        if self._have_bonds_ended():
            raise LaunchError(
                "a host's DHCP lease ended while this ran, and with it the bond",
                hint="`retries` in [replications] runs it again, on a new bond; a row that takes longer than half of "
                "the lease needs static addresses",
            )

    def _have_bonds_ended(self) -> bool:
        """Hosts are asked again when their bonds should have ended: leases may have been renewed."""
        if self._bonds_end_s is None or time.monotonic() < self._bonds_end_s:
            return False
        found = net.show(executor_of(self.cluster), self.cluster.managed_names())
        if all(now.has_journal for now in found.values()):
            self._bonds_end_s = _end_of(found)
        return self._bonds_end_s is not None and time.monotonic() >= self._bonds_end_s

    def _undo(self) -> None:
        """Take back what is noted: no more than was begun."""
        self._place, self.cluster = None, self._unbonded
        self._ledger.take_back(self.cluster)

    def _reset(self, block: int) -> None:
        plot = self._plan.whole_plot
        if plot is not None and plot.reset:
            begin_s = time.time()
            self._on_all(plot.reset, {})
            self.news.append(Event(begin_s, "reset", {"after_block": block, "taken_s": time.time() - begin_s}))

    def _on_all(self, commands: Sequence[Sequence[str]], levels: Levels) -> dict[str, list[str]]:
        assert self._plan.whole_plot is not None
        lines = [[fill_template(word, levels) for word in command] for command in commands]
        return configure.run(self.cluster, lines, self._plan.whole_plot.on)


def _end_of(found: Mapping[str, HostNetwork]) -> float | None:
    """When the first of these hosts' bonds goes because of a lease, by this machine's monotonic clock."""
    left_s = [now.until_s - now.uptime_s for now in found.values() if now.until_s is not None]
    return time.monotonic() + min(left_s) if left_s else None
