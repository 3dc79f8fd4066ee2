"""Who configures a host's NICs, and what a bond does with a lease: from what hosts print to command lines."""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fairlead.errors import ConfigError
from fairlead.net import dhcp
from fairlead.net.change import NetworkChange, Wanted, disagreements, plan_change
from fairlead.net.dhcp import DhcpClient, complaints, hold, let_go, read_clients, renew_no_more
from fairlead.net.state import Address, BondState, HostNetwork, Nic
from fairlead.runtime import Process

NAMES = frozenset({"lo", "eth0", "eth1", "eth2"})
NIC = Nic(
    **{"name": "eth1", "mac": "02:00:00:00:00:01", "mtu_B": 1500, "is_up": True, "has_link": True, "master": None},
    addresses=(Address("10.1.0.50/24", "10.1.0.255", True, 3600),),
    routes=("default via 10.1.0.254",),
    **{"speed_Mbps": 1000, "duplex": "full", "driver": None, "kind": {}},
)
OTHER = replace(NIC, name="eth2", mac="02:00:00:00:00:02", addresses=(), routes=())
DHCLIENT = DhcpClient("dhclient", 700, 4242, frozenset({"eth1"}))
ENDS = "the lease of 10.1.0.50/24 (eth1) ends in 1\N{NO-BREAK SPACE}h 0\N{NO-BREAK SPACE}min"
WANTED = Wanted("bond7", ("eth2", "eth1"), "active-backup")


def change_of(*clients: DhcpClient, nic: Nic = NIC) -> NetworkChange:
    return plan_change("h0", HostNetwork({"eth1": nic, "eth2": OTHER}, {}, True, False, clients, 1000), WANTED)


@pytest.mark.parametrize(
    ("line", "nics"),
    [
        ("dhclient\t/sbin/dhclient\t-4\t-v\t-pf\t/run/dhclient.eth1.pid\teth1", {"eth1"}),
        ("dhclient\tdhclient\teth1\teth2", {"eth1", "eth2"}),
        ("dhclient\tdhclient", None),
        ("udhcpc\tudhcpc\t-f\t-i\teth2\t-s\t/run/x", {"eth2"}),
        ("udhcpc\tudhcpc\t-qieth2", {"eth2"}),
        ("udhcpc\tudhcpc\t--interface=eth2", {"eth2"}),
        ("udhcpc\tudhcpc\t-b", {"eth0"}),
        ("busybox\t/bin/busybox\tudhcpc\t-i\teth1", {"eth1"}),
        ("busybox\tudhcpc\t-i\teth1", {"eth1"}),
        ("dhcpcd\tdhcpcd: eth1 [ip4]", {"eth1"}),
        ("dhcpcd\tdhcpcd: [manager] [ip4] [ip6]", None),
        ("systemd-network\teth1\teth2", {"eth1", "eth2"}),
        ("NetworkManager\teth1", {"eth1"}),
    ],
)
def test_clients_are_found_with_the_interfaces_they_have(line: str, nics: set[str] | None) -> None:
    (client,) = read_clients(f"700 4242 {line}\t\n", NAMES)
    assert client.nics == (None if nics is None else frozenset(nics))
    assert (client.pid, client.started) == (700, 4242)


@pytest.mark.parametrize(
    "line",
    [
        "busybox\t/bin/busybox\tsh",
        "busybox\tsh",
        "dhcpcd\tdhcpcd: [privileged proxy] eth1 [ip4]",
        "dhcpcd\tdhcpcd: [BPF ARP] eth1 10.1.0.50",
        "dhclient\t/sbin/dhclient\t-sf\t/usr/lib/NetworkManager/nm-dhcp-helper\teth1",
        "dhclient",  # it has ended
    ],
)
def test_what_is_no_client_of_its_own_is_passed_over(line: str) -> None:
    assert read_clients(f"700 4242 {line}\n", NAMES) == ()


