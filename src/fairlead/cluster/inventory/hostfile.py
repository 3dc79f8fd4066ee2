"""The hosts of an MPI hostfile: Open MPI's (``n1 slots=2``), Hydra's and Intel MPI's (``n1:2``), or names alone."""

import hashlib
import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.description import Cluster, Host, Ssh
from fairlead.cluster.executors import executor_of
from fairlead.cluster.inventory.found import to_toml
from fairlead.cluster.inventory.host_addresses import Resolve, interface_on, resolved, seen_by_others
from fairlead.cluster.inventory.site import Site
from fairlead.cluster.remote.execute import on_all
from fairlead.errors import ConfigError, HostError, of_system

_FORMS = "write one host per line: `n1`, `n1 slots=2` (Open MPI) or `n1:2` (MPICH, Intel MPI)"
_NOT_READY = "a pod's name is known once the pod is ready (launcherCreationPolicy: WaitForWorkersReady)"
# What else may stand behind a name, and what it is. Source: mpirun(1) of Open MPI, hostfiles of Hydra.
_KEYS = {
    "slots": "slots",
    "max_slots": "most",
    "max-slots": "most",
    "user": "user",
    "username": "user",
    "ifname": "interface",
}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")
_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,14}")
_NOTHING_SAID = Site()


@dataclass(frozen=True)
class Entry:
    """What a hostfile says of one host. Lines of the same host are one entry, with the sum of their slots.

    Attributes:
        line: the first that names it.
    """

    name: str
    slots: int
    line: int
    user: str | None = None
    interface: str | None = None


