"""The process that holds a lab: init of its PID namespace, owner of the descriptors that keep its namespaces alive.

Nothing is pinned or named in the machine, so that the kernel takes everything down when this process ends, however it
ends. It is started as a script of its own and imports the standard library only, to be small and quick.

Standard input: one line, the job as JSON (`fairlead.lab.start` writes it), then ``keep`` once the starter has
noted that the lab is there; end of file before that means that the starter is gone, and the lab goes too.
Standard output: JSON lines ``{"holder": pid}``, then ``{"ready": {...}}`` or ``{"error": text}``.
"""

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn, TypedDict

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x8, 0x1000, 0x4000, 0x40000
SIOCGIFFLAGS, SIOCETHTOOL, ETHTOOL_GLINK = 0x8913, 0x8946, 0x0A
IFF_UP, IFF_RUNNING = 0x1, 0x40
LINKS_TIMEOUT_S = 3.0
FIRST_DESCRIPTOR = 10
KINDS = ("net", "uts", "ipc", "mnt")  # in the order of a namespace's consecutive descriptors

_libc = ctypes.CDLL(None, use_errno=True)


class Namespace(TypedDict):
    """A `fairlead.lab.recipe.Namespace`."""

    name: str
    is_host: bool
    sysctls: dict[str, str]
    ip: list[str]
    tc: list[str]
    nft: list[str]


class Job(TypedDict):
    """What is to be made.

    Attributes:
        tools: paths of ``ip``, ``tc`` and, where it is needed, ``nft``.
        share: directories of the machine that hosts see.
        hosts_file: what is ``/etc/hosts`` there.
        links: ``ip -batch`` lines that make all links.
    """

    congestion_control: str
    tools: dict[str, str]
    share: list[str]
    hosts_file: str
    links: list[str]
    namespaces: list[Namespace]
    user_namespace: bool


class Ready(TypedDict):
    """What was made.

    Attributes:
        descriptors: the first one of each namespace, by name.
        pid_namespace: its inode.
        congestion_control_by: what pins it, ``sysctl`` or ``route``.
        qdiscs: by namespace, as tc(8) tells them.
    """

    descriptors: dict[str, int]
    pid_namespace: int
    congestion_control_by: str
    qdiscs: dict[str, Any]


class HolderError(Exception):
    """The lab could not be made; the text goes to the starter."""


def _call(name: str, *arguments: Any) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        shown = ", ".join(str(os.fsdecode(a) if isinstance(a, bytes) else a) for a in arguments if a is not None)
        raise OSError(number, f"{name}({shown}): {os.strerror(number)}")


def _unshare(flags: int) -> None:
    _call("unshare", flags)


def _setns(descriptor: int) -> None:
    _call("setns", descriptor, 0)


def _mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    def encode(text: str | None) -> bytes | None:
        return os.fsencode(text) if text is not None else None

    _call("mount", encode(source), encode(target), encode(kind), ctypes.c_ulong(flags), encode(options))


def _say(**message: object) -> None:
    os.write(1, (json.dumps(message) + "\n").encode())


