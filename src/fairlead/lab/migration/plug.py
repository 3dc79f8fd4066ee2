"""Where a virtual machine's link is plugged in: read from the kernel, changed, written into the lab's record.

For processes inside the lab, whose process 1 has all namespaces open. Every step may be repeated: whoever finds a
half-done move finishes it.
"""

import ctypes
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairlead import files
from fairlead.errors import LabError
from fairlead.lab import addressing, recipe, state
from fairlead.lab.lab import Lab
from fairlead.lab.topology import ResolvedLab

_CLONE_NEWNET = 0x40000000
_RARP = 0x8035
_libc = ctypes.CDLL(None, use_errno=True)


class Plug:
    """The far end of one virtual machine's link. ``lab`` is as it was when the move began."""

    def __init__(self, lab: Lab, vm: str) -> None:
        self.lab = lab
        self.vm = vm
        self._descriptors = _descriptors(lab.directory)

    def network_path(self, node: str) -> str:
        """Path of a node's network namespace, as processes inside the lab see it."""
        return f"/proc/1/fd/{self._descriptors[node]}"

    def network_id(self, node: str) -> int:
        """The inode that tells a node's network namespace from others."""
        return Path(self.network_path(node)).stat().st_ino

    def found_in(self) -> str:
        """The server whose namespace holds the link's end.

        Raises:
            LabError: none does.
        """
        for server in self.lab.plan.server_by_name:
            with self._network_of(server):
                if self.vm in [name for _, name in socket.if_nameindex()]:
                    return server
        raise LabError(f"lab {self.lab.name}: the link of {self.vm} is in no server", hint="start the lab again")

    def into(self, server: str) -> None:
        """Re-plug into ``server``, have the network learn it, and write it down. It may be there already.

        Raises:
            LabError: the kernel refused.
        """
        now = self.found_in()
        if now != server:
            with self._network_of(now):
                _batch("ip", f"link set dev {self.vm} netns {self.network_path(server)}")
        with self._network_of(server):
            shaper = recipe.shaper(self.vm, self.lab.plan.link_of(self.vm))
            _batch("tc", shaper.replace("qdisc add", "qdisc replace", 1))
            _batch("ip", recipe.bridge_port(self.vm))
            self._announce(server)
        self._record(server)

    def settle(self) -> str:
        """Finish what a move that died left half-done; returns the server that the machine is on."""
        server = self.found_in()
        if self.lab.plan.host_by_name[self.vm].server != server:
            self.into(server)
        return server

    def _announce(self, server: str) -> None:
        """Send a frame from the machine's address out of the uplink, as hypervisors do; switches learn by it."""
        plan = self.lab.plan
        mac = bytes.fromhex(addressing.mac(plan.host_by_name[self.vm].address).replace(":", ""))
        reverse_request = bytes.fromhex("0001080006040003") + 2 * (mac + bytes(4))
        frame = b"\xff" * 6 + mac + _RARP.to_bytes(2, "big") + reverse_request.ljust(46, b"\0")
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
            out.bind((plan.leafs[plan.server_by_name[server].leaf], 0))
            out.send(frame)

    def _record(self, server: str) -> None:
        written = state.read(self.lab.directory)
        if written is None:
            raise LabError(f"lab {self.lab.name} is gone")
        plan = ResolvedLab.from_json(written["plan"]).with_vm_on(self.vm, server)
        files.replace(self.lab.directory / "lab.json", json.dumps({**written, "plan": plan.to_json()}))

    @contextmanager
    def _network_of(self, node: str) -> Iterator[None]:
        with Path("/proc/self/ns/net").open("rb") as before, Path(self.network_path(node)).open("rb") as inside:
            _join(inside.fileno())
            try:
                yield
            finally:
                _join(before.fileno())


def _join(descriptor: int) -> None:
    if _libc.setns(descriptor, _CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"setns: {os.strerror(number)}")


def _batch(tool: str, line: str) -> None:
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    done = subprocess.run(
        [tool, "-batch", "-"], input=line + "\n", capture_output=True, text=True, check=False, env={"PATH": path}
    )
    if done.returncode != 0:
        raise LabError(f"{tool} {line} failed: {done.stderr.strip()}")


def _descriptors(directory: Path) -> dict[str, int]:
    """First descriptor, in the lab's process 1, of each node's namespaces; the first is the network's."""
    lines = [line.split() for line in (directory / "namespaces").read_text().splitlines()]
    return {words[1]: int(words[2]) for words in lines if words[0] == "host"}
