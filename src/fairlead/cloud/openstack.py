"""OpenStack as a cloud: Nova says who is where and migrates, Placement who has room.

Credentials are those of ``clouds.yaml`` and stay in openstacksdk. None passes through here.
"""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from fairlead.cloud.driver import DRIVERS
from fairlead.cloud.inventory import AffinityGroup, Inventory, Load, Server, Vm
from fairlead.cloud.openstack_answers import Consumer, Hypervisor, Instance, ServerGroup, Stock
from fairlead.cloud.openstack_creation import OpenstackCreation, request
from fairlead.cloud.openstack_migration import OpenstackMigration
from fairlead.cloud.openstack_session import OpenstackSession, describe, failures, settings
from fairlead.cloud.uplinks import Uplinks
from fairlead.cloud.worker import Worker
from fairlead.cluster.cloud_table import OpenstackTable
from fairlead.cluster.description import Cluster
from fairlead.errors import CloudError, ConfigError, CreationRefusedError, MigrationRefusedError

TIMEOUT_S = 10.0
_MIB, _GIB = 2**20, 2**30
_PROCESSORS = ("VCPU", "PCPU")

_Answer = TypeVar("_Answer")


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
            raise ConfigError("[cloud] does not name the cloud", hint="`cloud` names one of clouds.yaml, or OS_CLOUD")
        found = settings(cloud, table.region, TIMEOUT_S).config
        where = f"{found['auth'].get('auth_url')}\n{found.get('region_name')}"
        self._site = f"openstack-{hashlib.sha256(where.encode()).hexdigest()[:12]}"
        # clouds.yaml is read again after a failure: the credentials may have been renewed. It could be read here; if it
        # cannot be then, it is being written.
        make = partial(OpenstackSession, cloud, table.region, TIMEOUT_S)
        self._worker = Worker(f"OpenStack {cloud}", make, (*failures(), ConfigError), describe)
        self._uplinks = Uplinks()
        self._own: dict[str, str] = {}  # by their ids, the names of the project's machines that have run

    @property
    def site(self) -> str:
        return self._site

    def inventory(self) -> Inventory:
        return self._look(with_traffic=True)[0]

    def migrate(self, vm: str, server: str) -> OpenstackMigration:
        found, instances = self._look(with_traffic=False)
        _require(server, found, MigrationRefusedError)
        if vm not in instances:
            raise MigrationRefusedError(f"no machine {vm} runs on any server")
        machine = found.vm(vm)
        if machine.server == server:
            raise MigrationRefusedError(f"{vm} is already on {server}")
        if instances[vm].task is not None:
            raise MigrationRefusedError(f"{vm} is busy: {instances[vm].task}")
        if bars := found.bars(server, machine):
            raise MigrationRefusedError(f"{server} {bars}")
        return OpenstackMigration(self._ask, vm, instances[vm].id, machine.server, server)

    def create(self, name: str, like: str, server: str) -> OpenstackCreation:
        found, instances = self._look(with_traffic=False)
        _require(server, found, CreationRefusedError)
        if like not in instances:
            raise CreationRefusedError(f"no machine {like} runs on any server")
        if self._named(name) is not None:
            raise CreationRefusedError(f"a machine {name} already exists")
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

    def _ask(self, question: Callable[[OpenstackSession], _Answer]) -> _Answer:
        """See `Worker.ask`."""
        return self._worker.ask(TIMEOUT_S, question)

    def _look(self, *, with_traffic: bool) -> tuple[Inventory, dict[str, Instance]]:
        """The site, and its machines as Nova has them, by the names that we give them."""
        hypervisors = self._hypervisors()
        stocks = {each.service.host: self._ask(partial(_stock, each.id)) for each in hypervisors}
        project = self._ask(lambda session: session.project())
        hosts = {each.service.host for each in hypervisors}
        every = self._ask(lambda session: session.instances())
        lost = [self._own[each.id] for each in every if each.status == "UNKNOWN" and each.id in self._own]
        if lost:  # they have not gone
            raise CloudError(f"Nova does not tell where {', '.join(sorted(lost))} is: its cell is down")
        listed = [each for each in every if each.host in hosts]
        names = _names(listed, project)
        # Others take up room, too; Placement knows what they have.
        running = {names[each.id]: each for each in listed if each.status in ("ACTIVE", "MIGRATING")}
        self._own = {each.id: name for name, each in running.items() if project in (None, each.project)}
        up = {each.service.host for each in hypervisors if each.state == "up"}
        loads = {name: self._load(each, up) if with_traffic else None for name, each in running.items()}
        vms = [self._vm(name, each, stocks, loads[name]) for name, each in running.items()]
        servers = [self._server(each, stocks[each.service.host], vms, with_traffic) for each in hypervisors]
        groups = [_group(each, names) for each in self._ask(lambda session: session.groups())]
        return Inventory(tuple(servers), tuple(vms), tuple(each for each in groups if each is not None)), running

    def _hypervisors(self) -> list[Hypervisor]:
        found = self._ask(lambda session: session.hypervisors())
        wanted = dict.fromkeys(self._table.servers or sorted(each.service.host for each in found))  # each once
        by_host = {each.service.host: each for each in found}
        if missing := [host for host in wanted if host not in by_host]:
            raise CloudError(f"there is no compute host {', '.join(missing)}", hint=f"there are {', '.join(by_host)}")
        return [by_host[host] for host in wanted]

    def _load(self, instance: Instance, up: set[str]) -> Load | None:
        """A machine's traffic; that of one on a host that is down nobody tells."""
        return self._ask(lambda session: session.load_of(instance.id)) if instance.host in up else None

    def _vm(self, name: str, instance: Instance, stocks: "dict[str, _Stock]", load: Load | None) -> Vm:
        # While it is on its way its target holds what it needs, and the migration what it has.
        own = stocks[str(instance.host)]
        holders = [own, *(each for each in stocks.values() if each is not own)]
        needs = next((each[1][instance.id].resources for each in holders if instance.id in each[1]), None)
        if needs is None:
            raise CloudError(
                f"Placement does not report the resources of {name} on {instance.host}",
                hint=f"`nova-manage placement heal_allocations --instance {instance.id}` adds them; or leave out "
                f"{instance.host} in `servers` of [cloud]",
            )
        cpus, memory_B, disk_B = _amounts(needs)
        dirty_Bps = None if self._table.dirty_rate is None else self._table.dirty_rate / 8
        return Vm(name, str(instance.host), cpus, memory_B, disk_B, dirty_Bps, self._table.downtime, load)

    def _server(self, hypervisor: Hypervisor, stock: "_Stock", vms: list[Vm], with_traffic: bool) -> Server:
        """A compute host, without what is taken by others than the machines that run there."""
        name = hypervisor.service.host
        has, consumers = stock
        if "MEMORY_MB" not in has or not any(each in has for each in _PROCESSORS):
            raise CloudError(f"Placement does not report the capacity of {name}")
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


@DRIVERS.register("openstack")
def driver(cluster: Cluster) -> OpenstackDriver:
    """The driver of a cluster whose ``[cloud]`` says so."""
    assert isinstance(cluster.cloud, OpenstackTable)
    return OpenstackDriver(cluster.cloud)


def _require(server: str, found: Inventory, refused: type[CloudError]) -> None:
    if server not in {each.name for each in found.servers}:
        known = ", ".join(each.name for each in found.servers)
        raise refused(f"there is no server {server}", hint=f"there are {known}")


_Stock = tuple[dict[str, Stock], dict[str, Consumer]]


def _stock(provider: str, session: OpenstackSession) -> _Stock:
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


def _group(group: ServerGroup, names: dict[str, str]) -> AffinityGroup | None:
    """A server group that Nova insists on; None for those that are only wishes."""
    members = frozenset(names[each] for each in group.members if each in names)
    if group.policy == "anti-affinity":
        return AffinityGroup(group.name, members, group.rules.max_server_per_host)
    return AffinityGroup(group.name, members, None) if group.policy == "affinity" else None
