"""OpenStack on this machine: Keystone, Placement, Glance, and Nova with two compute hosts and its fake hypervisor.

Every daemon is the first process of a PID namespace of its own, which dies with the process that started it: nothing
is left, also when the test is killed.
"""

import contextlib
import http.server
import json
import os
import secrets
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import configuration

HOSTS = ("cmp0", "cmp1")
PORTS = ("keystone", "placement", "glance", "nova", "neutron", "amqp", "epmd", "erlang")
PYTHON = "/usr/bin/python3"  # Debian's, which has its packages
NOVA = (PYTHON, str(Path(__file__).parent / "nova_service.py"))
GLANCE = (PYTHON, "-m")
START_S = 90.0
TIED = ("setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child=KILL", "--mount-proc")


@dataclass
class Site:
    """Services that run.

    Attributes:
        home: their files, state and logs.
        password: the administrator's.
    """

    home: Path
    ports: dict[str, int]
    password: str
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Of the daemons: nothing of the user's."""
        home = str(self.home)
        return {
            "HOME": home,
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "LC_ALL": "C.UTF-8",
            "OS_PLACEMENT_CONFIG_DIR": home,
            "OS_KEYSTONE_CONFIG_DIR": home,
            "OS_BOOTSTRAP_PASSWORD": self.password,
            "ERL_EPMD_PORT": str(self.ports["epmd"]),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": "test@localhost",
            "RABBITMQ_DIST_PORT": str(self.ports["erlang"]),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": f"{home}/rabbitmq.conf",
            "RABBITMQ_MNESIA_BASE": f"{home}/mnesia",
            "RABBITMQ_LOG_BASE": f"{home}/rabbitmq-logs",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{home}/enabled_plugins",
            "RABBITMQ_PID_FILE": f"{home}/rabbitmq.pid",
        }

    def start(self, name: str, *argv: str) -> None:
        """A daemon, which writes to NAME.log."""
        with (self.home / f"{name}.log").open("ab") as log:
            self.daemons[name] = subprocess.Popen(
                [*TIED, *argv], env=self.environment(), cwd=self.home, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def start_compute(self, host: str) -> None:
        files = ("--config-file", f"{self.home}/nova.conf", "--config-file", f"{self.home}/{host}.conf")
        self.start(host, *NOVA, "nova.cmd.compute", *files)

    def connect(self) -> Any:
        """As the administrator."""
        import openstack

        return openstack.connect(
            load_envvars=False,
            load_yaml_config=False,
            region_name="RegionOne",
            auth={
                "auth_url": f"http://127.0.0.1:{self.ports['keystone']}/v3",
                "username": "admin",
                "password": self.password,
                "project_name": "admin",
                "user_domain_name": "Default",
                "project_domain_name": "Default",
            },
        )

    def stop(self, name: str) -> None:
        daemon = self.daemons.pop(name)
        daemon.kill()
        daemon.wait()

    def hosts_up(self, compute: Any) -> set[str]:
        found = compute.get("/os-hypervisors/detail", microversion="2.53").json()["hypervisors"]
        return {each["service"]["host"] for each in found if each["state"] == "up"}

    def signal(self, name: str, number: int) -> None:
        """To a daemon itself: it is the only child of what ties it."""
        pid = self.daemons[name].pid
        (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        os.kill(int(child), number)

    def prepare(self, name: str, *commands: tuple[str, ...]) -> subprocess.Popen[bytes]:
        """Commands one after the other, in the background; they write to NAME.log."""
        script = "set -e\n" + "\n".join(" ".join(f"'{word}'" for word in command) for command in commands)
        with (self.home / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                [*TIED, "sh", "-c", script], env=self.environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def answers(self, name: str) -> bool:
        """Whether a service's HTTP answers, whatever it says."""
        assert self.daemons[name].poll() is None, f"{name} has ended: {self.home}/{name}.log"
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.ports[name]}/", timeout=5).close()
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True

    def listens(self, name: str) -> bool:
        with contextlib.closing(socket.socket()) as probe:
            return probe.connect_ex(("127.0.0.1", self.ports[name])) == 0


def _until(condition: Callable[[], object], what: str) -> None:
    """Wait until something holds; asking takes the services' time, so it is not done often."""
    deadline_s = time.monotonic() + START_S
    while not condition():
        assert time.monotonic() < deadline_s, f"{what} did not happen within {START_S:g} s"
        time.sleep(0.5)


def _free_ports() -> dict[str, int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(contextlib.closing(socket.socket())) for _ in PORTS]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return {name: each.getsockname()[1] for name, each in zip(PORTS, sockets, strict=True)}


class Neutron(http.server.BaseHTTPRequestHandler):
    """A Neutron that has nothing: Nova asks it for ports even of machines without networks."""

    def do_GET(self) -> None:
        what = self.path.partition("?")[0].rstrip("/").rpartition("/")[2].removesuffix(".json")
        content = json.dumps({what.replace("-", "_"): []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextlib.contextmanager
def _neutron(port: int) -> Iterator[None]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Neutron) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def running(home: Path) -> Iterator[Site]:
    """All services, until they answer."""
    site = Site(home, _free_ports(), secrets.token_hex(16))
    configuration.write(home, site.ports, site.password, HOSTS)
    with _neutron(site.ports["neutron"]):
        try:
            _prepare(site)
            _start(site)
            yield site
        finally:
            for name in list(site.daemons):
                site.stop(name)


def _prepare(site: Site) -> None:
    """Makes the databases; RabbitMQ starts meanwhile."""
    home, url = str(site.home), f"http://127.0.0.1:{site.ports['keystone']}/v3"
    (site.home / "enabled_plugins").write_text("[].\n")
    site.start("amqp", "/usr/lib/rabbitmq/bin/rabbitmq-server")
    manage = ("keystone-manage", "--config-file", f"{home}/keystone.conf")
    user = ("--keystone-user", "root", "--keystone-group", "root")
    urls = [word for kind in ("public", "internal", "admin") for word in (f"--bootstrap-{kind}-url", url)]
    nova = (*NOVA, "nova.cmd.manage", "--config-file", f"{home}/nova.conf")
    glance = (*GLANCE, "glance.cmd.manage", "--config-file", f"{home}/glance-api.conf")
    steps = [
        site.prepare(
            "prepare-keystone",
            (*manage, "db_sync"),
            (*manage, "fernet_setup", *user),
            (*manage, "bootstrap", *urls, "--bootstrap-region-id", "RegionOne"),
            (*glance, "db_sync"),
        ),
        site.prepare(
            "prepare-nova",
            (*nova, "api_db", "sync"),
            (*nova, "cell_v2", "map_cell0"),
            (*nova, "db", "sync"),
            (*nova, "cell_v2", "create_cell", "--name", "cell1"),
        ),
    ]
    for step in steps:
        assert step.wait(START_S) == 0, f"see {home}/prepare-*.log"
    for database in site.home.glob("*.sqlite*"):
        with contextlib.closing(sqlite3.connect(database)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")  # who reads does not lock out who writes


def _start(site: Site) -> None:
    nova = ("--config-file", f"{site.home}/nova.conf")
    for name, script in (("keystone", "keystone-wsgi-public"), ("placement", "placement-api")):
        site.start(name, script, "--host", "127.0.0.1", "--port", str(site.ports[name]))
    site.start("glance", *GLANCE, "glance.cmd.api", "--config-file", f"{site.home}/glance-api.conf")
    site.start("nova", *NOVA, "nova.cmd.api_os_compute", *nova)
    _until(lambda: site.answers("keystone"), f"Keystone ({site.home}/keystone.log) to answer")
    _register(site)
    _until(lambda: site.answers("placement"), f"Placement ({site.home}/placement.log) to answer")
    _until(lambda: site.listens("amqp"), f"RabbitMQ ({site.home}/amqp.log) to listen")
    for name in ("conductor", "scheduler"):
        site.start(name, *NOVA, f"nova.cmd.{name}", *nova)
    for host in HOSTS:
        site.start_compute(host)
    for name in ("glance", "nova"):
        _until(lambda name=name: site.answers(name), f"{name} ({site.home}/{name}.log) to answer")
    compute = site.connect().compute
    _until(lambda: site.hosts_up(compute) == set(HOSTS), f"the compute hosts ({site.home}/cmp*.log) to be up")


def _register(site: Site) -> None:
    """Nova's services look for the others in Keystone's catalogue when they start."""
    identity = site.connect().identity
    for kind, name, path in (("compute", "nova", "/v2.1"), ("placement", "placement", ""), ("image", "glance", "")):
        service = identity.create_service(type=kind, name=name)
        url = f"http://127.0.0.1:{site.ports[name]}{path}"
        identity.create_endpoint(interface="public", url=url, service_id=service.id, region_id="RegionOne")
