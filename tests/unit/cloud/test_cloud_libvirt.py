"""The libvirt driver against a libvirt that misbehaves; tests/libvirt has the real one."""

import sys
import threading
import time
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from fairlead import cloud
from fairlead.cloud import libvirt as driver_module
from fairlead.cloud.ending import EndUnknownError, end_migration
from fairlead.cloud.inventory import Load
from fairlead.cloud.libvirt import LibvirtDriver
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.description import Cluster
from fairlead.errors import CloudError, ConfigError, MissingToolError

from .cloud_cluster import cluster_of

CLUSTER = cluster_of("guest", "other")
CLOUD = """
[cloud]
driver = "libvirt"
uplink = "10gbit"
[[cloud.servers]]
uri = "qemu+ssh://s0/system"
[[cloud.servers]]
uri = "qemu+ssh://s1/system?keyfile=key"
"""
STATISTICS = {
    "state.state": 1,
    "state.reason": 1,
    "vcpu.current": 2,
    "balloon.maximum": 1 << 20,
    "net.count": 2,
    "net.0.rx.bytes": 100,
    "net.0.tx.bytes": 10,
    "net.1.rx.bytes": 1,
    "net.1.tx.bytes": 2,
    "dirtyrate.calc_status": 2,
    "dirtyrate.megabytes_per_second": 7,
}


class Error(Exception):
    def get_error_message(self) -> str:
        return f"internal error:\n  {self.args[0]}"


class Domain:
    def __init__(self, name: str) -> None:
        self._name = name
        self.measured = 0

    def name(self) -> str:
        return self._name

    def migrateGetMaxDowntime(self) -> int:
        return 300

    def startDirtyRateCalc(self, seconds: int, flags: int) -> None:
        assert (seconds, flags) == (1, 0)
        self.measured += 1


class Connection:
    def __init__(self, name: str) -> None:
        self._name = name
        self.machines: list[tuple[Any, dict[str, Any]]] = []

    def getHostname(self) -> str:
        return self._name

    def getInfo(self) -> list[Any]:
        return ["x86_64", 64, 8, 2600, 1, 1, 8, 1]

    def getAllDomainStats(self, wanted: int, flags: int) -> list[tuple[Any, dict[str, Any]]]:
        return self.machines


class Libvirt(ModuleType):
    """As much of the module as an inventory needs."""

    libvirtError = Error
    VIR_DOMAIN_STATS_STATE, VIR_DOMAIN_STATS_VCPU, VIR_DOMAIN_STATS_BALLOON = 1, 2, 4
    VIR_DOMAIN_STATS_INTERFACE, VIR_DOMAIN_STATS_DIRTYRATE = 8, 16
    VIR_CONNECT_GET_ALL_DOMAINS_STATS_ACTIVE = 1
    VIR_DOMAIN_PAUSED, VIR_DOMAIN_PAUSED_MIGRATION = 3, 2

    def __init__(self) -> None:
        super().__init__("libvirt")
        self.connections = {name: Connection(name) for name in ("s0", "s1")}
        self.opened: list[str] = []
        self.broken: BaseException | None = None

    def open(self, uri: str) -> Connection:
        self.opened.append(uri)
        if self.broken is not None:
            raise self.broken
        return self.connections[uri.partition("//")[2].partition("/")[0]]

    def registerErrorHandler(self, handler: Any, context: Any) -> None:
        assert handler(None, "what libvirt would print") is None


@pytest.fixture
def libvirt(monkeypatch: pytest.MonkeyPatch) -> Libvirt:
    module = Libvirt()
    monkeypatch.setitem(sys.modules, "libvirt", module)
    return module


def parse(text: str) -> Cluster:
    return parse_cluster(text, source="c.toml")


def driver() -> LibvirtDriver:
    found = cloud.of(parse(CLUSTER + CLOUD))
    assert isinstance(found, LibvirtDriver)
    return found


def test_machines_have_the_numbers_that_libvirt_tells(libvirt: Libvirt) -> None:
    domain = Domain("guest")
    libvirt.connections["s1"].machines = [(domain, STATISTICS)]
    found = driver().inventory()
    assert [(s.name, s.cpus, s.memory_B, s.disk_B, s.uplink_bps) for s in found.servers] == [
        ("s0", 8, 64 << 20, 0, 10e9),
        ("s1", 8, 64 << 20, 0, 10e9),
    ]
    (vm,) = found.vms
    assert (vm.server, vm.cpus, vm.memory_B, vm.disk_B, vm.downtime_s) == ("s1", 2, 1 << 30, 0, 0.3)
    assert vm.dirty_Bps == 7 << 20
    assert vm.load == Load(vm.load.t_s if vm.load else -1, 101, 12)
    assert domain.measured == 1  # the next look has a new measurement


