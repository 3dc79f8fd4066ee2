"""libvirt as a cloud: every server has its libvirt, which is asked over its URI.

Credentials are libvirt's own business: ssh keys, TLS certificates, group membership. None passes through here.
"""

import hashlib
import threading
import time
import xml.etree.ElementTree as ET
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from fairlead.cloud.deadline import within
from fairlead.cloud.driver import Moved, Progress
from fairlead.cloud.inventory import Inventory, Server, Vm
from fairlead.cloud.inventory import Load as Counters
from fairlead.cloud.uplinks import Uplinks
from fairlead.cluster.cloud_table import CloudServer, CloudTable
from fairlead.errors import CloudError, MigrationRefusedError, MissingToolError

TIMEOUT_S = 10.0
CLOSE_S = 10.0
DIRTY_RATE_S = 1  # how long libvirt looks at a machine's memory to see what it writes
_DIRTY = "dirtyrate.megabytes_per_second"
_UNSTARTED, _MEASURED = 0, 2  # virDomainDirtyRateStatus
_MIB = 2**20


class LibvirtMigration:
    """See `fairlead.cloud.driver.Migration`. libvirt's call lasts as long as the migration, so it has a thread."""

    def __init__(self, source: "_Server", target: "_Server", vm: str, flags: int) -> None:
        self._api = source.api
        self._source, self._target, self._vm = source, target, vm
        self._domain = source.domain(vm)
        self._flags = flags
        self._error: Exception | None = None
        self._copied_B = 0
        self._aborted = False
        self._begin_s = time.monotonic()
        self._end_s = self._begin_s
        self._thread = threading.Thread(target=self._carry_out, name=f"migrate {vm}", daemon=True)
        self._thread.start()

    def poll(self) -> Moved | Progress:
        if self._thread.is_alive():
            return self._progress()
        if self._error is not None:
            raise self._failure(self._error)
        statistics = self._final_statistics()
        paused_ms, copied_B = statistics.get("downtime"), statistics.get("data_processed")
        return Moved(self._end_s - self._begin_s, None if paused_ms is None else paused_ms / 1e3, copied_B)

    def abort(self) -> None:
        self._aborted = True
        try:
            within(TIMEOUT_S, self._source.shown, self._domain.abortJob)
        except self._api.libvirtError as error:
            if self._thread.is_alive():
                raise CloudError(f"{self._vm}: {_words(error)}") from error

    def close(self) -> None:
        if self._thread.is_alive():
            self.abort()
            self._thread.join(CLOSE_S)

    def _carry_out(self) -> None:
        wanted = {self._api.VIR_MIGRATE_PARAM_URI: self._target.table.receive} if self._target.table.receive else {}
        try:
            self._domain.migrate3(self._target.connection(), wanted, self._flags)
        except (self._api.libvirtError, CloudError) as error:
            self._error = error
        self._end_s = time.monotonic()

    def _progress(self) -> Progress:
        try:
            seen = within(TIMEOUT_S, self._source.shown, self._domain.jobStats)
        except self._api.libvirtError:  # it has just ended, or not begun; the thread will tell
            return Progress("starting" if not self._copied_B else "finishing")
        self._copied_B = max(self._copied_B, seen.get("memory_processed", 0))
        if not seen.get("memory_total"):
            return Progress("starting")
        left_B = seen["memory_remaining"] + seen.get("disk_remaining", 0)
        return Progress(f"{seen['memory_processed'] / _MIB:.0f} MiB copied, {left_B / _MIB:.0f} MiB left")

    def _failure(self, error: Exception) -> CloudError:
        text = "the migration was aborted" if self._aborted else _words(error)
        try:
            where = next((each.name() for each in (self._source, self._target) if each.runs(self._vm)), None)
        except CloudError as unknown:
            return CloudError(f"{self._vm}: {text}; where it runs is not known: {unknown}")
        if where == self._source.name() and not self._copied_B and not self._aborted:
            return MigrationRefusedError(f"{self._target.name()} does not take {self._vm}: {text}")
        runs = f"it runs on {where}" if where else "it runs on neither server"
        return CloudError(f"{self._vm}: {text}; {runs}")

    def _final_statistics(self) -> dict[str, Any]:
        """What the target knows of the migration; empty where it does not tell."""
        flag = self._api.VIR_DOMAIN_JOB_STATS_COMPLETED
        try:
            domain = self._target.domain(self._vm)
            found: dict[str, Any] = within(TIMEOUT_S, self._target.shown, lambda: domain.jobStats(flag))
        except self._api.libvirtError:
            return {}
        return found


