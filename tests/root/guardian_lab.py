"""Three or more hosts in network namespaces, and guardians driven as an agent would drive them: for test_guardian*.py.

Host i sits behind a router of its own; the routers are joined pairwise, so that every pair of hosts has a path that
no other pair uses. Hosts and routers filter reverse paths strictly.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, ClassVar

from fairlead import native

MAGIC = 0x464C4733
SETUP, REROUTE, RESTORE, TEARDOWN, REPLY, ECHOES, TRY, LEASE, SETUP6 = 1, 2, 3, 4, 5, 6, 7, 8, 9
MAX_HOSTS = 1024
SETUP_B, MAX_PACKET_B = (12 + 12 + 16 + 8 * 4 + each_B * MAX_HOSTS for each_B in (8, 20))
AGENT_PORT = 47011
JOB_SIZE = 3
AS_USER = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups"]
LOCK_FILE = "/proc/sys/net/ipv4/tcp_fastopen_key"
REROUTED_TABLE, LAST_HOP_TABLE = 0x464C0000, 0x464C0001
TRIAL_TABLE = 0x464C0028

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
IP_MTU_DISCOVER, IPV6_MTU_DISCOVER, IP_PMTUDISC_DO = 10, 23, 2


def hold(kind: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
    """A process that keeps the new namespace of this kind alive, and ends with this thread at the latest."""
    holder = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command, "sleep", "infinity"])
    ours = Path(f"/proc/self/ns/{kind}").stat().st_ino
    deadline_s = time.monotonic() + 20
    while Path(f"/proc/{holder.pid}/ns/{kind}").stat().st_ino == ours or b"sleep" not in _name(holder.pid):
        assert holder.poll() is None and time.monotonic() < deadline_s, command
        time.sleep(0.001)
    return holder


def _name(pid: int) -> bytes:
    return Path(f"/proc/{pid}/comm").read_bytes()


class UserNamespace:
    """A user namespace of an ordinary user, who is root in it and nowhere else."""

    def __init__(self, uid: int) -> None:
        self.uid = uid
        identity = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--pdeathsig", "KILL"]
        self.holder = hold("user", [*identity, "unshare", "--user", "--map-root-user"])

    @property
    def prefix(self) -> list[str]:
        return ["nsenter", f"--user=/proc/{self.holder.pid}/ns/user", "--setuid=0", "--setgid=0"]

    def close(self) -> None:
        self.holder.kill()
        self.holder.wait()


class Namespace:
    """A network namespace that lives as long as a process of ours: nothing to clean up, however the test ends."""

    family = socket.AF_INET

    def __init__(self, owner: UserNamespace | None = None) -> None:
        self.prefix = owner.prefix if owner else []
        self.holder = hold("net", [*self.prefix, "unshare", "--net"])
        self.ip("link set lo up")

    @property
    def pid(self) -> int:
        return self.holder.pid

    def enter(self, *command: str) -> list[str]:
        return [*self.prefix, "nsenter", f"--net=/proc/{self.pid}/ns/net", *command]

    def run(self, *command: str, check: bool = True, text_in: str | None = None) -> str:
        done = subprocess.run(self.enter(*command), input=text_in, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not check, f"{command}: {done.stderr}"
        return done.stdout

    def start(self, *command: str, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(self.enter(*command), text=True, **options)

    def ip(self, *lines: str) -> None:
        self.run("ip", "-batch", "-", text_in="\n".join(lines) + "\n")

    def ip_json(self, *words: str) -> list[dict[str, Any]]:
        return json.loads(self.run("ip", "-json", "-details", *words) or "[]")

    def socket(self, kind: int, *, uid: int = 0) -> socket.socket:
        """A socket of this namespace and of this user, for use in our own process.

        Namespace and file-system user are properties of the thread, and a socket keeps both for life.
        """

        def make() -> socket.socket:
            with Path(f"/proc/{self.pid}/ns/net").open() as namespace:
                assert LIBC.setns(namespace.fileno(), CLONE_NEWNET) == 0
            LIBC.setfsuid(uid)
            return socket.socket(self.family, kind)

        with ThreadPoolExecutor(1) as thread:
            return thread.submit(make).result()

    def state(self) -> dict[str, Any]:
        """Everything that a guardian may touch."""
        return {
            "rules": self.ip_json("rule"),
            "routes": self.ip_json("-4", "route", "show", "table", "all"),
            "devices": [(link["ifname"], link["flags"], link["mtu"]) for link in self.ip_json("link")],
            "neighbours": self.ip_json("neighbour", "show", "nud", "permanent"),
            "filters": self.run("nft", "--stateless", "list", "ruleset"),
            # As sysctl --all --pattern, which reads the names of all that the kernel has first.
            "settings": self.run("sh", "-c", "grep -r . /proc/sys/net/ipv4/ip_forward* /proc/sys/net/ipv4/conf"),
        }

    def sysctl(self, key: str, value: int | None = None) -> int:
        if value is not None:
            self.run("sysctl", "-qw", f"net.ipv4.{key}={value}")
        return int(self.run("sysctl", "-n", f"net.ipv4.{key}"))

    def counter(self, table: str, name: str) -> int:
        """Packets of a named nftables counter."""
        listed = json.loads(self.run("nft", "--json", "list", "counter", "inet", table, name))
        return next(entry["counter"]["packets"] for entry in listed["nftables"] if "counter" in entry)

    def received_packets(self, device: str) -> int:
        (link,) = self.ip_json("-s", "link", "show", device)
        return int(link["stats64"]["rx"]["packets"])

    def close(self) -> None:
        self.holder.kill()
        self.holder.wait()


class Host(Namespace):
    """One end of the mesh, with its address on eth0."""

    def __init__(self, index: int, owner: UserNamespace | None = None) -> None:
        super().__init__(owner)
        self.index = index

    @property
    def address(self) -> str:
        return f"10.77.{self.index}.2"

    def reaches(
        self,
        other: Host,
        *,
        size_B: int = 100,
        uid: int = 0,
        port: int = 5001,
        fragment: bool = False,
        timeout_s: float = 5.0,
    ) -> bool:
        """Whether one UDP datagram of a user arrives. OSError EMSGSIZE if it is too long and must not be fragmented."""
        with (
            other.socket(socket.SOCK_DGRAM) as receiver,
            self.socket(socket.SOCK_DGRAM, uid=uid) as sender,
        ):
            receiver.bind((other.address, port))
            receiver.settimeout(timeout_s)
            if not fragment:
                if self.family == socket.AF_INET:
                    sender.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
                else:
                    sender.setsockopt(socket.IPPROTO_IPV6, IPV6_MTU_DISCOVER, IP_PMTUDISC_DO)
            sender.sendto(bytes(size_B), (other.address, port))
            try:
                data, (source, *_) = receiver.recvfrom(65536)
            except TimeoutError:
                return False
            return len(data) == size_B and source == self.address


@dataclass
class Mesh:
    """`size` hosts whose routers are joined pairwise: h0 to h1 by 10.78.1.0/24, and so on."""

    size: int
    owner: UserNamespace | None = None
    host_class: ClassVar[type[Host]] = Host

    def __post_init__(self) -> None:
        self.hosts = [self.host_class(i, self.owner) for i in range(self.size)]
        self.routers = [Namespace(self.owner) for _ in range(self.size)]
        for node in (*self.hosts, *self.routers):
            node.sysctl("conf.all.rp_filter", 1)
            node.sysctl("conf.default.rp_filter", 1)
        for host, router in zip(self.hosts, self.routers, strict=True):
            self._attach(host, router)
        for i, j in combinations(range(self.size), 2):
            self._join(i, j)
        self._wait_for_carriers()

    def _wait_for_carriers(self) -> None:
        """The kernel may take a second to switch on a device whose peer has just come up."""
        deadline_s = time.monotonic() + 20
        uid = self.owner.uid if self.owner else 0
        for first, second in combinations(self.hosts, 2):
            while not first.reaches(second, timeout_s=0.05, uid=uid):
                assert time.monotonic() < deadline_s, f"{first.address} does not reach {second.address}"

    def _attach(self, host: Host, router: Namespace) -> None:
        i = host.index
        router.sysctl("ip_forward", 1)
        host.ip(f"link add eth0 type veth peer name host0 netns {router.pid}")
        host.ip(
            f"address add {host.address}/24 dev eth0", "link set eth0 up", f"route add default via 10.77.{i}.1 dev eth0"
        )
        router.ip(f"address add 10.77.{i}.1/24 dev host0", "link set host0 up")

    def _join(self, i: int, j: int) -> None:
        ends = ((i, j, 1), (j, i, 2))
        self.routers[i].ip(f"link add to{j} type veth peer name to{i} netns {self.routers[j].pid}")
        # Both ends are up before a route names either.
        for near, far, last in ends:
            self.routers[near].ip(f"address add 10.78.{i * 16 + j}.{last}/24 dev to{far}", f"link set to{far} up")
        for near, far, last in ends:
            self.routers[near].ip(f"route add 10.77.{far}.0/24 via 10.78.{i * 16 + j}.{3 - last}")

    def shape(self, source: int, destination: int, rate_mbps: int, limit_B: int = 100_000) -> None:
        """Limits the link between two routers in one direction."""
        words = f"qdisc replace dev to{destination} root tbf rate {rate_mbps}mbit burst 16kb limit {limit_B}"
        self.routers[source].run("tc", *words.split())

    def close(self) -> None:
        for node in (*self.hosts, *self.routers):
            node.close()

    def setup_request(self, host: Host, members: int | None = None, **changes: Any) -> bytes:
        """Of a job on the first `members` hosts, or on all."""
        return encode_setup(self_index=host.index, addresses=[h.address for h in self.hosts[:members]], **changes)


class Host6(Host):
    """With an IPv6 address and no IPv4 address."""

    family = socket.AF_INET6

    @property
    def address(self) -> str:
        return f"fd00:77:{self.index + 1}::2"

    def state(self) -> dict[str, Any]:
        """See `Namespace.state`."""
        return {**super().state(), "rules6": self.ip_json("-6", "rule"), "routes6": self.routes6()}

    def routes6(self) -> list[dict[str, Any]]:
        return self.ip_json("-6", "route", "show", "table", "all")


class Mesh6(Mesh):
    """The same network with IPv6 addresses: h0 to h1 by fd00:78:1::/64, and so on."""

    host_class = Host6

    def _wait_for_carriers(self) -> None:
        """Also until all hosts know their routers: a first solicitation may take a second."""
        super()._wait_for_carriers()
        for first, second in permutations(self.hosts, 2):
            wait_until(partial(first.reaches, second, timeout_s=0.05), 20)

    def _attach(self, host: Host, router: Namespace) -> None:
        i = host.index + 1
        router.run("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1")
        host.ip(f"link add eth0 type veth peer name host0 netns {router.pid}")
        router.ip(f"address add fd00:77:{i}::1/64 dev host0 nodad", "link set host0 up")
        host.ip(f"address add {host.address}/64 dev eth0 nodad", "link set eth0 up")
        host.ip(f"route add default via fd00:77:{i}::1 dev eth0")

    def _join(self, i: int, j: int) -> None:
        ends = ((i, j, 1), (j, i, 2))
        self.routers[i].ip(f"link add to{j} type veth peer name to{i} netns {self.routers[j].pid}")
        for near, far, last in ends:
            self.routers[near].ip(f"address add fd00:78:{i * 16 + j}::{last}/64 dev to{far} nodad")
            self.routers[near].ip(f"link set to{far} up")
        for near, far, last in ends:
            self.routers[near].ip(f"route add fd00:77:{far + 1}::/64 via fd00:78:{i * 16 + j}::{3 - last}")


# What the filter of a job is, in nft's language.
FILTER = """
table inet reference {
    counter outsiders { }
    counter strangers { }
    counter forgers { }
    set hosts { type <VERSION>_addr; elements = { <HOSTS> }; }
    set here { type fib_addrtype; elements = { local, broadcast, multicast }; }
    chain inner {
        type filter hook ingress device "fl-test1" priority 0; policy drop;
        <ip> saddr @hosts <ip> daddr @hosts meta mark set 0x46000000 accept
        counter name strangers
    }
    chain delivered { type filter hook input priority -300; iifname "fl-test1" meta mark set 0; }
    chain forwarded { type filter hook forward priority -300; iifname "fl-test1" meta mark set 0; }
    chain outer {
        type filter hook prerouting priority -300; policy accept;
        meta nfproto <VERSION> fib daddr type @here udp dport 28000 <ip> saddr != @hosts counter name outsiders drop
        meta nfproto <VERSION> fib daddr type @here udp dport 28000 udp sport > 1023 counter name forgers drop
    }
    chain passing {
        type filter hook forward priority -300; policy accept;
        <ip> daddr @hosts <ip> saddr != @hosts udp dport 28000 counter name outsiders drop
    }
}
"""


def filters(mesh: Mesh, host: Host) -> tuple[str, str]:
    """The filter that a host's guardian made, and what it shall be, both as nft lists them."""
    ip, version = ("ip6", "ipv6") if ":" in host.address else ("ip", "ipv4")
    text = FILTER.replace("<HOSTS>", ", ".join(each.address for each in mesh.hosts))
    for place, word in (("<ip>", ip), ("<VERSION>", version)):
        text = text.replace(place, word)
    host.run("nft", "-f", "-", text_in=text)
    made, reference = (
        host.run("nft", "--stateless", "list", "table", "inet", name) for name in ("fairlead_test1", "reference")
    )
    host.run("nft", "delete", "table", "inet", "reference")
    return made.replace("fairlead_test1", "reference"), reference


