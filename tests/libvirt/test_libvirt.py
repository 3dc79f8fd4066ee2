"""The libvirt driver with two real libvirt daemons and a machine under QEMU's software emulation."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import guest
import pytest
from lab_fixtures import run
from managed_runs import COMMAND, once, wait_for
from site_of_two import SERVERS, Site, site

from fairlead.cloud import Created, Creation, Driver, Migration, Moved, Progress
from fairlead.errors import CloudError, CreationRefusedError, MigrationRefusedError

pytestmark = [pytest.mark.root, pytest.mark.libvirt, pytest.mark.timeout(300)]

# Sends numbered lines, one after the other, over one connection and wants each back; ends well when its input ends.
ECHO = """
import select, socket, sys
sent = 0
with socket.create_connection(("10.64.0.100", 7), timeout=30) as connection, connection.makefile("rwb") as stream:
    while not select.select([sys.stdin], [], [], 0.05)[0]:
        line = b"line %d of many\\n" % sent
        stream.write(line)
        stream.flush()
        assert stream.readline() == line
        sent += 1
print(sent)
"""
# The machine's programs listen a moment after it says that it is up.
WAIT = """
import socket, time
deadline_s = time.monotonic() + 30
while True:
    try:
        socket.create_connection(("10.64.0.100", 7), timeout=1).close()
        break
    except OSError:
        assert time.monotonic() < deadline_s
        time.sleep(0.1)
"""
SEND = """
import socket
with socket.create_connection(("10.64.0.100", 9), timeout=30) as connection:
    connection.sendall(bytes(1 << 20))
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(30)
    assert connection.recv(1) == b""
