"""Which IPv4 addresses are this machine's, and which of them others see it by. Nothing is sent."""

import json
import socket
import subprocess
from dataclasses import dataclass

from fairlead.errors import LaunchError, MissingToolError


@dataclass(frozen=True)
class Outlook:
    """How this machine is seen by hosts that it is none of: its IPv4 address towards them, and the interface's name."""

    address: str
    interface: str


def is_own(address: str) -> bool:
    """Whether an interface of this machine has it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


def towards(address: str) -> Outlook:
    """What the kernel's routes say of the way to an address. Source: ip-route(8).

    Raises:
        LaunchError: no route leads there.
        MissingToolError: there is no ``ip``.
    """
    try:
        done = subprocess.run(["ip", "-json", "route", "get", address], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise MissingToolError("ip is not on this machine", hint="install iproute2") from error
    route = json.loads(done.stdout)[0] if done.returncode == 0 and done.stdout.strip() else {}
    if "prefsrc" not in route or "dev" not in route:
        raise LaunchError(
            f"no route leads from this machine, where mpirun is to run, to {address}: {done.stderr.strip()}",
            hint="mpirun and the ranks talk to each other: launch from a machine that is in their network",
        )
    return Outlook(route["prefsrc"], route["dev"])
