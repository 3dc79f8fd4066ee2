"""The kernel: what it was built with and what it permits. Most of it is tried, since settings do not say everything."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import socket
import struct
from pathlib import Path
from typing import Any

from fairlead.cluster.doctor.probing.system import content_of, number

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000  # linux/sched.h
NETLINK_SOCK_DIAG = 4  # linux/netlink.h
SOCK_DIAG_BY_FAMILY = 20  # linux/sock_diag.h
NLM_F_REQUEST, NLM_F_DUMP, NLMSG_ERROR = 0x1, 0x300, 0x2
TCP_LISTEN = 10  # net/tcp_states.h
STA_UNSYNC = 0x0040  # linux/timex.h
MODULES = ("vxlan", "nf_tables", "sch_netem", "tcp_diag")
# What each level of the x86-64 psABI adds, by the names of /proc/cpuinfo; level 1 is every x86-64.
_LEVELS = (
    (2, {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"}),
    (3, {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}),
    (4, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
)


class _Timex(ctypes.Structure):
    """struct timex, up to what is read here."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_char * 256),
    )


def clock() -> dict[str, Any] | None:
    """State of the kernel's clock discipline (adjtimex, read only)."""
    state = _Timex()
    if ctypes.CDLL(None).adjtimex(ctypes.byref(state)) < 0:
        return None
    base = "/sys/devices/system/clocksource/clocksource0"
    return {
        "synchronised": not state.status & STA_UNSYNC,
        "source": content_of(f"{base}/current_clocksource"),
        "sources": (content_of(f"{base}/available_clocksource") or "").split(),
    }


def cpu_level(cpuinfo: str) -> int | None:
    """Level of the x86-64 psABI that a processor has, from /proc/cpuinfo; None for other processors."""
    found = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    flags = set(found.group(1).split()) if found else set()
    if "lm" not in flags:
        return None
    level = 1
    for number_of_level, needed in _LEVELS:
        if not needed <= flags:
            break
        level = number_of_level
    return level


def in_container(cgroup: str) -> bool:
    """Whether this is a container, whose kernel is the server's to set up."""
    marks = (Path("/.dockerenv"), Path("/run/.containerenv"))
    named = re.search(r"docker|lxc|kubepods|libpod|containerd", cgroup) is not None
    return named or any(mark.exists() for mark in marks)


def system() -> dict[str, Any]:
    """Kernel, processor and C library."""
    libc, libc_version = platform.libc_ver()
    named = re.search(r'^ID="?([\w.-]+)', content_of("/etc/os-release") or "", re.MULTILINE)
    return {
        "release": platform.release(),
        "machine": platform.machine(),
        "libc": f"{libc} {libc_version}" if libc else None,
        "distribution": named.group(1) if named else None,
        "cpu_level": cpu_level(content_of("/proc/cpuinfo") or ""),
        "container": in_container(content_of("/proc/1/cgroup") or ""),
        "root": os.geteuid() == 0,
    }


def _unshared() -> int:
    """In a child: 0, or the error number with which the kernel refuses a user namespace that may use networks."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUSER) != 0:
        return ctypes.get_errno()
    # Ubuntu's AppArmor admits the namespace and withholds its capabilities: the second step fails.
    return ctypes.get_errno() if libc.unshare(CLONE_NEWNET) != 0 else 0


def user_namespaces() -> dict[str, Any]:
    """Whether this user may make a user namespace with a network in it, by trial, and what settings say."""
    child = os.fork()
    if child == 0:
        os._exit(_unshared())  # fork and nothing else: no other thread runs yet
    _, status = os.waitpid(child, 0)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
    return {
        "error": None if code == 0 else os.strerror(code),
        "built": Path("/proc/self/ns/user").exists(),
        "apparmor_restricts": number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
        "clone": number("/proc/sys/kernel/unprivileged_userns_clone"),
        "most": number("/proc/sys/user/max_user_namespaces"),
    }


def sock_diag() -> str | None:
    """None if the kernel lists its TCP connections, as agents ask it to; else why not."""
    request = struct.pack("=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 0, 0, 1 << TCP_LISTEN) + bytes(48)
    header = struct.pack("=IHHII", 16 + len(request), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, 1, 0)
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as netlink:
            netlink.settimeout(2)
            netlink.send(header + request)
            return parse_diag_answer(netlink.recv(65536))
    except OSError as error:
        return os.strerror(error.errno) if error.errno else str(error)


def parse_diag_answer(answer: bytes) -> str | None:
    """Why the kernel refused, from the first message of its answer, or None."""
    if len(answer) < 20:
        return "the answer is too short"
    kind = struct.unpack_from("=IH", answer)[1]
    code = struct.unpack_from("=i", answer, 16)[0] if kind == NLMSG_ERROR else 0
    return os.strerror(-code) if code else None


def module_state(name: str, loaded: str, builtin: str | None, files: str | None) -> str:
    """``loaded``, ``built in``, ``there`` (the kernel loads it when asked), ``missing`` or ``unknown``.

    Args:
        loaded: /proc/modules.
        builtin: modules.builtin of this kernel, or None without one.
        files: modules.dep of this kernel, or None without one.
    """
    if re.search(rf"^{name} ", loaded, re.MULTILINE):
        return "loaded"
    pattern = rf"/{name.replace('_', '[-_]')}\.ko\b"
    if builtin is not None and re.search(pattern, builtin):
        return "built in"
    if files is not None and re.search(pattern + r"[.\w]*:", files):
        return "there"
    return "unknown" if builtin is None or files is None else "missing"


def modules() -> dict[str, str]:
    """State of each part of the kernel that fairlead needs and a distribution may have left out."""
    base = next((path for path in (Path("/lib/modules"), Path("/usr/lib/modules")) if path.is_dir()), Path("/"))
    directory = base / platform.release()
    loaded, builtin, files = (
        content_of("/proc/modules"),
        content_of(directory / "modules.builtin"),
        content_of(directory / "modules.dep"),
    )
    return {name: module_state(name, loaded or "", builtin, files) for name in MODULES}


def label_of(path: str) -> str | None:
    """Type in a file's SELinux label, such as ``bin_t``."""
    try:
        label = os.getxattr(path, "security.selinux").decode().rstrip("\0")
    except OSError:
        return None
    return parse_context(label)


def parse_context(context: str) -> str | None:
    """Type of an SELinux context: the third of user:role:type:level."""
    parts = context.split(":")
    return parts[2] if len(parts) >= 3 else None


def selinux(programs: list[str]) -> dict[str, Any] | None:
    """What SELinux enforces here, or None where it is off or permissive."""
    base = Path("/sys/fs/selinux")
    if number(base / "enforce") != 1:
        return None
    nfs_homes = (content_of(base / "booleans/use_nfs_home_dirs") or "").split()[:1]
    return {
        "type": parse_context((content_of("/proc/self/attr/current") or "").rstrip("\0")),
        "nfs_homes": nfs_homes == ["1"] if nfs_homes else None,
        "labels": {path: label_of(path) for path in programs if path.startswith("/")},
    }


def limits() -> dict[str, int | None]:
    """Limits of this user's processes."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return {
        "open_files": None if soft == resource.RLIM_INFINITY else soft,
        "most_open_files": None if hard == resource.RLIM_INFINITY else hard,
    }
