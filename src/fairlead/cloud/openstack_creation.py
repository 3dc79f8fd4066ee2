"""Another machine like one that there is, made by Nova."""

import time
from collections.abc import Callable
from typing import Any

from fairlead.cloud.driver import Created, Progress
from fairlead.cloud.ending import EndUnknownError
from fairlead.cloud.openstack_answers import Made, Model
from fairlead.cloud.openstack_work import Ask, OpenstackWork
from fairlead.errors import CloudError, CreationRefusedError


def request(name: str, model: Model, flavor: str, networks: list[str], server: str) -> dict[str, Any]:
    """What Nova is asked for: the model's flavor, image, networks, key, metadata and server group, on ``server``.

    Raises:
        CreationRefusedError: the model has what cannot be had twice.
    """
    if not model.image:
        raise CreationRefusedError(
            f"{model.name} was made from a volume, which only one machine can use",
            hint="name one that was made from an image",
        )
    wanted: dict[str, Any] = {
        "name": name,
        "imageRef": model.image["id"],
        "flavorRef": flavor,
        "networks": [{"uuid": each} for each in networks] or "none",
        "host": server,
        "metadata": model.metadata,
    }
    if model.key_name:
        wanted["key_name"] = model.key_name
    if model.config_drive:
        wanted["config_drive"] = True
    # Without ports there is nothing that a security group could be of.
    if networks and model.security_groups:
        wanted["security_groups"] = [{"name": each} for each in sorted({group.name for group in model.security_groups})]
    hints = {"os:scheduler_hints": {"group": model.server_groups[0]}} if model.server_groups else {}
    return {"server": wanted} | hints


class OpenstackCreation(OpenstackWork[Created]):
    """See `fairlead.cloud.driver.Creation`.

    Args:
        body: as `request` makes it.
        find: the id of the machine of that name, if there is one.
    """

    def __init__(self, ask: Ask, name: str, server: str, body: dict[str, Any], find: Callable[[], str | None]) -> None:
        super().__init__(ask)
        self._find = find
        self._name, self._server, self._body = name, server, body
        self._id: str | None = None
        self._unanswered: CloudError | None = None
        self._problem = "no reason is known"

    def _begin(self) -> None:
        if self._aborted:
            self._over = True
            raise CloudError(f"{self._name} was cancelled before it began")
        self._begun()
        try:
            self._id, refusal = self._ask(lambda session: session.create(self._body))
        except CloudError as error:  # the next looks tell whether Nova took it
            self._unanswered = error
            return
        if refusal is not None:
            self._over = True
            raise type(refusal)(f"{self._name} cannot be made on {self._server}: {refusal}")

    def _look(self) -> Created | Progress:
        if self._id is None and not self._found():
            return Progress("starting")
        made = self._made()
        if made is None:
            return self._gone()
        if self._aborted or made.status == "ERROR":
            if made.fault:
                self._problem = made.fault.message
            self._ask_end()
            return Progress("deleting")
        if made.status != "ACTIVE":
            return Progress(made.task or "building")
        self._over = True
        return Created(str(made.host), time.monotonic() - self._begin_s)

    def _found(self) -> bool:
        """Whether a request whose answer was lost has made a machine."""
        self._id = self._find()
        if self._id is None and (late := self._late()):
            self._over = True
            raise EndUnknownError(
                f"Nova did not confirm the creation of {self._name} ({self._unanswered}): {late} later it did "
                "not exist, but it may still be created"
            )
        return self._id is not None

    def _made(self) -> Made | None:
        number = str(self._id)
        return self._ask(lambda session: session.made(number))

    def _gone(self) -> Progress:
        self._over = True
        if self._aborted:
            raise CloudError(f"{self._name} was cancelled, and is being deleted")
        raise CreationRefusedError(f"{self._name} cannot be made on {self._server}: {' '.join(self._problem.split())}")

    def _ask_end(self) -> None:
        number = self._id
        if number is not None:
            self._ask(lambda session: session.delete(number))
