"""Checks of file systems: room, and whether files may be written, executed and privileged there."""

from collections.abc import Iterable

from fairlead.cluster.doctor.answers import Place
from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, check, error, for_kernel_routes, note, warning
from fairlead.cluster.executors import executor_of

LITTLE_ROOM_B = 64 << 20  # agent, guardian and libraries take 20 MiB
FEW_INODES = 100


def _place(host: HostFacts, name: str) -> Place | None:
    return (host.facts.get("places") or {}).get(name)


@check
def home_directory(facts: ClusterFacts) -> Iterable[Finding]:
    """Files can be written to the home directory. Where hosts share no files, agents are brought there."""
    shared = executor_of(facts.cluster).shares_files
    tell = warning if shared else error
    use = "programs cannot write results there" if shared else "agents are copied to ~/.cache/fairlead there"
    for host in facts.reached():
        home = _place(host, "home")
        if home is None:
            if host.facts.get("places"):
                yield error(
                    [host.name],
                    "there is no home directory for ssh keys and fairlead's programs",
                    "mkhomedir_helper $USER (as root), or mount it",
                )
            continue
        where = f"{home['path']} ({home['type']}, mounted at {home['mount']})"
        if home["read_only"]:
            yield tell(
                [host.name],
                f"{where} is read-only: {use}",
                f"mount -o remount,rw {home['mount']}; if that fails, see why with dmesg | tail",
            )
        elif home["free_B"] < LITTLE_ROOM_B or (home["free_inodes"] or FEW_INODES) < FEW_INODES:
            left = f"{home['free_B'] >> 20} MiB" if home["free_B"] < LITTLE_ROOM_B else f"{home['free_inodes']} inodes"
            yield tell(
                [host.name],
                f"{where} has {left} left: {use}",
                "rm -rf ~/.cache/fairlead/* (fairlead recreates it); du -xsh ~/* ~/.[!.]* | sort -h shows what "
                "else takes space",
            )
        elif home["write_error"]:
            yield tell(
                [host.name],
                f"cannot write to {where}: {home['write_error']}: {use}",
                "quota -s shows an exhausted quota; chown -R $USER ~ (as root) takes over files that others own",
            )


@check
def no_execution(facts: ClusterFacts) -> Iterable[Finding]:
    """Programs can be started where fairlead's are, and where users put theirs."""
    for host in facts.reached():
        for name, place in (host.facts.get("places") or {}).items():
            if not place or not place["noexec"]:
                continue
            if name.startswith("program ") or (name == "home" and not executor_of(facts.cluster).shares_files):
                what = name.partition(" ")[2] or "fairlead-agent"
                yield error(
                    [host.name],
                    f"{place['mount']} is mounted noexec: {what} in {place['path']} does not start (Permission denied)",
                    f"mount -o remount,exec {place['mount']}, and remove noexec from its line in /etc/fstab",
                )
            else:
                yield note(
                    [host.name],
                    f"{place['mount']} is mounted noexec: MPI programs there end with exit code 126 (Permission "
                    "denied); data files are not affected",
                    f"mount -o remount,exec {place['mount']}, or keep programs elsewhere",
                )


@check
@for_kernel_routes
def guardian_file_system(facts: ClusterFacts) -> Iterable[Finding]:
    """The guardian lies where a file capability counts: neither nosuid nor a network file system."""
    for host in facts.reached():
        place = _place(host, "program fairlead-guardian")
        held = {item["name"]: item["ok"] for item in (host.facts["guardian"] or {}).get("checks", ())}
        if place is None or held.get("cap_net_admin") is not False:
            continue
        network = place["type"].startswith(("nfs", "lustre", "cifs", "smb", "fuse", "beegfs", "gpfs"))
        if place["nosuid"] or network:
            why = "nosuid" if place["nosuid"] else f"of type {place['type']}, which keeps no file capabilities"
            yield warning(
                [host.name],
                f"{place['mount']} is {why}: setcap on the guardian in {place['path']} has no effect",
                f"fairlead guardian install {facts.cluster.source}: it puts one into /usr/local/bin, which runs find "
                "if the cluster file names no `guardian`",
            )
