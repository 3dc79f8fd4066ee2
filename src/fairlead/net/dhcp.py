"""Who configures a host's interfaces, DHCP clients above all: found, held while a bond has their NICs, let go. Pure.

A client must not run on a NIC that is in a bond: it would put the address back there, or take it away. Clients of one
interface are stopped as they are (SIGSTOP), so that whoever started them finds them again; NetworkManager and
systemd-networkd, which have other interfaces as well, are told to leave the NICs alone. Where the program can go on
with the lease on the bond, which has the NIC's MAC address, it renews it there: a second process, or systemd-networkd
itself.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fairlead.net.journal import JOURNAL
from fairlead.runtime import START_OF

NETWORKD, NETWORK_MANAGER = "systemd-networkd", "NetworkManager"
STOPPED = ("dhclient", "udhcpc", "dhcpcd")
"""Clients that are stopped."""
KNOWN = (*STOPPED, NETWORKD, NETWORK_MANAGER)
RENEWING = ("dhclient", "dhcpcd", NETWORKD)
"""Clients that go on with a lease on a bond. udhcpc drops the address when it starts, NetworkManager remakes bonds."""
ENDS_BEFORE_S = 30
"""A bond goes so long before the first lease ends: its client then has time to renew it."""
LEAST_S = 90
"""No bond is made for a lease that ends sooner."""
# A profile that is not activated by itself is activated again; one that is has 3 s to begin. $1: a NIC, $2: a file.
_ACTIVATE = """sleep 3; profile=$(cat "$2" 2>/dev/null); [ -n "$profile" ] || exit 0; \
case $(nmcli -g GENERAL.STATE device show "$1") in 30" "*) \
nmcli --wait 0 connection up uuid "$profile" ifname "$1" ;; esac"""
LEFT_ALONE = "/run/systemd/network/00-fairlead-net.network"
LEASED_BOND = "/run/systemd/network/00-fairlead-net-bond.network"
# Where AppArmor lets Debian's dhclient write.
_PID, _LEASES = "/run/dhclient.fairlead-net.pid", "/run/dhclient.fairlead-net.leases"
_BEGINNING = f"{JOURNAL}/renewing"
_DHCPCD = "/var/lib/dhcpcd"
_SHELL = START_OF.strip().replace("{\n", "{ ").replace("\n", "; ")  # in one line, as the journal has them
_KEPT_FLAGS, _KEPT_OPTIONS = ("-B", "-i", "-I"), ("-cf", "-C", "-D", "-F", "-H", "-V")
# Its script leaves an address that is there as it is, until the lease is renewed once more.
_LENGTHEN = f"""left=$(sed -n 's/.*option dhcp-lease-time \\([0-9]*\\);.*/\\1/p' {_LEASES} | tail -n 1) && \
ip address change {{address}} dev {{bond}} valid_lft $left preferred_lft $left"""
# Of the process that begins, number and start are noted; dhclient itself notes its number alone. So the words that only
# ours have are looked for as well, after its start was read, which is compared before the signal.
_END_RENEWING = """{shell}; for note in {notes}; do {{ read -r pid noted <$note; }} 2>/dev/null || continue; \
began=$(start_of "$pid") && [ "${{noted:-$began}}" = "$began" ] && grep -q {mark} "/proc/$pid/cmdline" 2>/dev/null && \
[ "$(start_of "$pid")" = "$began" ] && kill -s KILL -- "-$pid"; done; rm -f {mark} {leases}"""
# The file that the NIC has, for the bond, with the number by which the server knows the NIC unless it goes by the MAC.
_NETWORKD = r"""index=$(cat /sys/class/net/{nic}/ifindex)
file=$(sed -n 's/^NETWORK_FILE=//p' /run/systemd/netif/links/$index)
id=$(sed -n 's/^CLIENTID=ff\(........\).*/\1/p' /run/systemd/netif/leases/$index)
{{ printf '[Match]\nName=%s\n' {bond}
awk '/^\[/ {{ is_own = $0 != "[Match]" }} is_own' "$file"
[ -z "$id" ] || printf '[DHCPv4]\nIAID=%d\n' "0x$id"
}} > {path}"""

FIND = r"""
own=$(readlink /proc/self/ns/net)
for path in /proc/[0-9]*; do
  { read -r name < "$path/comm"; } 2>/dev/null || continue
  case $name in dhclient | dhcpcd | udhcpc | busybox | systemd-network | NetworkManager) ;; *) continue ;; esac
  space=$(readlink "$path/ns/net" 2>/dev/null || sudo -n readlink "$path/ns/net" 2>/dev/null)
  [ "${space:-$own}" = "$own" ] || continue
  started=$(sed 's/.*) //' "$path/stat" 2>/dev/null | cut -d' ' -f20)
  [ -n "$started" ] || continue
  printf '%s %s %s' "${path#/proc/}" "$started" "$name"
  for nic in /sys/class/net/*; do
    case $name in
      systemd-network) grep -qE '^ADMIN_STATE=(pending|initialized|configuring|configured|failed)' \
        "/run/systemd/netif/links/$(cat "$nic/ifindex" 2>/dev/null)" 2>/dev/null ;;
      NetworkManager) case $(nmcli -g GENERAL.STATE device show "${nic##*/}" 2>/dev/null) in
        '' | 10\ * | 20\ * | *externally*) false ;; esac ;;
      *) false ;;
    esac && printf '\t%s' "${nic##*/}"
  done
  case $name in
    systemd-network | NetworkManager) echo ;;
    *) printf '\t'; tr '\n\0' ' \t' < "$path/cmdline"; echo ;;
  esac
