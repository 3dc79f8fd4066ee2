"""What a comparison or evaluation has running, noted in its results directory: the next start ends what a kill left."""

import json
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from fairlead import files, lab
from fairlead.cluster import cgroups
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.jobs import launch
from fairlead.cluster.remote import configure
from fairlead.errors import FairleadError, StoreError, StoreHeldError, reason_of
from fairlead.lab.description import Description
from fairlead.net import apply as net
from fairlead.store import Store

FILE_NAME = "running.json"


@dataclass
class Noted:
    """What the note holds.

    Attributes:
        lab: name of the lab that was started.
        cluster: file of the cluster that jobs run on.
        jobs: ids of jobs that may be running, each with the file of its cluster.
        undo: commands that take back what was set up on the cluster, ``on`` its hosts or "here".
        bonded: bonds were made on the cluster's hosts.
        groups: control groups that may have been made.
    """

    lab: str | None = None
    cluster: str | None = None
    jobs: dict[str, str | None] = field(default_factory=dict)
    undo: list[list[str]] = field(default_factory=list)
    on: str = "hosts"
    bonded: bool = False
    groups: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return self.lab is not None or self.bonded or any((self.jobs, self.undo, self.groups))


class CleanupLedger:
    """Things are noted before they are started, and forgotten when they are gone; the file is there while any are.

    The writer of the results directory is the only one that touches it. A comparison ends what an evaluation in the
    same directory left, and the other way round.

    Raises:
        FairleadError: the note that is there is not readable.
    """

    def __init__(self, results: Path) -> None:
        self.path = results / FILE_NAME
        self._guard = threading.Lock()  # neighbours have threads of their own
        self._left: set[str] = set()  # jobs that could not be ended
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            if isinstance(data["jobs"], list):  # as other versions write it: all jobs have one cluster
                data["jobs"] = dict.fromkeys(data["jobs"], data["cluster"])
            self._noted = Noted(**{each.name: data[each.name] for each in fields(Noted)})
        except FileNotFoundError:
            self._noted = Noted()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FairleadError(
                f"{self.path}: is not a record of what runs ({reason_of(error)})",
                hint="see `fairlead status` and `fairlead lab show` for what was left, then remove the file",
            ) from error

    def end(self) -> list[str]:
        """End all that is noted; returns in words what there was.

        Raises:
            FairleadError: something cannot be ended, or its host not be reached. It stays noted.
        """
        ended = []
        try:
            if name := self.end_lab():
                ended.append(f"lab {name}")
            for job, file in list(self._noted.jobs.items()):
                if file is not None:
                    launch.end_leftovers_of(load_cluster(file), job)
                    ended.append(f"job {job}")
                self._left.discard(job)
                self.remove(job)
            cluster = load_cluster(self._noted.cluster) if self._noted and self._noted.cluster else None
            ended += ["control groups"] if self.remove_groups() else []
        except FairleadError as error:
            raise self._stuck([error]) from error
        return ended + self.take_back(cluster)

    def start_lab(
        self, description: Description, user_namespace: bool | None = None, scale: float | None = None
    ) -> tuple[lab.Lab, Cluster]:
        """Start a lab under a name that no other has, with its cluster, which is called as the description says.

        Args:
            user_namespace, scale: see `fairlead.lab.up`.

        Raises:
            FairleadError: see `fairlead.lab.up`; or the cluster's file cannot be written.
        """
        # A name of its own: what is ended by it later can be nobody else's lab.
        name = f"{description.lab.name[:24]}-{secrets.token_hex(3)}"
        self._note(lab=name)
        running = lab.up(description, name=name, scale=scale, user_namespace=user_namespace, ledger=self.path)
        file = files.write(self._cluster_file(name), running.cluster_file_text())
        return running, replace(load_cluster(file), name=description.lab.name)

    def end_lab(self) -> str | None:
        """End the noted lab with all that runs in it; its name, if there was one that ran.

        Raises:
            FairleadError: it does not end.
        """
        name = self._noted.lab
        if name is None:
            return None
        ended = lab.take_down(name)
        self._cluster_file(name).unlink(missing_ok=True)
        self._note(lab=None, jobs={}, **({"undo": []} if self._noted.on == "hosts" else {}))
        return name if ended else None

    def take_back(self, cluster: Cluster | None) -> list[str]:
        """Run the noted commands, and restore hosts that have bonds; returns in words what there was.

        Raises:
            FairleadError: one of the two failed, and stays noted. The other one was tried.
        """
        done, failures = [], []
        for what, step in (("what was set up", self._undo), ("bonds", self._restore)):
            try:
                if step(cluster):
                    done.append(what)
            except FairleadError as error:
                failures.append(error)
        if failures:
            raise self._stuck(failures) from failures[0]
        return done

    def remove_groups(self) -> bool:
        """Remove the noted control groups with what runs in them; whether there were any.

        Raises:
            FairleadError: one cannot be removed.
        """
        there = [path for path in map(Path, self._noted.groups) if path.is_dir()]
        cgroups.remove(there)
        self._note(groups=[])
        return bool(there)

    def note_cluster(self, file: str) -> None:
        """Jobs run on this cluster from now on."""
        self._note(cluster=file)

    def note_undo(self, commands: Sequence[Sequence[str]], on: str) -> None:
        """Something is about to be set up that these commands take back."""
        self._note(undo=[list(line) for line in commands], on=on)

    def note_bonds(self) -> None:
        """Bonds are about to be made on the cluster's hosts."""
        self._note(bonded=True)

    def note_groups(self, paths: Sequence[Path]) -> None:
        """Control groups are about to be made at some of these places."""
        self._note(groups=[str(path) for path in paths])

    @contextmanager
    def running(self, job: str) -> Iterator[None]:
        """A job is started and ended inside the block. See `left_behind` for one that does not end."""
        self.add(job)
        try:
            yield
        finally:
            self.remove(job)

    def add(self, job: str) -> None:
        """A job is about to be started."""
        with self._guard:
            self._noted.jobs[job] = self._noted.cluster
            self._write()

    def remove(self, job: str) -> None:
        """A job is over, unless something of it was left behind."""
        with self._guard:
            if job not in self._left and job in self._noted.jobs:
                del self._noted.jobs[job]
                self._write()

    def left_behind(self, job: str) -> None:
        """A job may not have ended everywhere: it stays noted, and the next start ends it."""
        with self._guard:
            self._left.add(job)
            self._noted.jobs.setdefault(job, self._noted.cluster)
            self._write()

    def _undo(self, cluster: Cluster | None) -> bool:
        if not self._noted.undo:
            return False
        if self._noted.on == "here":
            configure.run_here(self._noted.undo)
        elif cluster is not None:
            configure.run(cluster, self._noted.undo, self._noted.on)
        self._note(undo=[])
        return True

    def _restore(self, cluster: Cluster | None) -> bool:
        if not self._noted.bonded or cluster is None:
            return False
        net.restore(executor_of(cluster), cluster.managed_names())
        self._note(bonded=False)
        return True

    def _stuck(self, failures: Sequence[FairleadError]) -> FairleadError:
        """What cannot be ended or taken back, and the way out."""
        bonds = f" (bonds: `fairlead net restore {self._noted.cluster}`)" if self._noted.bonded else ""
        way = f"the same command tries again; if you clean up by hand{bonds}, remove {self.path}"
        said = "; ".join(str(error.args[0]) for error in failures)
        hints = [error.hint for error in failures if error.hint]
        return FairleadError(f"the leftovers cannot be ended or undone: {said}", hint="\n  ".join([*hints, way]))

    def _cluster_file(self, name: str) -> Path:
        return self.path.with_name(f"{name}.cluster.toml")

    def _note(self, **changes: Any) -> None:
        with self._guard:
            self._noted = replace(self._noted, **changes)
            self._write()

    def _write(self) -> None:
        if self._noted:
            # Durable: hosts keep what was set up on them when this machine fails.
            files.replace(self.path, json.dumps(asdict(self._noted)), durable=True)
        else:
            self.path.unlink(missing_ok=True)


def end_left_over(*, dry_run: bool = False) -> tuple[list[str], list[str]]:
    """End what killed comparisons, evaluations and demos left that had a lab of their own.

    Returns:
        In words what there was, and why something cannot be ended.
    """
    ended, complaints = [], []
    for name, ledger in lab.left_over().items():
        try:
            ended += [f"lab {name}"] if dry_run else _end_left_over(name, ledger.parent)
        except FairleadError as error:
            complaints.append(str(error))
    return ended, complaints


def _end_left_over(name: str, results: Path) -> list[str]:
    """All that is noted in a results directory; the lab alone where that cannot be read any more."""
    ended = []
    try:
        with Store.open(results, create=False, patience_s=0):
            ended = CleanupLedger(results).end()
    except StoreHeldError:  # what writes there now ends it, or has just done so
        return []
    except StoreError:
        pass
    return [*ended, f"lab {name}"] if lab.take_down(name) else ended