def header(kind: int, request_id: int) -> bytes:
    return struct.pack("=III", MAGIC, kind, request_id)


def encode_setup(
    *,
    self_index: int,
    addresses: Sequence[str],
    job: str = "test1",
    device: str = "eth0",
    network_id: int = 4242,
    overlay_port: int = 28000,
    uid_first: int = 0,
    uid_last: int = 0,
    grace_ms: int = 1000,
    ways: int = 0,
    host_count: int | None = None,
    request_id: int = 1,
) -> bytes:
    """The wire image of native/guardian/protocol/protocol.cpp: SetupImage, or SetupImage6."""
    count = len(addresses) if host_count is None else host_count
    fields = (self_index, network_id, overlay_port, uid_first, uid_last, grace_ms, ways, count)
    body = struct.pack("=12s16s8I", job.encode(), device.encode(), *fields)
    if ":" in addresses[0]:
        hosts = b"".join(socket.inet_pton(socket.AF_INET6, a) + struct.pack("=HH", AGENT_PORT, 0) for a in addresses)
        return (header(SETUP6, request_id) + body + hosts).ljust(MAX_PACKET_B, b"\0")
    hosts = b"".join(struct.pack("=IHH", int.from_bytes(socket.inet_aton(a)), AGENT_PORT, 0) for a in addresses)
    return (header(SETUP, request_id) + body + hosts).ljust(SETUP_B, b"\0")


