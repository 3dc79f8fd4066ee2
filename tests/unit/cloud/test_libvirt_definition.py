"""Definitions of machines like others."""

import xml.etree.ElementTree as ET

from fairlead.cloud.libvirt_definition import Disk, Volume, copy_of_volume, like, size, written_disks

DEFINITION = """<domain type="kvm" id="3">
  <name>node0</name><uuid>11111111-2222-3333-4444-555555555555</uuid>
  <memory unit="KiB">1048576</memory><vcpu placement="static">2</vcpu>
  <os><type>hvm</type><nvram>/var/node0.fd</nvram></os>
  <devices>
    <disk type="file" device="disk"><source file="/pool/node0.qcow2"/><target dev="vda"/></disk>
    <disk type="block" device="lun"><source dev="/dev/sdb"/><target dev="sda"/></disk>
    <disk type="volume" device="disk"><source pool="images" volume="node0-b"/><target dev="vdd"/></disk>
    <disk type="network" device="disk"><source protocol="rbd" name="x"/><target dev="vdb"/></disk>
    <disk type="file" device="disk"><source file="/pool/programs.raw"/><target dev="vdc"/><readonly/></disk>
    <disk type="file" device="cdrom"><source file="/pool/install.iso"/><target dev="hda"/></disk>
    <disk type="file" device="cdrom"><target dev="hdb"/></disk>
    <interface type="bridge"><mac address="52:54:00:00:00:01"/><source bridge="br0"/><target dev="vnet0"/></interface>
    <serial type="file"><source path="/log/node0.console"/></serial>
    <serial type="file"><source path="/log/console"/></serial>
    <channel type="unix"><source mode="bind" path="/run/node0.agent"/><target name="agent"/></channel>
    <serial type="pty"/>
  </devices>
  <seclabel type="dynamic" model="apparmor"/><seclabel type="none"/>
</domain>"""


def test_disks_that_are_written_to_are_found() -> None:
    assert written_disks(DEFINITION) == [
        Disk("vda", "/pool/node0.qcow2"),
        Disk("sda", "/dev/sdb"),
        Disk("vdd", "node0-b", "images"),
        Disk("vdb", ""),
    ]


def test_size() -> None:
    assert size(DEFINITION) == (2, 1 << 30)


def test_another_machine_has_nothing_that_is_the_models_own() -> None:
    volumes = {
        "vda": Volume("/pool/node9-vda.qcow2", is_block=False),
        "sda": Volume("/dev/group/node9-sda", is_block=True),
        "vdd": Volume("/images/node9-vdd", is_block=False),
    }
    made = ET.fromstring(like(DEFINITION, "node9", volumes))
    assert made.findtext("name") == "node9"
    assert made.get("id") is None
    for path in ("uuid", "os/nvram", "devices/interface/mac", "devices/interface/target", "devices/channel/source"):
        assert made.find(path) is None, path
    assert [each.get("type") for each in made.findall("seclabel")] == ["none"]
    sources = {}
    for disk in made.findall("devices/disk"):
        source = disk.find("source")
        sources[disk.find("target").get("dev")] = disk.get("type"), None if source is None else source.attrib
    assert sources == {
        "vda": ("file", {"file": "/pool/node9-vda.qcow2"}),
        "sda": ("block", {"dev": "/dev/group/node9-sda"}),
        "vdd": ("file", {"file": "/images/node9-vdd"}),
        "vdb": ("network", {"protocol": "rbd", "name": "x"}),
        "vdc": ("file", {"file": "/pool/programs.raw"}),
        "hda": ("file", {"file": "/pool/install.iso"}),
        "hdb": ("file", None),
    }
    paths = [each.get("path") for each in made.findall("devices/serial/source")]
    assert paths == ["/log/node9.console", "/log/node9-console"]
    assert made.find("devices/interface/source").get("bridge") == "br0"
    assert made.findtext("os/type") == "hvm"


def test_a_copy_of_a_volume_is_of_its_size_and_format() -> None:
    volume = """<volume type="file"><name>node0.qcow2</name><key>/pool/node0.qcow2</key>
    <capacity unit="bytes">4096</capacity><allocation unit="bytes">10</allocation>
    <target><path>/pool/node0.qcow2</path><format type="qcow2"/></target></volume>"""
    made = ET.fromstring(copy_of_volume(volume, "node9-vda"))
    assert (made.findtext("name"), made.findtext("capacity")) == ("node9-vda.qcow2", "4096")
    assert made.find("target/format").get("type") == "qcow2"
    assert made.find("target/path") is None
