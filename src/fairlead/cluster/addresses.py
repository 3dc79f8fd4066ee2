"""Which addresses are this machine's, and which of them others see it by. Nothing is sent."""

import json
import subprocess
from dataclasses import dataclass
from typing import TypedDict

from fairlead.cluster.remote import executed
from fairlead.errors import LaunchError, MissingToolError


@dataclass(frozen=True)
class LauncherAddress:
    """How this machine is seen by hosts that it is none of: its address towards them, and the interface's name."""

    address: str
    interface: str


class _Route(TypedDict, total=False):
    """What is used of ``ip -json route get``. Source: ip-route(8)."""

    type: str
    prefsrc: str
    dev: str


def is_own(address: str) -> bool:
    """Whether an interface of this machine has it."""
    return _route(address).get("type") == "local"


def towards(address: str) -> LauncherAddress:
    """What the kernel's routes say of the way to an address.

    Raises:
        LaunchError: no route leads there.
        MissingToolError: there is no ``ip``.
    """
    route = _route(address)
    if "prefsrc" not in route or "dev" not in route:
        raise LaunchError(
            f"this machine, where mpirun is to run, has no route to {address}",
            hint="mpirun and the ranks talk to each other: launch from a machine in their network",
        )
    return LauncherAddress(route["prefsrc"], route["dev"])


def _route(address: str) -> _Route:
    """Empty without a route."""
    command = ["ip", "-json", "route", "get", address]
    executed.tell(command)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise MissingToolError("ip is not on this machine", hint="install iproute2") from error
    found = json.loads(done.stdout) if done.returncode == 0 and done.stdout.strip() else [{}]
    route: _Route = found[0]
    return route