"""


@pytest.fixture(scope="module")
def two_servers(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    missing = [tool for tool in ("libvirtd", "virsh", "qemu-system-x86_64", "busybox") if shutil.which(tool) is None]
    if missing or importlib.util.find_spec("libvirt") is None:
        pytest.skip(f"needs {', '.join(missing) or 'libvirt for Python'}: run `make test-libvirt`")
    directory = tmp_path_factory.mktemp("libvirt")
    kernel, initial = guest.make(directory)
    with site(directory, kernel, initial) as made:
        yield made


@pytest.fixture
def echoing(two_servers: Site) -> Iterator["Echo"]:
    """A machine that runs on h0, and a client of it that must never notice anything."""
    two_servers.start_guest("h0")
    try:
        echo = Echo(two_servers)
        yield echo
        assert echo.finish() > 10
    finally:
        two_servers.end_guest()


class Echo:
    """A connection to the machine, in use from its beginning to its end."""

    def __init__(self, on: Site) -> None:
        run(on.lab, "h2", sys.executable, "-c", WAIT)
        argv = on.lab.enter_command("h2", [sys.executable, "-c", ECHO])
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def finish(self) -> int:
        """How many lines went there and back."""
        output, _ = self._process.communicate(timeout=60)
        assert self._process.returncode == 0
        return int(output)


def finish(migration: Migration, seen: Callable[[str], None] = lambda text: None) -> Moved:
    while not isinstance(now := migration.poll(), Moved):
        seen(now.text)
        time.sleep(0.1)
    return now


def copying(migration: Migration) -> None:
    """Until memory is on its way."""
    wait_for(lambda: "copied" in getattr(migration.poll(), "text", ""), "copying")


def answers(driver: Driver) -> bool:
    try:
        driver.inventory()
    except CloudError:
        return False
    return True


def test_a_site_tells_its_servers_machines_and_traffic(two_servers: Site, echoing: Echo) -> None:
    driver = two_servers.driver()
    before = driver.inventory()
    assert [server.name for server in before.servers] == list(SERVERS)
    assert all(server.cpus == os.cpu_count() and server.uplink_bps == 200e6 for server in before.servers)
    (vm,) = before.vms
    assert (vm.name, vm.server, vm.cpus, vm.memory_B, vm.disk_B) == ("guest", "h0", 1, 128 << 20, 0)
    assert vm.downtime_s == 0.3  # libvirt's own default
    assert before.lacks("h1", [vm]) is None
    run(two_servers.lab, "h2", sys.executable, "-c", SEND)
    after = driver.inventory()
    for old, new in ((vm.load, after.vm("guest").load), (before.server("h0").load, after.server("h0").load)):
        assert old is not None and new is not None
        assert new.received_B - old.received_B > 1 << 20
        assert new.sent_B - old.sent_B < 1 << 19
    idle = after.server("h1").load
    assert idle is not None and (idle.received_B, idle.sent_B) == (0, 0)


def test_a_machine_moves_there_and_back_under_an_open_connection(two_servers: Site, echoing: Echo) -> None:
    driver = two_servers.driver()
    for target in ("h1", "h0"):
        steps: list[str] = []
        moved = finish(driver.migrate("guest", target), steps.append)
        assert driver.inventory().vm("guest").server == target
        assert moved.copied_B is not None and 20 << 20 < moved.copied_B < 256 << 20
        assert moved.paused_s is not None and 0 < moved.paused_s < moved.time_s
        assert any("copied" in step for step in steps)
    with pytest.raises(MigrationRefusedError, match="guest is already on h0"):
        driver.migrate("guest", "h0")
    with pytest.raises(MigrationRefusedError, match="there is no server h7"):
        driver.migrate("guest", "h7")
    with pytest.raises(MigrationRefusedError, match="no machine other runs on any server"):
        driver.migrate("other", "h1")


def test_what_a_machine_writes_is_measured(two_servers: Site) -> None:
    two_servers.start_guest("h0", options="memory")
    try:
        driver = two_servers.driver()  # libvirt looks at a sample of the pages for a second
        wait_for(lambda: driver.inventory().vm("guest").dirty_Bps > 2e6, "the guest to be seen writing")
    finally:
        two_servers.end_guest()


def test_a_target_that_cannot_take_it_refuses_and_the_machine_runs_on(two_servers: Site, echoing: Echo) -> None:
    def rename(old: str, new: str) -> None:
        for line in (f"ip link set {old} down", f"ip link set {old} name {new}", f"ip link set {new} up"):
            run(two_servers.lab, "h1", *line.split())

    driver = two_servers.driver()
    rename("br0", "other")
    try:
        with pytest.raises(MigrationRefusedError, match=r"h1 does not take guest: .*br0"):
            finish(driver.migrate("guest", "h1"))
    finally:
        rename("other", "br0")
    assert driver.inventory().vm("guest").server == "h0"
    finish(driver.migrate("guest", "h1"))


def test_an_aborted_migration_leaves_the_machine_where_it_was(two_servers: Site, echoing: Echo) -> None:
    driver = two_servers.driver()
    migration = driver.migrate("guest", "h1")
    copying(migration)
    migration.abort()
    with pytest.raises(CloudError, match="guest: the migration was aborted; it runs on h0"):
        finish(migration)
    migration.close()
    assert driver.inventory().vm("guest").server == "h0"


def test_a_migration_whose_client_is_killed_is_given_up(two_servers: Site, echoing: Echo) -> None:
    arguments = ["cloud", "migrate", str(two_servers.cluster_file()), "guest", "h1"]
    with subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True) as client:
        assert client.stderr is not None
        wait_for(lambda: "copied" in client.stderr.readline(), "copying")  # type: ignore[union-attr]
        client.send_signal(signal.SIGKILL)
    driver = two_servers.driver()
    wait_for(lambda: "guest" not in two_servers.virsh("h1", "list", "--name", "--all"), "the end of the guest on h1")
    assert driver.inventory().vm("guest").server == "h0"
    done = once(*arguments, "--json")
    assert json.loads(done.stdout)["server"] == "h1"
    assert driver.inventory().vm("guest").server == "h1"


def test_a_target_that_dies_on_the_way_is_told_and_the_machine_runs_on(two_servers: Site, echoing: Echo) -> None:
    driver = two_servers.driver()
    migration = driver.migrate("guest", "h1")
    copying(migration)
    two_servers.kill_daemon("h1")
    with pytest.raises(CloudError, match=r"guest: .*where it runs is not known: .*h1/run/libvirt-sock|it runs on h0"):
        finish(migration)
    with pytest.raises(CloudError, match="libvirt"):
        driver.inventory()
    two_servers.start_daemon("h1")
    wait_for(lambda: "guest" not in two_servers.virsh("h1", "list", "--name"), "the end of the guest on h1")
    assert driver.inventory().vm("guest").server == "h0"
    finish(driver.migrate("guest", "h1"))


def test_a_libvirt_that_hangs_is_told_within_its_time(two_servers: Site, echoing: Echo) -> None:
    driver = two_servers.driver()
    driver.inventory()
    daemon = two_servers.daemon_pid("h1")
    os.kill(daemon, signal.SIGSTOP)
    try:
        with pytest.raises(CloudError, match="did not answer within 10 s"):
            driver.inventory()
    finally:
        os.kill(daemon, signal.SIGCONT)
    wait_for(lambda: answers(driver), "the daemon to answer again")
    assert driver.inventory().vm("guest").server == "h0"


def test_show_says_who_is_where(two_servers: Site, echoing: Echo) -> None:
    arguments = ["cloud", "show", two_servers.cluster_file()]
    lines = [line.split() for line in once(*arguments).stdout.splitlines()]
    assert ["h0", "1", "1", "of", str(os.cpu_count()), "128", "MiB"] in [line[:7] for line in lines]
    assert ["guest", "h0", "1"] in [line[:3] for line in lines]
    assert json.loads(once(*arguments, "--json").stdout)["vms"][0]["memory_B"] == 128 << 20


DISKS = """<disk type="file" device="disk"><source file="{file}"/><target dev="vda" bus="virtio"/></disk>
<disk type="volume" device="disk"><source pool="pool" volume="second.raw"/><target dev="vdb" bus="virtio"/></disk>
<graphics type="vnc" port="-1" passwd="{password}"/></devices>"""


def made(creation: Creation) -> Created:
    while isinstance(now := creation.poll(), Progress):
        time.sleep(0.05)
    return now


def test_a_machine_is_made_like_one_that_runs(two_servers: Site) -> None:
    two_servers.start_guest("h0")
    console = two_servers.directory / "second.console"
    try:
        done = once("cloud", "create", two_servers.cluster_file(), "second", "h1", "--like", "guest")
        assert "second runs on h1 after" in done.stdout, done.stderr
        wait_for(lambda: console.exists() and "is up" in console.read_text(), "the second machine to come up")
        driver = two_servers.driver()
        found = driver.inventory()
        assert (found.vm("second").server, found.vm("guest").server) == ("h1", "h0")
        assert found.vm("second").memory_B == 128 << 20
        with pytest.raises(CreationRefusedError, match="a machine second already exists"):
            driver.create("second", "guest", "h0")
        with pytest.raises(CreationRefusedError, match="no server has a machine other"):
            driver.create("third", "other", "h0")
        finish(driver.migrate("second", "h0"))
        two_servers.virsh("h0", "destroy", "second")
        assert [vm.name for vm in driver.inventory().vms] == ["guest"]
    finally:
        for server in SERVERS:
            if "second" in two_servers.virsh(server, "list", "--name"):
                two_servers.virsh(server, "destroy", "second")
        two_servers.end_guest()


def test_disks_are_copied_and_one_that_fails_or_is_given_up_leaves_nothing(two_servers: Site) -> None:
    directory = two_servers.directory / "pool"
    directory.mkdir()
    template = two_servers.directory / "template.xml"
    disk = directory / "template.raw"
    two_servers.start_guest("h0")  # its definition is the template's but for the disk
    text = two_servers.virsh("h0", "dumpxml", "guest", "--inactive")
    two_servers.end_guest()
    template.write_text(
        text.replace("<name>guest</name>", "<name>template</name>").replace(
            "</devices>", DISKS.format(file=disk, password="x1y2z3")
        )
    )
    two_servers.virsh("h0", "pool-create-as", "pool", "dir", "--target", str(directory))
    for volume in ("template.raw", "second.raw"):
        two_servers.virsh("h0", "vol-create-as", "pool", volume, "1M", "--format", "raw")
    disk.write_bytes(b"what is on it" + disk.read_bytes()[13:])
    two_servers.virsh("h0", "define", str(template))
    try:
        driver = two_servers.driver()
        assert made(driver.create("node", "template", "h0")).server == "h0"
        copy = directory / "node-vda.raw"
        assert copy.read_bytes() == disk.read_bytes()
        assert (directory / "node-vdb.raw").exists()
        defined = two_servers.virsh("h0", "dumpxml", "node", "--security-info", "--inactive")
        assert "passwd='x1y2z3'" in defined
        assert "node" in two_servers.virsh("h0", "list", "--persistent", "--name").split()
        with pytest.raises(CreationRefusedError, match=r"node is running, and what it writes to its disks"):
            driver.create("other", "node", "h0")
        two_servers.virsh("h0", "destroy", "node")
        two_servers.virsh("h0", "undefine", "node", "--remove-all-storage")

        with pytest.raises(CreationRefusedError, match=r"node cannot be made on h1: .*template\.raw"):
            made(driver.create("node", "template", "h1"))  # whose libvirt knows no such volume
        creation = driver.create("node", "template", "h0")
        creation.poll()
        creation.abort()
        with pytest.raises(CloudError, match=r"node was cancelled: it is removed again$"):
            made(creation)
        for line in ("ip link set br0 down", "ip link set br0 name other"):
            run(two_servers.lab, "h0", *line.split())
        try:
            with pytest.raises(CreationRefusedError, match=r"node cannot be made on h0: .*br0"):
                made(driver.create("node", "template", "h0"))
        finally:
            for line in ("ip link set other name br0", "ip link set br0 up"):
                run(two_servers.lab, "h0", *line.split())
        for server in SERVERS:
            assert "node" not in two_servers.virsh(server, "list", "--all", "--name").split()
        assert sorted(each.name for each in directory.iterdir()) == ["second.raw", "template.raw"]
    finally:
        two_servers.virsh("h0", "undefine", "template")
        two_servers.virsh("h0", "pool-destroy", "pool")