def test_a_lease_moves_with_what_is_left_of_it_and_its_client_is_stopped() -> None:
    change = change_of(DHCLIENT)
    left = (
        r"left=$(($(sed -n 's|^bond7 10.1.0.50/24 \([0-9]*\).*|\1|p' /run/fairlead-net/leases) - "
        "$(cut -d. -f1 /proc/uptime))); [ $left -le 0 ] || "
    )
    address = "ip address add 10.1.0.50/24 broadcast 10.1.0.255 dev {} valid_lft $left preferred_lft $left"
    # Of the NIC with the lease, which is not the first.
    assert change.apply[2] == "ip link set bond7 address 02:00:00:00:00:01"
    assert change.apply[3].endswith(
        "; send STOP 700 4242 || { echo 'dhclient (process 700) has ended meanwhile' >&2; exit 1; }"
    )
    assert change.apply[-4:-2] == (
        left + address.format("bond7"),
        left + "ip route replace default via 10.1.0.254 dev bond7",
    )
    assert change.restore[-3:-1] == (
        left + address.format("eth1"),
        left + "ip route replace default via 10.1.0.254 dev eth1",
    )
    assert change.restore[-1].endswith('; ! [ "$(start_of 700)" = 4242 ] || send CONT 700 4242')
    assert change.leases == ("bond7 10.1.0.50/24 4600 dhclient",)
    assert change.addresses == ("10.1.0.50/24",)
    assert change.remarks == (
        f"{ENDS}: dhclient renews it on bond7",
        "dhclient (process 700) is stopped meanwhile",
    )


def test_dhclient_renews_the_lease_on_the_bond_with_its_own_options() -> None:
    own = (
        "-4",
        "-v",
        "-i",
        "-pf",
        "/run/dhclient.eth1.pid",
        "-lf",
        "/var/lib/dhcp/of eth1",
        "-cf",
        "/etc/a.conf",
        "eth1",
    )
    change = change_of(replace(DHCLIENT, words=own))
    leases = "/run/dhclient.fairlead-net.leases"
    assert change.apply[-2:] == (
        f"""[ ! -e '/var/lib/dhcp/of eth1' ] || sed 's/interface "eth1"/interface "bond7"/' '/var/lib/dhcp/of eth1' """
        f"> {leases}",
        change.apply[-1],
    )
    own = f"dhclient -4 -1 -i -cf /etc/a.conf -pf /run/dhclient.fairlead-net.pid -lf {leases} bond7"
    assert own in change.apply[-1] and change.apply[-1].endswith(" &")
    assert "ip address change 10.1.0.50/24 dev bond7 valid_lft $left" in change.apply[-1]
    assert "kill -s KILL" in change.restore[0]  # before the bond goes
    assert change.restore[1].endswith("ip link delete bond7")


def test_dhcpcd_renews_the_lease_on_the_bond() -> None:
    change = change_of(replace(DHCLIENT, program="dhcpcd"))
    assert change.apply[-2:] == (
        "[ ! -e /var/lib/dhcpcd/eth1.lease ] || cp /var/lib/dhcpcd/eth1.lease /var/lib/dhcpcd/bond7.lease",
        "dhcpcd -4 -b bond7 </dev/null >/dev/null",
    )
    assert change.restore[0] == "dhcpcd -4 -x bond7 >/dev/null 2>&1; rm -f /var/lib/dhcpcd/bond7.lease"


def test_networkd_has_the_bond_as_it_had_the_nic_and_is_the_same_client_for_the_server() -> None:
    networkd = replace(DHCLIENT, program="systemd-networkd", nics=frozenset({"eth1"}))
    apply = change_of(networkd).apply
    (file,) = (line for line in apply if "NETWORK_FILE" in line)
    assert "/sys/class/net/eth1/ifindex" in file and "IAID" in file and "' bond7\n" in file
    assert file.endswith("> /run/systemd/network/00-fairlead-net-bond.network")
    (alone,) = (line for line in apply if "Unmanaged" in line)
    assert "Name=eth2 eth1\\n" in alone


