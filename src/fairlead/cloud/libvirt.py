"""libvirt as a cloud: every server has its libvirt, which is asked over its URI.

Credentials are libvirt's own business: ssh keys, TLS certificates, group membership. None passes through here.
"""

import hashlib
import threading
import time
from contextlib import suppress
from functools import partial
from typing import Any

from fairlead.cloud.driver import DRIVERS, Moved, Progress, no_answer
from fairlead.cloud.ending import end_migration
from fairlead.cloud.inventory import Inventory, Server, Vm
from fairlead.cloud.libvirt_creation import LibvirtCreation
from fairlead.cloud.libvirt_definition import size, written_disks
from fairlead.cloud.libvirt_session import DIRTY_RATE_S, Definition, LibvirtSession, api, describe
from fairlead.cloud.uplinks import Uplinks
from fairlead.cloud.worker import Worker
from fairlead.cluster.cloud_table import CloudServer, LibvirtTable
from fairlead.cluster.description import Cluster
from fairlead.errors import CloudError, CreationRefusedError, MigrationRefusedError

TIMEOUT_S = 10.0
CLOSE_S = 10.0
_MIB = 2**20


class LibvirtDriver:
    """See `fairlead.cloud.driver.Driver`.

    All servers of the table share one network, in which machines keep their addresses.

    Raises:
        MissingToolError: Python has no libvirt.
    """

    def __init__(self, table: LibvirtTable) -> None:
        self._table = table
        self._servers = [_Server(each) for each in table.servers]
        self._uplinks = Uplinks()

    @property
    def site(self) -> str:
        uris = "\n".join(sorted(each.uri for each in self._table.servers))
        return f"libvirt-{hashlib.sha256(uris.encode()).hexdigest()[:12]}"

    def inventory(self) -> Inventory:
        self._require_names_apart()
        servers: list[Server] = []
        vms: list[Vm] = []
        between: set[str] = set()
        for each in self._servers:
            running, on_their_way = each.machines(copy_disks=self._table.copy_disks)
            load = self._uplinks.see(each.name(), running, time.monotonic())
            cpus, memory_B, disk_B = each.room(copy_disks=self._table.copy_disks)
            servers.append(Server(each.name(), self.site, cpus, memory_B, disk_B, self._table.uplink, load))
            vms += running
            between |= on_their_way
        if lost := between - {vm.name for vm in vms}:
            raise CloudError(f"{', '.join(sorted(lost))} is being migrated right now")
        return Inventory(tuple(servers), tuple(vms))

    def migrate(self, vm: str, server: str) -> "LibvirtMigration":
        target = self._server(server, MigrationRefusedError)
        source = next((each for each in self._servers if each.runs(vm)), None)
        if source is None:
            raise MigrationRefusedError(f"no machine {vm} runs on any server")
        if source is target:
            raise MigrationRefusedError(f"{vm} is already on {server}")
        return LibvirtMigration(source, target, vm, copy_disks=self._table.copy_disks)

    def create(self, name: str, like: str, server: str) -> LibvirtCreation:
        target = self._server(server, CreationRefusedError)
        found = next((each for one in [target, *self._servers] if (each := one.definition(like)) is not None), None)
        if found is None:
            raise CreationRefusedError(f"no server has a machine {like}")
        if any(each.definition(name) is not None for each in self._servers):
            raise CreationRefusedError(f"a machine {name} already exists")
        if found.runs and written_disks(found.text):
            raise CreationRefusedError(
                f"{like} is running, and what it writes to its disks meanwhile cannot be copied",
                hint="name one that is not running",
            )
        cpus, memory_B = size(found.text)
        if bars := self.inventory().bars(server, Vm(name, server, cpus, memory_B, 0, None, 0.0)):
            raise CreationRefusedError(f"{server} {bars}")
        return LibvirtCreation(target.open_session, target.ask, name, server, found.text, lasting=found.lasting)

    def _require_names_apart(self) -> None:
        """Raises CloudError where two URIs lead to servers of one name, or to one: its machines would be on both."""
        first: dict[str, _Server] = {}
        for each in self._servers:
            other = first.setdefault(each.name(), each)
            if other is not each:
                raise CloudError(
                    f"{other.uri} and {each.uri} are both called {each.name()}",
                    hint="list each server once in [cloud]; servers need host names of their own",
                )

    def _server(self, name: str, refused: type[CloudError]) -> "_Server":
        found = next((each for each in self._servers if each.name() == name), None)
        if found is None:
            known = ", ".join(each.name() for each in self._servers)
            raise refused(f"there is no server {name}", hint=f"there are {known}")
        return found


@DRIVERS.register("libvirt")
def driver(cluster: Cluster) -> LibvirtDriver:
    """The driver of a cluster whose ``[cloud]`` says so."""
    assert isinstance(cluster.cloud, LibvirtTable)
    return LibvirtDriver(cluster.cloud)