def test_a_measurement_that_goes_on_is_let_go_on_and_the_last_one_stands(libvirt: Libvirt) -> None:
    domain = Domain("guest")
    libvirt.connections["s0"].machines = [(domain, STATISTICS)]
    asked = driver()
    asked.inventory()
    busy = {key: value for key, value in STATISTICS.items() if key != "dirtyrate.megabytes_per_second"}
    libvirt.connections["s0"].machines = [(domain, busy | {"dirtyrate.calc_status": 1})]
    assert asked.inventory().vm("guest").dirty_Bps == 7 << 20
    assert domain.measured == 1


def test_a_machine_on_its_way_is_on_its_source_only(libvirt: Libvirt) -> None:
    paused = STATISTICS | {"state.state": 3, "state.reason": 2}
    libvirt.connections["s0"].machines = [(Domain("guest"), STATISTICS)]
    libvirt.connections["s1"].machines = [(Domain("guest"), paused)]
    assert [vm.server for vm in driver().inventory().vms] == ["s0"]
    libvirt.connections["s0"].machines = [(Domain("guest"), paused)]
    with pytest.raises(CloudError, match="guest is being migrated right now"):
        driver().inventory()


@pytest.mark.parametrize("key", ["vcpu.current", "balloon.maximum", "net.count", "net.1.tx.bytes"])
def test_what_libvirt_does_not_tell_is_no_zero(libvirt: Libvirt, key: str) -> None:
    lacking = {name: value for name, value in STATISTICS.items() if name != key}
    libvirt.connections["s0"].machines = [(Domain("guest"), lacking)]
    with pytest.raises(CloudError, match=f"^qemu\\+ssh://s0/system: {key} of guest is missing$"):
        driver().inventory()


def test_what_a_machine_writes_must_be_known(libvirt: Libvirt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_module, "time", SimpleNamespace(sleep=lambda seconds: None, monotonic=lambda: 0.0))
    lacking = {name: value for name, value in STATISTICS.items() if not name.startswith("dirtyrate")}
    libvirt.connections["s0"].machines = [(Domain("guest"), lacking)]
    with pytest.raises(CloudError, match="does not report the dirty rate of guest"):
        driver().inventory()


def test_ssh_never_asks_for_a_password(libvirt: Libvirt) -> None:
    driver().inventory()
    assert libvirt.opened == ["qemu+ssh://s0/system?no_tty=1", "qemu+ssh://s1/system?keyfile=key&no_tty=1"]


def test_servers_of_one_name_are_refused(libvirt: Libvirt) -> None:
    """Two URIs of one server, or machines that were made from one image."""
    libvirt.connections["s1"] = Connection("s0")
    with pytest.raises(CloudError, match=r"^qemu\+ssh://s0/system and .*s1/system\?keyfile=key are both called s0"):
        driver().inventory()


def test_a_server_that_cannot_be_reached_is_asked_again_next_time(libvirt: Libvirt) -> None:
    asked = driver()
    libvirt.broken = Error("no route to host")
    with pytest.raises(CloudError, match=r"^qemu\+ssh://s0/system: internal error: no route to host$"):
        asked.inventory()
    libvirt.broken = None
    assert [server.name for server in asked.inventory().servers] == ["s0", "s1"]


def test_a_server_that_does_not_answer_is_told(libvirt: Libvirt, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(driver_module, "TIMEOUT_S", 0.05)
    monkeypatch.setattr(libvirt, "open", lambda uri: over.wait(30))
    with pytest.raises(CloudError, match=r"qemu\+ssh://s0/system did not answer within 0.05 s"):
        driver().inventory()
    over.set()


def test_without_libvirt_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libvirt", None)
    with pytest.raises(MissingToolError, match="Python has no libvirt here") as caught:
        driver()
    assert f"{sys.executable} -m pip install 'libvirt-python" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'driver = "libvirt"',
            'driver = "lirvirt"',
            r"c\.toml:13: cloud: 'driver' must be one of 'libvirt', 'openstack', not 'lirvirt'$",
        ),
        ('uplink = "10gbit"', "uplink = 10", r"cloud\.uplink: .*10 is not a rate"),
        ("qemu+ssh://s0/system", "s0", r"cloud\.servers\[0\]\.uri: "),
        ('[[cloud.servers]]\nuri = "qemu+ssh://s0/system"\n', "", r"cloud\.servers: .*at least 2 entries"),
    ],
)
def test_a_wrong_cloud_table_names_its_key(old: str, new: str, message: str) -> None:
    assert old in CLOUD
    with pytest.raises(ConfigError, match=message):
        parse(CLUSTER + CLOUD.replace(old, new))


def test_a_cluster_that_names_no_cloud_says_what_to_write() -> None:
    with pytest.raises(ConfigError, match=r"it does not name the cloud of its hosts\n.*\[cloud\]"):
        cloud.of(parse(CLUSTER))