class LibvirtDriver:
    """See `fairlead.cloud.driver.Driver`.

    All servers of the table share one network, in which machines keep their addresses.

    Raises:
        MissingToolError: Python has no libvirt.
    """

    def __init__(self, table: CloudTable) -> None:
        self._table = table
        self._servers = [_Server(_module(), each) for each in table.servers]
        self._uplinks = Uplinks()

    @property
    def site(self) -> str:
        uris = "\n".join(sorted(each.uri for each in self._table.servers))
        return f"libvirt-{hashlib.sha256(uris.encode()).hexdigest()[:12]}"

    def inventory(self) -> Inventory:
        servers: list[Server] = []
        vms: list[Vm] = []
        between: set[str] = set()
        for each in self._servers:
            found, t_s = each.vms(copy_disks=self._table.copy_disks), time.monotonic()
            name, load = each.name(), self._uplinks.see(each.name(), found.running, t_s)
            cpus, memory_B, disk_B = each.room(copy_disks=self._table.copy_disks)
            servers.append(Server(name, self.site, cpus, memory_B, disk_B, self._table.uplink, load))
            vms += found.running
            between |= found.between
        if lost := between - {vm.name for vm in vms}:
            raise CloudError(f"{', '.join(sorted(lost))} is just changing its server")
        return Inventory(tuple(servers), tuple(vms))

    def migrate(self, vm: str, server: str) -> LibvirtMigration:
        target = next((each for each in self._servers if each.name() == server), None)
        if target is None:
            known = ", ".join(each.name() for each in self._servers)
            raise MigrationRefusedError(f"there is no server {server}", hint=f"there are {known}")
        source = next((each for each in self._servers if each.runs(vm)), None)
        if source is None:
            raise MigrationRefusedError(f"no machine {vm} runs on any server")
        if source is target:
            raise MigrationRefusedError(f"{vm} is on {server} already")
        return LibvirtMigration(source, target, vm, self._flags(source, vm))

    def _flags(self, source: "_Server", vm: str) -> int:
        api = source.api
        flags: int = api.VIR_MIGRATE_LIVE
        if source.domain(vm).isPersistent():
            flags |= api.VIR_MIGRATE_PERSIST_DEST | api.VIR_MIGRATE_UNDEFINE_SOURCE
        return flags | (api.VIR_MIGRATE_NON_SHARED_DISK if self._table.copy_disks else 0)


class _Vms(NamedTuple):
    """Machines of a server: those that run there, and names of those that are paused for a move."""

    running: list[Vm]
    between: set[str]


