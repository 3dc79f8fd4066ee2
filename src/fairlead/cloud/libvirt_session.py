"""One connection to one libvirt. Its objects must not leave the thread that they were made in (see `worker`)."""

import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from fairlead.cloud.inventory import Load, Vm
from fairlead.cloud.libvirt_definition import Disk, Volume, copy_of_volume, like, written_disks
from fairlead.errors import CloudError, MissingToolError

DIRTY_RATE_S = 1
"""How long libvirt looks at a machine's memory to see what it writes."""
_UNSTARTED, _MEASURED = 0, 2  # virDomainDirtyRateStatus
_MIB = 2**20


@dataclass(frozen=True)
class Machine:
    """What libvirt tells of a running machine. ``dirty_Bps`` is None while it is being measured."""

    name: str
    cpus: int
    memory_B: int
    disk_B: int
    downtime_s: float
    load: Load
    dirty_Bps: float | None

    def vm(self, server: str, dirty_Bps: float) -> Vm:
        return Vm(self.name, server, self.cpus, self.memory_B, self.disk_B, dirty_Bps, self.downtime_s, self.load)


@dataclass(frozen=True)
class Definition:
    """What libvirt starts a machine from; ``lasting``: it knows it when the machine is switched off, too."""

    text: str
    runs: bool
    lasting: bool


def api() -> ModuleType:
    """libvirt's module.

    Raises:
        MissingToolError: Python has none.
    """
    try:
        import libvirt
    except ImportError as error:
        raise MissingToolError(
            "Python has no libvirt here",
            hint=f"{sys.executable} -m pip install 'libvirt-python>=9,<12'; "
            "it needs libvirt's headers, Debian's libvirt-dev",
        ) from error
    # What goes wrong is in the exceptions; libvirt would print it to standard error too.
    libvirt.registerErrorHandler(lambda context, error: None, None)
    module: ModuleType = libvirt
    return module


def describe(error: Exception) -> str:
    """libvirt's message, or another's, in one line: QEMU's output comes with it."""
    text = error.get_error_message() if hasattr(error, "get_error_message") else str(error)
    return " ".join(text.split())


