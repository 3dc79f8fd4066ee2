"""Checks of kernels and processors: what they were built with, what they permit, whether hosts are alike."""

import platform
import re
from collections.abc import Iterable

from fairlead.cluster.doctor.answers import System, UserNamespaces
from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, check, error, for_kernel_routes, note, warning

OLDEST_KERNEL = (4, 17)  # rules by user id (uidrange) came with 4.10, their protocol numbers with 4.17
FILES_BESIDE_SOCKETS = 64
APPARMOR = "kernel.apparmor_restrict_unprivileged_userns"
_UNCONFINED = ("unconfined_t", "spc_t", "initrc_t", "kernel_t", "sysadm_t", "user_t", "staff_t")
_EXTRA_MODULES = {
    "ubuntu": "apt install linux-modules-extra-$(uname -r)",
    "fedora": "dnf install kernel-modules-extra-$(uname -r)",
    "rhel": "dnf install kernel-modules-extra-$(uname -r)",
    "rocky": "dnf install kernel-modules-extra-$(uname -r)",
    "almalinux": "dnf install kernel-modules-extra-$(uname -r)",
    "debian": "apt install linux-image-$(dpkg --print-architecture) (the cloud image's kernel lacks parts), and reboot",
}


def _system(host: HostFacts) -> System:
    return host.facts.get("system") or {}


@check
def user_namespaces(facts: ClusterFacts) -> Iterable[Finding]:
    """An ordinary user can make labs: they need user namespaces. Ubuntu 23.10 and later restrict them by AppArmor."""
    if facts.cluster.executor == "lab":
        return
    for host in facts.reached():
        state = host.facts.get("user_namespaces")
        if state and state["error"] and not _system(host).get("root"):
            why, fix = _restriction(state)
            yield note(
                [host.name],
                f"an ordinary user cannot make user namespaces ({why}): `fairlead lab` needs root here; runs on the "
                "cluster do not need them",
                fix,
            )


def _restriction(state: UserNamespaces) -> tuple[str, str]:
    """Why there are none, and what changes that."""
    if not state["built"]:
        return "the kernel has none", (
            "boot a kernel with CONFIG_USER_NS=y, or start labs with `sudo fairlead lab up FILE`"
        )
    for setting, value, found in (
        (APPARMOR, 0, state["apparmor_restricts"]),
        ("kernel.unprivileged_userns_clone", 1, state["clone"]),
        ("user.max_user_namespaces", 15000, state["most"]),
    ):
        if found is not None and ((value == 0 and found == 1) or (value > 0 and found == 0)):
            words = f"{setting}={value}"
            return f"{setting} is {found}", f"sysctl -w {words} && echo {words} > /etc/sysctl.d/60-fairlead.conf"
    return str(state["error"]), "start labs with `sudo fairlead lab up FILE`, or outside this container"


@check
@for_kernel_routes
def kernel_parts(facts: ClusterFacts) -> Iterable[Finding]:
    """The kernel has what rerouting needs: VXLAN and nftables. A missing module is another matter than an unloaded one,
    which the kernel loads when the guardian asks for it."""
    for host in facts.reached():
        failed = {item["name"] for item in (host.facts["guardian"] or {}).get("checks", ()) if item["ok"] is False}
        if "cap_net_admin" in failed:
            failed = set()  # without the privilege every trial fails, whatever the kernel has
        states = host.facts.get("modules") or {}
        for module, trial in (("vxlan", "vxlan"), ("nf_tables", "nftables")):
            if states.get(module) == "missing":
                yield warning(
                    [host.name],
                    f"this kernel lacks {module}: it cannot reroute traffic (agents still watch and probe)",
                    f"{_extra_modules(host)}; or run with --plane relay, which needs neither",
                )
            elif states.get(module) == "there" and trial in failed:
                yield warning(
                    [host.name],
                    f"module {module} is installed but not loaded, and the kernel did not load it on demand",
                    f"modprobe {module} && echo {module} > /etc/modules-load.d/fairlead-{module}.conf",
                )


def _extra_modules(host: HostFacts) -> str:
    if _system(host).get("container"):
        return "load it on the server that the container runs on"
    return _EXTRA_MODULES.get(_system(host).get("distribution") or "", "boot a kernel that has it as a module")


@check
@for_kernel_routes
def kernel_age(facts: ClusterFacts) -> Iterable[Finding]:
    """The kernel is new enough for kernel routes."""
    for host in facts.reached():
        release = str(_system(host).get("release") or "")
        found = re.match(r"(\d+)\.(\d+)", release)
        if found and (int(found.group(1)), int(found.group(2))) < OLDEST_KERNEL:
            yield warning(
                [host.name],
                f"Linux {release} is older than 4.17: it lacks routing rules per user, so kernel routes cannot "
                "reroute traffic",
                "fairlead run --plane relay, or a newer kernel",
            )


