"""A machine's definition in libvirt's XML (https://libvirt.org/formatdomain.html), changed to be another machine's."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

_OF_ONE_MACHINE = ("uuid", "os/nvram", "seclabel[@type='dynamic']")


@dataclass(frozen=True)
class Disk:
    """A disk that a machine writes to: its name within the machine, and what it is on the server.

    Attributes:
        source: a path; of a disk that names a storage pool, the volume in it; empty if it is something else.
    """

    target: str
    source: str
    pool: str | None = None


@dataclass(frozen=True)
class Volume:
    """What a new machine has in a disk's place: a file, or a block device."""

    path: str
    is_block: bool


def written_disks(definition: str) -> list[Disk]:
    """Disks that two machines cannot have in common. One that is not a file, device or volume has an empty source."""
    found = []
    for disk in ET.fromstring(definition).findall("devices/disk"):
        target, source = disk.find("target"), disk.find("source")
        if disk.get("device", "disk") not in ("disk", "lun") or target is None or source is None:
            continue
        if disk.find("readonly") is None and disk.find("shareable") is None:
            path = source.get("file") or source.get("dev") or source.get("volume") or ""
            found.append(Disk(str(target.get("dev")), path, source.get("pool")))
    return found


def like(definition: str, name: str, disks: Mapping[str, Volume]) -> str:
    """The definition of another machine of the same kind.

    Args:
        disks: by the target of each disk that is written to, what the new machine has for it.
    """
    root = ET.fromstring(definition)
    for path in _OF_ONE_MACHINE:
        parent = root if "/" not in path else root.find(path.rpartition("/")[0])
        for each in [] if parent is None else parent.findall(path.rpartition("/")[2]):
            parent.remove(each)  # type: ignore[union-attr]
    root.attrib.pop("id", None)
    named = root.find("name")
    if named is None:
        raise ValueError("a definition without a name")
    old, named.text = named.text or "", name
    for card in root.findall("devices/interface"):
        for each in [*card.findall("mac"), *card.findall("target")]:  # libvirt gives it others
            card.remove(each)
    for disk in root.findall("devices/disk"):
        target, source = disk.find("target"), disk.find("source")
        if target is not None and source is not None and (volume := disks.get(str(target.get("dev")))):
            disk.set("type", "block" if volume.is_block else "file")
            source.attrib.clear()
            source.set("dev" if volume.is_block else "file", volume.path)
    for device in ("serial", "console", "parallel", "channel"):
        for each in root.findall(f"devices/{device}"):
            _apart(each, old, name)
    return ET.tostring(root, encoding="unicode")


def copy_of_volume(volume: str, name: str) -> str:
    """What a storage pool is asked for: a volume of the same size and format."""
    old = ET.fromstring(volume)
    suffix = PurePosixPath(old.findtext("name") or "").suffix
    root = ET.Element("volume")
    ET.SubElement(root, "name").text = name + suffix
    capacity = ET.SubElement(root, "capacity")
    capacity.text = old.findtext("capacity") or "0"
    found = old.find("target/format")
    if found is not None:
        ET.SubElement(ET.SubElement(root, "target"), "format", {"type": str(found.get("type"))})
    return ET.tostring(root, encoding="unicode")


def size(definition: str) -> tuple[int, int]:
    """Processors, and memory in bytes."""
    root = ET.fromstring(definition)
    return int(root.findtext("vcpu") or "1"), int(root.findtext("memory") or "0") * 1024  # libvirt tells it in KiB


def _apart(device: ET.Element, old: str, name: str) -> None:
    """A file or socket that the machine writes to is another one's."""
    source = device.find("source")
    path = None if source is None else source.get("path")
    if source is None or path is None:
        return
    if device.get("type") == "file":
        file = PurePosixPath(path)
        same = file.name.replace(old, name)
        source.set("path", str(file.with_name(same if same != file.name else f"{name}-{file.name}")))
    elif device.get("type") == "unix" and source.get("mode") == "bind":
        device.remove(source)  # libvirt makes one up