def test_what_blocks_when_it_is_freed_is_left_in_its_thread(libvirt: Libvirt, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    freed_in: list[str] = []

    class Stuck(Connection):
        def getHostname(self) -> str:
            over.wait(30)
            return "s0"

        def __del__(self) -> None:
            freed_in.append(threading.current_thread().name)

    libvirt.connections.clear()
    monkeypatch.setattr(libvirt, "open", lambda uri: Stuck("s0"))
    monkeypatch.setattr(driver_module, "TIMEOUT_S", 0.05)
    with pytest.raises(CloudError, match="did not answer within"):
        driver().migrate("guest", "s0")
    assert freed_in == []
    over.set()
    for thread in threading.enumerate():
        if thread.name == "qemu+ssh://s0/system":
            thread.join(10)
    assert freed_in == ["qemu+ssh://s0/system"]


class Silent:
    """A server that carries out what it is told and then answers nothing."""

    receive = None

    def open_session(self) -> Any:
        return SimpleNamespace(migrate=lambda *arguments, **options: None)

    def ask(self, question: Any) -> Any:
        raise CloudError("s1 does not answer")


def test_a_move_whose_numbers_nobody_tells_has_happened_all_the_same(libvirt: Libvirt) -> None:
    migration = driver_module.LibvirtMigration(Silent(), Silent(), "h0", copy_disks=False)
    while not isinstance(moved := migration.poll(), cloud.Moved):
        time.sleep(0.01)
    assert (moved.paused_s, moved.copied_B) == (None, None)


class Small:
    """A server whose machine moves in two seconds; libvirt takes no abort in the first quarter of one."""

    receive = None

    def __init__(self, name: str) -> None:
        self._name = name
        self.machines: set[str] = set()
        self.begun = threading.Event()
        self.taken = threading.Event()
        self.asked = 0
        self.silent = False

    def open_session(self) -> Any:
        return self

    def name(self) -> str:
        return self._name

    def runs(self, vm: str) -> bool:
        return vm in self.machines

    def ask(self, question: Any) -> Any:
        if self.silent:
            raise CloudError(f"{self._name} did not answer within 10 s")
        return question(self)

    def migrate(self, vm: str, target: "Small", receive: None, *, copy_disks: bool) -> None:
        self.taken.wait(0.25)
        self.begun.set()
        if self.taken.wait(1.75):
            raise Error("operation aborted")
        self.machines.remove(vm)
        target.machines.add(vm)

    def abort(self, vm: str) -> None:
        self.asked += 1
        if self.begun.is_set():
            self.taken.set()

    def job(self, vm: str, *, completed: bool = False) -> None:
        return None


@pytest.fixture
def small(libvirt: Libvirt) -> tuple[Small, Small]:
    source, target = Small("s0"), Small("s1")
    source.machines = {"guest"}
    return source, target


def test_a_migration_is_given_up_also_before_libvirt_has_begun(small: tuple[Small, Small]) -> None:
    migration = driver_module.LibvirtMigration(*small, "guest", copy_disks=False)
    migration.poll()
    migration.close()
    assert small[0].machines == {"guest"} and small[0].asked > 1
    with pytest.raises(CloudError, match=r"^guest: the migration was aborted; it runs on s0$"):
        migration.poll()


def test_a_migration_that_is_given_up_before_it_is_followed_never_begins(small: tuple[Small, Small]) -> None:
    migration = driver_module.LibvirtMigration(*small, "guest", copy_disks=False)
    migration.abort()
    with pytest.raises(CloudError, match=r"^guest: the migration was aborted; it runs on s0$"):
        migration.poll()
    assert not small[0].begun.is_set()


def test_a_server_that_is_silent_on_the_way_is_asked_again(small: tuple[Small, Small]) -> None:
    migration = driver_module.LibvirtMigration(*small, "guest", copy_disks=False)
    assert migration.poll() == cloud.Progress("starting")
    small[0].silent = True
    silence = cloud.Progress("the cloud does not answer: s0 did not answer within 10 s", answered=False)
    assert migration.poll() == silence
    migration.abort()  # is not heard
    small[0].silent = False
    with pytest.raises(CloudError, match=r"^guest: the migration was aborted; it runs on s0$"):
        end_migration(migration, "guest", 5.0)


def test_a_target_that_hangs_is_no_answer_though_the_source_answers(small: tuple[Small, Small]) -> None:
    """By hand it is given up after a minute then, where the source would wait for its target for ever."""
    migration = driver_module.LibvirtMigration(*small, "guest", copy_disks=False)
    small[1].silent = True
    said = migration.poll()
    assert isinstance(said, cloud.Progress) and not said.answered and "s1 did not answer" in said.text
    migration.close()


def test_what_nobody_says_the_end_of_is_not_known(small: tuple[Small, Small]) -> None:
    migration = driver_module.LibvirtMigration(*small, "guest", copy_disks=False)
    migration.poll()
    small[0].silent = True
    with pytest.raises(EndUnknownError, match=r"guest was to stay.* within 0 s: .* where it runs, is not known"):
        end_migration(migration, "guest", 0.0)
    small[0].taken.set()
    assert migration._over.wait(5)
