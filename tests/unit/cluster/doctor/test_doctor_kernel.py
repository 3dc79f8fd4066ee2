"""Checks of kernels and processors, and the texts from which the probe knows them."""

import platform
import struct

import pytest

from fairlead.cluster.doctor.findings import judge
from fairlead.cluster.doctor.probing import kernel

from .doctor_facts import ERROR, NAMES, NOTE, WARNING, Case, Change, check_case, healthy, named, one, setting, several

HERE = platform.machine()
OTHER = "aarch64" if HERE != "aarch64" else "x86_64"
FLAGS_V2 = "fpu lm cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3"
FLAGS_V3 = f"{FLAGS_V2} avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"
FLAGS_V4 = f"{FLAGS_V3} avx512f avx512bw avx512cd avx512dq avx512vl"


def namespaces(**settings: object) -> Change:
    state = {
        "error": "Operation not permitted",
        "built": True,
        "apparmor_restricts": None,
        "clone": None,
        "most": 96365,
    }
    return setting("facts", "user_namespaces", value=state | settings)


def guardian_fails(name: str) -> Change:
    checks = [{"name": name, "ok": False, "detail": "Operation not supported", "fix": f"load the kernel module {name}"}]
    return setting("facts", "guardian", "checks", value=checks)


def enforcing(**state: object) -> Change:
    return setting("facts", "selinux", value={"type": "unconfined_t", "nfs_homes": True, "labels": {}} | state)


CASES: list[Case] = [
    (
        "user_namespaces",
        NOTE,
        namespaces(apparmor_restricts=1),
        "kernel.apparmor_restrict_unprivileged_userns is 1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 && echo",
    ),
    ("user_namespaces", NOTE, namespaces(clone=0), "unprivileged_userns_clone is 0", "unprivileged_userns_clone=1"),
    ("user_namespaces", NOTE, namespaces(most=0), "max_user_namespaces is 0", "user.max_user_namespaces=15000"),
    ("user_namespaces", NOTE, namespaces(built=False), "the kernel has none", "CONFIG_USER_NS=y"),
    ("user_namespaces", NOTE, namespaces(), "(Operation not permitted)", "sudo fairlead lab up FILE"),
    (
        "kernel_parts",
        WARNING,
        setting("facts", "modules", "vxlan", value="missing"),
        "this kernel lacks vxlan",
        "apt install linux-image-",
    ),
    (
        "kernel_parts",
        WARNING,
        several(
            setting("facts", "modules", "nf_tables", value="missing"),
            setting("facts", "system", "distribution", value="ubuntu"),
        ),
        "this kernel lacks nf_tables",
        "apt install linux-modules-extra-$(uname -r); or run with --plane relay",
    ),
    (
        "kernel_parts",
        WARNING,
        several(
            setting("facts", "modules", "vxlan", value="missing"), setting("facts", "system", "container", value=True)
        ),
        "this kernel lacks vxlan",
        "on the server that the container runs on",
    ),
    (
        "kernel_parts",
        WARNING,
        guardian_fails("vxlan"),
        "module vxlan is installed but not loaded",
        "modprobe vxlan && echo vxlan > /etc/modules-load.d/fairlead-vxlan.conf",
    ),
    (
        "kernel_age",
        WARNING,
        setting("facts", "system", "release", value="3.10.0-1160.el7.x86_64"),
        "Linux 3.10.0-1160.el7.x86_64 is older than 4.17",
        "--plane relay",
    ),
    (
        "sock_diag",
        ERROR,
        setting("facts", "sock_diag", value="No such file or directory"),
        "(sock_diag: No such file or directory): an agent here sees no congestion",
        "modprobe tcp_diag",
    ),
    (
        "sock_diag",
        ERROR,
        several(
            setting("facts", "sock_diag", value="No such file or directory"),
            setting("facts", "modules", "tcp_diag", value="missing"),
            setting("facts", "system", "distribution", value="rocky"),
        ),
        "does not list its TCP connections",
        "dnf install kernel-modules-extra-$(uname -r)",
    ),
    (
        "selinux",
        WARNING,
        several(enforcing(nfs_homes=False), setting("facts", "places", "home", "type", value="nfs4")),
        "sshd may not read keys in this home directory (NFS)",
        "setsebool -P use_nfs_home_dirs 1",
    ),
    (
        "selinux",
        WARNING,
        enforcing(type="slurmd_t"),
        "runs what is started here as slurmd_t",
        "permissive -a slurmd_t",
    ),
    (
        "selinux",
        WARNING,
        enforcing(labels={"/opt/fairlead-guardian": "user_home_t"}),
        "/opt/fairlead-guardian has the label user_home_t",
        "restorecon -v /opt/fairlead-guardian",
    ),
    (
        "architectures",
        ERROR,
        setting("facts", "system", "machine", value=OTHER),
        f"{HERE} on h0, h2; {OTHER} on h1",
        "cluster file for each processor type",
    ),
    (
        "processors",
        NOTE,
        setting("facts", "system", "cpu_level", value=2),
        "x86-64-v2 on h1; x86-64-v3 on h0, h2",
        "-march=x86-64-v2",
    ),
    (
        "open_files",
        WARNING,
        setting("facts", "limits", "open_files", value=60),
        "may open 60 files, but a rank needs a socket for each of 3 ranks",
        "nofile 65536",
    ),
]
TRIED = {case[0] for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=named(CASES))
def test_one_fault_is_found_and_named(case: Case) -> None:
    check_case(case)