class _Server:
    """One libvirt and its connection, made when it is needed and again when it was lost."""

    def __init__(self, api: ModuleType, table: CloudServer) -> None:
        self.api = api
        self.table = table
        self.shown = table.uri  # libvirt knows no URI with a password in it
        self._connection: Any = None
        self._name: str | None = None
        self._dirty_Bps: dict[str, float] = {}

    def connection(self) -> Any:
        """Raises CloudError if libvirt cannot be reached there."""
        if self._connection is None:
            self._connection = self._ask(lambda: self.api.open(_batch(self.table.uri)))
        return self._connection

    def name(self) -> str:
        """The server's host name, as it says itself."""
        if self._name is None:
            connection = self.connection()
            self._name = str(self._ask(connection.getHostname))
        return self._name

    def domain(self, vm: str) -> Any:
        connection = self.connection()
        return self._ask(lambda: connection.lookupByName(vm))

    def runs(self, vm: str) -> bool:
        """Whether it is there, and not only about to come or to go."""
        connection = self.connection()
        active = self._ask(lambda: connection.listAllDomains(self.api.VIR_CONNECT_LIST_DOMAINS_ACTIVE))
        found = next((each for each in active if each.name() == vm), None)
        return found is not None and not self._is_between(*self._ask(found.state))

    def _is_between(self, state: int, reason: int) -> bool:
        """Whether a machine is paused for its move: it is on two servers then and runs on none."""
        return state == self.api.VIR_DOMAIN_PAUSED and reason == self.api.VIR_DOMAIN_PAUSED_MIGRATION

    def room(self, *, copy_disks: bool) -> tuple[int, int, int]:
        """Processors, memory and disk, the last two in bytes; no disk where disks stay where they are."""
        connection = self.connection()
        information = self._ask(connection.getInfo)
        disk_B = 0
        if copy_disks:
            pools = self._ask(lambda: connection.listAllStoragePools(self.api.VIR_CONNECT_LIST_STORAGE_POOLS_ACTIVE))
            disk_B = sum(self._ask(pool.info)[1] for pool in pools)
        return information[2], information[1] * _MIB, disk_B

    def vms(self, *, copy_disks: bool) -> "_Vms":
        """Its machines. What they write to memory is measured all the time; the first look waits for it."""
        found = self._statistics()
        between = {each.name() for each, values in found if self._is_between(*_state(values))}
        running = [(each, values) for each, values in found if each.name() not in between]
        self._note_dirty_rates(running)
        self._measure_dirty_rates(running)
        if any(each.name() not in self._dirty_Bps for each, _ in running):
            time.sleep(DIRTY_RATE_S + 0.2)
            running = [(each, values) for each, values in self._statistics() if each.name() not in between]
            self._note_dirty_rates(running)
        t_s = time.monotonic()
        return _Vms([self._vm(each, values, t_s, copy_disks) for each, values in running], between)

    def _statistics(self) -> list[tuple[Any, dict[str, Any]]]:
        api, connection = self.api, self.connection()
        wanted = api.VIR_DOMAIN_STATS_STATE | api.VIR_DOMAIN_STATS_VCPU | api.VIR_DOMAIN_STATS_BALLOON
        wanted |= api.VIR_DOMAIN_STATS_INTERFACE | api.VIR_DOMAIN_STATS_DIRTYRATE
        active = api.VIR_CONNECT_GET_ALL_DOMAINS_STATS_ACTIVE
        found: list[tuple[Any, dict[str, Any]]] = self._ask(lambda: connection.getAllDomainStats(wanted, active))
        return found

    def _note_dirty_rates(self, machines: list[tuple[Any, dict[str, Any]]]) -> None:
        """Keep what was measured: libvirt forgets it when the next measurement begins."""
        told = {each.name(): float(values[_DIRTY]) * _MIB for each, values in machines if _DIRTY in values}
        known = {name: self._dirty_Bps[name] for each, _ in machines if (name := each.name()) in self._dirty_Bps}
        self._dirty_Bps = known | told

    def _measure_dirty_rates(self, machines: list[tuple[Any, dict[str, Any]]]) -> None:
        for domain, values in machines:
            if values.get("dirtyrate.calc_status", _UNSTARTED) in (_UNSTARTED, _MEASURED):  # not one that goes on
                with suppress(self.api.libvirtError):  # it moves, or has ended; the next look tells
                    within(TIMEOUT_S, self.shown, partial(domain.startDirtyRateCalc, DIRTY_RATE_S, 0))

    def _vm(self, domain: Any, values: dict[str, Any], t_s: float, copy_disks: bool) -> Vm:
        name = domain.name()
        downtime_s = self._ask(domain.migrateGetMaxDowntime) / 1e3
        disk_B = sum(self._disks_B(domain)) if copy_disks else 0
        try:
            dirty_Bps = self._dirty_Bps[name]
            cpus, memory_B = int(values["vcpu.current"]), int(values["balloon.maximum"]) * 1024
            cards = range(int(values["net.count"]))
            received_B = sum(int(values[f"net.{card}.rx.bytes"]) for card in cards)
            sent_B = sum(int(values[f"net.{card}.tx.bytes"]) for card in cards)
        except KeyError as error:
            what = "dirtyrate" if error.args[0] == name else error.args[0]
            raise CloudError(f"{self.shown} does not tell {what} of {name}") from error
        return Vm(name, self.name(), cpus, memory_B, disk_B, dirty_Bps, downtime_s, Counters(t_s, received_B, sent_B))

    def _disks_B(self, domain: Any) -> list[int]:
        devices = ET.fromstring(self._ask(domain.XMLDesc)).findall("devices/disk[@device='disk']/target")
        return [self._ask(partial(domain.blockInfo, each.get("dev")))[0] for each in devices]

    def _ask(self, function: Any) -> Any:
        """What libvirt answers. Raises CloudError if it does not, or refuses; then the connection is made anew."""
        try:
            return within(TIMEOUT_S, self.shown, function)
        except self.api.libvirtError as error:
            self._connection = None
            raise CloudError(f"{self.shown}: {_words(error)}") from error
        except CloudError:
            self._connection = None
            raise


def _module() -> ModuleType:
    try:
        import libvirt
    except ImportError as error:
        raise MissingToolError(
            "Python has no libvirt here",
            hint="pip install 'fairlead[libvirt]' (it needs libvirt's headers, libvirt-dev)",
        ) from error
    # What goes wrong is in the exceptions; libvirt would print it to standard error too.
    libvirt.registerErrorHandler(lambda context, error: None, None)
    module: ModuleType = libvirt
    return module


def _words(error: Exception) -> str:
    """libvirt's message, or another's, in one line: QEMU's output comes with it."""
    text = error.get_error_message() if hasattr(error, "get_error_message") else str(error)
    return " ".join(text.split())


def _state(values: dict[str, Any]) -> tuple[int, int]:
    return values.get("state.state", 0), values.get("state.reason", 0)


def _batch(uri: str) -> str:
    """The URI, so that ssh does not ask for a password on the user's terminal."""
    parts = urlsplit(uri)
    if ("+ssh" not in parts.scheme and "+libssh" not in parts.scheme) or "no_tty=" in parts.query:
        return uri
    return uri + ("&" if parts.query else "?") + "no_tty=1"
