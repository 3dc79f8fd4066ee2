"""OpenStack as a cloud: Nova says who is where and migrates, Placement who has room.

Credentials are those of ``clouds.yaml`` and stay in openstacksdk. None passes through here.
"""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

from fairlead.cloud.driver import Moved, Progress, no_answer
from fairlead.cloud.ending import EndUnknownError, end
from fairlead.cloud.inventory import Group, Inventory, Load, Server, Vm
from fairlead.cloud.openstack_answers import Consumer, Hypervisor, Instance, ServerGroup, Stock
from fairlead.cloud.openstack_creation import OpenstackCreation, request
from fairlead.cloud.openstack_session import Session, failures, in_words, settings
from fairlead.cloud.uplinks import Uplinks
from fairlead.cloud.worker import Worker
from fairlead.cluster.cloud_table import OpenstackTable
from fairlead.errors import CloudError, ConfigError, CreationRefusedError, MigrationRefusedError

TIMEOUT_S = 10.0
CLOSE_S = 10.0
POLL_S = 0.5
"""Between two looks at a migration, however often it is asked for: each is two questions to the cloud."""
BEGIN_S = 30.0
"""Within this time after its yes Nova must have begun, or said why not; so long it is looked for after no answer."""
_MIB, _GIB = 2**20, 2**30
_PROCESSORS = ("VCPU", "PCPU")

_Answer = TypeVar("_Answer")
Ask = Callable[[Callable[[Session], _Answer]], _Answer]


