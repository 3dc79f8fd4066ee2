"""One authenticated connection to an OpenStack cloud, and the questions that fairlead has."""

import logging
import sys
import time
from http import HTTPStatus
from types import ModuleType
from typing import Any, TypeVar

from pydantic import ValidationError

from fairlead.cloud import openstack_answers as answers
from fairlead.cloud.inventory import Load
from fairlead.errors import CloudError, ConfigError, CreationRefusedError, MigrationRefusedError, MissingToolError

COMPUTE = "2.84"
"""Microversion of Nova (Ussuri, 2020): the first that tells why a migration was refused."""
PLACEMENT = "1.0"
_WORDS = 300

_AnswerT = TypeVar("_AnswerT", bound=answers.Answer)


def api() -> ModuleType:
    """openstacksdk's module.

    Raises:
        MissingToolError: Python has none.
    """
    try:
        import openstack
    except ImportError as error:
        raise MissingToolError(
            "Python has no openstacksdk here",
            hint=f"`make setup` installs it; by hand: {sys.executable} -m pip install 'openstacksdk>=4,<5'",
        ) from error
    # What goes wrong is in the exceptions; without a handler warnings would go to standard error, too.
    logger = logging.getLogger("keystoneauth")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    module: ModuleType = openstack
    return module


def failures() -> tuple[type[Exception], ...]:
    """What a cloud that refuses, is silent, or cannot be reached raises."""
    sdk: type[Exception] = api().exceptions.SDKException
    from keystoneauth1.exceptions import ClientException  # comes with openstacksdk

    return sdk, ClientException


def describe(error: Exception) -> str:
    """What the cloud said, in one line, with the way out where it is known. No header, and so no token, is in it."""
    status = getattr(error, "status_code", None) or getattr(error, "http_status", None)
    text = " ".join(str(getattr(error, "details", None) or error).split())
    text = text.partition(": HTTP")[0]  # the rest is the library's own objects
    text = text if len(text) <= _WORDS else f"{text[:_WORDS]}..."
    if status == HTTPStatus.UNAUTHORIZED:
        return f"{text.removesuffix(' (HTTP 401)')} (HTTP 401): are the credentials in clouds.yaml still valid?"
    if status == HTTPStatus.FORBIDDEN:
        return f"{text} (HTTP 403): this needs the role admin, or policies that allow it"
    return f"{text} (HTTP {status})" if status and f"HTTP {status}" not in text else text


def settings(cloud: str, region: str | None, timeout_s: float) -> Any:
    """What ``clouds.yaml`` says of a cloud, as openstacksdk's CloudRegion.

    Raises:
        ConfigError: it does not name this cloud, or not all that is needed.
    """
    # Patience is ours alone: every repeat of the library's would add its own.
    patience = {"api_timeout": timeout_s, "connect_retries": 0, "status_code_retries": 0}
    problems: tuple[type[Exception], ...] = (*failures(), OSError, TypeError, ValueError)
    try:
        return _read().get_one(cloud=cloud, region_name=region, **patience)
    except problems as error:
        raise ConfigError(
            f"clouds.yaml: cloud {cloud}: {describe(error)}",
            hint="it is looked for here, in ~/.config/openstack and /etc/openstack, or OS_CLIENT_CONFIG_FILE names it",
        ) from None


def _read() -> Any:
    """``clouds.yaml`` by openstacksdk, which logs the lines of a file that is no YAML: a password may stand there."""
    broken: list[str] = []

    def keep_back(record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple) and record.args:
            broken.append(str(record.args[0]))
        return False

    logger = logging.getLogger("openstack.config")
    logger.addFilter(keep_back)
    try:
        found = api().config.OpenStackConfig(app_name="fairlead")
    finally:
        logger.removeFilter(keep_back)
    if broken:
        raise ConfigError(f"{broken[0]}: is not YAML", hint="a parser's message would quote it, and with it a password")
    return found


