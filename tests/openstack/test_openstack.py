"""The OpenStack driver with Keystone, Placement, Glance and Nova; two compute hosts with Nova's fake hypervisor."""

import importlib.util
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import configuration
import pytest
import services
from managed_runs import COMMAND, once, wait_for
from services import HOSTS, Site

from fairlead import cloud
from fairlead.cloud import Created, Creation, Migration, Moved, Progress
from fairlead.cloud.inventory import AffinityGroup, Inventory
from fairlead.cloud.openstack import OpenstackDriver
from fairlead.cloud.openstack_session import OpenstackSession
from fairlead.cluster.cluster_file import load_cluster
from fairlead.errors import CloudError, CreationRefusedError, MigrationRefusedError

pytestmark = [pytest.mark.root, pytest.mark.openstack, pytest.mark.timeout(300)]

CLUSTER = """
[cluster]
name = "site"
executor = "ssh"
interface = "eth0"
[[hosts]]
name = "guest"
address = "10.0.0.1"
[[hosts]]
name = "other"
address = "10.0.0.2"
[cloud]
driver = "openstack"
cloud = "test"
"""
PASSWORD = "a password of the user's own"
GIB = 2**30
# Starts a daemon, says its first process's number, and is killed.
KILLED = """
import sys
sys.path[:0] = [{here!r}, {lab!r}]
from pathlib import Path
from services import PORTS, Site
site = Site(Path({home!r}), dict.fromkeys(PORTS, 1), "")
site.start("sleep", "sh", "-c", "sleep 1234 & sleep 1234 & wait")
input()
"""


