"""Intel MPI 2021: programs have MPICH's binary interface; libfabric carries messages between hosts.

Source: Intel MPI Library Developer Reference for Linux, "Environment Variable Reference" (fabrics control, process
pinning, other variables).
"""

import re

from fairlead.cluster.job import Job
from fairlead.cluster.launchers.base import Mpi, register
from fairlead.cluster.launchers.hydra import Hydra

_VERSION = re.compile(r"^Intel\(R\) MPI Library\b.*\bVersion (\d+\S*)", re.MULTILINE)


@register("intelmpi2021")
class IntelMpi(Hydra):
    """Intel MPI 2021 in all its updates: the year is that of oneAPI's first."""

    _unbound = ("-genv", "I_MPI_PIN", "off")

    @classmethod
    def recognise(cls, version_text: str) -> Mpi | None:
        """See `Launcher.recognise`."""
        found = _VERSION.search(version_text)
        return Mpi("intelmpi", found.group(1), label="Intel MPI") if found else None

    def environment(self, job: Job) -> dict[str, str]:
        """See `Launcher.environment`. In a batch job, its numbers of ranks would stand above those of the options."""
        return {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT": "off"} if job.by_agent_alone else {}

    def _network(self, job: Job) -> list[str]:
        # It does not listen to -localhost, and asks for the interface on mpirun's machine only.
        return ["-iface", job.launcher_address.interface] if job.launcher_address else super()._network(job)

    def _hosts(self, job: Job) -> list[str]:
        # It knows no "host:count". As many ranks on each host as on the first one, on the last one those that are left.
        blocks = job.blocks()
        if not _is_filled(blocks):
            return []
        return ["-ppn", str(blocks[0][1]), "-hosts", ",".join(host for host, _ in blocks)]

    def _ranks(self, job: Job) -> list[str]:
        blocks = job.blocks()
        if _is_filled(blocks):
            return super()._ranks(job)
        each = [["-host", host, "-n", str(count), *job.argv] for host, count in blocks]
        return [word for block in each for word in (":", *block)][1:]

    def _transports(self, job: Job) -> dict[str, str]:
        # Its own name for the provider stands above FI_PROVIDER.
        tcp = {"I_MPI_FABRICS": "shm:ofi", "I_MPI_OFI_PROVIDER": "tcp"}
        if len(job.interfaces) == 1:
            tcp["FI_TCP_IFACE"] = job.interfaces[0]
        return tcp

    def _idle(self) -> dict[str, str]:
        # By default a rank that waits polls and never lets anyone else run; 2: it calls sched_yield.
        return {"I_MPI_THREAD_YIELD": "2"}


def _is_filled(blocks: list[tuple[str, int]]) -> bool:
    """Whether hosts are filled one after the other with the same number of ranks."""
    *full, (_, rest) = blocks
    first = blocks[0][1]
    once = len({host for host, _ in blocks}) == len(blocks)
    return once and all(count == first for _, count in full) and rest <= first