done
"""
"""Shell commands that print a line for each client: process, start, name; then the NICs it has, or its words."""


@dataclass(frozen=True)
class DhcpClient:
    """A program that configures interfaces: those of ``nics``, or any if that is None.

    ``pid`` and ``started``, in clock ticks since the host's start, identify its process; ``words`` are its arguments,
    where it keeps them.
    """

    program: str
    pid: int
    started: int
    nics: frozenset[str] | None
    is_of_ipv6: bool = False
    words: tuple[str, ...] = ()


def read_clients(text: str, names: frozenset[str]) -> tuple[DhcpClient, ...]:
    """What `FIND` printed, on a host with interfaces of these names.

    Raises:
        ValueError: it is not understood.
    """
    found = []
    for line in text.splitlines():
        head, *words = line.rstrip("\t").split("\t")
        pid, started, name = head.split(" ", 2)
        if name == "systemd-network" or name == NETWORK_MANAGER:  # the kernel keeps 15 letters
            program = NETWORKD if name == "systemd-network" else name
            found.append(DhcpClient(program, int(pid), int(started), frozenset(words)))
            continue
        if any(word.endswith("nm-dhcp-helper") for word in words):
            continue  # NetworkManager's own: it ends with what NetworkManager does
        if name == "busybox":
            words = words[1:] if words and words[0].rpartition("/")[2] == "busybox" else words
            name = words[0].rpartition("/")[2] if words else name
        if words and name in STOPPED and (nics := _served(name, words, names)) != frozenset():
            is_of_ipv6 = name == "dhclient" and "-6" in words
            found.append(DhcpClient(name, int(pid), int(started), nics, is_of_ipv6, tuple(words[1:])))
    return tuple(found)


def _served(program: str, words: Sequence[str], names: frozenset[str]) -> frozenset[str] | None:
    """The interfaces that a client of this command line has; None: all."""
    if program == "dhclient":
        return frozenset(words[1:]) & names or None
    if program == "udhcpc":
        given = re.search(r"\t(?:-[abfnoqBRS]*i|--interface)[=\t]?([^\t]+)", "\t".join(words))
        return frozenset({given[1] if given else "eth0"})
    title = " ".join(words)  # dhcpcd changes it; its helpers say first, in brackets, what they are
    if re.match(r"\S*dhcpcd: \[(manager|master)\]", title):
        return None
    if re.match(r"\S*dhcpcd: \[", title):
        return frozenset()
    return frozenset(title.split()[1:]) & names or None


def serving(clients: Sequence[DhcpClient], nic: str) -> list[DhcpClient]:
    """Those that configure this NIC."""
    return [client for client in clients if client.nics is None or nic in client.nics]


def complaints(client: DhcpClient, nics: Sequence[str]) -> Iterator[str]:
    """Why it cannot be held while a bond has these NICs. Each ends with the way out."""
    who = f"{client.program} (process {client.pid})"
    if client.program not in STOPPED:
        return
    if client.nics is None:
        yield f"{who} configures all interfaces, so it cannot be held: start it for {', '.join(nics)} alone"
    elif others := sorted(client.nics - set(nics)):
        yield f"{who} also configures {', '.join(others)}: start one for each interface"
    if client.is_of_ipv6:
        yield f"{who} has addresses by DHCPv6, which cannot move: end it"


def held(client: DhcpClient) -> str:
    """What `hold` does, in words."""
    who = f"{client.program} (process {client.pid})"
    return f"{who} is stopped meanwhile" if client.program in STOPPED else f"{who} leaves the NICs alone meanwhile"


def hold(client: DhcpClient, bond: str, nics: Sequence[str], renewed: str | None = None) -> Iterator[str]:
    """Lines that make it leave the NICs alone; the first that fails is an error.

    Args:
        renewed: the NIC whose lease it is to renew on the bond, as `renew` says.
    """
    if client.program in STOPPED:
        gone = shlex.quote(f"{client.program} (process {client.pid}) has ended meanwhile")
        yield f"{_SHELL}; send STOP {client.pid} {client.started} || {{ echo {gone} >&2; exit 1; }}"
    elif client.program == NETWORK_MANAGER:
        for nic in _of_both(client, nics):
            name = shlex.quote(nic)
            yield f"nmcli -g GENERAL.CON-UUID device show {name} > {_profile_of(nic)} || true"
            yield f"nmcli device set {name} managed no"
    else:
        yield "umask 022"  # it reads as a user of its own
        yield f"mkdir -p {LEFT_ALONE.rpartition('/')[0]}"
        if renewed is not None:
            yield _NETWORKD.format(nic=shlex.quote(renewed), bond=shlex.quote(bond), path=LEASED_BOND)
        # It gives its lease back to the server when it lets go of an interface, but cannot if that is down.
        for nic in _of_both(client, nics):
            yield shlex.join(["ip", "link", "set", nic, "down"])
        names = nics if renewed is not None else [*nics, bond]
        text = f"[Match]\\nName={' '.join(names)}\\n[Link]\\nUnmanaged=yes\\n"
        yield f"printf {shlex.quote(text)} > {LEFT_ALONE}"
        yield "networkctl reload"


def renew(client: DhcpClient, bond: str, nic: str, address: str) -> Iterator[str]:
    """Lines that begin to renew the lease of ``nic`` on the bond, which has its address; after `hold`."""
    if client.program == "dhclient":
        leases = _value(client.words, "-lf") or "/var/lib/dhcp/dhclient.leases"
        of_bond = shlex.quote(f's/interface "{nic}"/interface "{bond}"/')
        yield f"[ ! -e {shlex.quote(leases)} ] || sed {of_bond} {shlex.quote(leases)} > {_LEASES}"
        own = shlex.join(["dhclient", "-4", "-1", *_kept(client.words), "-pf", _PID, "-lf", _LEASES, bond])
        lengthen = _LENGTHEN.format(address=shlex.quote(address), bond=shlex.quote(bond))
        begin = f"{_SHELL}; echo $$ $(start_of $$) > {_BEGINNING}; {own} && {lengthen}"
        yield f"setsid sh -c {shlex.quote(begin)} </dev/null >/dev/null 2>&1 &"
    elif client.program == "dhcpcd":
        lease = shlex.quote(f"{_DHCPCD}/{nic}.lease")
        yield f"[ ! -e {lease} ] || cp {lease} {_lease_of(bond)}"
        yield f"{shlex.join(['dhcpcd', '-4', '-b', bond])} </dev/null >/dev/null"


def renew_no_more(client: DhcpClient, bond: str) -> Iterator[str]:
    """Lines that take `renew` back, while the bond is there; they may run when nothing was begun."""
    if client.program == "dhclient":  # killed: it neither takes the address away nor gives it back to the server
        yield _END_RENEWING.format(shell=_SHELL, notes=f"{_BEGINNING} {_PID}", mark=_PID, leases=_LEASES)
    elif client.program == "dhcpcd":
        yield f"{shlex.join(['dhcpcd', '-4', '-x', bond])} >/dev/null 2>&1; rm -f {_lease_of(bond)}"


def let_go(client: DhcpClient, nics: Sequence[str]) -> Iterator[str]:
    """Lines that take `hold` back; they may run when only a part of it was done."""
    if client.program in STOPPED:
        there = f'[ "$(start_of {client.pid})" = {client.started} ]'
        yield f"{_SHELL}; ! {there} || send CONT {client.pid} {client.started}"
    elif client.program == NETWORK_MANAGER:
        for nic in _of_both(client, nics):
            yield f"nmcli device set {shlex.quote(nic)} managed yes"
            yield f"sh -c {shlex.quote(_ACTIVATE)} sh {shlex.quote(nic)} {_profile_of(nic)}"
    else:
        yield f"[ ! -e {LEFT_ALONE} ] || {{ rm -f {LEFT_ALONE} {LEASED_BOND} && networkctl reload; }}"


def _value(words: Sequence[str], option: str) -> str | None:
    """What follows the option."""
    return next((value for word, value in pairwise(words) if word == option), None)


def _kept(words: Sequence[str]) -> list[str]:
    """dhclient's options that say who it is to the server."""
    given = [part for option in _KEPT_OPTIONS if (value := _value(words, option)) for part in (option, value)]
    return [*(word for word in words if word in _KEPT_FLAGS), *given]


def _lease_of(bond: str) -> str:
    return shlex.quote(f"{_DHCPCD}/{bond}.lease")


def _profile_of(nic: str) -> str:
    return shlex.quote(f"{JOURNAL}/profile-of-{nic}")


def _of_both(client: DhcpClient, nics: Sequence[str]) -> list[str]:
    return [nic for nic in nics if client.nics is None or nic in client.nics]