class Admin:
    """Who owns the cloud, makes users and machines."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.connection = site.connect()
        self.compute = self.connection.compute
        self.user = self.connection.identity.create_user(name="user", password=PASSWORD)
        project = self.connection.identity.find_project("admin")
        role = self.connection.identity.find_role("admin")
        self.connection.identity.assign_project_role_to_user(project, self.user, role)
        self.image = self.connection.image.create_image(
            name="nothing", disk_format="raw", container_format="bare", data=bytes(512), wait=True
        )
        self.flavor = self.compute.create_flavor(name="small", vcpus=2, ram=512, disk=1)

    def create(self, name: str, host: str, group: str | None = None) -> Any:
        hints = {"scheduler_hints": {"group": group}} if group else {}
        made = self.compute.create_server(
            name=name, flavor_id=self.flavor.id, image_id=self.image.id, networks="none", host=host, **hints
        )
        return self.compute.wait_for_server(made, interval=0.5, wait=60)

    def delete_all(self) -> None:
        for each in self.compute.servers(all_projects=True):
            self.compute.delete_server(each)
        wait_for(lambda: not list(self.compute.servers(all_projects=True)), "the end of all machines", 60)

    def host_of(self, server: Any) -> str:
        return str(self.compute.get_server(server.id).compute_host)


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Admin]:
    here = Path("/usr/lib/python3/dist-packages")
    missing = [name for name in ("keystone", "placement", "glance", "nova") if not (here / name).is_dir()]
    if missing or shutil.which("rabbitmq-server") is None or importlib.util.find_spec("openstack") is None:
        pytest.skip("needs Debian's OpenStack packages and openstacksdk: run `make test-openstack`")
    home = tmp_path_factory.mktemp("openstack")
    with services.running(home) as site, pytest.MonkeyPatch.context() as patch:
        write_clouds(site, PASSWORD)
        patch.setenv("OS_CLIENT_CONFIG_FILE", str(site.home / "clouds.yaml"))
        yield Admin(site)


@pytest.fixture
def guest(admin: Admin) -> Iterator[Any]:
    """A machine that runs on cmp0."""
    yield admin.create("guest", "cmp0")
    admin.delete_all()


def write_clouds(site: Site, password: str) -> None:
    text = configuration.CLOUDS.format(user="user", password=password, **site.ports)
    (site.home / "clouds.yaml").write_text(text)


def cluster_file(site: Site) -> Path:
    path = site.home / "site.toml"
    path.write_text(CLUSTER)
    return path


def driver(admin: Admin) -> OpenstackDriver:
    found = cloud.of(load_cluster(cluster_file(admin.site)))
    assert isinstance(found, OpenstackDriver)
    return found


def finish(migration: Migration, seen: Callable[[str], None] = lambda text: None) -> Moved:
    while not isinstance(now := migration.poll(), Moved):
        seen(now.text)
        time.sleep(0.2)
    return now


def made(creation: Creation) -> Created:
    while isinstance(now := creation.poll(), Progress):
        time.sleep(0.2)
    return now


def under_way(migration: Migration) -> None:
    wait_for(lambda: getattr(migration.poll(), "text", "") == "running", "the migration to be under way", 30)


def answers(asked: OpenstackDriver) -> bool:
    try:
        asked.inventory()
    except CloudError:
        return False
    return True


def test_a_site_tells_its_hosts_and_machines(admin: Admin, guest: Any) -> None:
    found = driver(admin).inventory()
    # Nova's fake: 1000 processors, 800 000 MiB, 600 000 GiB; ratio and reserve stand in nova.conf.
    assert sorted((s.name, s.cpus, s.memory_B, s.disk_B, s.closed) for s in found.servers) == [
        (host, 2000, (800_000 - 512) << 20, 600_000 * GIB, None) for host in HOSTS
    ]
    (vm,) = found.vms
    assert (vm.name, vm.server, vm.cpus, vm.memory_B, vm.disk_B) == ("guest", "cmp0", 2, 512 << 20, GIB)
    assert vm.load is not None and (vm.load.received_B, vm.load.sent_B) == (2070139, 140208)  # constants of the fake


def test_a_machine_moves_there_by_command_and_back(admin: Admin, guest: Any) -> None:
    arguments = ["cloud", "migrate", str(cluster_file(admin.site)), "guest"]
    done = once(*arguments, "cmp1")
    assert "guest moved to cmp1 in" in done.stdout
    assert "running" in done.stderr.splitlines()
    assert admin.host_of(guest) == "cmp1"
    assert json.loads(once(*arguments, "cmp0", "--json").stdout)["server"] == "cmp0"
    assert driver(admin).inventory().vm("guest").server == admin.host_of(guest) == "cmp0"
    shown = [line.split() for line in once("cloud", "show", arguments[2]).stdout.splitlines()]
    assert ["guest", "cmp0", "2"] in [line[:3] for line in shown]


def test_anti_affinity_is_respected_and_nova_has_the_last_word(
    admin: Admin, guest: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = admin.compute.create_server_group(name="apart", policy="anti-affinity")
    first, second = admin.create("first", "cmp0", group.id), admin.create("second", "cmp1", group.id)
    asked = driver(admin)
    assert asked.inventory().groups == (AffinityGroup("apart", frozenset({"first", "second"}), 1),)
    with pytest.raises(MigrationRefusedError, match="cmp1 has second, which group apart keeps apart from first"):
        asked.migrate("first", "cmp1")
    monkeypatch.setattr(Inventory, "bars", lambda self, server, vm: None)
    with pytest.raises(MigrationRefusedError, match=r"cmp1 does not take first: No valid host was found"):
        finish(asked.migrate("first", "cmp1"))
    assert (admin.host_of(first), admin.host_of(second)) == ("cmp0", "cmp1")


def test_a_machine_is_made_like_another_one(admin: Admin, guest: Any) -> None:
    done = once("cloud", "create", str(cluster_file(admin.site)), "second", "cmp1", "--like", "guest", "--json")
    told = json.loads(done.stdout)
    assert (told["vm"], told["server"]) == ("second", "cmp1")
    second = admin.compute.find_server("second", ignore_missing=False, details=True)
    second = admin.compute.get_server(second.id)
    assert (second.status, second.compute_host, second.flavor.original_name) == ("ACTIVE", "cmp1", "small")
    assert second.image.id == admin.image.id
    found = driver(admin).inventory().vm("second")
    assert (found.cpus, found.memory_B, found.disk_B) == (2, 512 << 20, GIB)


def test_a_machine_that_nova_cannot_place_leaves_nothing(admin: Admin, guest: Any) -> None:
    group = admin.compute.create_server_group(name="far", policy="anti-affinity")
    admin.create("first", "cmp0", group.id)
    with pytest.raises(CreationRefusedError, match=r"third cannot be made on cmp0: No valid host was found"):
        made(driver(admin).create("third", "first", "cmp0"))
    assert made(driver(admin).create("third", "first", "cmp1")).server == "cmp1"
    with pytest.raises(CreationRefusedError, match="a machine third already exists"):
        driver(admin).create("third", "first", "cmp1")
    creation = driver(admin).create("fourth", "guest", "cmp1")
    creation.poll()
    creation.abort()
    with pytest.raises(CloudError, match="fourth was cancelled, and is being deleted"):
        made(creation)
    assert sorted(each.name for each in admin.compute.servers()) == ["first", "guest", "third"]


def test_a_machine_that_does_not_run_is_none_but_takes_up_room(admin: Admin, guest: Any) -> None:
    admin.compute.suspend_server(guest)
    admin.compute.wait_for_server(guest, status="SUSPENDED", interval=0.2, wait=30)
    assert driver(admin).inventory().server("cmp0").cpus == 2000 - 2
    with pytest.raises(MigrationRefusedError, match="no machine guest runs on any server"):
        driver(admin).migrate("guest", "cmp1")


def test_what_nova_says_no_to_at_once_is_a_refusal(admin: Admin, guest: Any) -> None:
    session = OpenstackSession("test", None, 10.0)
    admin.compute.stop_server(guest)
    admin.compute.wait_for_server(guest, status="SHUTOFF", interval=0.2, wait=30)
    request, refusal = session.migrate(guest.id, "cmp1")
    assert request == ""
    assert isinstance(refusal, MigrationRefusedError)
    assert str(refusal) == f"Cannot 'os-migrateLive' instance {guest.id} while it is in vm_state stopped (HTTP 409)"
    admin.compute.start_server(guest)
    admin.compute.wait_for_server(guest, interval=0.2, wait=30)
    request, refusal = session.migrate(guest.id, "nowhere")
    assert (request, str(refusal)) == ("", "Compute host nowhere could not be found. (HTTP 400)")


def test_an_aborted_migration_leaves_the_machine_where_it_was(admin: Admin, guest: Any) -> None:
    asked = driver(admin)
    migration = asked.migrate("guest", "cmp1")
    migration.poll()
    with pytest.raises(MigrationRefusedError, match="guest is busy: migrating"):
        asked.migrate("guest", "cmp1")
    under_way(migration)
    migration.abort()
    with pytest.raises(CloudError, match="guest: the migration was aborted; it runs on cmp0"):
        finish(migration)
    migration.close()
    assert admin.host_of(guest) == "cmp0"
    finish(asked.migrate("guest", "cmp1"))


def test_nova_finishes_a_migration_whose_client_is_killed(admin: Admin, guest: Any) -> None:
    arguments = ["cloud", "migrate", str(cluster_file(admin.site)), "guest", "cmp1"]
    with subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True) as client:
        assert client.stderr is not None
        wait_for(lambda: "running" in client.stderr.readline(), "the migration to be under way", 30)  # type: ignore[union-attr]
        client.send_signal(signal.SIGKILL)
    asked = driver(admin)
    assert asked.inventory().vm("guest").server == "cmp0"
    wait_for(lambda: asked.inventory().vm("guest").server == "cmp1", "the guest to arrive", 30)


def test_a_host_that_is_down_takes_nothing(admin: Admin, guest: Any) -> None:
    admin.site.stop("cmp1")
    asked = driver(admin)
    wait_for(lambda: asked.inventory().server("cmp1").closed == "is down", "cmp1 to be seen down", 60)
    with pytest.raises(MigrationRefusedError, match="cmp1 is down"):
        asked.migrate("guest", "cmp1")
    admin.site.start_compute("cmp1")
    wait_for(lambda: asked.inventory().server("cmp1").closed is None, "cmp1 to be up again", 60)
    finish(asked.migrate("guest", "cmp1"))


def test_a_service_that_hangs_is_told_within_its_time(admin: Admin, guest: Any) -> None:
    asked = driver(admin)
    admin.site.signal("placement", signal.SIGSTOP)
    try:
        with pytest.raises(CloudError, match=r"^OpenStack test did not answer within 10 s$"):
            asked.inventory()
    finally:
        admin.site.signal("placement", signal.SIGCONT)
    wait_for(lambda: answers(asked), "Placement to answer again", 30)
    assert asked.inventory().vm("guest").server == "cmp0"


def test_expired_credentials_are_told_and_renewed_ones_taken(admin: Admin, guest: Any) -> None:
    asked = driver(admin)
    asked.inventory()
    migration = asked.migrate("guest", "cmp1")
    under_way(migration)
    admin.connection.identity.update_user(admin.user, password="another one")  # its tokens end, too
    wait_for(lambda: not getattr(migration.poll(), "answered", True), "the credentials to be refused", 30)
    said = migration.poll()
    assert isinstance(said, Progress) and PASSWORD not in said.text
    assert re.search(r"OpenStack test: .*\(HTTP 401\): are the credentials in clouds\.yaml", said.text)
    write_clouds(admin.site, "another one")
    finish(migration)
    assert asked.inventory().vm("guest").server == "cmp1"


def test_no_daemon_outlives_a_test_that_is_killed(tmp_path: Path) -> None:
    here = Path(__file__).parent
    code = KILLED.format(here=str(here), lab=str(here.parent / "lab" / "helpers"), home=str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as test:
        wait_for(lambda: len(_sleepers(tmp_path)) == 2, "the daemon to start")
        test.kill()
    wait_for(lambda: not _sleepers(tmp_path), "the end of the daemon")


def _sleepers(directory: Path) -> list[str]:
    """What the daemon started there."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if (each / "cwd").readlink() == directory and (each / "cmdline").read_bytes().startswith(b"sleep\0"):
                found.append(each.name)
        except OSError:  # it has ended
            continue
    return found
