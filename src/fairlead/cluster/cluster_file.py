"""The cluster file, as a person writes it: which hosts there are, how to reach them, which interface carries MPI."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from fairlead import config, home, ip
from fairlead.cluster.cloud_table import CloudTable
from fairlead.cluster.description import (
    DEFAULT_PORTS,
    MOST_RANKS,
    Cluster,
    Command,
    Host,
    Lxc,
    Role,
    Slurm,
    Ssh,
    Transport,
)
from fairlead.cluster.executors import has_launch_host
from fairlead.cluster.executors import names as executors
from fairlead.protocol.settings import AgentSettings

# Names end up in command lines of mpirun and ssh: what could be taken for an option or a separator is no name.
_BEGIN = "it must begin with a letter or digit and have letters, digits and"
Name = Annotated[
    str, StringConstraints(max_length=63), config.text_of(r"[A-Za-z0-9][A-Za-z0-9._-]*", f"{_BEGIN} . _ - only")
]
Interface = Annotated[
    str, StringConstraints(max_length=15), config.text_of(r"[A-Za-z0-9][A-Za-z0-9._@-]*", f"{_BEGIN} . _ @ - only")
]
Destination = Annotated[str, config.text_of(r"[A-Za-z0-9][A-Za-z0-9._@:%+-]*", f"{_BEGIN} . _ @ : % + - only")]
SshOption = Annotated[str, config.text_of(r"[A-Za-z][A-Za-z0-9]*[ =]\S.*", "it must be of the form Name=value")]


def _address(value: str) -> str:
    """An IPv4 or IPv6 address."""
    return ip.canonical(value)


def _absolute(value: Path) -> Path:
    """An absolute path."""
    if not value.is_absolute():
        raise ValueError("must be an absolute path, which must exist on the servers too")
    return value


def _known_executor(value: str) -> str:
    if value not in executors():
        raise ValueError(f"must be one of {', '.join(executors())}")
    return value


def _port_range(value: tuple[int, int]) -> tuple[int, int]:
    """1024 to 65535, the first not above the last."""
    if not 1024 <= value[0] <= value[1] <= 65535:
        raise ValueError("must be [first, last] with 1024 <= first <= last <= 65535")
    return value


AbsolutePath = Annotated[Path, AfterValidator(_absolute)]
PortRange = Annotated[tuple[int, int], AfterValidator(_port_range)]


def _as_words(value: object) -> object:
    """A text, or a list of texts."""
    return (value,) if isinstance(value, str) else value


# A path or name, or a list of words: `"/usr/local/bin/x"`, `["sudo", "-n", "/usr/local/bin/x"]`.
CommandLine = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_as_words), Field(min_length=1)
]


class SshTable(config.Model):
    """How ``executor = "ssh"`` calls ssh. Your own ssh configuration decides everything that is not set here."""

    user: Destination | None = None
    """User to log in as. Default: ssh's own."""
    port: int | None = Field(default=None, ge=1, le=65535)
    """TCP port of the ssh daemons. Default: ssh's own."""
    identity: Path | None = None
    """Path of the private key, relative to this file. Never the key itself."""
    config: Path | None = None
    """Path of an ssh_config file, relative to this file."""
    options: tuple[SshOption, ...] = ()
    """More options, each as after ``ssh -o``."""
    shared_files: bool = True
    """The hosts see this machine's files (NFS, Lustre) at the same paths. If false, fairlead copies its programs."""


class LxcTable(config.Model):
    """How ``executor = "lxc"`` calls lxc-attach."""

    path: AbsolutePath | None = None
    """Directory in which the servers keep containers, as ``lxc-attach -P`` takes it. Default: LXC's own."""
    shared_files: bool = False
    """The containers see this machine's files at the same paths. If false, fairlead copies its programs."""


class SlurmTable(config.Model):
    """How ``executor = "slurm"`` uses the job that holds the nodes."""

    shared_files: bool = True
    """The nodes see this machine's files (NFS, Lustre) at the same paths. If false, fairlead copies its programs."""


def _with_reach(value: tuple[str, ...]) -> tuple[str, ...]:
    """Words, one of which holds {reach}."""
    if not any("{reach}" in word for word in value):
        raise ValueError("must have {reach} in one of its words, which stands for the host")
    return value


Template = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], AfterValidator(_with_reach)]


class CommandTable(config.Model):
    """How ``executor = "command"`` runs something on a host: the command is appended to these words."""

    run: Template | None = None
    """Words such as ``["podman", "exec", "-i", "{reach}"]``; ``{reach}`` stands for the host's ``reach``. They pass on
    standard input, output and error, and the exit code. Required with ``executor = "command"``."""
    terminal: Template | None = None
    """The same for commands that prompt you: ``["podman", "exec", "-it", "{reach}"]``. Default: ``run``."""
    by_shell: bool = False
    """A shell there parses the last word, as with ssh: the command is quoted and passed as one word."""
    failed: tuple[Annotated[int, Field(ge=1, le=255)], ...] = ()
    """Exit codes that mean the host was not reached: 125 of podman and docker, 255 of ssh."""
    shared_files: bool = False
    """The hosts see this machine's files at the same paths. If false, fairlead copies its programs."""


