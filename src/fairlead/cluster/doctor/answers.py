"""What the probe says of a host, as it comes from there (`probe` itself runs on Pythons that have no such types).

What may be missing: a host without Python says less (`plain`). What may be None was not found out, or is not there.
"""

from typing import Any, NotRequired, TypedDict


class Interface(TypedDict):
    """A network interface; ``addresses`` with their prefix lengths."""

    name: str
    addresses: list[str]
    mtu_B: int
    up: bool
    carrier: bool
    loopback: bool
    kind: NotRequired[str]


class Ethtool(TypedDict):
    """What ethtool(8) says of a link: the best that this end and its partner can."""

    negotiated: bool | None
    best_Mbps: int | None
    partner_best_Mbps: int | None


class Rings(TypedDict):
    """Packets that the receive ring may hold, and holds."""

    most: int | None
    now: int | None


class Link(TypedDict):
    """What an interface says of its link; counters by their names in sysfs."""

    name: str
    kind: str
    speed_Mbps: int | None
    duplex: str | None
    counters: dict[str, int]
    ethtool: Ethtool
    rings: Rings


class Segments(TypedDict):
    """Of TCP: sent, and sent again."""

    sent: int
    again: int


class Firewall(TypedDict, total=False):
    """Packet filters, as far as the user may see them."""

    input: list[str] | None
    forward: list[str] | None
    legacy_input: list[str] | None
    legacy_forward: list[str] | None
    nft: list[dict[str, str]] | None
    firewalld: dict[str, str | None] | None
    ufw: bool


class Device(TypedDict):
    """An RDMA device; ``usable``: a port is in use, and this user may open it."""

    name: str
    driver: str
    usable: bool


class Clock(TypedDict):
    """State of the kernel's clock discipline, and clock sources."""

    synchronised: bool
    source: str | None
    sources: list[str]


class System(TypedDict, total=False):
    """Kernel, processor and C library."""

    release: str | None
    machine: str | None
    libc: str | None
    distribution: str | None
    cpu_level: int | None
    container: bool
    root: bool


class UserNamespaces(TypedDict):
    """Why none can be made (None: one can), and what settings say."""

    error: str | None
    built: bool
    apparmor_restricts: int | None
    clone: int | None
    most: int | None


class Selinux(TypedDict):
    """What it enforces: the type of a log-in's processes, labels of programs by path."""

    type: str | None
    nfs_homes: bool | None
    labels: dict[str, str | None]


class Place(TypedDict):
    """What may be done in a directory."""

    path: str
    mount: str
    type: str
    free_B: int
    free_inodes: int | None
    read_only: bool
    noexec: bool
    nosuid: bool
    write_error: str | None


class Tool(TypedDict):
    """A program, and what its ``--version`` prints."""

    path: str
    real: str
    output: str


class Compiler(TypedDict):
    """The compiler wrapper, and the MPI that it links."""

    path: str
    family: str | None


class MpiSetup(TypedDict, total=False):
    """Everything about MPI but mpirun's own version; parameters are name, value, where."""

    compiler: Compiler | None
    daemons: list[str]
    launchers: dict[str, Tool | None]
    parameters: list[dict[str, str]]
    own_name: list[str]


class Facts(TypedDict, total=False):
    """What a host says of itself before it is asked: see `probe.facts`. ``guardian``: what its ``--check`` prints."""

    hostname: str
    python: str | None
    user_namespaces: UserNamespaces | None
    cores: int
    load: float
    interfaces: list[Interface]
    links: list[Link]
    bond: dict[str, bool]
    segments: Segments | None
    routing: dict[str, int | None]
    firewall: Firewall
    connection_ports: list[list[int]]
    reserved_ports: list[list[int]]
    infiniband: list[Device]
    clock: Clock | None
    system: System
    modules: dict[str, str]
    sock_diag: str | None
    selinux: Selinux | None
    limits: dict[str, int | None]
    places: dict[str, Place | None]
    shm_free_B: int | None
    tmp_free_B: int | None
    tools: dict[str, Tool | None]
    mpi: MpiSetup
    agent: dict[str, str] | None
    guardian: dict[str, Any] | None
    installed_guardians: dict[str, bool]
    running_jobs: list[str]
    sees_note: bool | None
    failures: dict[str, str]


class Ports(TypedDict, total=False):
    """Where a host listens, or why it does not."""

    agent_port: int
    any_port: int
    overlay_port: int
    error: str


class Path(TypedDict, total=False):
    """What was tried towards a peer: why it failed (None: it did not), and what was measured."""

    tcp_agent: str | None
    tcp_any: str | None
    udp_agent: str | None
    udp_overlay: str | None
    path_mtu_B: int | None
    learned_mtu_B: int | None
    congestion_control: str | None
    source: str | None
    round_trip_s: float | None
    rate_Bps: float | None


class Settings(TypedDict, total=False):
    """What a host is asked about: its address and interface, programs by name, command lines of fairlead's own."""

    address: str
    interface: str
    tools: list[str]
    shared_note: str | None
    agent: list[str]
    guardian: list[str]
    guardian_places: list[str]