@pytest.mark.parametrize("why", ["udhcpc", "NetworkManager", "two leases", "two clients"])
def test_a_lease_that_cannot_be_renewed_on_the_bond_ends_it(why: str) -> None:
    is_program = why in ("udhcpc", "NetworkManager")
    client = replace(DHCLIENT, program=why if is_program else "dhclient", nics=frozenset({"eth1", "eth2"}))
    other = replace(OTHER, addresses=(Address("10.1.0.51/24", None, True, 200),)) if why == "two leases" else OTHER
    clients = (client, replace(DHCLIENT, pid=701)) if why == "two clients" else (client,)
    now = HostNetwork({"eth1": NIC, "eth2": other}, {}, True, False, clients, 1000)
    change = plan_change("h0", now, WANTED)
    assert all(len(lease.split()) == 3 for lease in change.leases)
    assert f"{ENDS}: nobody renews it meanwhile, so the bond goes 30 s before" in change.remarks
    assert not any("-lf" in line for line in change.apply)


def test_a_lease_that_never_ends_sets_no_end() -> None:
    change = change_of(DHCLIENT, nic=replace(NIC, addresses=(Address("10.1.0.50/24", None, False),)))
    assert change.leases == ()
    assert any("send STOP 700 4242" in line for line in change.apply)
    assert change.apply[-2] == "ip address add 10.1.0.50/24 dev bond7"