@dataclass
class Reply:
    request_id: int
    error: int
    reason: str


class Guardian:
    """A guardian of one host with this test as its agent."""

    def __init__(self, binary: str, host: Namespace, prefix: Sequence[str] = (), options: Sequence[str] = ()) -> None:
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(10)
        self.process = host.start(*prefix, binary, *options, stdin=theirs)
        theirs.close()
        self.last_id = 100

    def exchange(self, packet: bytes) -> Reply:
        self.socket.send(packet)
        answer = self.socket.recv(4096)
        magic, kind, request_id, error = struct.unpack("=IIIi", answer[:16])
        assert (magic, kind, len(answer)) == (MAGIC, REPLY, 256)
        return Reply(request_id, error, answer[16:].rstrip(b"\0").decode())

    def request(self, kind: int, *fields: int) -> Reply:
        self.last_id += 1
        reply = self.exchange(header(kind, self.last_id) + struct.pack(f"={len(fields)}I", *fields))
        assert reply.request_id == self.last_id
        return reply

    def reroute(self, destination: int, relay: int, leg_mtu_B: int = 0) -> Reply:
        return self.request(REROUTE, destination, relay, leg_mtu_B, 0)

    def reroute_by_way(self, destination: int, way: int) -> Reply:
        return self.request(REROUTE, destination, destination, 0, way)

    def give_back(self, destination: int) -> Reply:
        return self.request(RESTORE, destination)

    def lead_echoes(self, lasting_port: int, trial_port: int) -> Reply:
        return self.request(ECHOES, lasting_port, trial_port)

    def attempt(self, destination: int, relay: int, leg_mtu_B: int = 0) -> Reply:
        return self.request(TRY, destination, relay, leg_mtu_B, 0)

    def attempt_by_way(self, destination: int, way: int) -> Reply:
        return self.request(TRY, destination, destination, 0, way)

    def hold_lease(self, length_ms: int) -> Reply:
        return self.request(LEASE, length_ms)

    def tear_down(self) -> Reply:
        return self.request(TEARDOWN)

    def stop(self) -> None:
        """See `stop`."""
        stop(self.process.pid)

    def keeper(self) -> int:
        """The process that outlives it if it is killed."""
        (keeper,) = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(keeper)

    def kill(self) -> None:
        """With its keeper: all that it made stays."""
        os.kill(self.keeper(), signal.SIGKILL)
        self.process.kill()

    def close(self) -> None:
        """The agent's death."""
        self.socket.close()

    def wait(self, timeout_s: float = 10) -> int:
        return self.process.wait(timeout_s)