@check
def sock_diag(facts: ClusterFacts) -> Iterable[Finding]:
    """The kernel lists its TCP connections, by which agents see congestion."""
    for host in facts.reached():
        if why := host.facts.get("sock_diag"):
            missing = (host.facts.get("modules") or {}).get("tcp_diag") == "missing"
            yield error(
                [host.name],
                f"the kernel does not list its TCP connections (sock_diag: {why}): an agent here sees no congestion",
                _extra_modules(host)
                if missing
                else "modprobe tcp_diag && echo tcp_diag > /etc/modules-load.d/fairlead-diag.conf; if there is no such "
                "module, boot a kernel with CONFIG_INET_TCP_DIAG",
            )


@check
def selinux(facts: ClusterFacts) -> Iterable[Finding]:
    """What SELinux enforces, and what of it concerns fairlead: keys in network homes, labels, confined log-ins."""
    for host in facts.reached():
        state = host.facts.get("selinux")
        if not state:
            continue
        home = (host.facts.get("places") or {}).get("home")
        if home and home["type"].startswith("nfs") and state["nfs_homes"] is False:
            yield warning(
                [host.name],
                "SELinux is enforcing and use_nfs_home_dirs is off: sshd may not read keys in this home "
                "directory (NFS), so mpirun's logins ask for passwords",
                "setsebool -P use_nfs_home_dirs 1",
            )
        if state["type"] and state["type"] not in _UNCONFINED:
            yield warning(
                [host.name],
                f"SELinux is enforcing and runs what is started here as {state['type']}: it may deny agents "
                "netlink sockets and MPI its ports",
                f"ausearch -m avc -ts recent shows what was denied; semanage permissive -a {state['type']} admits it",
            )
        for path, label in state["labels"].items():
            if label in ("user_home_t", "user_tmp_t", "tmp_t", "nfs_t", "unlabeled_t") and path.endswith("guardian"):
                yield warning(
                    [host.name],
                    f"{path} has the label {label}: while SELinux is enforcing, services such as Slurm may not "
                    "start it",
                    f"install it under /usr/local/bin, and: restorecon -v {path}",
                )


@check
def architectures(facts: ClusterFacts) -> Iterable[Finding]:
    """All hosts have the same kind of processor: one program is started on all of them."""
    groups: dict[str, list[str]] = {}
    for host in facts.reached():
        if machine := _system(host).get("machine"):
            groups.setdefault(machine, []).append(host.name)
    here = platform.machine()
    if len(groups) > 1:
        words = "; ".join(f"{machine} on {', '.join(names)}" for machine, names in groups.items())
        yield error(
            [name for names in groups.values() for name in names],
            f"hosts have different processors: {words}: no executable, fairlead's or yours, runs on all of them",
            "use one cluster file for each processor type",
        )
    elif groups and here not in groups:
        machine = next(iter(groups))
        yield error(
            groups[machine],
            f"hosts have {machine} processors, this machine {here}: fairlead's programs here do not run there",
            f"install fairlead on a {machine} host (its wheel, or a clone with `make setup`), and call it there",
        )


@check
def processors(facts: ClusterFacts) -> Iterable[Finding]:
    """What is built for the processor of one host runs on all."""
    levels = {host.name: level for host in facts.reached() if (level := _system(host).get("cpu_level"))}
    if len(set(levels.values())) > 1:
        least = min(levels.values())
        words = "; ".join(
            f"x86-64-v{level} on {', '.join(name for name in levels if levels[name] == level)}"
            for level in sorted(set(levels.values()))
        )
        yield note(
            [name for name in levels if levels[name] == least],
            f"processors differ: {words}: a program built with -march=native on a newer one dies with SIGILL on "
            "older ones",
            f"build with -march=x86-64-v{least}" if least > 1 else "build with -march=x86-64",
        )


@check
def open_files(facts: ClusterFacts) -> Iterable[Finding]:
    """A rank can have a socket to every other one (Open MPI's FAQ, "Running MPI jobs": too many open files)."""
    ranks = sum(host.host.slots for host in facts.hosts if host.host.role == "compute")
    needed = ranks + FILES_BESIDE_SOCKETS
    for host in facts.reached():
        limit = (host.facts.get("limits") or {}).get("open_files")
        if limit is not None and limit < needed:
            yield warning(
                [host.name],
                f"a process may open {limit} files, but a rank needs a socket for each of {ranks} ranks",
                f"echo '* - nofile {max(65536, needed)}' > /etc/security/limits.d/90-mpi.conf, and log in again",
            )
