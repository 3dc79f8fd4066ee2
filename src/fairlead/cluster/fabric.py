"""What carries MPI messages between hosts where nobody asked for something: the library's own choice where every host
has an RDMA device (InfiniBand, RoCE, EFA, Omni-Path), else TCP, which can be rerouted."""

from collections.abc import Mapping, Sequence

from fairlead.cluster.description import NATIVE, TCP, Cluster, Transport
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote.execute import on_all, run_on

AUTO = "auto"
# Devices with a port in use that this user may open, a line each. Containers see all devices of their server, and may
# open none (Documentation/ABI/stable/sysfs-class-infiniband of the kernel).
_LOOK = r"""
for verbs in /sys/class/infiniband_verbs/uverbs*; do
  [ -r "/dev/infiniband/${verbs##*/}" ] && [ -w "/dev/infiniband/${verbs##*/}" ] || continue
  device=$(cat "$verbs/ibdev")
  for port in "/sys/class/infiniband/$device/ports"/*; do
    case $(cat "$port/state" 2>/dev/null) in *ACTIVE) echo "$device" ;; esac
  done
done"""


def with_chosen_transport(
    cluster: Cluster, wanted: str = AUTO, *, other: str = f"--transport {TCP}"
) -> tuple[Cluster, str | None]:
    """The cluster with the transport of a program, and what the user should know of it; None: nothing.

    Args:
        wanted: a transport, or ``auto``: the cluster file's; where it has none, by the hosts' devices.
        other: what the user writes to have TCP.

    Raises:
        HostError: a host was not reached.
    """
    if wanted == NATIVE or (wanted == AUTO and cluster.transport == NATIVE):
        return cluster.with_transport(NATIVE), f"transport: the MPI library's choice, as asked for. {_bypassing(other)}"
    if wanted == TCP or known_transport(cluster) == TCP:
        return cluster.with_transport(TCP), None
    devices = active_devices(cluster)
    if not is_left_to_library(cluster, devices):
        return cluster.with_transport(TCP), None
    named = ", ".join(dict.fromkeys(device for each in devices.values() for device in each))
    why = f"transport: the MPI library's choice, since every host has an RDMA device ({named})"
    return cluster.with_transport(NATIVE), f"{why}. {_bypassing(other)}"


def known_transport(cluster: Cluster) -> Transport | None:
    """The transport where no command or plan asks for one, as far as no host is asked; None: by the hosts' devices."""
    if cluster.transport is None and not _by_devices(cluster):
        return TCP
    return cluster.transport


def is_left_to_library(cluster: Cluster, devices: Mapping[str, Sequence[str]]) -> bool:
    """Whether the MPI library chooses what carries messages, where no command asked for something.

    Args:
        devices: RDMA devices that can be used, by compute host.
    """
    if cluster.transport is not None:
        return cluster.transport == NATIVE
    return _by_devices(cluster) and len(devices) > 1 and all(devices.values())


def active_devices(cluster: Cluster) -> dict[str, tuple[str, ...]]:
    """RDMA devices with a port in use that the user may open, by compute host.

    Hosts that are no machines of their own, as a lab's, have none: what this machine has is not on their network.

    Raises:
        HostError: a host was not reached.
    """
    names = cluster.compute_names()
    if not _by_devices(cluster):
        return dict.fromkeys(names, ())
    executor = executor_of(cluster)
    return on_all(names, lambda host: tuple(dict.fromkeys(run_on(executor, host, ["sh", "-c", _LOOK]).split())))


def _by_devices(cluster: Cluster) -> bool:
    """Whether the hosts' devices can decide: there are several, and they are machines of their own."""
    return executor_of(cluster).other_machines and len(cluster.compute_hosts()) > 1


def _bypassing(other: str) -> str:
    return (
        "What RDMA carries bypasses the kernel: fairlead neither sees nor reroutes it. "
        f"{other} makes MPI use TCP, which it can reroute"
    )