def stop(pid: int) -> None:
    """By SIGSTOP; returns once it has stopped: on a loaded machine it would do more before."""
    os.kill(pid, signal.SIGSTOP)
    stat = Path(f"/proc/{pid}/stat")
    wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", within_s=5)


def clean(host: Namespace, binary: str, *options: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in host.run(binary, "--clean", *options).splitlines()]


def status(host: Namespace, binary: str) -> list[dict[str, object]]:
    return json.loads(host.run(binary, "--status"))["jobs"]


def rerouted_routes(host: Namespace) -> list[dict[str, object]]:
    return routes_in(host, REROUTED_TABLE)


def tried_routes(host: Namespace) -> list[dict[str, object]]:
    return routes_in(host, TRIAL_TABLE)


def routes_in(host: Namespace, table: int) -> list[dict[str, object]]:
    """Empty also where the table is not there yet."""
    routes = host.ip_json("-4", "route", "show", "table", "all")
    return [route for route in routes if route.get("table") == str(table)]


def wait_until(condition: Callable[[], bool], within_s: float) -> float:
    """Seconds until the condition held: to the beginning of the look that saw it.

    On a busy machine a look that starts programs may take as long as the limit. One that began before the limit does
    not show what holds then: there is always another that begins after it.
    """
    start_s = time.monotonic()
    while True:
        looked_s = time.monotonic()
        if condition():
            return looked_s - start_s
        assert looked_s - start_s < within_s, "did not come true in time"
        time.sleep(0.005)  # looks that start programs shall not take the processors from what is waited for