class OpenstackSession:
    """Questions to one cloud. Each may raise `failures`, or CloudError for an answer that makes no sense."""

    def __init__(self, cloud: str, region: str | None, timeout_s: float) -> None:
        self._connection = api().connection.Connection(config=settings(cloud, region, timeout_s))

    def project(self) -> str | None:
        """The credentials' project; None if they are for the whole system."""
        found: str | None = self._connection.session.get_project_id()
        return found

    def hypervisors(self) -> list[answers.Hypervisor]:
        """All compute hosts, page by page: Nova gives a thousand at most at once."""
        found: list[answers.Hypervisor] = []
        while True:
            marker = {"marker": found[-1].id} if found else {}
            page = self._nova("/os-hypervisors/detail", answers.Hypervisors, **marker)
            found += page.hypervisors
            if not page.links or not page.hypervisors:
                return found

    def stock(self, provider: str) -> tuple[dict[str, answers.Stock], dict[str, answers.Consumer]]:
        """What a compute host has, and who has how much of it."""
        path = f"/resource_providers/{provider}"
        has = self._placement(f"{path}/inventories", answers.Inventories).inventories
        return has, self._placement(f"{path}/allocations", answers.Allocations).allocations

    def instances(self) -> list[answers.Instance]:
        """All machines of all projects, page by page."""
        found: list[answers.Instance] = []
        while True:
            marker = {"marker": found[-1].id} if found else {}
            page = self._nova("/servers/detail", answers.Instances, all_tenants="1", **marker)
            found += page.servers
            if not page.links or not page.servers:
                return found

    def instance(self, vm: str) -> answers.Instance:
        """A machine.

        Raises:
            CloudError: Nova does not know where it is, for its cell is down.
        """
        found = self._nova(f"/servers/{vm}", answers.OneInstance).server
        if found.status == "UNKNOWN":
            raise CloudError(f"Nova does not tell where {vm} is: its cell is down")
        return found

    def groups(self) -> list[answers.ServerGroup]:
        found: list[answers.ServerGroup] = []
        while True:
            asked = {"all_projects": "true", "offset": str(len(found))}
            page = self._nova("/os-server-groups", answers.ServerGroups, **asked).server_groups
            found += page
            if not page:  # Nova does not say whether there are more
                return found

    def load_of(self, vm: str) -> Load | None:
        """A machine's counters; None where the cloud does not tell them."""
        path = f"/servers/{vm}/diagnostics"
        response = self._connection.compute.get(path, microversion=COMPUTE, skip_cache=True)
        if response.status_code >= HTTPStatus.BAD_REQUEST and response.status_code != HTTPStatus.UNAUTHORIZED:
            return None
        nics = self._parsed(response, path, answers.Diagnostics).nic_details
        received = [nic.rx_octets for nic in nics if nic.rx_octets is not None]
        sent = [nic.tx_octets for nic in nics if nic.tx_octets is not None]
        if len(received) < len(nics) or len(sent) < len(nics):
            return None
        return Load(time.monotonic(), sum(received), sum(sent))

    def migrate(self, vm: str, server: str) -> tuple[str, CloudError | None]:
        """Ask for a live migration: the request's id; or nothing, and why it was not taken.

        After an exception it may have been taken.
        """
        body = {"os-migrateLive": {"host": server, "block_migration": "auto"}}
        response = self._connection.compute.post(f"/servers/{vm}/action", json=body, microversion=COMPUTE)
        if HTTPStatus.BAD_REQUEST <= response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            of_this_move = response.status_code in (HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT)
            return "", (MigrationRefusedError if of_this_move else CloudError)(self._refusal(response))
        api().exceptions.raise_from_response(response)
        return response.headers.get("x-openstack-request-id", ""), None

    def model(self, vm: str) -> answers.Model:
        return self._nova(f"/servers/{vm}", answers.OneModel).server

    def flavor(self, name: str) -> str:
        """The id of a flavor.

        Raises:
            CloudError: it no longer exists.
        """
        marker: dict[str, str] = {}
        while True:
            page = self._nova("/flavors/detail", answers.Flavors, is_public="None", **marker)
            number = next((each.id for each in page.flavors if each.name == name), None)
            if number is not None:
                return number
            if not page.links or not page.flavors:
                raise CloudError(f"the flavor {name} no longer exists")
            marker = {"marker": page.flavors[-1].id}

    def networks(self, vm: str) -> list[str]:
        """Ids of the networks that a machine has a port in."""
        return [each.net_id for each in self._nova(f"/servers/{vm}/os-interface", answers.Ports).ports]

    def create(self, body: dict[str, Any]) -> tuple[str, CloudError | None]:
        """Ask for a machine: its id; or nothing, and why it is not made. After an exception it may be."""
        path = "/servers"
        refusals = (HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT)  # 403: the quota
        response = self._connection.compute.post(path, json=body, microversion=COMPUTE)
        if HTTPStatus.BAD_REQUEST <= response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            of_this_one = response.status_code in refusals
            return "", (CreationRefusedError if of_this_one else CloudError)(self._refusal(response))
        return self._parsed(response, path, answers.OneRequest).server.id, None

    def made(self, vm: str) -> answers.Made | None:
        """A machine that is being made; None if it is not there (any more)."""
        path = f"/servers/{vm}"
        response = self._connection.compute.get(path, microversion=COMPUTE, skip_cache=True)
        if response.status_code == HTTPStatus.NOT_FOUND:
            return None
        return self._parsed(response, path, answers.OneMade).server

    def delete(self, vm: str) -> None:
        """Ask for a machine's end; one that is not there is no error."""
        response = self._connection.compute.delete(f"/servers/{vm}", microversion=COMPUTE)
        if response.status_code != HTTPStatus.NOT_FOUND:
            api().exceptions.raise_from_response(response)

    def record(self, vm: str, after: int) -> answers.MigrationRecord | None:
        """The newest live migration of a machine, if there is one after that of number ``after``."""
        asked = {"instance_uuid": vm, "migration_type": "live-migration", "limit": "1"}
        found = self._nova("/os-migrations", answers.Records, **asked).migrations
        return found[0] if found and found[0].id > after else None

    def copied(self, vm: str, migration: int) -> answers.Copied | None:
        """How far a migration is; None if it is not under way."""
        path = f"/servers/{vm}/migrations/{migration}"
        response = self._connection.compute.get(path, microversion=COMPUTE, skip_cache=True)
        if response.status_code == HTTPStatus.NOT_FOUND:
            return None
        return self._parsed(response, path, answers.OneCopied).migration

    def why(self, vm: str, request: str) -> str | None:
        """What went wrong with a request, in Nova's words; None if nothing did until now."""
        path = f"/servers/{vm}/os-instance-actions/{request}"
        response = self._connection.compute.get(path, microversion=COMPUTE, skip_cache=True)
        if response.status_code == HTTPStatus.NOT_FOUND:
            return None
        steps = self._parsed(response, path, answers.Action).action.events
        reasons = [step.details for step in steps if step.result == "Error"]
        return next((each for each in reasons if each), "no reason is known") if reasons else None

    def abort(self, vm: str, migration: int) -> bool:
        """Ask for a migration's end; whether that was possible: it must have begun, and not be over."""
        response = self._connection.compute.delete(f"/servers/{vm}/migrations/{migration}", microversion=COMPUTE)
        if response.status_code in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND):
            return False
        api().exceptions.raise_from_response(response)
        return True

    def _nova(self, path: str, model: type[_AnswerT], **asked: str) -> _AnswerT:
        response = self._connection.compute.get(path, params=asked, microversion=COMPUTE, skip_cache=True)
        return self._parsed(response, path, model)

    def _placement(self, path: str, model: type[_AnswerT]) -> _AnswerT:
        response = self._connection.placement.get(path, microversion=PLACEMENT, skip_cache=True)
        return self._parsed(response, path, model)

    def _parsed(self, response: Any, path: str, model: type[_AnswerT]) -> _AnswerT:
        api().exceptions.raise_from_response(response)
        try:
            return model.model_validate_json(response.content)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise CloudError(f"the answer to {path} makes no sense: {where or 'all of it'}: {first['msg']}") from None

    def _refusal(self, response: Any) -> str:
        try:
            api().exceptions.raise_from_response(response)
        except api().exceptions.SDKException as error:
            return describe(error)
        return ""
