"""As much of Keystone, Nova and Placement as fairlead asks for, in this process, over real HTTP."""

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

PASSWORD = "correct horse battery staple"
PROJECT = "11111111111111111111111111111111"
FLAVOR = {"VCPU": 2, "MEMORY_MB": 1024, "DISK_GB": 10}
STOCK = {
    "VCPU": {"total": 4, "reserved": 1, "allocation_ratio": 2.0},
    "MEMORY_MB": {"total": 8192, "reserved": 512, "allocation_ratio": 1.0},
    "DISK_GB": {"total": 100, "reserved": 0, "allocation_ratio": 1.0},
}
Answer = tuple[int, Any]


@dataclass
class Host:
    id: str
    state: str = "up"
    status: str = "enabled"
    inventories: dict[str, Any] = field(default_factory=lambda: json.loads(json.dumps(STOCK)))
    allocations: dict[str, dict[str, int]] = field(default_factory=dict)


@dataclass
class Machine:
    id: str
    name: str
    host: str
    project: str = PROJECT
    status: str = "ACTIVE"
    task: str | None = None
    image: Any = field(default_factory=lambda: {"id": "i-1"})
    networks: list[str] = field(default_factory=list)
    received_B: int = 1000
    sent_B: int = 10


@dataclass
class Cloud:
    """What it is and does.

    Attributes:
        course: states that a migration is in, one a look; the last one stays.
        reason: what Nova tells of one that failed.
        answers: by method and path (without the service's prefix), what is answered instead: status and JSON, or text
            that is none; None: nothing at all until the end; a function: it is called, and the line hung up.
        pages: machines, compute hosts or flavors a page.
        requests: what was asked, with bodies of what changes something.
        wanted: bodies of the machines that were asked for.
        slow: machines that are being made are never done.
    """

    hosts: dict[str, Host] = field(default_factory=dict)
    machines: list[Machine] = field(default_factory=list)
    groups: list[dict[str, Any]] = field(default_factory=list)
    course: list[str] = field(default_factory=lambda: ["accepted", "preparing", "running", "completed"])
    reason: str | None = None
    answers: dict[str, Answer | Callable[[], None] | None] = field(default_factory=dict)
    pages: int = 100
    requests: list[str] = field(default_factory=list)
    password: str = PASSWORD
    tokens: list[str] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    wanted: list[dict[str, Any]] = field(default_factory=list)
    slow: bool = False
    address: str = ""
    over: threading.Event = field(default_factory=threading.Event)

    def add(self, name: str, host: str, **more: Any) -> Machine:
        machine = Machine(str(uuid.uuid4()), name, host, **more)
        self.machines.append(machine)
        self.hosts[host].allocations[machine.id] = dict(FLAVOR)
        return machine

    def record(self, machine: Machine, target: str) -> None:
        number = len(self.records) + 1
        course = list(self.course)
        self.records.insert(0, {"id": number, "machine": machine, "target": target, "course": course, "aborted": False})

    def step(self, record: dict[str, Any]) -> str:
        """The state that a look finds a migration in, and what has come of it."""
        course, machine = record["course"], record["machine"]
        status: str = "cancelled" if record["aborted"] else course[0]
        if len(course) > 1:
            course.pop(0)
        machine.task = None if status in ("completed", "error", "failed", "cancelled") else "migrating"
        if status == "completed":
            self.hosts[record["target"]].allocations[machine.id] = self.hosts[machine.host].allocations.pop(machine.id)
            machine.host = record["target"]
        record["status"] = status
        return status

    def answer(self, method: str, path: str, asked: dict[str, str], body: Any) -> Answer:
        parts = path.strip("/").split("/")
        match method, parts:
            case "GET", ["os-hypervisors", "detail"]:
                listed = [_hypervisor(name, host) for name, host in self.hosts.items()]
                return 200, self._page(asked, "hypervisors", listed)
            case "GET", ["resource_providers", provider, what]:
                host = next(each for each in self.hosts.values() if each.id == provider)
                if what == "inventories":
                    return 200, {"inventories": host.inventories}
                return 200, {"allocations": {key: {"resources": each} for key, each in host.allocations.items()}}
            case "GET", ["servers", "detail"]:
                return 200, self._page(asked, "servers", [_server(each) for each in self.machines])
            case "GET", ["os-server-groups"]:
                return 200, {"server_groups": self.groups[int(asked["offset"]) :]}
            case "GET", ["os-migrations"]:
                mine = [each for each in self.records if each["machine"].id == asked["instance_uuid"]][:1]
                return 200, {"migrations": [{"id": each["id"], "status": self.step(each)} for each in mine]}
            case "GET", ["flavors", "detail"]:
                flavors = [{"id": "f-1", "name": "small"}, {"id": "f-2", "name": "large"}]
                return 200, self._page(asked, "flavors", flavors)
            case "POST", ["servers"]:
                return self._create(body)
            case _, ["servers", machine, *rest] if all(m.id != machine for m in self.machines):
                return 404, {"itemNotFound": {"code": 404, "message": f"Instance {machine} could not be found."}}
            case _, ["servers", machine, *rest]:
                return self._of_machine(method, next(m for m in self.machines if m.id == machine), rest, body)
        return 404, {"itemNotFound": {"code": 404, "message": f"no {path} here"}}

    def _page(self, asked: dict[str, str], what: str, listed: list[Any]) -> Any:
        ids = [each["id"] for each in listed]
        first = ids.index(asked["marker"]) + 1 if "marker" in asked else 0
        page = listed[first : first + self.pages]
        more = [{"rel": "next", "href": "elsewhere"}] if first + self.pages < len(ids) else []
        return {what: page} | ({f"{what}_links": more} if more else {})

    def _create(self, body: dict[str, Any]) -> Answer:
        wanted = body["server"]
        machine = self.add(wanted["name"], wanted["host"], status="BUILD", task="scheduling")
        self.wanted.append(body)
        return 202, {"server": {"id": machine.id}}

    def _build(self, machine: Machine) -> None:
        """One step further; a look at it makes it."""
        if machine.task == "deleting":
            del self.hosts[machine.host].allocations[machine.id]
            self.machines.remove(machine)
        elif machine.status == "BUILD":
            machine.status, machine.task = ("ERROR", None) if self.reason else ("ACTIVE", None)
            if self.slow:
                machine.status, machine.task = "BUILD", "spawning"

    def _of_machine(self, method: str, machine: Machine, rest: list[str], body: Any) -> Answer:
        match method, rest:
            case "GET", []:
                told = {"server": _server(machine)}
                if machine.status == "ERROR":
                    told["server"]["fault"] = {"message": self.reason}
                self._build(machine)
                return 200, told
            case "GET", ["os-interface"]:
                return 200, {"interfaceAttachments": [{"net_id": each} for each in machine.networks]}
            case "DELETE", []:
                machine.task = "deleting"
                return 204, None
            case "GET", ["diagnostics"]:
                nic = {"rx_octets": machine.received_B, "tx_octets": machine.sent_B}
                return 200, {"nic_details": [nic, {"rx_octets": 1, "tx_octets": 2}]}
            case "POST", ["action"]:
                machine.task = "migrating"
                self.record(machine, body["os-migrateLive"]["host"])
                return 202, None
            case "GET", ["os-instance-actions", "req-1"]:
                error = {"result": "Error", "details": self.reason}
                steps = [{"result": "Success", "details": None}, *([error] if self.reason else [])]
                return 200, {"instanceAction": {"events": steps}}
            case "GET", ["migrations", number]:
                copied = {"memory_processed_bytes": 64 << 20, "memory_remaining_bytes": 32 << 20}
                disk = {"disk_processed_bytes": None, "disk_remaining_bytes": None}
                under_way = any(each["id"] == int(number) and each.get("status") == "running" for each in self.records)
                return (200, {"migration": copied | disk}) if under_way else (404, None)
            case "DELETE", ["migrations", number]:
                record = next(each for each in self.records if each["id"] == int(number))
                if record.get("status") not in ("queued", "preparing", "running"):
                    return 400, {"badRequest": {"code": 400, "message": f"Migration {number} is {record['status']}"}}
                record["aborted"] = True
                return 202, None
        return 404, {"itemNotFound": {"code": 404, "message": "no such thing"}}