def best_of(taken_s: Callable[[], float], enough_s: float) -> float:
    """The least of up to three times: a machine that is busy with others makes one longer, and none shorter."""
    best_s = taken_s()
    for _ in range(2):
        if best_s < enough_s:
            break
        best_s = min(best_s, taken_s())
    return best_s


@contextmanager
def holding_lock(host: Host) -> Iterator[None]:
    """Another guardian that was stopped at the wrong moment."""
    holder = host.start(
        *("flock", LOCK_FILE, "sh", "-c", "echo held; read -r end"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        yield
    finally:
        holder.communicate("\n")


@contextmanager
def job(mesh: Mesh, **changes: object) -> Iterator[list[Guardian]]:
    """Guardians on the first three hosts of the mesh; gone at the end."""
    binary = str(native.program("fairlead-guardian"))
    members = mesh.hosts[:JOB_SIZE]
    guardians = [Guardian(binary, host) for host in members]
    for guardian, host in zip(guardians, members, strict=True):
        assert guardian.exchange(mesh.setup_request(host, members=JOB_SIZE, **changes)).error == 0
    try:
        yield guardians
    finally:
        for guardian in guardians:
            guardian.process.terminate()
            guardian.close()
            assert guardian.wait() == 0


def vxlan_packet(network_id: int, inner_source: str, inner_destination: str, port: int) -> bytes:
    """A datagram within VXLAN to h1's overlay address, as a UDP payload."""
    payload = b"hello"
    udp = struct.pack("!HHHH", 9, port, 8 + len(payload), 0) + payload
    family = socket.AF_INET6 if ":" in inner_source else socket.AF_INET
    addresses = b"".join(socket.inet_pton(family, address) for address in (inner_source, inner_destination))
    if family == socket.AF_INET6:
        checksum = _checksum(addresses + struct.pack("!II", len(udp), socket.IPPROTO_UDP) + udp)
        udp = udp[:6] + struct.pack("!H", checksum) + udp[8:]
        packet = struct.pack("!IHBB", 6 << 28, len(udp), socket.IPPROTO_UDP, 64) + addresses + udp
    else:
        start = struct.pack("!BBHHHBB", 0x45, 0, 20 + len(udp), 0, 0, 64, socket.IPPROTO_UDP)
        packet = start + struct.pack("!H", _checksum(start + addresses)) + addresses + udp
    kind = "86dd" if family == socket.AF_INET6 else "0800"
    return struct.pack("!II", 0x08000000, network_id << 8) + bytes.fromhex(f"02464c000001 02464c000000 {kind}") + packet


def _checksum(data: bytes) -> int:
    """The Internet's (RFC 1071), of what has a zero in the checksum's place or nothing at all."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