class ClusterTable(config.Model):
    """The cluster as a whole."""

    name: Name
    """Name in reports and stored results."""
    executor: Annotated[str, AfterValidator(_known_executor)]
    """How fairlead runs commands on the hosts."""
    interface: Interface
    """Network interface that MPI and the agents use on every host."""
    lab: Name | None = None
    """Name of the lab; required with ``executor = "lab"``."""
    ports: PortRange = DEFAULT_PORTS
    """First and last port that agents may listen on, TCP and UDP."""
    mpirun: str = Field(default="mpirun", min_length=1)
    """The mpirun to use: a name in ``PATH`` or an absolute path, the same on all hosts."""
    launch_from: str | None = None
    """Host that runs mpirun, or ``here`` for this machine. Default: the first compute host; with ``command``, ``lxc``
    and ``slurm``, ``here``."""
    cores_shared: bool | None = None
    """Hosts share processor cores: ranks are not bound to a core and do not spin. Default: true for labs only."""
    transport: Transport | None = None
    """What carries MPI's messages between hosts: ``tcp``, which can be rerouted, or ``native``, the library's own
    choice. Default: ``native`` where every host has an active RDMA device, else ``tcp``; for ``measure`` ``tcp``."""
    guardian: CommandLine | None = None
    """Path of the guardian on the hosts, or command that starts it. Default: the installed one, or fairlead's copy."""


class HostEntry(config.Model):
    """One host. Names and addresses are unique, and all addresses are of one version of IP; at least one host has the
    role ``compute``."""

    name: Name
    """Name in reports, error messages and mpirun's host lists."""
    address: Annotated[str, AfterValidator(_address)]
    """Address of the host on ``interface``."""
    slots: int = Field(default=1, ge=0, le=MOST_RANKS)
    """Ranks that fill the host; at least 1 on a compute host."""
    role: Role = "compute"
    """``compute``: takes ranks. ``relay``: takes none, may forward. ``other``: not managed."""
    reach: Destination | None = None
    """What the executor calls the host: ``user@host`` for ssh, ``container@server`` for lxc, ``node@job`` for slurm,
    what ``{reach}`` stands for with ``command``. Default: ``name``."""
    interface: Interface | None = None
    """Network interface of this host. Default: the cluster's."""
    memory_GiB: float | None = Field(default=None, gt=0)
    """Memory of the host (GiB), which plans are checked against. Default: not known."""


class ClusterFile(config.Model):
    """A whole cluster file: which hosts there are, how to reach them, and which interface carries MPI."""

    cluster: ClusterTable
    """The cluster as a whole."""
    hosts: tuple[HostEntry, ...] = Field(min_length=1)
    """The hosts."""
    ssh: SshTable = SshTable()
    """Options of ``executor = "ssh"``, and of ``lxc`` for containers on other servers."""
    lxc: LxcTable = LxcTable()
    """Options of ``executor = "lxc"``."""
    slurm: SlurmTable = SlurmTable()
    """Options of ``executor = "slurm"``."""
    command: CommandTable = CommandTable()
    """Options of ``executor = "command"``."""
    cloud: CloudTable | None = None
    """Cloud manager whose virtual machines the hosts are."""
    settings: AgentSettings = Field(default_factory=dict)
    """[Settings of the agents](../agent-settings.md) that differ from their defaults, such as ``detour.dwell_s = 1``.
    ``fairlead run --set`` overrides them for one run."""

    @model_validator(mode="after")
    def _consistent(self) -> "ClusterFile":
        complaints = [*_table_complaints(self), *_host_complaints(self.hosts)]
        if complaints:
            raise ValidationError.from_exception_data("cluster file", complaints)
        return self


def load_cluster(path: Path | str) -> Cluster:
    """Read a cluster file.

    Raises:
        ConfigError: with file, line and key of everything that is wrong.
    """
    path = Path(path)
    return resolve(config.load(path, ClusterFile), source=str(path), directory=path.absolute().parent)


def parse_cluster(text: str, *, source: str = "cluster", directory: Path | None = None) -> Cluster:
    """As `load_cluster`, from a string; relative paths in it start at ``directory`` (default: where we are)."""
    return resolve(config.parse(text, ClusterFile, source=source), source=source, directory=directory or Path.cwd())