def test_a_guardian_without_its_privilege_says_nothing_of_modules() -> None:
    refused = [
        {"name": name, "ok": False, "detail": "Operation not permitted", "fix": "as root: setcap"}
        for name in ("cap_net_admin", "vxlan", "nftables")
    ]
    facts = healthy(setting("facts", "guardian", "checks", value=refused))
    assert not [item for item in judge(facts) if item.check == "kernel_parts"]


def test_root_makes_labs_without_user_namespaces_and_labs_are_not_nested() -> None:
    as_root = several(namespaces(clone=0), setting("facts", "system", "root", value=True))
    assert not [item for item in judge(healthy(as_root)) if item.check == "user_namespaces"]
    inside = healthy(namespaces(clone=0), executor="lab", lab="x")
    assert not [item for item in judge(inside) if item.check == "user_namespaces"]


def test_hosts_that_are_alike_and_unlike_this_machine() -> None:
    facts = healthy(setting("facts", "system", "machine", value=OTHER), on=NAMES)
    found = one(judge(facts), "architectures")
    assert found.hosts == NAMES
    assert found.text.startswith(f"hosts have {OTHER} processors, this machine {HERE}")


def test_selinux_that_concerns_nothing_of_fairleads_is_not_told() -> None:
    assert not [item for item in judge(healthy(enforcing())) if item.check == "selinux"]


@pytest.mark.parametrize(
    ("flags", "level"), [("fpu lm sse2", 1), (FLAGS_V2, 2), (FLAGS_V3, 3), (FLAGS_V4, 4), ("fp asimd evtstrm", None)]
)
def test_levels_of_processors(flags: str, level: int | None) -> None:
    assert kernel.cpu_level(f"processor\t: 0\nflags\t\t: {flags}\nbugs\t\t:\n") == level


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("nf_tables", "loaded"),
        ("tcp_diag", "built in"),
        ("vxlan", "there"),
        ("sch_netem", "missing"),
        ("loop", "there"),
    ],
)
def test_states_of_modules(name: str, state: str) -> None:
    loaded = "nf_tables 303104 1 nft_compat, Live 0x0000000000000000\nudp_tunnel 32768 0 - Live 0x0\n"
    builtin = "kernel/net/ipv4/tcp_diag.ko\nkernel/net/ipv4/inet_diag.ko\n"
    files = "kernel/drivers/net/vxlan/vxlan.ko.xz: kernel/net/ipv4/udp_tunnel.ko.xz\nkernel/drivers/block/loop.ko:\n"
    assert kernel.module_state(name, loaded, builtin, files) == state
    assert kernel.module_state("vxlan", loaded, None, None) == "unknown"


def test_what_the_kernel_answers_about_tcp_connections() -> None:
    refused = struct.pack("=IHHII", 36, kernel.NLMSG_ERROR, 0, 1, 0) + struct.pack("=i", -2) + bytes(16)
    assert kernel.parse_diag_answer(refused) == "No such file or directory"
    done = struct.pack("=IHHII", 20, 3, 2, 1, 0) + struct.pack("=i", 0)
    assert kernel.parse_diag_answer(done) is None
    assert kernel.parse_diag_answer(b"") == "the answer is too short"


def test_this_kernel_lists_its_connections() -> None:
    assert kernel.sock_diag() is None


def test_types_of_selinux_contexts() -> None:
    assert kernel.parse_context("unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023") == "unconfined_t"
    assert kernel.parse_context("unconfined") is None


@pytest.mark.parametrize(("cgroup", "inside"), [("0::/docker/4b1f\n", True), ("1:name=systemd:/lxc/h0\n", True)])
def test_containers_are_known_by_their_groups(cgroup: str, inside: bool) -> None:
    assert kernel.in_container(cgroup) is inside
