"""What Nova and Placement answer, as far as it is needed; an answer that lacks it makes no sense.

Formats: the Compute API reference at microversion 2.84, the Placement API reference at 1.0.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Answer(BaseModel):
    """Base of all: what is not asked for is not looked at."""

    model_config = ConfigDict(frozen=True)


class Service(Answer):
    """A nova-compute service; ``host`` is what machines are migrated to."""

    host: str


class Hypervisor(Answer):
    """A compute host; ``id`` is that of its resource provider, too."""

    id: str
    state: Literal["up", "down"]
    status: Literal["enabled", "disabled"]
    service: Service


class Hypervisors(Answer):
    """A page of them; ``links`` where there are more."""

    hypervisors: list[Hypervisor]
    links: list[dict[str, str]] = Field(default=[], alias="hypervisors_links")


class Stock(Answer):
    """How much of a resource class a provider has."""

    total: int = Field(ge=0)
    reserved: int = Field(ge=0)
    allocation_ratio: float = Field(gt=0)

    @property
    def capacity(self) -> int:
        return int((self.total - self.reserved) * self.allocation_ratio)


class Inventories(Answer):
    inventories: dict[str, Stock]


class Consumer(Answer):
    resources: dict[str, int]


class Allocations(Answer):
    """Who has what of a provider, by the id of a machine, or of a migration under way."""

    allocations: dict[str, Consumer]


class Instance(Answer):
    """A machine. ``task`` is what is just being done to it. Of one in a cell that is down Nova tells hardly more than
    that it is there: it has no name then, and is on no host."""

    id: str
    name: str
    project: str = Field(alias="tenant_id")
    status: str
    host: str | None = Field(alias="OS-EXT-SRV-ATTR:host")
    task: str | None = Field(alias="OS-EXT-STS:task_state")

    @model_validator(mode="before")
    @classmethod
    def _of_a_cell_that_is_down(cls, data: Any) -> Any:
        if not isinstance(data, dict) or data.get("status") != "UNKNOWN":
            return data
        return {"name": "", "OS-EXT-SRV-ATTR:host": None, "OS-EXT-STS:task_state": None, **data}


class Instances(Answer):
    """A page of them; ``links`` where there are more."""

    servers: list[Instance]
    links: list[dict[str, str]] = Field(default=[], alias="servers_links")


class OneInstance(Answer):
    server: Instance


class Named(Answer):
    name: str


class FlavorName(Answer):
    """A machine tells what its flavor was, and no longer which."""

    original_name: str


class Model(Answer):
    """What a machine was made of. ``image`` is empty if it was made from a volume."""

    name: str
    image: dict[str, Any] | Literal[""]
    flavor: FlavorName
    key_name: str | None
    metadata: dict[str, str]
    config_drive: str
    security_groups: list[Named] = []
    server_groups: list[str]


class OneModel(Answer):
    server: Model


class Flavor(Answer):
    id: str
    name: str


class Flavors(Answer):
    """A page of them; ``links`` where there are more."""

    flavors: list[Flavor]
    links: list[dict[str, str]] = Field(default=[], alias="flavors_links")


class Port(Answer):
    """A machine's connection to a network."""

    net_id: str


class Ports(Answer):
    ports: list[Port] = Field(alias="interfaceAttachments")


class Fault(Answer):
    message: str


class Made(Answer):
    """A machine that is being made; ``fault`` is why it was not."""

    id: str
    status: str
    host: str | None = Field(alias="OS-EXT-SRV-ATTR:host")
    task: str | None = Field(alias="OS-EXT-STS:task_state")
    fault: Fault | None = None


class OneMade(Answer):
    server: Made


class Request(Answer):
    """What Nova says when it has taken a request for a machine."""

    id: str


class OneRequest(Answer):
    server: Request


class Rules(Answer):
    max_server_per_host: int = Field(default=1, ge=1)


class ServerGroup(Answer):
    name: str
    policy: str
    rules: Rules
    members: list[str]


class ServerGroups(Answer):
    server_groups: list[ServerGroup]


class Nic(Answer):
    rx_octets: int | None
    tx_octets: int | None


class Diagnostics(Answer):
    nic_details: list[Nic]


class MigrationRecord(Answer):
    """A migration, under way or over."""

    id: int
    status: str


class Records(Answer):
    """The newest first."""

    migrations: list[MigrationRecord]


class Copied(Answer):
    """How much of a migration under way is copied; None where the hypervisor does not tell."""

    done_B: int | None = Field(alias="memory_processed_bytes")
    left_B: int | None = Field(alias="memory_remaining_bytes")
    disk_done_B: int | None = Field(alias="disk_processed_bytes")
    disk_left_B: int | None = Field(alias="disk_remaining_bytes")


class OneCopied(Answer):
    migration: Copied


class Step(Answer):
    result: str | None
    details: str | None


class Steps(Answer):
    events: list[Step]


class Action(Answer):
    """What came of a request, step by step."""

    action: Steps = Field(alias="instanceAction")