@pytest.mark.parametrize(
    ("clients", "nic", "reason"),
    [
        ((), NIC, r"eth1 gets its address by DHCP, from none of dhclient, .*: give it a static one"),
        (
            (DHCLIENT,),
            replace(NIC, addresses=(Address("10.1.0.50/24", None, True, 89),)),
            r"eth1's lease of 10\.1\.0\.50/24 ends in 89 s: try again once it is renewed",
        ),
        (
            (replace(DHCLIENT, program="udhcpc"),),
            replace(NIC, addresses=(Address("10.1.0.50/24", None, False),)),
            r"udhcpc did not tell the kernel when its lease ends",
        ),
        ((replace(DHCLIENT, nics=None),), NIC, r"configures all interfaces.*start it for eth2, eth1 alone"),
        ((replace(DHCLIENT, nics=frozenset({"eth0", "eth1"})),), NIC, r"also configures eth0: start one for each"),
        ((DHCLIENT, replace(DHCLIENT, pid=701, is_of_ipv6=True)), NIC, r"process 701\) has addresses by DHCPv6"),
    ],
)
def test_what_would_lose_its_lease_is_refused(clients: tuple[DhcpClient, ...], nic: Nic, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        change_of(*clients, nic=nic)


def test_a_client_of_other_interfaces_is_left_alone() -> None:
    change = change_of(DHCLIENT, replace(DHCLIENT, pid=800, nics=frozenset({"eth0"})))
    assert not any("800" in line for line in (*change.apply, *change.restore))


def test_managers_are_told_to_leave_the_nics_alone_and_to_take_them_back() -> None:
    nics = ("eth1", "eth2")
    manager = DhcpClient("NetworkManager", 1, 2, frozenset({"eth1", "wlan0"}))
    assert list(hold(manager, "bond7", nics)) == [
        "nmcli -g GENERAL.CON-UUID device show eth1 > /run/fairlead-net/profile-of-eth1 || true",
        "nmcli device set eth1 managed no",
    ]
    manages, activates = let_go(manager, nics)
    assert manages == "nmcli device set eth1 managed yes"
    assert activates.endswith(" sh eth1 /run/fairlead-net/profile-of-eth1")
    assert "\n" not in activates  # a line each
    networkd = replace(manager, program="systemd-networkd")
    path = "/run/systemd/network/00-fairlead-net.network"
    assert list(hold(networkd, "bond7", nics)) == [
        "umask 022",
        "mkdir -p /run/systemd/network",
        "ip link set eth1 down",
        rf"printf '[Match]\nName=eth1 eth2 bond7\n[Link]\nUnmanaged=yes\n' > {path}",
        "networkctl reload",
    ]
    both = f"{path} /run/systemd/network/00-fairlead-net-bond.network"
    assert list(let_go(networkd, nics)) == [f"[ ! -e {path} ] || {{ rm -f {both} && networkctl reload; }}"]
    assert not list(complaints(manager, nics)) and not list(complaints(networkd, nics))


def test_a_bond_without_the_address_that_moved_is_not_as_wanted() -> None:
    bond = BondState("bond7", "active-backup", "", 100, "", ("eth2", "eth1"), None)
    nics = {name: replace(NIC, name=name, kind={"bonding_slave/mii_status": "up"}) for name in ("eth1", "eth2")}
    there = HostNetwork({**nics, "bond7": replace(NIC, name="bond7", addresses=())}, {"bond7": bond}, True, True)
    assert disagreements(there, WANTED, ["10.1.0.50/24"]) == ["it does not have 10.1.0.50/24"]
    assert disagreements(there, WANTED) == []


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    """A living process, the first of its group."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as process:
        yield process
        process.kill()


def state_of(process: subprocess.Popen[bytes]) -> str:
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2][0]


def shell(*lines: str) -> "subprocess.CompletedProcess[str]":
    """Each line by itself, as the way back has it."""
    for line in lines:
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    return done


def test_a_client_is_stopped_and_goes_on(other: subprocess.Popen[bytes]) -> None:
    client = replace(DHCLIENT, pid=other.pid, started=Process.of(other.pid).start_ticks)
    assert shell(*hold(client, "bond7", ["eth1"])).returncode == 0
    while state_of(other) != "T":
        time.sleep(0.01)
    assert shell(*let_go(client, ["eth1"])).returncode == 0
    while state_of(other) == "T":
        time.sleep(0.01)


def test_a_process_that_has_a_clients_number_by_now_is_left_alone(other: subprocess.Popen[bytes]) -> None:
    client = replace(DHCLIENT, pid=other.pid, started=Process.of(other.pid).start_ticks - 100)
    done = shell(*hold(client, "bond7", ["eth1"]))
    assert (done.returncode, done.stderr) == (1, f"dhclient (process {other.pid}) has ended meanwhile\n")
    os.kill(other.pid, signal.SIGSTOP)
    while state_of(other) != "T":
        time.sleep(0.01)
    assert shell(*let_go(client, ["eth1"])).returncode == 0
    time.sleep(0.1)
    assert state_of(other) == "T"


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Of the process that begins to renew a lease, and of dhclient, in a directory of the test's own."""
    beginning, pid = tmp_path / "renewing", tmp_path / "own.pid"
    monkeypatch.setattr(dhcp, "_BEGINNING", str(beginning))
    monkeypatch.setattr(dhcp, "_PID", str(pid))
    monkeypatch.setattr(dhcp, "_LEASES", str(tmp_path / "leases"))
    return beginning, pid


@pytest.mark.parametrize("of_dhclient", [False, True])
def test_who_renews_on_the_bond_is_ended_and_nobody_who_has_its_number_by_now(
    notes: tuple[Path, Path], of_dhclient: bool
) -> None:
    """dhclient notes no start: its own words tell it apart."""
    beginning, pid = notes
    ours = f": {shlex.quote(str(pid))}; sleep 60; :"
    with (
        subprocess.Popen(["sh", "-c", ours], start_new_session=True) as wanted,
        subprocess.Popen(["sh", "-c", "sleep 60; :" if of_dhclient else ours], start_new_session=True) as other,
    ):
        try:
            for process, past in ((other, 100), (wanted, 0)):
                started = Process.of(process.pid).start_ticks - past
                (pid if of_dhclient else beginning).write_text(
                    f"{process.pid}\n" if of_dhclient else f"{process.pid} {started}\n"
                )
                assert shell(*renew_no_more(DHCLIENT, "bond7")).returncode == 0
                assert not pid.exists()
            assert wanted.wait(10) == -signal.SIGKILL
            assert other.poll() is None
        finally:
            for process in (wanted, other):
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