def resolve(file: ClusterFile, *, source: str, directory: Path) -> Cluster:
    """Fill in defaults and make paths absolute (relative ones start at the cluster file's directory)."""
    table = file.cluster
    hosts = tuple(
        Host(
            name=entry.name,
            address=entry.address,
            slots=entry.slots,
            role=entry.role,
            reach=entry.reach or entry.name,
            interface=entry.interface or table.interface,
            memory_B=None if entry.memory_GiB is None else round(entry.memory_GiB * 2**30),
        )
        for entry in file.hosts
    )
    return Cluster(
        name=table.name,
        executor=table.executor,
        hosts=hosts,
        lab=table.lab,
        ports=table.ports,
        mpirun=table.mpirun,
        launch_from=_launch_host(table, hosts),
        transport=table.transport,
        cores_shared=table.executor == "lab" if table.cores_shared is None else table.cores_shared,
        guardian=table.guardian,
        ssh=_resolve_ssh(file.ssh, directory),
        lxc=Lxc(path=file.lxc.path, shared_files=file.lxc.shared_files),
        slurm=Slurm(shared_files=file.slurm.shared_files),
        command=_resolve_command(file.command),
        cloud=file.cloud,
        settings=file.settings,
        source=source,
    )


def _launch_host(table: ClusterTable, hosts: tuple[Host, ...]) -> str | None:
    if table.launch_from == "here" or not has_launch_host(table.executor):
        return None
    return table.launch_from or next(host.name for host in hosts if host.role == "compute")


def _resolve_ssh(table: SshTable, directory: Path) -> Ssh:
    def absolute(path: Path | None) -> Path | None:
        return None if path is None else directory / home.expand(path)

    return Ssh(
        user=table.user,
        port=table.port,
        identity=absolute(table.identity),
        config=absolute(table.config),
        options=table.options,
        shared_files=table.shared_files,
    )


def _resolve_command(table: CommandTable) -> Command:
    return Command(
        run=table.run or (),
        terminal=table.terminal,
        by_shell=table.by_shell,
        failed=table.failed,
        shared_files=table.shared_files,
    )


def _complaint(location: tuple[str | int, ...], message: str, value: Any) -> InitErrorDetails:
    # Braces would be taken for placeholders of pydantic's message templates.
    text = message.replace("{", "(").replace("}", ")")
    return InitErrorDetails(type=PydanticCustomError("cluster", text), loc=location, input=value)


_LAUNCH_HERE = {
    "lxc": "a container cannot start anything in another one",
    "slurm": "mpirun is started in the job",
    "command": "the command works on this machine only",
}
"""Executors on whose hosts mpirun cannot run, and why."""


def _table_complaints(file: ClusterFile) -> Iterable[InitErrorDetails]:
    table = file.cluster
    if table.executor == "lab" and table.lab is None:
        yield _complaint(("cluster", "lab"), 'executor = "lab" needs the lab\'s name here', None)
    if table.launch_from not in (None, "here", *(host.name for host in file.hosts)):
        yield _complaint(("cluster", "launch_from"), 'must be "here" or the name of a host', table.launch_from)
    if table.executor in _LAUNCH_HERE and table.launch_from not in (None, "here"):
        message = f'must be "here" with executor = "{table.executor}": {_LAUNCH_HERE[table.executor]}'
        yield _complaint(("cluster", "launch_from"), message, table.launch_from)
    if table.executor == "command" and file.command.run is None:
        yield _complaint(("cluster", "executor"), '"command" needs [command] run, the words that reach a host', None)
    if not any(host.role == "compute" for host in file.hosts):
        yield _complaint(("hosts",), 'no host has role = "compute", so no rank could run', None)
    if table.executor == "lxc":
        for index, host in enumerate(file.hosts):
            if host.reach is not None and host.reach.endswith("@"):
                yield _complaint(("hosts", index, "reach"), "names no server after the @", host.reach)
    if table.executor == "slurm":
        for index, host in enumerate(file.hosts):
            if not re.fullmatch(r"[^@]+@[0-9]+(\+[0-9]+)?", host.reach or ""):
                message = 'must be NODE@JOB (of a heterogeneous job NODE@JOB+COMPONENT) with executor = "slurm"'
                yield _complaint(("hosts", index, "reach"), message, host.reach)


def _host_complaints(hosts: tuple[HostEntry, ...]) -> Iterable[InitErrorDetails]:
    names: dict[str, int] = {}
    addresses: dict[str, str] = {}
    for index, host in enumerate(hosts):
        if host.name in names:
            yield _complaint(("hosts", index, "name"), f"{host.name!r} is already host {names[host.name]}", host.name)
        names.setdefault(host.name, index)
        if host.address in addresses:
            message = f"{host.address} is already the address of {addresses[host.address]}"
            yield _complaint(("hosts", index, "address"), message, host.address)
        addresses.setdefault(host.address, host.name)
        if ip.family_of(host.address) != ip.family_of(hosts[0].address):
            message = (
                f"{host.address} is of IPv{ip.family_of(host.address)}, {hosts[0].address} of {hosts[0].name} is not: "
                "no packet gets from one to the other; give all hosts addresses of one version"
            )
            yield _complaint(("hosts", index, "address"), message, host.address)
        if host.role == "compute" and host.slots < 1:
            yield _complaint(("hosts", index, "slots"), "a compute host needs at least one slot", host.slots)
