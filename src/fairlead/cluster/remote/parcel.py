"""Files on their way to hosts: named by their content, checked after copying.

A parcel is named by the SHA-256 of its manifest (the SHA-256 of every file, as sha256sum prints it) and lies in
``~/.cache/fairlead/<that>/`` on the host. One that is there and intact is not copied again; a copy becomes visible by
one rename, so that nobody ever sees half of it.
"""

import hashlib
import io
import tarfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fairlead.cluster.executors.base import Executor
from fairlead.cluster.remote.execute import attempt, failure, unexpected
from fairlead.errors import HostError

MANIFEST = "SHA256SUMS"
COPY_TIMEOUT_S = 120.0
SLOWEST_COPY_Bps = 1e5
"""Bytes a second; a copy that is slower is given up. Thirty hosts at a time may share a slow uplink."""
CHECK_TIMEOUT_S = 30.0
SLOWEST_CHECK_Bps = 1e7
"""Bytes a second; a host that reads and sums up slower, over a network as well, is given up."""
STALE_min = 24 * 60
_DAMAGED = 4  # exit code

# $0: the parcel's name; $1: the directory that parcels of its kind are in.
_FIND = """
cd "$HOME/.cache/fairlead/$1/$0" 2>/dev/null || exit 3
touch . 2>/dev/null  # used now: nobody removes it
sha256sum --check --status SHA256SUMS || exit 3
[ "$(sha256sum SHA256SUMS | cut -d' ' -f1)" = "$0" ] && pwd
"""
_PUT = f"""
set -e
LC_ALL=C; export LC_ALL
intact() {{
  (cd "$1" && sha256sum --check --status SHA256SUMS) || return 1
  [ "$(sha256sum "$1/SHA256SUMS" | cut -d' ' -f1)" = "$identity" ]
}}
identity=$0
umask 077
mkdir -p "$HOME/.cache/fairlead/$1"
cd "$HOME/.cache/fairlead/$1"
# Copies that were broken off before they could be removed, by a power failure for example; none takes so long.
find . -mindepth 1 -maxdepth 1 -name '.[0-9a-f]*.??????' -mmin +{STALE_min} -exec rm -rf {{}} + 2>/dev/null || true
new=$(mktemp -d ".$0.XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM
tar -x -C "$new" -f -
(cd "$new" && sha256sum --check --quiet SHA256SUMS >&2) || exit {_DAMAGED}
[ "$(sha256sum "$new/SHA256SUMS" | cut -d' ' -f1)" = "$0" ] || exit {_DAMAGED}
# Hosts that share the directory do this at the same time: what one of them has put there stays.
if [ -e "$0" ] && ! intact "$0"; then mv -T "$0" "$new/damaged" || [ ! -e "$0" ] || intact "$0"; fi
mv -T "$new" "$0" 2>/dev/null || intact "$0" || {{ echo "$PWD/$0 cannot be put in place" >&2; exit 1; }}
rm -rf "$0/damaged"
echo "$PWD/$0"
"""
_NO_ROOM = {
    "No space left on device": "no space left on device",
    "Disk quota exceeded": "disk quota exceeded",
    "Wrote only": "the copy was cut short",  # GNU tar, where a part had room
}


@dataclass(frozen=True)
class Placed:
    """A parcel on a host.

    Attributes:
        directory: absolute path of its files there.
        copied: it was not there before.
    """

    directory: str
    copied: bool


class Parcel:
    """Files that go to hosts together; threads may send it to several at the same time.

    Args:
        files: name on the host -> file here. Names have no directories.
        kind: directory below ``~/.cache/fairlead`` that holds it; ``.``: none between.
        private: nobody but the user may use the copies, and nobody change them; else they have the files' modes.

    Raises:
        OSError: a file cannot be read.
    """

    def __init__(self, files: Mapping[str, Path], kind: str = ".", *, private: bool = False) -> None:
        self.kind = kind
        self._files = dict(files)
        self._private = private
        self._size_B = sum(path.stat().st_size for path in files.values())
        self._manifest = _manifest(files)
        self.identity = hashlib.sha256(self._manifest).hexdigest()
        self._guard = threading.Lock()
        self._packed: bytes | None = None

    def place(self, executor: Executor, host: str) -> Placed:
        """See that it is on a host, intact.

        Raises:
            HostError: the host was not reached, has no room, or received something else than was sent.
        """
        timeout_s = CHECK_TIMEOUT_S + self._size_B / SLOWEST_CHECK_Bps
        found = attempt(executor, host, ["sh", "-c", _FIND, self.identity, self.kind], timeout_s=timeout_s)
        said = found.stdout.decode(errors="replace") if found.returncode == 0 else self._put(executor, host)
        directory = said.strip()
        if not directory.startswith("/") or "\n" in directory:
            raise unexpected(host, directory)
        return Placed(directory, copied=found.returncode != 0)

    def _put(self, executor: Executor, host: str) -> str:
        """Copy it; what the host says of where it is."""
        archive, question = self._archive(), ["sh", "-c", _PUT, self.identity, self.kind]
        timeout_s = COPY_TIMEOUT_S + len(archive) / SLOWEST_COPY_Bps
        done = attempt(executor, host, question, stdin=archive, timeout_s=timeout_s)
        if done.returncode == 0:
            return done.stdout.decode(errors="replace")
        names, said = ", ".join(self._files), done.stderr.decode(errors="replace")
        if full := next((words for mark, words in _NO_ROOM.items() if mark in said), None):
            raise HostError(
                f"{host}: there is no room for {names} in ~/.cache/fairlead: {full}",
                hint="free some space there; `fairlead clean CLUSTER` removes what --bring has copied",
            )
        if done.returncode == _DAMAGED:
            raise HostError(
                f"{host}: {names} arrived damaged: the SHA-256 there is not the one here",
                hint="try again; a file must not change while it is copied",
            )
        raise failure(host, question, done)

    def _archive(self) -> bytes:
        with self._guard:
            if self._packed is None:
                self._packed = _archive(self._files, self._manifest, _private if self._private else _anonymous)
            return self._packed


def _manifest(files: Mapping[str, Path]) -> bytes:
    lines = []
    for name, path in sorted(files.items()):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n")
    return "".join(lines).encode()


def _archive(
    files: Mapping[str, Path], manifest: bytes, entry_of: Callable[[tarfile.TarInfo], tarfile.TarInfo]
) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", dereference=True) as archive:
        entry = tarfile.TarInfo(MANIFEST)
        entry.size = len(manifest)
        archive.addfile(entry, io.BytesIO(manifest))
        for name, path in files.items():
            archive.add(path, arcname=name, filter=entry_of)
    return buffer.getvalue()


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def _private(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mode = 0o500 if entry.mode & 0o111 else 0o400
    return _anonymous(entry)
