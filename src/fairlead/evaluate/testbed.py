"""What rows run on: a cluster that is up, or a lab; and the levels that need a re-configuration, set up and undone."""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fairlead import files, lab
from fairlead.cluster import run_facts
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import of
from fairlead.evaluate import configure, network
from fairlead.evaluate.design import Row
from fairlead.evaluate.plan import Levels, Plan, fill, placeholders
from fairlead.evaluate.remains import Remains
from fairlead.evaluate.traffic import Watch
from fairlead.lab import description as lab_description
from fairlead.manage.comparison_session import SIZES_B
from fairlead.manage.components import Components
from fairlead.manage.run import management_for
from fairlead.manage.supervisor import Management
from fairlead.measure.characterization import latest
from fairlead.measure.characterize import characterize
from fairlead.measure.survey import Settings
from fairlead.net import apply as net
from fairlead.store import Event, Store


class Testbed:
    """A context manager: whatever was set up is undone on the way out.

    Attributes:
        cluster: what rows run on now.
        facts: of machine and software, and what ``read_back`` printed.
        news: events that belong to the next row (set-ups, resets).
    """

    cluster: Cluster
    facts: Mapping[str, Any]

    def __init__(self, plan: Plan, store: Store, remains: Remains) -> None:
        self._plan = plan
        self._store = store
        self._results = store.directory
        self._managements: dict[Components, Management] = {}
        self._characterized = False
        self._remains = remains
        self._lab: lab.Lab | None = None
        self._file: str | None = None  # of the cluster, or of the lab that is up
        self._place: tuple[int, Levels] | None = None
        self._network: dict[str, Any] = {}
        self.news: list[Event] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._place is not None:
                self._undo()
        finally:
            self._end_lab()

    def prepare(self, row: Row) -> None:
        """Have the row's levels set up.

        Raises:
            FairleadError: a command of the plan failed, or the lab or a host could not be had.
        """
        levels = self._plan.whole_plot_levels(row.levels)
        place = (row.block, levels)
        if place == self._place:
            return
        before = self._place
        if before is not None:
            self._undo()
            if before[0] != row.block:
                self._reset(before[0])
        begin_s = time.time()
        self._have_cluster(levels)
        plot = self._plan.whole_plot
        self._place = place  # from here on there is something to undo
        self._make_bonds(levels)
        if plot is not None:
            self._remains.note_undo([[fill(word, levels) for word in line] for line in plot.undo], plot.on)
            self._on_all(plot.set_up, levels)
            read_back = self._on_all(plot.read_back, levels)
            self.facts = {**self._facts(), **({"read_back": read_back} if read_back else {})}
            taken = {"levels": levels, "block": row.block, "taken_s": time.time() - begin_s}
            self.news.append(Event(begin_s, "set_up", taken))

    def _facts(self) -> dict[str, Any]:
        found = run_facts.collect(self.cluster, own_mpirun=self._plan.run.launcher == "custom")
        if self._lab is not None:
            return {**found, "network": network.facts(self._lab.plan)}
        return {**found, "network": self._network} if self._network else found

    def watch(self) -> Watch | None:
        """Counts what the hosts send from now on; None where they do not count.

        Raises:
            LabError: the lab's counters cannot be read.
        """
        return Watch(self._lab) if self._lab is not None and self._lab.plan.count_flows else None

    def management(self, components: Components) -> Management:
        """How rows with these components are managed here. A lab is characterised once it is up, a cluster that is up
        only if it never was.

        Raises:
            FairleadError: it could not be characterised.
        """
        if components not in self._managements:
            if components.detection and not self._characterized:
                if self._lab is not None or latest(self._store, self.cluster) is None:
                    characterize(self.cluster, self._store, Settings(sizes_B=SIZES_B), lambda what, done, total: None)
                self._characterized = True
            self._managements[components] = management_for(self.cluster, components, self._store, quiet=True)
        return self._managements[components]

    def take_news(self) -> list[Event]:
        """What happened since the last row."""
        news, self.news = self.news, []
        return news

    def _have_cluster(self, levels: Levels) -> None:
        table = self._plan.evaluation
        file = fill(table.lab or table.cluster or "", levels)
        # A lab that is a level is made for every whole plot.
        anew = table.lab is not None and (placeholders(table.lab) or self._plan.network is not None)
        if file == self._file and not anew:
            return
        self._end_lab()
        self._managements, self._characterized = {}, False
        if table.lab is not None:
            self._start_lab(Path(file), levels)
        else:
            self.cluster = Cluster.load(file)
            self._remains.note_cluster(file)
        self.facts = self._facts()
        self._file = file

    def _start_lab(self, file: Path, levels: Levels) -> None:
        description = lab_description.load(file)
        nics = self._plan.nics_at(levels)
        if nics is not None:
            description = network.configured(description, nics)
        name = f"{description.lab.name[:24]}-{secrets.token_hex(3)}"
        self._remains.note_lab(name)
        self._lab = lab.up(description, name=name)
        written = files.write(self._results / f"{name}.cluster.toml", self._lab.cluster_file_text())
        self.cluster = replace(Cluster.load(written), name=description.lab.name)

    def _end_lab(self) -> None:
        if self._lab is not None:
            self._lab.down()
            (self._results / f"{self._lab.name}.cluster.toml").unlink(missing_ok=True)
            self._remains.note_lab(None)
        self._lab, self._file = None, None

    def _make_bonds(self, levels: Levels) -> None:
        """On real hosts; a lab was made with them."""
        table, nics = self._plan.network, self._plan.nics_at(levels)
        self._network = {}
        if table is None or nics is None or self._lab is not None:
            return
        wanted, found = table.wanted(nics), {}
        self._unbonded = self.cluster
        if wanted is not None:
            self._remains.note_bonds(True)
            found = net.apply(of(self.cluster), self._hosts(), wanted, table.within_s)
            self.cluster = network.over(self.cluster, wanted)
        self._network = network.kernel_facts(wanted, found)

    def _take_bonds_back(self) -> None:
        if self._remains.bonded:
            self.cluster = self._unbonded
            net.restore(of(self.cluster), self._hosts())
            self._remains.note_bonds(False)

    def _hosts(self) -> list[str]:
        return [host.name for host in self.cluster.managed_hosts()]

    def _undo(self) -> None:
        assert self._place is not None
        levels = self._place[1]
        self._place = None
        if self._plan.whole_plot is not None:
            self._on_all(self._plan.whole_plot.undo, levels)
            self._remains.note_undo([], self._plan.whole_plot.on)
        self._take_bonds_back()

    def _reset(self, block: int) -> None:
        plot = self._plan.whole_plot
        if plot is not None and plot.reset:
            begin_s = time.time()
            self._on_all(plot.reset, {})
            self.news.append(Event(begin_s, "reset", {"after_block": block, "taken_s": time.time() - begin_s}))

    def _on_all(self, commands: Sequence[Sequence[str]], levels: Levels) -> dict[str, list[str]]:
        assert self._plan.whole_plot is not None
        lines = [[fill(word, levels) for word in command] for command in commands]
        return configure.run(self.cluster, lines, self._plan.whole_plot.on)
