"""Checks of how MPI is set up on each host: compilers, daemons, parameter files, the host's own name.

Symptoms that users report: N programs of one rank each, all of which say that they are rank 0 (mpirun of another
library); "orted: command not found" (PATH of shells that nobody types into); "PRTE detected a mismatch in versions"
(Open MPI issue 13093); hangs when docker0 or virbr0 is taken (Open MPI issues 6240, 6377).
"""

import re
from collections.abc import Iterable, Mapping

from fairlead.cluster.doctor.answers import MpiSetup
from fairlead.cluster.doctor.checks.mpi import mpis, with_ranks
from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, check, note, warning
from fairlead.cluster.launchers.detect import Mpi, parse_version
from fairlead.errors import ConfigError

_LABELS = {"openmpi": "Open MPI", "mpich": "MPICH", "intelmpi": "Intel MPI"}
_DAEMONS = {"openmpi4": "orted", "openmpi5": "prted"}
_OF_LOCALHOST = ("127.0.0.1", "::1")
_INCLUDES = ("btl_tcp_if_include", "oob_tcp_if_include", "prte_if_include", "if_include")


def _setup(host: HostFacts) -> MpiSetup:
    return host.facts.get("mpi") or {}


def _binary_family(mpi: Mpi) -> str:
    """Programs of Intel MPI and of MPICH run with each other's library."""
    return "mpich" if mpi.family == "intelmpi" else mpi.family


@check
def wrong_mpi(facts: ClusterFacts) -> Iterable[Finding]:
    """Compilers build for the MPI whose mpirun starts programs: else each rank believes to be the only one."""
    known = mpis(facts)
    for host in with_ranks(facts):
        compiler, mpi = _setup(host).get("compiler"), known.get(host.name)
        if mpi is None or not compiler or compiler["family"] in (None, _binary_family(mpi)):
            continue
        built_for = compiler["family"]
        yield warning(
            [host.name],
            f"{facts.cluster.mpirun} is {mpi}, but {compiler['path']} builds for {_LABELS[built_for]}: mpirun "
            "would start such a program as many separate programs, each with one rank, rank 0",
            _same_library(host, mpi, built_for),
        )


def _same_library(host: HostFacts, mpi: Mpi, built_for: str) -> str:
    """Either the other mpirun, where there is one, or the compiler of this one."""
    compiler = "mpicc.openmpi" if mpi.family == "openmpi" else "mpicc.mpich"
    for name, tool in (_setup(host).get("launchers") or {}).items():
        if tool is None:
            continue
        try:
            other = parse_version(tool["output"], mpirun=name)
        except ConfigError:
            continue
        if _binary_family(other) == built_for:
            return f"run such programs with --mpirun {tool['path']}, or build with {compiler}"
    return f"build with {compiler}, or install {_LABELS[built_for]}'s mpirun and name it with --mpirun"


@check
def mpirun_path(facts: ClusterFacts) -> Iterable[Finding]:
    """mpirun is at the same path everywhere: Open MPI looks for its parts where it is on the launching host."""
    if "/" in facts.cluster.mpirun:
        return
    groups: dict[str, list[str]] = {}
    for host in with_ranks(facts):
        if tool := host.tool(facts.cluster.mpirun):
            groups.setdefault(tool["path"], []).append(host.name)
    if len(groups) > 1:
        words = "; ".join(f"{path} on {', '.join(names)}" for path, names in groups.items())
        yield warning(
            [name for names in groups.values() for name in names],
            f"{facts.cluster.mpirun} is at different paths: {words}: on all hosts, mpirun looks for daemons and "
            "libraries at the first host's path",
            f'write mpirun = "{next(iter(groups))}" under [cluster], and install it there on all hosts',
        )


@check
def mpi_daemon(facts: ClusterFacts) -> Iterable[Finding]:
    """Open MPI's daemon is in PATH of a shell that nobody types into, where mpirun looks for it."""
    for host in with_ranks(facts):
        mpi = mpis(facts).get(host.name)
        tool = host.tool(facts.cluster.mpirun)
        daemon = _DAEMONS.get(mpi.launcher) if mpi else None
        found = _setup(host).get("daemons")
        if daemon and tool and found is not None and daemon not in found and "/" not in facts.cluster.mpirun:
            directory = tool.get("real", tool["path"]).rpartition("/")[0]  # a link leads to where the daemon is, too
            yield warning(
                [host.name],
                f"{daemon} of {mpi} is not in PATH: mpirun on another host ends with '{daemon}: command not found', "
                "unless it was built to name its own directory",
                f'write mpirun = "{directory}/mpirun" under [cluster] (Open MPI then names its daemon by path), or put '
                f"export PATH={directory}:$PATH at the top of ~/.bashrc",
            )