def _hypervisor(name: str, host: Host) -> dict[str, Any]:
    here = {"id": host.id, "state": host.state, "status": host.status, "hypervisor_hostname": f"{name}.example.org"}
    return here | {"service": {"host": name, "id": 1, "disabled_reason": None}}


def _server(machine: Machine) -> dict[str, Any]:
    if machine.status == "UNKNOWN":  # its cell is down: microversion 2.69 and later
        return {"id": machine.id, "tenant_id": machine.project, "status": machine.status}
    extended = {"OS-EXT-SRV-ATTR:host": machine.host, "OS-EXT-STS:task_state": machine.task}
    made_of = {
        "image": machine.image,
        "flavor": {"original_name": "large", "vcpus": 2},
        "key_name": "key",
        "metadata": {"use": "mpi"},
        "config_drive": "",
        "security_groups": [{"name": "inside"}, {"name": "inside"}],
        "server_groups": [],
    }
    who = {"id": machine.id, "name": machine.name, "tenant_id": machine.project, "status": machine.status}
    return who | extended | made_of


class Handler(BaseHTTPRequestHandler):
    """Discovery and tokens, then what the cloud answers."""

    cloud: Cloud

    def _serve(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        parts = urlsplit(self.path)
        asked = {key: values[0] for key, values in parse_qs(parts.query).items()}
        path = parts.path.removeprefix("/compute/v2.1").removeprefix("/placement")
        self.cloud.requests.append(f"{self.command} {path}" + (f" {json.dumps(body)}" if "action" in path else ""))
        key = f"{self.command} {path.rstrip('/')}"
        if key in self.cloud.answers:
            answer = self.cloud.answers[key]
            if answer is None:
                self.cloud.over.wait(30)
            elif callable(answer):
                answer()
            else:
                self._send(*answer)
        elif parts.path.rstrip("/") in ("/v3", "/compute/v2.1", "/placement"):
            self._send(200, self._versions(parts.path.rstrip("/")))
        elif path == "/v3/auth/tokens":
            self._token(body)
        elif self.headers.get("x-auth-token") not in self.cloud.tokens:
            self._send(401, {"error": {"code": 401, "message": "The request you have made requires authentication."}})
        else:
            self._send(*self.cloud.answer(self.command, path, asked, body))

    def _versions(self, path: str) -> Any:
        links = [{"rel": "self", "href": self.cloud.address + path}]
        if path == "/v3":
            return {"version": {"id": "v3.14", "status": "stable", "links": links}}
        if path == "/placement":
            versions = {"id": "v1.0", "status": "CURRENT", "min_version": "1.0", "max_version": "1.39", "links": links}
            return {"versions": [versions]}
        return {"version": {"id": "v2.1", "status": "CURRENT", "min_version": "2.1", "version": "2.93", "links": links}}

    def _token(self, body: Any) -> None:
        if body["auth"]["identity"]["password"]["user"]["password"] != self.cloud.password:
            message = "The request you have made requires authentication."
            self._send(401, {"error": {"code": 401, "message": message, "title": "Unauthorized"}})
            return
        self.cloud.tokens.append(f"secret-token-{len(self.cloud.tokens)}")
        catalog = [
            {
                "type": kind,
                "name": kind,
                "id": kind,
                "endpoints": [
                    {
                        "interface": "public",
                        "region": "here",
                        "region_id": "here",
                        "id": kind,
                        "url": self.cloud.address + path,
                    }
                ],
            }
            for kind, path in (("compute", "/compute/v2.1"), ("placement", "/placement"), ("identity", "/v3"))
        ]
        token = {
            "methods": ["password"],
            "expires_at": "2999-01-01T00:00:00.000000Z",
            "issued_at": "2020-01-01T00:00:00.000000Z",
            "project": {"id": PROJECT, "name": "p", "domain": {"id": "default", "name": "Default"}},
            "user": {"id": "u", "name": "u", "domain": {"id": "default", "name": "Default"}},
            "roles": [{"id": "admin", "name": "admin"}],
            "catalog": catalog,
        }
        self._send(201, {"token": token}, {"X-Subject-Token": self.cloud.tokens[-1]})

    def _send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        content = body.encode() if isinstance(body, str) else b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        sent = {
            "Content-Type": "application/json",
            "Content-Length": str(len(content)),
            "x-openstack-request-id": "req-1",
        }
        for name, value in (sent | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = _serve

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def serving(cloud: Cloud) -> Iterator[Cloud]:
    handler = type("CloudHandler", (Handler,), {"cloud": cloud})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        cloud.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield cloud
        finally:
            cloud.over.set()
            server.shutdown()
            thread.join()
