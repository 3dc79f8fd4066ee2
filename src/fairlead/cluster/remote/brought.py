"""The user's own files on hosts, which ``--bring`` has copied there: kept for later runs until they are removed.

Each is a `Parcel` of its own in ``~/.cache/fairlead/brought``, and only the user can read it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors.base import Executor, executor_of
from fairlead.cluster.remote.deploy import same_everywhere
from fairlead.cluster.remote.execute import on_all, run_on, unexpected
from fairlead.cluster.remote.parcel import Parcel, Placed

KIND = "brought"
KEPT_min = 7 * 24 * 60
"""For so long after a command has brought it, a copy counts as used: not every use of a file can be seen."""

# Copies that were broken off have names with a dot in front; one that is an hour old is none that still goes on. What
# a program has written beside its copy is not ours to remove.
_LIST = f"""
cd "$HOME/.cache/fairlead/$0" 2>/dev/null || exit 0
open=$({{ ls -l /proc/[0-9]*/exe /proc/[0-9]*/fd; cat /proc/[0-9]*/maps; }} 2>/dev/null | grep -F "/fairlead/$0/")
for each in *; do
  case $each in *[!0-9a-f]*) continue ;; esac
  [ -d "$each" ] && [ ${{#each}} = 64 ] || continue
  state=used
  if [ "$(find "$each" -maxdepth 0 -mmin +{KEPT_min})" ] && [ "$(ls -A "$each" | wc -l)" -le 2 ]; then
    case $open in *"/$0/$each/"*) ;; *) state=free ;; esac
  fi
  name=$(sed -n 's/^[0-9a-f]*  //p' "$each/SHA256SUMS" 2>/dev/null)
  echo "$state $each $PWD/$each/$name"
done
find . -mindepth 1 -maxdepth 1 -name '.[0-9a-f]*.??????' -mmin +60 | while read -r each; do
  echo "free ${{each#./}} $PWD/${{each#./}}"
done
"""
_REMOVE = """
cd "$HOME/.cache/fairlead/$0" 2>/dev/null || exit 0
rm -rf -- "$@"
"""
_LISTED = re.compile(r"(used|free) (\.?[0-9a-f]{64}(?:\.\w+)?) (/.*)")


@dataclass(frozen=True)
class Brought:
    """A file that hosts have now.

    Attributes:
        path: absolute path on all of them.
        copied_to: those that lacked it.
    """

    path: str
    copied_to: tuple[str, ...]


@dataclass(frozen=True)
class Kept:
    """A copy that a host has from earlier.

    Attributes:
        name: of its directory.
        path: absolute path of the file, or of the directory of a copy that was broken off.
        used: it was brought lately, a process there has it open or mapped, or somebody has put more beside it.
    """

    name: str
    path: str
    used: bool


def bring(cluster: Cluster, hosts: Iterable[str], files: Sequence[Path]) -> dict[Path, Brought]:
    """Copy files to the hosts that lack them, also where the cluster file says that files are shared.

    That is said of labs, whose hosts have their own /tmp, and holds for no file that others cannot reach.

    Raises:
        HostError: see `Parcel.place`. ConfigError: the hosts do not have them at the same paths.
        OSError: a file cannot be read.
    """
    executor = executor_of(cluster)
    parcels = {file: _parcel(file) for file in files}
    names = list(dict.fromkeys(hosts))
    # Of hosts that share a home directory, one is enough.
    groups = [names[:1], names[1:]] if executor.shares_files else [names]
    found: dict[str, dict[str, Placed]] = {}
    for group in groups:
        found |= on_all(group, lambda host: {str(file): each.place(executor, host) for file, each in parcels.items()})
    paths = {
        host: {file: f"{at.directory}/{Path(file).name}" for file, at in each.items()} for host, each in found.items()
    }
    everywhere = same_everywhere(cluster, map(str, files), paths)
    copied = {file: tuple(host for host in names if found[host][str(file)].copied) for file in files}
    return {file: Brought(everywhere[str(file)], copied[file]) for file in files}


def identity(file: Path) -> str:
    """What names the directory of a file's copies: the hexadecimal SHA-256 of its name and content.

    Raises:
        OSError: it cannot be read.
    """
    return _parcel(file).identity


def _parcel(file: Path) -> Parcel:
    return Parcel({file.name: file}, KIND, private=True)


def kept(executor: Executor, host: str) -> list[Kept]:
    """The copies that a host has.

    Raises:
        HostError: it was not reached, or its answer is not understood.
    """
    copies = []
    for line in run_on(executor, host, ["sh", "-c", _LIST, KIND]).splitlines():
        told = _LISTED.fullmatch(line)
        if not told:
            raise unexpected(host, line)
        copies.append(Kept(told.group(2), told.group(3), used=told.group(1) == "used"))
    return copies


def remove(executor: Executor, host: str, copies: Iterable[Kept]) -> None:
    """Remove copies from a host. One that is not there is no error.

    Raises:
        HostError: it was not reached, or one cannot be removed.
    """
    names = [each.name for each in copies]
    if names:
        run_on(executor, host, ["sh", "-c", _REMOVE, KIND, *names])