@check
def mpi_parameters(facts: ClusterFacts) -> Iterable[Finding]:
    """No file or variable keeps Open MPI off the network: command lines of fairlead's win, your own do not name all."""
    for host in with_ranks(facts):
        if (mpi := mpis(facts).get(host.name)) is None or mpi.family != "openmpi":
            continue
        names = {item["name"] for item in host.facts["interfaces"]}
        for item in _setup(host).get("parameters", ()):
            if problem := _parameter_problem(item, names, host.host.interface):
                yield warning(
                    [host.name],
                    f"{item['name']} = {item['value']} ({item['where']}): {problem}",
                    _parameter_fix(item, host.host.interface),
                )


def _parameter_problem(item: Mapping[str, str], names: set[str], interface: str) -> str:
    value = item["value"]
    words = [word for word in value.lstrip("^").split(",") if word]
    if item["name"] in _INCLUDES:
        wrong = [word for word in words if "/" not in word and word not in names]
        if wrong:
            return f"there is no interface {', '.join(wrong)}, so Open MPI finds no path between hosts"
        if not any("/" in word for word in words) and interface not in words:
            return f"your own launch lines would use {', '.join(words)}, not {interface}"
    if item["name"] == "btl_tcp_if_exclude" and not any(word == "lo" or word.startswith("127.") for word in words):
        return (
            "it replaces the default, which excludes lo: ranks on different hosts would try to connect over 127.0.0.1"
        )
    if item["name"] == "btl" and not _admits_tcp(value):
        return "it excludes tcp: ranks on different hosts cannot reach each other by TCP"
    return ""


def _admits_tcp(value: str) -> bool:
    words = value.lstrip("^").split(",")
    return ("tcp" in words) != value.startswith("^")


def _parameter_fix(item: Mapping[str, str], interface: str) -> str:
    name, where = item["name"], item["where"]
    if where.startswith(("OMPI_MCA_", "PRTE_MCA_")):
        return f"unset {where} (it is set in a start-up file of the shell, such as ~/.bashrc)"
    if name in _INCLUDES:
        return f"sed -i 's/^ *{name} *=.*/{name} = {interface}/' {where}"
    return f"sed -i '/^ *{name} *=/d' {where}"


@check
def own_name_address(facts: ClusterFacts) -> Iterable[Finding]:
    """A host's own name leads to its address in the cluster. Debian's installer enters 127.0.1.1 in /etc/hosts."""
    if facts.cluster.executor == "local":
        return
    for host in with_ranks(facts):
        found = _setup(host).get("own_name")
        if found is None or host.host.address in found:
            continue
        name = host.facts["hostname"]
        if not found:
            yield warning(
                [host.name],
                f"its own name {name} does not resolve: hosts that get this name from an MPI library cannot reach it",
                f"echo '{host.host.address} {name}' >> /etc/hosts",
            )
        elif all(address == "::1" or address.startswith("127.") for address in found):
            yield note(
                [host.name],
                f"its own name {name} resolves to {found[0]}: MPICH's mpiexec would make other hosts connect "
                "there, so your own launch lines fail",
                f"{_led_elsewhere(host, found[0])}; or mpiexec -localhost {host.host.address}",
            )


def _led_elsewhere(host: HostFacts, address: str) -> str:
    """The commands by which a host's own name leads to its address in the cluster, and no longer to the loopback."""
    name = host.facts["hostname"]
    if name.partition(".")[0] == "localhost":
        return f"hostnamectl set-hostname {host.name} && echo '{host.host.address} {host.name}' >> /etc/hosts"
    return f"{_without_name(address, name)} && echo '{host.host.address} {name}' >> /etc/hosts"


def _without_name(address: str, name: str) -> str:
    """The command that takes a host's own name from a loopback address. localhost keeps its line."""
    begins = f"/^{re.escape(address)}[[:space:]]/"
    if address not in _OF_LOCALHOST:
        return f"sed -i '{begins}d' /etc/hosts"
    named = rf"[[:space:]]+{name.replace('.', '[.]')}([.][^[:space:]]+)?([[:space:]]|$)"
    return rf"sed -i -E '{begins}{{:a;s/{named}/\2/;ta;}}' /etc/hosts"
