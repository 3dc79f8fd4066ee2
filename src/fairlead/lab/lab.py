"""A running lab: what is in it, how to run something there, and its end."""

import json
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fairlead.errors import LabError, NoSuchLabError
from fairlead.lab import state
from fairlead.lab.state import LabRecord
from fairlead.lab.topology import DirectedLink, Pair, ResolvedLab
from fairlead.runtime import Process

DOWN_TIMEOUT_S = 20.0


class Lab:
    """A lab that was up when this object was made. ``record`` is what ``lab show --json`` prints.

    Raises:
        LabError: the record is of another version.
    """

    def __init__(self, directory: Path, record: LabRecord) -> None:
        self.directory = directory
        self.record = record
        self.holder = Process(**record["holder"])
        try:
            self.plan = ResolvedLab.from_json(record["plan"])
        except (KeyError, TypeError) as error:
            raise LabError(
                f"lab {directory.name} was started by another version of fairlead",
                hint=f"end it: kill {self.holder.pid}",
            ) from error

    @property
    def name(self) -> str:
        return self.plan.name

    @property
    def started_s(self) -> float:
        """When it was up, seconds since the epoch: what notes that is written then, and never again."""
        return (self.directory / "lab.json").stat().st_mtime

    @property
    def agent_script(self) -> Path:
        """A remote-shell agent for MPI launchers: called as ``AGENT [OPTIONS] HOST COMMAND STRING ...``, like ssh."""
        return self.directory / "agent"

    def enter_command(self, host: str, argv: list[str]) -> list[str]:
        """The command line that runs ``argv`` on ``host`` (or switch): same streams, environment, signals, exit status.

        It works from the machine and from inside the lab. Killing it kills the command, and so does the lab's end.
        Raises:
            LabError: no such host.
        """
        self._check_host(host, or_switch=True)
        return [self.record["enter"], str(self.directory), host, *argv]

    def is_alive(self) -> bool:
        return self.holder.is_alive()

    def path(self, source: str, destination: str) -> list[DirectedLink]:
        """Directed links (from, to) that packets between two hosts cross, in order."""
        self._check_host(source)
        self._check_host(destination)
        return self.plan.path(source, destination)

    def shared_bottlenecks(self) -> dict[Pair, set[Pair]]:
        """The truth that characterization is scored against; see `ResolvedLab.shared_bottlenecks`."""
        return self.plan.shared_bottlenecks()

    def cluster_file_text(self) -> str:
        """The cluster file of this lab (docs/reference/files/cluster.md)."""
        return cluster_file_text(self.plan)

    def down(self) -> None:
        """End the lab; returns when its processes are gone. Ending a lab that is gone is no error.

        Raises:
            FairleadError: it did not end in time, or belongs to somebody else.
        """
        _take_down(self.directory, self.holder)

    def _check_host(self, host: str, *, or_switch: bool = False) -> None:
        known = [*self.plan.host_by_name, *(self.plan.switches if or_switch else ())]
        if host not in known:
            raise NoSuchLabError(f"lab {self.name} has no host {host!r}", hint=f"it has {', '.join(known)}")


def take_down(name: str) -> bool:
    """End the lab of that name, also one of another version; whether it was running.

    Raises:
        FairleadError: it did not end in time, or what is noted of it cannot be read.
    """
    directory = state.lab_directory(name)
    holder = state.holder_of(directory)
    if holder is not None:
        _take_down(directory, holder)
    return holder is not None


def _take_down(directory: Path, holder: Process) -> None:
    end_holder(holder)
    for runner in congestion_runners(directory):
        runner.process.wait(DOWN_TIMEOUT_S)  # they see that the lab has ended
    if directory.is_dir() and state.holder_of(directory) is None:
        state.remove(directory)


def end_holder(holder: Process) -> None:
    """Kill a holder, hence all processes of its lab, and wait until they are gone.

    Raises:
        FairleadError: it did not end within `DOWN_TIMEOUT_S`, or belongs to somebody else.
    """
    holder.send(signal.SIGKILL)
    # The kernel reports the end of a PID namespace's process 1 only when all others have ended.
    holder.wait(DOWN_TIMEOUT_S)


@dataclass(frozen=True)
class CongestionRunner:
    """A process that holds congestion in the background; ``text`` says what it does, ``note`` is its file."""

    note: Path
    process: Process
    text: str


def congestion_runners(directory: Path) -> list[CongestionRunner]:
    """The living ones of the lab noted in ``directory``."""
    runners = []
    for note in sorted((directory / "congestion").glob("*.json")):
        try:
            record = json.loads(note.read_text())
        except FileNotFoundError:  # it ended meanwhile, and took its note along
            continue
        runner = CongestionRunner(note, Process(**record["runner"]), str(record["text"]))
        if runner.process.is_alive():
            runners.append(runner)
    return runners


def find_lab(name: str) -> Lab:
    """The running lab of this user with that name.

    Raises:
        LabError: there is none.
    """
    directory = state.lab_directory(name)
    if state.holder_of(directory) is None:
        running = [directory.name for directory, _ in _running(tolerant=True)]
        known = f"running: {', '.join(running)}" if running else "start it with `fairlead lab up FILE`"
        raise NoSuchLabError(f"no lab {name!r} of yours is running", hint=known)
    record = state.read(directory)
    assert record is not None
    return Lab(directory, record)


def is_running(name: str) -> bool:
    """Whether a lab of that name is, of whatever version."""
    return state.holder_of(state.lab_directory(name)) is not None


def running_labs() -> list[Lab]:
    """All running labs of this user."""
    return [Lab(directory, record) for directory, record in _running()]


def left_over() -> dict[str, Path]:
    """Running labs by name that a process started for itself alone and that outlived it, with the process's ledger.

    Labs whose notes cannot be read are left out: see `fairlead.lab.state.unreadable`.
    """
    running = _running(tolerant=True)
    owned = {directory.name: owner for directory, record in running if (owner := record.get("owner"))}
    return {name: Path(owner["ledger"]) for name, owner in owned.items() if not Process(**owner["process"]).is_alive()}


def _running(*, tolerant: bool = False) -> Iterator[tuple[Path, LabRecord]]:
    """Directories and records of running labs; ``tolerant``: without those whose notes cannot be read."""
    for directory in sorted(state.labs_directory().iterdir()):
        try:
            record = state.read(directory)
            holder = state.holder_of(directory)
        except LabError:
            if not tolerant:
                raise
            continue
        if record is not None and holder is not None:
            yield directory, record


def cluster_file_text(plan: ResolvedLab) -> str:
    """TOML of the cluster file that describes a lab."""
    quote = json.dumps  # TOML's basic strings are JSON's for what names and addresses may hold
    lines = [
        "[cluster]",
        f"name = {quote(plan.name)}",
        'executor = "lab"',
        f"lab = {quote(plan.name)}",
        'interface = "eth0"',
    ]
    for host in plan.hosts:
        lines += [
            "",
            "[[hosts]]",
            f"name = {quote(host.name)}",
            f"address = {quote(host.address)}",
            f"slots = {host.slots}",
            f"role = {quote(host.role)}",
        ]
    return "\n".join(lines) + "\n"