class OpenstackDriver:
    """See `fairlead.cloud.driver.Driver`.

    All compute hosts share one network, in which machines keep their addresses. Machines of the credentials' project
    are called by their names, others, and those whose name is not unique there, by their ids.

    Raises:
        MissingToolError: Python has no openstacksdk.
        ConfigError: ``clouds.yaml`` does not say how the cloud is reached.
    """

    def __init__(self, table: OpenstackTable) -> None:
        self._table = table
        cloud = table.cloud or os.environ.get("OS_CLOUD")
        if not cloud:
            raise ConfigError(
                "[cloud] does not say which cloud it is", hint="`cloud` names one of clouds.yaml, or OS_CLOUD"
            )
        found = settings(cloud, table.region, TIMEOUT_S).config
        where = f"{found['auth'].get('auth_url')}\n{found.get('region_name')}"
        self._site = f"openstack-{hashlib.sha256(where.encode()).hexdigest()[:12]}"
        # clouds.yaml is read again after a failure: the credentials may have been renewed. It could be read here; if it
        # cannot be then, it is being written.
        make = partial(Session, cloud, table.region, TIMEOUT_S)
        self._worker = Worker(f"OpenStack {cloud}", make, (*failures(), ConfigError), in_words)
        self._uplinks = Uplinks()

    @property
    def site(self) -> str:
        return self._site

    def inventory(self) -> Inventory:
        return self._look(with_traffic=True)[0]

    def migrate(self, vm: str, server: str) -> "OpenstackMigration":
        found, instances = self._look(with_traffic=False)
        if server not in {each.name for each in found.servers}:
            known = ", ".join(each.name for each in found.servers)
            raise MigrationRefusedError(f"there is no server {server}", hint=f"there are {known}")
        if vm not in instances:
            raise MigrationRefusedError(f"no machine {vm} runs on any server")
        machine = found.vm(vm)
        if machine.server == server:
            raise MigrationRefusedError(f"{vm} is on {server} already")
        if instances[vm].task is not None:
            raise MigrationRefusedError(f"{vm} is busy: {instances[vm].task}")
        if bars := found.bars(server, machine):
            raise MigrationRefusedError(f"{server} {bars}")
        return OpenstackMigration(self._ask, vm, instances[vm].id, machine.server, server)

    def create(self, name: str, like: str, server: str) -> OpenstackCreation:
        found, instances = self._look(with_traffic=False)
        if server not in {each.name for each in found.servers}:
            known = ", ".join(each.name for each in found.servers)
            raise CreationRefusedError(f"there is no server {server}", hint=f"there are {known}")
        if like not in instances:
            raise CreationRefusedError(f"no machine {like} runs on any server")
        if self._named(name) is not None:
            raise CreationRefusedError(f"there is a machine {name} already")
        if bars := found.bars(server, replace(found.vm(like), name=name)):
            raise CreationRefusedError(f"{server} {bars}")
        model = instances[like].id
        described = self._ask(lambda session: session.model(model))
        flavor = self._ask(lambda session: session.flavor(described.flavor.original_name))
        networks = self._ask(lambda session: session.networks(model))
        body = request(name, described, flavor, networks, server)
        return OpenstackCreation(self._ask, name, server, body, partial(self._named, name))

    def _named(self, name: str) -> str | None:
        """The id of the project's machine of that name."""
        project = self._ask(lambda session: session.project())
        listed = self._ask(lambda session: session.instances())
        return next((each.id for each in listed if each.name == name and project in (None, each.project)), None)

    def _ask(self, question: Callable[[Session], _Answer]) -> _Answer:
        """See `Worker.ask`."""
        return self._worker.ask(TIMEOUT_S, question)

    def _look(self, *, with_traffic: bool) -> tuple[Inventory, dict[str, Instance]]:
        """The site, and its machines as Nova has them, by the names that we give them."""
        hypervisors = self._hypervisors()
        stocks = {each.service.host: self._ask(partial(_stock, each.id)) for each in hypervisors}
        project = self._ask(lambda session: session.project())
        hosts = {each.service.host for each in hypervisors}
        listed = [each for each in self._ask(lambda session: session.instances()) if each.host in hosts]
        names = _names(listed, project)
        # Others take up room, too; Placement knows what they have.
        running = {names[each.id]: each for each in listed if each.status in ("ACTIVE", "MIGRATING")}
        up = {each.service.host for each in hypervisors if each.state == "up"}
        loads = {name: self._load(each, up) if with_traffic else None for name, each in running.items()}
        vms = [self._vm(name, each, stocks, loads[name]) for name, each in running.items()]
        servers = [self._server(each, stocks[each.service.host], vms, with_traffic) for each in hypervisors]
        groups = [_group(each, names) for each in self._ask(lambda session: session.groups())]
        return Inventory(tuple(servers), tuple(vms), tuple(each for each in groups if each is not None)), running

    def _hypervisors(self) -> list[Hypervisor]:
        found = self._ask(lambda session: session.hypervisors())
        wanted = self._table.servers or sorted(each.service.host for each in found)
        by_host = {each.service.host: each for each in found}
        if missing := [host for host in wanted if host not in by_host]:
            raise CloudError(f"there is no compute host {', '.join(missing)}", hint=f"there are {', '.join(by_host)}")
        return [by_host[host] for host in wanted]

    def _load(self, instance: Instance, up: set[str]) -> Load | None:
        """A machine's traffic; that of one on a host that is down nobody tells."""
        return self._ask(lambda session: session.load(instance.id)) if instance.host in up else None

    def _vm(self, name: str, instance: Instance, stocks: "dict[str, _Stock]", load: Load | None) -> Vm:
        # While it is on its way its target holds what it needs, and the migration what it has.
        own = stocks[str(instance.host)]
        holders = [own, *(each for each in stocks.values() if each is not own)]
        needs = next((each[1][instance.id].resources for each in holders if instance.id in each[1]), None)
        if needs is None:
            raise CloudError(f"Placement does not tell what {name} has")
        cpus, memory_B, disk_B = _amounts(needs)
        dirty_Bps = None if self._table.dirty_rate is None else self._table.dirty_rate / 8
        return Vm(name, str(instance.host), cpus, memory_B, disk_B, dirty_Bps, self._table.downtime, load)

    def _server(self, hypervisor: Hypervisor, stock: "_Stock", vms: list[Vm], with_traffic: bool) -> Server:
        """A compute host, without what is taken by others than the machines that run there."""
        name = hypervisor.service.host
        has, consumers = stock
        if "MEMORY_MB" not in has or not any(each in has for each in _PROCESSORS):
            raise CloudError(f"Placement does not tell the room of {name}")
        here = [vm for vm in vms if vm.server == name]
        taken = _amounts(dict(sum((Counter(each.resources) for each in consumers.values()), Counter())))
        theirs = (sum(vm.cpus for vm in here), sum(vm.memory_B for vm in here), sum(vm.disk_B for vm in here))
        capacity = _amounts({resource: each.capacity for resource, each in has.items()})
        cpus, memory_B, disk_B = (
            whole - max(0, used - ours) for whole, used, ours in zip(capacity, taken, theirs, strict=True)
        )
        load = None
        if with_traffic and hypervisor.state == "up" and all(vm.load is not None for vm in here):
            load = self._uplinks.see(name, here, time.monotonic())
        closed = "is down" if hypervisor.state == "down" else "is disabled" if hypervisor.status == "disabled" else None
        return Server(name, self._site, cpus, memory_B, disk_B, self._table.uplink, load, closed)