class LibvirtSession:
    """Questions to one libvirt. Each may raise libvirtError, or take for ever."""

    def __init__(self, uri: str) -> None:
        self._api = api()
        self._connection = self._api.open(_batch(uri))

    def name(self) -> str:
        return str(self._connection.getHostname())

    def room(self, *, copy_disks: bool) -> tuple[int, int, int]:
        """Processors, memory and disk in bytes."""
        information = self._connection.getInfo()
        disk_B = 0
        if copy_disks:
            active = self._api.VIR_CONNECT_LIST_STORAGE_POOLS_ACTIVE
            disk_B = sum(pool.info()[1] for pool in self._connection.listAllStoragePools(active))
        return information[2], information[1] * _MIB, disk_B

    def runs(self, vm: str) -> bool:
        """Whether it is there, and not only about to come or to go."""
        domain = self._domain(vm)
        return domain is not None and not self._is_between(*domain.state())

    def machines(self, *, copy_disks: bool) -> tuple[list[Machine], set[str]]:
        """Machines that run, and names of those paused for a move. Begins to measure anew what they write.

        Raises:
            CloudError: libvirt does not tell all of a machine.
        """
        wanted = self._api.VIR_DOMAIN_STATS_STATE | self._api.VIR_DOMAIN_STATS_VCPU
        wanted |= self._api.VIR_DOMAIN_STATS_BALLOON | self._api.VIR_DOMAIN_STATS_INTERFACE
        wanted |= self._api.VIR_DOMAIN_STATS_DIRTYRATE
        active = self._api.VIR_CONNECT_GET_ALL_DOMAINS_STATS_ACTIVE
        running, between = [], set()
        for domain, values in self._connection.getAllDomainStats(wanted, active):
            if self._is_between(values.get("state.state", 0), values.get("state.reason", 0)):
                between.add(domain.name())
                continue
            disk_B = sum(_disks_B(domain)) if copy_disks else 0
            running.append(_machine(domain.name(), values, disk_B, domain.migrateGetMaxDowntime() / 1e3))
            if values.get("dirtyrate.calc_status", _UNSTARTED) in (_UNSTARTED, _MEASURED):  # not one that goes on
                with suppress(self._api.libvirtError):  # it moves, or has ended; the next look tells
                    domain.startDirtyRateCalc(DIRTY_RATE_S, 0)
        return running, between

    def job(self, vm: str, *, completed: bool = False) -> dict[str, Any] | None:
        """libvirt's statistics of a machine's migration, the present or the last one; None where there is none."""
        domain = self._domain(vm)
        if domain is None:
            return None
        with suppress(self._api.libvirtError):
            found: dict[str, Any] = domain.jobStats(self._api.VIR_DOMAIN_JOB_STATS_COMPLETED if completed else 0)
            return found
        return None

    def abort(self, vm: str) -> None:
        """Ask for the end of a machine's migration; none is no error."""
        domain = self._domain(vm)
        if domain is not None and self.job(vm):
            with suppress(self._api.libvirtError):  # it has just ended
                domain.abortJob()

    def migrate(self, vm: str, target: "LibvirtSession", receive: str | None, *, copy_disks: bool) -> None:
        """Move a machine to another libvirt; returns when it runs there.

        Raises:
            CloudError: it is not here any more.
        """
        domain = self._domain(vm)
        if domain is None:
            raise CloudError(f"{vm} has gone")
        flags = self._api.VIR_MIGRATE_LIVE
        if domain.isPersistent():
            flags |= self._api.VIR_MIGRATE_PERSIST_DEST | self._api.VIR_MIGRATE_UNDEFINE_SOURCE
        if copy_disks:
            flags |= self._api.VIR_MIGRATE_NON_SHARED_DISK
        wanted = {self._api.VIR_MIGRATE_PARAM_URI: receive} if receive else {}
        domain.migrate3(target._connection, wanted, flags)

    def definition(self, vm: str) -> Definition | None:
        """What libvirt starts a machine from; None if there is none of that name."""
        domain = next((each for each in self._connection.listAllDomains(0) if each.name() == vm), None)
        if domain is None:
            return None
        # With the passwords of its consoles: without them the other machine's would be open to everybody.
        text = domain.XMLDesc(self._api.VIR_DOMAIN_XML_INACTIVE | self._api.VIR_DOMAIN_XML_SECURE)
        return Definition(text, runs=bool(domain.isActive()), lasting=bool(domain.isPersistent()))

    def create(
        self,
        definition: str,
        name: str,
        undo: list[Callable[[], object]],
        at: Callable[[str], None],
        *,
        lasting: bool,
    ) -> None:
        """Make and start a machine like another one; returns when it runs.

        Args:
            undo: gets what takes away again what was made, step by step.
            at: called before each step, and after the last one; may raise to end it.

        Raises:
            CloudError: there is a machine of that name, or a disk cannot be copied.
        """
        at("starting")
        if any(each.name() == name for each in self._connection.listAllDomains(0)):
            raise CloudError(f"a machine {name} already exists")
        files = {}
        for disk in written_disks(definition):
            at(f"copying disk {disk.target}")
            files[disk.target] = self._copy(disk, name, undo)
        at("starting")
        changed = like(definition, name, files)
        if lasting:
            domain = self._connection.defineXML(changed)
            files_too = self._api.VIR_DOMAIN_UNDEFINE_NVRAM | self._api.VIR_DOMAIN_UNDEFINE_MANAGED_SAVE
            undo.append(lambda: domain.undefineFlags(files_too))
            domain.create()
        else:
            domain = self._connection.createXML(changed)
        undo.append(domain.destroy)
        at("running")

    def _copy(self, disk: Disk, name: str, undo: list[Callable[[], object]]) -> Volume:
        """A copy, made in the same storage pool."""
        if not disk.source:
            raise CloudError(f"disk {disk.target} is not a file, device or volume, and cannot be copied")
        if disk.pool is None:
            volume = self._connection.storageVolLookupByPath(disk.source)
        else:
            volume = self._connection.storagePoolLookupByName(disk.pool).storageVolLookupByName(disk.source)
        wanted = copy_of_volume(volume.XMLDesc(), f"{name}-{disk.target}")
        copied = volume.storagePoolLookupByVolume().createXMLFrom(wanted, volume, 0)
        undo.append(copied.delete)
        return Volume(str(copied.path()), is_block=copied.info()[0] == self._api.VIR_STORAGE_VOL_BLOCK)

    def _domain(self, vm: str) -> Any:
        active = self._connection.listAllDomains(self._api.VIR_CONNECT_LIST_DOMAINS_ACTIVE)
        return next((each for each in active if each.name() == vm), None)

    def _is_between(self, state: int, reason: int) -> bool:
        """Whether a machine is paused for its move: it is on two servers then and runs on none."""
        return bool(state == self._api.VIR_DOMAIN_PAUSED and reason == self._api.VIR_DOMAIN_PAUSED_MIGRATION)


def _machine(name: str, values: dict[str, Any], disk_B: int, downtime_s: float) -> Machine:
    dirty_MiBps = values.get("dirtyrate.megabytes_per_second")
    try:
        cards = range(int(values["net.count"]))
        received_B = sum(int(values[f"net.{card}.rx.bytes"]) for card in cards)
        sent_B = sum(int(values[f"net.{card}.tx.bytes"]) for card in cards)
        return Machine(
            name=name,
            cpus=int(values["vcpu.current"]),
            memory_B=int(values["balloon.maximum"]) * 1024,
            disk_B=disk_B,
            downtime_s=downtime_s,
            load=Load(time.monotonic(), received_B, sent_B),
            dirty_Bps=None if dirty_MiBps is None else float(dirty_MiBps) * _MIB,
        )
    except KeyError as error:
        raise CloudError(f"{error.args[0]} of {name} is missing") from error


def _disks_B(domain: Any) -> list[int]:
    devices = ET.fromstring(domain.XMLDesc()).findall("devices/disk[@device='disk']/target")
    return [domain.blockInfo(each.get("dev"))[0] for each in devices]


def _batch(uri: str) -> str:
    """The URI, so that ssh does not ask for a password on the user's terminal."""
    parts = urlsplit(uri)
    if ("+ssh" not in parts.scheme and "+libssh" not in parts.scheme) or "no_tty=" in parts.query:
        return uri
    return uri + ("&" if parts.query else "?") + "no_tty=1"