class LibvirtMigration:
    """See `fairlead.cloud.driver.Migration`. libvirt's call lasts as long as the migration, so it has a thread."""

    def __init__(self, source: "_Server", target: "_Server", vm: str, *, copy_disks: bool) -> None:
        self._source, self._target, self._vm = source, target, vm
        self._copy_disks = copy_disks
        self._problem: str | None = "it was not carried out"
        self._copied_B = 0
        self._begun = False
        self._aborted = False
        self._over = threading.Event()
        self._begin_s = self._end_s = float("-inf")
        self._thread = threading.Thread(target=self._carry_out, name=f"migrate {vm}", daemon=True)

    def poll(self) -> Moved | Progress:
        if not self._begun:
            self._begin()
        if not self._over.is_set():
            try:
                return self._progress()
            except CloudError as error:
                return no_answer(error)
        if self._problem is not None:
            raise self._failure(self._problem)
        try:
            statistics = self._target.ask(lambda session: session.job(self._vm, completed=True)) or {}
        except CloudError:  # it has moved: only how long the pause was stays unknown
            statistics = {}
        paused_ms, copied_B = statistics.get("downtime"), statistics.get("data_processed")
        return Moved(self._end_s - self._begin_s, None if paused_ms is None else paused_ms / 1e3, copied_B)

    def abort(self) -> None:
        self._aborted = True
        with suppress(CloudError):  # asked again with the next poll
            self._ask_abort()

    def close(self) -> None:
        if self._begun and not self._over.is_set() and not self._aborted:
            with suppress(CloudError):  # nobody waits for the outcome any more
                end_migration(self, self._vm, CLOSE_S)

    def _begin(self) -> None:
        self._begun = True
        self._begin_s = time.monotonic()
        if self._aborted:
            self._over.set()
        else:
            self._thread.start()

    def _carry_out(self) -> None:
        # Connections of its own: those of the servers go on answering meanwhile.
        try:
            source, target = self._source.open_session(), self._target.open_session()
            if not self._aborted:
                source.migrate(self._vm, target, self._target.receive, copy_disks=self._copy_disks)
                self._problem = None
        except (api().libvirtError, CloudError) as error:
            self._problem = describe(error)
        finally:
            self._end_s = time.monotonic()
            self._over.set()

    def _ask_abort(self) -> None:
        self._source.ask(lambda session: session.abort(self._vm))

    def _progress(self) -> Progress:
        if self._aborted:  # libvirt had nothing to abort before its own work had begun
            self._ask_abort()
        seen = self._source.ask(lambda session: session.job(self._vm))
        if seen and seen.get("memory_total"):
            self._copied_B = max(self._copied_B, seen["memory_processed"])
        self._target.ask(lambda session: session.name())  # the source waits for one that hangs, and does not say so
        if not seen or not seen.get("memory_total"):  # not begun yet, or just over: the thread will tell
            return Progress("finishing" if self._copied_B else "starting")
        left_B = seen["memory_remaining"] + seen.get("disk_remaining", 0)
        return Progress(f"{seen['memory_processed'] / _MIB:.0f} MiB copied, {left_B / _MIB:.0f} MiB left")

    def _failure(self, problem: str) -> CloudError:
        text = "the migration was aborted" if self._aborted else problem
        try:
            where = next((each.name() for each in (self._source, self._target) if each.runs(self._vm)), None)
            if where == self._source.name() and not self._copied_B and not self._aborted:
                return MigrationRefusedError(f"{self._target.name()} does not take {self._vm}: {text}")
        except CloudError as unknown:
            return CloudError(f"{self._vm}: {text}; where it runs is not known: {unknown}")
        runs = f"it runs on {where}" if where else "it runs on neither server"
        return CloudError(f"{self._vm}: {text}; {runs}")


class _Server:
    """One libvirt, asked in a thread of its own."""

    def __init__(self, table: CloudServer) -> None:
        self.receive = table.receive
        self.uri = table.uri
        self._worker = Worker(table.uri, partial(LibvirtSession, table.uri), (api().libvirtError,), describe)
        self._name: str | None = None
        self._dirty_Bps: dict[str, float] = {}

    def open_session(self) -> LibvirtSession:
        return LibvirtSession(self.uri)

    def ask(self, question: Any) -> Any:
        """See `Worker.ask`."""
        return self._worker.ask(TIMEOUT_S, question)

    def name(self) -> str:
        """The server's host name, as it says itself."""
        if self._name is None:
            self._name = str(self.ask(lambda session: session.name()))
        return self._name

    def runs(self, vm: str) -> bool:
        """Whether a machine is there, and not only about to come or to go."""
        return bool(self.ask(lambda session: session.runs(vm)))

    def definition(self, vm: str) -> Definition | None:
        found: Definition | None = self.ask(lambda session: session.definition(vm))
        return found

    def room(self, *, copy_disks: bool) -> tuple[int, int, int]:
        """Processors, memory and disk, the last two in bytes; no disk where disks stay where they are."""
        found: tuple[int, int, int] = self.ask(lambda session: session.room(copy_disks=copy_disks))
        return found

    def machines(self, *, copy_disks: bool) -> tuple[list[Vm], set[str]]:
        """Machines that run there, and names of those that are paused for a move.

        What they write to memory is measured all the time; the first look at a machine waits for it.
        """
        found, between = self.ask(lambda session: session.machines(copy_disks=copy_disks))
        if any(each.dirty_Bps is None and each.name not in self._dirty_Bps for each in found):
            time.sleep(DIRTY_RATE_S + 0.2)
            found, between = self.ask(lambda session: session.machines(copy_disks=copy_disks))
        # libvirt forgets what it measured when it measures anew.
        told = {each.name: each.dirty_Bps for each in found if each.dirty_Bps is not None}
        self._dirty_Bps = {
            each.name: self._dirty_Bps[each.name] for each in found if each.name in self._dirty_Bps
        } | told
        for each in found:
            if each.name not in self._dirty_Bps:
                raise CloudError(f"{self.uri} does not report the dirty rate of {each.name}")
        return [each.vm(self.name(), self._dirty_Bps[each.name]) for each in found], between
