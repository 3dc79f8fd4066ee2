"""Whether hosts can load libfairlead into a job's program, and have room for its rings: tried, but nothing is run."""

from collections.abc import Sequence

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.job import Job
from fairlead.cluster.remote.execute import on_all, run_on, unexpected
from fairlead.lab.idle import VARIABLE
from fairlead.programs.linkage import FILE, LOADERS

RING_KIB = 260
"""Of a rank's thread (docs/reference/message-rings.md)."""
SHARE = 16
"""Rings of one thread a rank take at most such a part of what is free in /dev/shm: MPI libraries and programs keep
memory there that they have not touched yet, and end when there is none."""

_FITS, _NOT = "fits", "not: "

# Arguments: directory, program, libraries to be preloaded, KiB that have to be free. The loader lists what it would
# load, and ends; on stderr it says what it cannot load, also into a program that it would not start with that. A
# program that names another loader has another C library, too (EESSI, Nix, Guix): what fits that is not known here.
_TRY = rf"""
{FILE}
number() {{ echo $(od -An -tu"$1" -j"$2" -N"$1" "$file"); }}
named_loader() {{ # elf(5): PT_INTERP
  at=$(number 8 32) each=$(number 2 54) left=$(number 2 56)
  while [ "$left" -gt 0 ] && [ "$(number 4 "$at")" -ne 3 ]; do at=$((at + each)) left=$((left - 1)); done
  [ "$left" -eq 0 ] || dd if="$file" bs=1 skip=$(number 8 $((at + 8))) count=$(($(number 8 $((at + 32))) - 1))
}} 2>/dev/null
[ -u "$file" ] || [ -g "$file" ] && {{ echo '{_NOT}the program has set-user-ID or set-group-ID'; exit 0; }}
[ -d /dev/shm ] && [ -w /dev/shm ] || {{ echo '{_NOT}/dev/shm is no directory that can be written to'; exit 0; }}
set -- "$3" "$4" $(df -Pk /dev/shm | sed 1d)
if [ "${{4:-0}}" -gt 0 ] && [ "${{6:-0}}" -lt "$2" ]; then
  echo "{_NOT}/dev/shm has only ${{6:-0}} KiB free, and rings want $2 to be"
  exit 0
fi
named=
for loader in {LOADERS}; do
  [ -x "$loader" ] && "$loader" --verify "$file" >/dev/null 2>&1 || continue
  named=$(named_loader)
  [ ! "$named" ] || [ "$named" -ef "$loader" ] || continue
  why=$(LD_TRACE_LOADED_OBJECTS=1 {VARIABLE}=$1 "$loader" "$file" 2>&1 >/dev/null) && [ ! "$why" ] &&
    echo {_FITS} && exit 0
  printf '{_NOT}%s\n' "${{why:-the loader does not load libfairlead}}"
  exit 0
done
[ "$named" ] && echo "{_NOT}the program has a loader of its own, $named" && exit 0
echo '{_NOT}no loader of glibc takes the program'
"""


def hindrance(cluster: Cluster, job: Job, libraries: Sequence[str]) -> str | None:
    """Why one of a job's hosts cannot load libraries into its program, or has no room for rings; None: all can.

    Args:
        libraries: paths on the hosts.

    Raises:
        HostError: a host was not reached.
    """
    executor = executor_of(cluster)
    ranks = job.ranks_on()
    env = {name: value for name, value in job.env.items() if name != VARIABLE}

    def ask(host: str) -> str:
        free_KiB = SHARE * RING_KIB * ranks[host]
        question = ["sh", "-c", _TRY, "sh", job.cwd or ".", job.argv[0], ":".join(libraries), str(free_KiB)]
        return run_on(executor, host, question, env=env)

    for host, said in on_all(tuple(ranks), ask).items():
        if said.startswith(_NOT):
            why, *_ = said.removeprefix(_NOT).splitlines()
            return f"{host}: {why}"
        if said.strip() != _FITS:
            raise unexpected(host, said)
    return None