_Stock = tuple[dict[str, Stock], dict[str, Consumer]]


def _stock(provider: str, session: Session) -> _Stock:
    return session.stock(provider)


def _amounts(resources: dict[str, int]) -> tuple[int, int, int]:
    """Processors, shared and dedicated ones; memory and disk in bytes."""
    cpus = sum(resources.get(each, 0) for each in _PROCESSORS)
    return cpus, resources.get("MEMORY_MB", 0) * _MIB, resources.get("DISK_GB", 0) * _GIB


def _names(instances: list[Instance], project: str | None) -> dict[str, str]:
    """What we call machines, by id: nobody else's machine must pass for one of the job's."""
    own = [each for each in instances if project in (None, each.project)]
    count = Counter(each.name for each in own)
    return {each.id: each.id for each in instances} | {each.id: each.name for each in own if count[each.name] == 1}


def _group(group: ServerGroup, names: dict[str, str]) -> Group | None:
    """A server group that Nova insists on; None for those that are only wishes."""
    members = frozenset(names[each] for each in group.members if each in names)
    if group.policy == "anti-affinity":
        return Group(group.name, members, group.rules.max_server_per_host)
    return Group(group.name, members, None) if group.policy == "affinity" else None


class OpenstackMigration:
    """See `fairlead.cloud.driver.Migration`. Nova carries it out by itself; here it is only asked how far it is."""

    def __init__(self, ask: Ask, vm: str, instance: str, source: str, target: str) -> None:
        self._ask = ask
        self._vm, self._instance = vm, instance
        self._source, self._target = source, target
        newest = ask(lambda session: session.record(instance, 0))
        self._after = 0 if newest is None else newest.id
        self._number: int | None = None
        self._asked = False
        self._request: str | None = None  # Nova's number of it; None as long as Nova has not said that it took it
        self._unanswered = "its answer was not waited for"
        self._copying = False
        self._aborted = False
        self._abort_taken = False
        self._over = False
        self._begin_s = self._looked_s = float("-inf")
        self._last: Moved | Progress = Progress("starting")

    def poll(self) -> Moved | Progress:
        if not self._asked:
            self._begin()
        if time.monotonic() >= self._looked_s + POLL_S:
            try:
                self._last = self._look()
            except CloudError as error:
                if self._over:
                    raise
                self._last = no_answer(error)
            self._looked_s = time.monotonic()
        return self._last

    def _look(self) -> Moved | Progress:
        record = self._ask(lambda session: session.record(self._instance, self._after))
        if record is None:
            return self._not_begun()
        self._number = record.id
        self._copying = self._copying or record.status in ("running", "post-migrating", "completed")
        if record.status == "completed":
            return self._arrived()
        if record.status in ("error", "failed", "cancelled"):
            raise self._failure(None if record.status == "cancelled" else f"the migration is in state {record.status}")
        if self._aborted and not self._abort_taken:  # it could not be aborted when we were asked
            self._ask_abort()
        return self._progress(record.id, record.status)

    def abort(self) -> None:
        self._aborted = True
        with suppress(CloudError):  # asked again with the next look
            self._ask_abort()

    def close(self) -> None:
        """Nova goes on with one that cannot be aborted any more."""
        if self._asked and not self._over and not self._aborted:
            with suppress(CloudError):  # nobody waits for the outcome any more
                end(self, self._vm, CLOSE_S)

    def _begin(self) -> None:
        if self._aborted:
            raise self._failure(None)
        self._asked = True  # an interrupt on the way does not keep Nova from taking it
        self._begin_s = time.monotonic()
        try:
            self._request, refusal = self._ask(lambda session: session.migrate(self._instance, self._target))
        except CloudError as error:  # the next looks may tell whether Nova took it
            self._unanswered = str(error)
            return
        if refusal is not None:
            self._over = True
            raise type(refusal)(f"{self._vm} cannot go to {self._target}: {refusal}")

    def _ask_abort(self) -> None:
        number = self._number
        if number is not None:
            self._abort_taken = self._ask(lambda session: session.abort(self._instance, number))

    def _not_begun(self) -> Progress:
        late = time.monotonic() > self._begin_s + BEGIN_S
        if self._request is None:  # Nova may come to it late, however idle the machine is now
            if late:
                raise self._never_seen()
            return Progress(f"not known to have begun: {self._unanswered}")
        why = self._why()
        if why is not None:
            raise self._failure(why)
        if late:
            raise self._failure(f"Nova has not begun within {BEGIN_S:g} s")
        return Progress("starting")

    def _never_seen(self) -> EndUnknownError:
        """Of a request whose answer was lost: what is known of it."""
        instance = self._ask(lambda session: session.instance(self._instance))
        self._over = True
        busy = f" (busy: {instance.task})" if instance.task else ""
        return EndUnknownError(
            f"Nova did not say that it moves {self._vm} ({self._unanswered}): {BEGIN_S:g} s later no migration was "
            f"seen and it was on {instance.host}{busy}, but one may still begin"
        )

    def _arrived(self) -> Moved:
        """Nova has said that it is done, and is believed where it cannot be looked at now."""
        moved = Moved(time.monotonic() - self._begin_s, None, None)
        self._over = True
        try:
            instance = self._ask(lambda session: session.instance(self._instance))
        except CloudError:
            return moved
        if instance.host != self._target or instance.status == "ERROR":
            raise self._failure("Nova calls the migration completed")
        return moved

    def _progress(self, number: int, status: str) -> Progress:
        seen = self._ask(lambda session: session.copied(self._instance, number))
        if seen is None or not seen.done_B or seen.left_B is None:
            return Progress(status)
        done_B, left_B = seen.done_B + (seen.disk_done_B or 0), seen.left_B + (seen.disk_left_B or 0)
        self._copying = True
        return Progress(f"{done_B / _MIB:.0f} MiB copied, {left_B / _MIB:.0f} MiB left")

    def _why(self) -> str | None:
        request = self._request
        return self._ask(lambda session: session.why(self._instance, request)) if request else None

    def _failure(self, problem: str | None) -> CloudError:
        """What went wrong, and where the machine is. None: it was cancelled."""
        self._over = True
        try:
            told = "the migration was aborted" if problem is None else self._why() or problem
            instance = self._ask(lambda session: session.instance(self._instance))
        except CloudError as unknown:
            return CloudError(f"{self._vm}: {problem or 'aborted'}; where it runs is not known: {unknown}")
        text = " ".join(told.split())
        if instance.status == "ERROR":
            return CloudError(f"{self._vm}: {text}; it is on {instance.host} in state ERROR, which needs its owner")
        if problem and instance.host == self._source and not self._copying and not self._aborted:
            return MigrationRefusedError(f"{self._target} does not take {self._vm}: {text}")
        return CloudError(f"{self._vm}: {text}; it runs on {instance.host}")
