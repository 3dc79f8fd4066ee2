"""Hosts in network namespaces behind one switch, and real agents on them: for test_agent*.py."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Protocol

from fairlead import native
from fairlead.protocol import reading

Message = dict[str, Any]
PORT = 47211


def agent_program() -> Path:
    """The built agent. Where there is none the build is broken, and so is every test of it."""
    return native.program("fairlead-agent")


class Namespace:
    """A network namespace that lives as long as a process of ours: nothing to clean up, however the test ends."""

    def __init__(self) -> None:
        self.holder = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "sleep", "infinity"])
        own = Path("/proc/self/ns/net").stat().st_ino
        deadline_s = time.monotonic() + 10
        while Path(f"/proc/{self.holder.pid}/ns/net").stat().st_ino == own:
            assert time.monotonic() < deadline_s, "no new network namespace within 10 s"
            time.sleep(0.001)
        self.ip("link set lo up")

    def enter(self, *command: str) -> list[str]:
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", *command]

    def run(self, *command: str, text_in: str | None = None) -> str:
        done = subprocess.run(self.enter(*command), input=text_in, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def ip(self, *lines: str) -> None:
        self.run("ip", "-batch", "-", text_in="\n".join(lines) + "\n")

    def close(self) -> None:
        self.holder.kill()
        self.holder.wait()


class Star:
    """`size` hosts on one switch; host i has the address 10.79.0.(i + 1) on eth0."""

    def __init__(self, size: int) -> None:
        self.switch = Namespace()
        self.hosts = [Namespace() for _ in range(size)]
        self.switch.ip("link add br0 type bridge", "link set br0 up")
        for i, host in enumerate(self.hosts):
            host.ip(f"link add eth0 type veth peer name to{i} netns {self.switch.holder.pid}")
            host.ip(f"address add {self.address(i)}/24 dev eth0", "link set eth0 up")
            self.switch.ip(f"link set to{i} up master br0")
        self._wait_until_forwarding()

    @staticmethod
    def address(host: int) -> str:
        return f"10.79.0.{host + 1}"

    def _wait_until_forwarding(self) -> None:
        """The kernel may take a second to switch on a device whose peer has just come up."""
        deadline_s = time.monotonic() + 10
        while True:
            ports = json.loads(self.switch.run("bridge", "-json", "link", "show"))
            if len(ports) == len(self.hosts) and all(port["state"] == "forwarding" for port in ports):
                return
            assert time.monotonic() < deadline_s, ports
            time.sleep(0.01)

    def shape(self, host: int, rate_mbps: int, *, latency_ms: int = 50) -> None:
        """Limits what the host sends and what it gets."""
        words = f"root tbf rate {rate_mbps}mbit burst 16kb latency {latency_ms}ms".split()
        self.hosts[host].run("tc", "qdisc", "replace", "dev", "eth0", *words)
        self.switch.run("tc", "qdisc", "replace", "dev", f"to{host}", *words)

    def unshape(self, host: int) -> None:
        self.hosts[host].run("tc", "qdisc", "delete", "dev", "eth0", "root")
        self.switch.run("tc", "qdisc", "delete", "dev", f"to{host}", "root")

    def close(self) -> None:
        for node in (*self.hosts, self.switch):
            node.close()


class Network(Protocol):
    """What an agent needs to know of a network: where its hosts are."""

    @property
    def hosts(self) -> Sequence[Any]: ...
    def address(self, host: int) -> str: ...


class Agent:
    """One real agent: lines in, lines out. Its lines are read by a thread, as a supervisor would."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.answers: Queue[Message] = Queue()
        self.events: Queue[Message] = Queue()
        self.seen: list[Message] = []
        self._next_id = 1
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if "id" in message or message["type"] in ("ready", "error", "stopped"):
                self.answers.put(message)
            else:
                reading.event_of(message["type"], message)  # the supervisor must understand it, too
                self.seen.append(message)
                self.events.put(message)

    def write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def send(self, **message: Any) -> int:
        identity, self._next_id = self._next_id, self._next_id + 1
        self.write(json.dumps({**message, "id": identity}))
        return identity

    def answer(self, timeout_s: float = 30.0) -> Message:
        return self.answers.get(timeout=timeout_s)

    def ask(self, timeout_s: float = 30.0, *, any_order: bool = False, **message: Any) -> Message:
        """Send a command and return the answer with its id; `any_order`: answers to earlier ones may come first."""
        identity = self.send(**message)
        answer = self.answer(timeout_s)
        while any_order and answer["id"] != identity:
            answer = self.answer(timeout_s)
        assert answer["id"] == identity, answer
        return answer

    def event(self, kind: str, timeout_s: float = 15.0, where: Callable[[Message], bool] = lambda _: True) -> Message:
        """The next event of a kind; others are dropped."""
        deadline_s = time.monotonic() + timeout_s
        while True:
            try:
                event = self.events.get(timeout=max(0.0, deadline_s - time.monotonic()))
            except Empty:
                raise AssertionError(f"no event `{kind}` within {timeout_s} s; seen: {self.seen[-5:]}") from None
            if event["type"] == kind and where(event):
                return event

    def end_input(self, timeout_s: float = 5.0) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(timeout_s)

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(5)

    def close(self) -> None:
        """Ends it; a sanitizer's report fails the test."""
        if self.process.poll() is None:
            try:
                code = self.end_input()
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            assert self.process.stderr is not None
            assert code == 0, f"the agent ended with {code}: {self.process.stderr.read()}"
        self._reader.join(5)


def config(
    net: Network, index: int, secret: str, *, port: int = PORT, job: str = "1f3a9c02", **changes: Any
) -> Message:
    """The first line for the agent of one host."""
    hosts = [{"name": f"h{i}", "address": net.address(i), "port": port} for i in range(len(net.hosts))]
    message = {
        "type": "config",
        "job": job,
        "secret": secret,
        "self": index,
        "hosts": hosts,
        "guardian": None,
        "uid": os.getuid(),
        "clock_test": {"offset_s": 0.0, "drift": 0.0},
        "manage": None,
    }
    return {**message, **changes}


def start(net: Network, index: int, first_line: Message, command: Sequence[str] | None = None) -> Agent:
    agent = Agent(net.hosts[index].enter(*(command or [str(agent_program())])))
    agent.write(json.dumps(first_line))
    return agent


@contextmanager
def agents(net: Network, indices: Sequence[int] | None = None, **changes: Any) -> Iterator[list[Agent]]:
    """Agents of one job on the hosts. A value of `changes` that is a function is called with the host's index."""
    secret = changes.pop("secret", None) or secrets.token_hex(32)
    plane = changes.pop("plane", "route" if changes.get("guardian") else "none")
    # A job's name of its own: the guardian of an agent that was killed lives on for its grace time.
    changes.setdefault("job", secrets.token_hex(4))
    running: list[Agent] = []
    try:
        for index in range(len(net.hosts)) if indices is None else indices:
            own = {key: value(index) if callable(value) else value for key, value in changes.items()}
            running.append(start(net, index, config(net, index, secret, **own)))
        for agent in running:
            ready = agent.answer()
            assert ready["type"] == "ready", ready
            assert ready["plane"] == plane, ready
        yield running
    finally:
        for agent in running:
            agent.close()