def _told(error: Exception) -> str:
    """The error without its number: "unshare(1073741824): No space left on device"."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror


def enter_user_namespace() -> None:
    """Become root of a user namespace of our own; the caller's user and group are all that exists in it."""
    user, group = os.getuid(), os.getgid()
    _unshare(CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")


class Builder:
    """Makes the namespaces of a job and what is in them. Runs as process 1 of the new PID namespace."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.descriptors: dict[str, int] = {}  # first descriptor of each namespace set
        self.base = [self._open(kind) for kind in KINDS]

    def build(self) -> Ready:
        """Make everything; return what is reported as ready."""
        _mount("none", "/", None, MS_REC | MS_PRIVATE)
        _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
        for space in self.job["namespaces"]:
            self._make(space)
        self._run_all({"": [("ip", self._fill(self.job["links"]))]})
        pinned_by = self._pin_congestion_control()
        congctl = f" congctl {self.job['congestion_control']}" if pinned_by == "route" else ""
        self._run_all({s["name"]: [("ip", self._fill(s["ip"], congctl))] for s in self.job["namespaces"]})
        self._run_all({s["name"]: [("nft", s["nft"])] for s in self.job["namespaces"] if s["nft"]})
        # The answer to the last line is what the kernel made of the ones before.
        output = self._run_all({s["name"]: [("tc", [*s["tc"], "qdisc show"])] for s in self.job["namespaces"]})
        self._wait_for_links()
        return {
            "descriptors": self.descriptors,
            "pid_namespace": Path("/proc/self/ns/pid").stat().st_ino,
            "congestion_control_by": pinned_by,
            "qdiscs": {name: json.loads(text) for name, text in output.items()},
        }

    def _wait_for_links(self) -> None:
        """Until the kernel has noticed that all links have a carrier: a switch drops what it gets before.

        It looks at carriers once a second, and since 6.8 also when it is asked for one.
        """
        deadline_s = time.monotonic() + LINKS_TIMEOUT_S
        try:
            for first in self.descriptors.values():
                _setns(first)
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
                    names = [name for _, name in socket.if_nameindex()]
                    while not all(_runs(asked, name) for name in names) and time.monotonic() < deadline_s:
                        time.sleep(0.01)
        finally:
            _setns(self.base[0])

    def _open(self, kind: str) -> int:
        return os.open(f"/proc/self/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC)

    def _make(self, space: Namespace) -> None:
        _unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS)
        socket.sethostname(space["name"])
        for name, value in space["sysctls"].items():
            Path("/proc/sys", name).write_text(value)
        if space["is_host"]:
            self._private_directories()
        first = FIRST_DESCRIPTOR + len(KINDS) * (len(self.descriptors) + 1)
        for offset, kind in enumerate(KINDS):
            descriptor = self._open(kind)
            os.dup2(descriptor, first + offset, inheritable=False)
            os.close(descriptor)
        self.descriptors[space["name"]] = first
        for descriptor in self.base:  # the next one starts from the machine's mounts again
            _setns(descriptor)

    def _private_directories(self) -> None:
        # MPI libraries that see one shared memory or one session directory take two hosts for one.
        shared = {path: os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC) for path in self.job["share"]}
        for path in ("/tmp", "/dev/shm"):
            _mount("fairlead", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
        for path, descriptor in shared.items():
            Path(path).mkdir(parents=True, exist_ok=True)
            _mount(f"/proc/self/fd/{descriptor}", path, None, MS_BIND | MS_REC)
            os.close(descriptor)
        _mount("fairlead", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC)  # its own interfaces in /sys/class/net
        _mount(self.job["hosts_file"], "/etc/hosts", None, MS_BIND)

    def _fill(self, lines: list[str], congctl: str = "") -> list[str]:
        paths = {name: f"/proc/{os.getpid()}/fd/{first}" for name, first in self.descriptors.items()}
        filled = []
        for line in lines:
            line = line.replace("{congctl}", congctl)
            while "{netns:" in line:
                head, _, tail = line.partition("{netns:")
                name, _, tail = tail.partition("}")
                line = head + paths[name] + tail
            filled.append(line)
        return filled

    def _pin_congestion_control(self) -> str:
        """Set the sysctl in every host, or say that routes have to do it.

        A namespace accepts only algorithms that the machine lists in tcp_allowed_congestion_control, even from root.
        """
        try:
            for space in self.job["namespaces"]:
                if space["is_host"]:
                    _setns(self.descriptors[space["name"]])
                    Path("/proc/sys/net/ipv4/tcp_congestion_control").write_text(self.job["congestion_control"])
        except PermissionError:
            return "route"
        finally:
            _setns(self.base[0])
        return "sysctl"

    def _run_all(self, batches: dict[str, list[tuple[str, list[str]]]]) -> dict[str, str]:
        """Give each namespace ("" is the one we are in) its batch; all at the same time. Returns what they print."""
        running = []
        for name, parts in batches.items():
            if name:
                _setns(self.descriptors[name])
            for tool, lines in parts:
                process = subprocess.Popen(
                    [self.job["tools"][tool], *(("-f", "-") if tool == "nft" else ("-json", "-batch", "-"))],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                assert process.stdin is not None
                with contextlib.suppress(BrokenPipeError), process.stdin as batch:  # it has ended, and says why
                    batch.write("".join(f"{line}\n" for line in lines))
                process.stdin = None
                running.append((name, tool, lines, process))
        _setns(self.base[0])
        output: dict[str, str] = {}
        for name, tool, lines, process in running:
            stdout, stderr = process.communicate()
            if process.returncode != 0:
                raise HolderError(f"{tool} failed in {name or 'the lab'}: {stderr.strip()}\n" + "\n".join(lines))
            output[name] = stdout
        return output


def _runs(asked: socket.socket, interface: str) -> bool:
    """Whether an interface carries packets, or is not meant to: it was not set up."""
    name = interface.encode()
    value = ctypes.create_string_buffer(struct.pack("II", ETHTOOL_GLINK, 0))
    with contextlib.suppress(OSError):  # not every kind of interface can be asked
        fcntl.ioctl(asked, SIOCETHTOOL, struct.pack("16sP8x", name, ctypes.addressof(value)))
    flags = struct.unpack_from("16xH", fcntl.ioctl(asked, SIOCGIFFLAGS, struct.pack("16s16x", name)))[0]
    return not flags & IFF_UP or bool(flags & IFF_RUNNING)


def _make_room_for_descriptors(count: int) -> None:
    needed = FIRST_DESCRIPTOR + len(KINDS) * (count + 1) + 4 * count + 64
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < needed:
        if hard not in (resource.RLIM_INFINITY,) and hard < needed:
            raise HolderError(f"{needed} open files are needed but only {hard} allowed (ulimit -n)")
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def hold(job: Job) -> NoReturn:
    """Build, report, then stay and reap until told to end."""
    try:
        _make_room_for_descriptors(len(job["namespaces"]))
        ready = Builder(job).build()
    except (HolderError, OSError) as error:
        _say(error=_told(error), errno=getattr(error, "errno", None))
        os._exit(1)
    _say(ready=ready)
    if sys.stdin.readline() != "keep\n":
        os._exit(1)
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.chdir("/")
    watched = {signal.SIGCHLD, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    while True:
        _reap()
        if signal.sigwait(watched) == signal.SIGTERM:
            os._exit(0)


def _reap() -> None:
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return


def main() -> None:
    job: Job = json.loads(sys.stdin.readline())
    try:
        if job["user_namespace"]:
            enter_user_namespace()
        _unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC)
    except OSError as error:
        privilege = error.errno in (errno.EPERM, errno.ENOSPC, errno.EACCES)
        _say(error=_told(error), errno=error.errno, privilege=privilege)
        sys.exit(1)
    pid = os.fork()
    if pid == 0:
        hold(job)
    _say(holder=pid)


if __name__ == "__main__":
    main()