def from_hostfile(path: Path, site: Site = _NOTHING_SAID, *, resolve: Resolve = resolved) -> Cluster:
    """The hosts as a cluster that ssh reaches, and whose programs are started from here.

    Hosts are called by the first label of their names, where these differ. The interface of each is the one that has
    its address, unless the hostfile or the site names it.

    Raises:
        ConfigError: the file cannot be read or is not understood, or two of its names are of one host; with file and
            line.
        HostError: a name has no address, or several have one of the loopback device; or a host was not reached.
        MissingToolError: a host has no ``ip``, so that its interface is not known.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise of_system(error, path, doing="the hostfile cannot be read", kind=ConfigError) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text", hint=_FORMS) from error
    entries = parse(text, str(path))
    names, addresses = _short([entry.name for entry in entries]), _addresses(entries, path, resolve)
    hosts = tuple(
        Host(
            name=name,
            address=address,
            slots=entry.slots,
            reach=f"{entry.user}@{entry.name}" if entry.user else entry.name,
            interface=entry.interface or site.cluster.get("interface", ""),
        )
        for entry, name, address in zip(entries, names, addresses, strict=True)
    )
    cluster = Cluster("hostfile", "ssh", hosts, ssh=Ssh(shared_files=False), source=f"hostfile {path}")
    cluster = replace(cluster, hosts=_with_interfaces(cluster, site))
    return replace(cluster, name=f"hostfile-{_digest(cluster.hosts)}")


def parse(text: str, source: str) -> list[Entry]:
    """The hosts of a hostfile's text, in its order.

    Raises:
        ConfigError: with ``source`` and the line.
    """
    entries: dict[str, Entry] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = re.sub(r"\s*=\s*", "=", line.partition("#")[0]).split()
        if not words:
            continue
        try:
            entry = _entry(words, number)
            before = entries.get(entry.name)
            entries[entry.name] = _together(before, entry) if before else entry
        except ValueError as error:
            raise ConfigError(f"{source}:{number}: {error}", hint=_FORMS) from error
    if not entries:
        raise ConfigError(f"{source}: lists no host", hint=_FORMS)
    return list(entries.values())


def _entry(words: Sequence[str], line: int) -> Entry:
    user, _, host = words[0].rpartition("@")
    name, colon, count = host.partition(":")
    if ":" in count:
        raise ValueError(f"{words[0]!r}: mpirun knows no host by its IPv6 address; give a name that leads to it")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{words[0]!r} is not the name or IPv4 address of a host")
    said = _settings(words[1:])
    if colon and "slots" in said:
        raise ValueError(f"{name} gives its slots twice, :{count} and slots={said['slots']}; omit one")
    if user and "user" in said:
        raise ValueError(f"{name} gives its user twice, {user}@ and user={said['user']}; omit one")
    slots = _count("slots", count if colon else said.get("slots", "1"))
    if "most" in said and _count("max_slots", said["most"]) < slots:
        raise ValueError(f"{name} has slots={slots}, more than its max_slots={said['most']}")
    user, interface = user or said.get("user", ""), said.get("interface")
    if ("@" in words[0] or "user" in said) and not _NAME.fullmatch(user):
        raise ValueError(f"{user!r} is not the name of a user")
    if interface is not None and not _INTERFACE.fullmatch(interface):
        raise ValueError(f"{interface!r} is not the name of an interface")
    return Entry(name, slots, line, user or None, interface)


def _settings(words: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in _KEYS:
            known = ", ".join(f"{key}=" for key in _KEYS if "-" not in key)
            raise ValueError(f"{word!r} is not understood; known here: {known}; omit it")
        if _KEYS[key] in found:
            raise ValueError(f"{key}= appears twice; omit one")
        found[_KEYS[key]] = value
    return found


def _count(key: str, value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", value) or int(value) == 0:
        raise ValueError(f"{key} is {value!r}; it must be a whole number of 1 or more")
    return int(value)


def _together(before: Entry, entry: Entry) -> Entry:
    for what in ("user", "interface"):
        if getattr(before, what) != getattr(entry, what):
            raise ValueError(f"{entry.name} has another {what} here than in line {before.line}")
    return replace(before, slots=before.slots + entry.slots)


def _short(names: list[str]) -> list[str]:
    """The first labels, which are what hosts call themselves, if no two are the same and none is of an address."""
    labels = [name.partition(".")[0] for name in names]
    if len(set(labels)) < len(names) or any(label.isdigit() for label in labels):
        return names
    return labels


def _addresses(entries: list[Entry], path: Path, resolve: Resolve) -> list[str]:
    addresses = []
    for entry in entries:
        try:
            addresses.append(str(ipaddress.IPv4Address(entry.name)))
        except ValueError:
            try:
                addresses.append(resolve(entry.name))
            except HostError as error:
                raise HostError(f"{path}:{entry.line}: {error.message}", hint=error.hint or _NOT_READY) from error
    addresses = seen_by_others([entry.name for entry in entries], addresses)
    first: dict[str, Entry] = {}
    for entry, address in zip(entries, addresses, strict=True):
        other = first.setdefault(address, entry)
        if other is not entry:
            raise ConfigError(
                f"{path}:{entry.line}: {entry.name} has the address of {other.name} in line {other.line}, {address}",
                hint="use one name per host; slots of the same name are added up",
            )
    return addresses


def _with_interfaces(cluster: Cluster, site: Site) -> tuple[Host, ...]:
    """The hosts, each with its interface; those that nobody named it for are asked."""
    unknown = [host.name for host in cluster.hosts if not host.interface]
    if not unknown:
        return cluster.hosts
    # As the cluster file will have it, with the site's ways to the hosts; the interface in it is for now.
    named = replace(cluster, hosts=tuple(replace(host, interface=host.interface or "eth0") for host in cluster.hosts))
    executor = executor_of(parse_cluster(to_toml(named, site), source=cluster.source))
    found = on_all(unknown, lambda name: interface_on(executor, named.host(name)))
    return tuple(replace(host, interface=found.get(host.name, host.interface)) for host in cluster.hosts)


def _digest(hosts: Sequence[Host]) -> str:
    """Other hosts have another name: pods of one name come again with other addresses."""
    return hashlib.sha256(repr([(h.name, h.address, h.slots, h.reach) for h in hosts]).encode()).hexdigest()[:8]
