"""What an evaluation has running, noted in its results directory, so that its next start can end what a kill left."""

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path

from fairlead import files, lab
from fairlead.cluster import launch
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import of
from fairlead.errors import FairleadError, LabError
from fairlead.evaluate import configure
from fairlead.net import apply as net

FILE_NAME = "evaluation.running.json"


@dataclass
class Remains:
    """Noted before it is started, forgotten when it is gone.

    Attributes:
        path: the note; the directory's one writer is the only one that touches it.
        lab: name of the lab that was started.
        cluster: file of the cluster that jobs run on.
        jobs: ids of jobs that may be running.
        undo: commands that take back what was set up on the cluster, ``on`` its hosts or "here".
        bonded: bonds were made on the cluster's hosts.
    """

    path: Path
    lab: str | None = None
    cluster: str | None = None
    jobs: list[str] = field(default_factory=list)
    undo: list[list[str]] = field(default_factory=list)
    on: str = "hosts"
    bonded: bool = False
    _guard: threading.Lock = field(default_factory=threading.Lock, repr=False)  # neighbours have threads of their own

    @classmethod
    def of(cls, results: Path) -> "Remains":
        """What the note says; empty without one.

        Raises:
            FairleadError: it is not readable.
        """
        path = results / FILE_NAME
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            lists = list(data["jobs"]), list(data["undo"])
            bonded = bool(data.get("bonded", False))  # earlier versions made none
            return cls(path, data["lab"], data["cluster"], *lists, data["on"], bonded)
        except FileNotFoundError:
            return cls(path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FairleadError(
                f"{path}: is no note of what runs ({error})",
                hint="see `fairlead status` and `fairlead lab list` for what was left, then remove the file",
            ) from error

    def end(self) -> list[str]:
        """End all that is noted; returns in words what there was.

        Raises:
            FairleadError: something cannot be ended, or its host not be reached.
        """
        ended = []
        if self.lab is not None:
            try:
                lab.find(self.lab).down()  # with everything that runs in it
                ended.append(f"lab {self.lab}")
            except LabError:
                pass  # it is gone
            self.path.with_name(f"{self.lab}.cluster.toml").unlink(missing_ok=True)
        elif self.cluster is not None:
            ended += self._end_jobs(Cluster.load(self.cluster))
        if self.undo:
            ended += self._take_back()
        if self.bonded and self.cluster is not None:
            cluster = Cluster.load(self.cluster)
            net.restore(of(cluster), [host.name for host in cluster.managed_hosts()])
            ended.append("bonds")
        self.lab, self.jobs, self.undo, self.bonded = None, [], [], False
        self.path.unlink(missing_ok=True)
        return ended

    def _end_jobs(self, cluster: Cluster) -> list[str]:
        for job in self.jobs:
            launch.end_leftovers_of(cluster, job)
        return [f"job {job}" for job in self.jobs]

    def _take_back(self) -> list[str]:
        if self.on == "here":
            configure.run_here(self.undo)
        elif self.lab is None and self.cluster is not None:  # a lab took it along
            configure.run(Cluster.load(self.cluster), self.undo, self.on)
        else:
            return []
        return ["what was set up"]

    def note_lab(self, name: str | None) -> None:
        """A lab is about to be started; None: it has ended."""
        self.lab = name
        self._write()

    def note_cluster(self, file: str) -> None:
        """Jobs run on this cluster from now on."""
        self.cluster = file
        self._write()

    def note_undo(self, commands: list[list[str]], on: str) -> None:
        """Something is about to be set up that these commands take back; none: it was taken back."""
        self.undo, self.on = commands, on
        self._write()

    def note_bonds(self, there: bool) -> None:
        """Bonds are about to be made on the cluster's hosts; or they were taken back."""
        self.bonded = there
        self._write()

    def add(self, job: str) -> None:
        """A job is about to be started."""
        with self._guard:
            self.jobs.append(job)
            self._write()

    def remove(self, job: str) -> None:
        """A job is over."""
        with self._guard:
            self.jobs.remove(job)
            self._write()

    def _write(self) -> None:
        data = {
            **{"lab": self.lab, "cluster": self.cluster, "jobs": self.jobs, "undo": self.undo, "on": self.on},
            "bonded": self.bonded,
        }
        files.replace(self.path, json.dumps(data))
