"""Bring files to hosts that do not see this machine's: named by their content, checked after copying.

A set of files is named by the SHA-256 of its manifest (the SHA-256 of every file, as sha256sum prints it) and lies in
``~/.cache/fairlead/<that>/`` on the host. A set that is there and intact is not copied again; a copy becomes visible by
one rename, so that nobody ever sees half of it.
"""

import hashlib
import io
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors.base import Executor, executor_of
from fairlead.cluster.remote.execute import attempt, on_all, run_on, unexpected
from fairlead.errors import ConfigError, HostError, MissingToolError

MANIFEST = "SHA256SUMS"
COPY_TIMEOUT_S = 120.0

_FIND = """
cd "$HOME/.cache/fairlead/$0" 2>/dev/null && sha256sum --check --status SHA256SUMS || exit 3
[ "$(sha256sum SHA256SUMS | cut -d' ' -f1)" = "$0" ] && pwd
"""
_PUT = """
set -e
intact() {
  (cd "$1" && sha256sum --check --status SHA256SUMS) || return 1
  [ "$(sha256sum "$1/SHA256SUMS" | cut -d' ' -f1)" = "$identity" ]
}
identity=$0
umask 077
mkdir -p "$HOME/.cache/fairlead"
cd "$HOME/.cache/fairlead"
new=$(mktemp -d ".$0.XXXXXX")
trap 'rm -rf "$new"' EXIT
tar -x -C "$new" -f -
(cd "$new" && sha256sum --check --quiet SHA256SUMS >&2)
[ "$(sha256sum "$new/SHA256SUMS" | cut -d' ' -f1)" = "$0" ] || { echo "the manifest arrived damaged" >&2; exit 1; }
# Hosts that share the directory do this at the same time: what one of them has put there stays.
if [ -e "$0" ] && ! intact "$0"; then mv -T "$0" "$new/damaged" || [ ! -e "$0" ] || intact "$0"; fi
mv -T "$new" "$0" 2>/dev/null || intact "$0" || { echo "$PWD/$0 cannot be put in place" >&2; exit 1; }
rm -rf "$0/damaged"
echo "$PWD/$0"
"""


def deploy(executor: Executor, host: str, files: Mapping[str, Path]) -> dict[str, str]:
    """Make files usable on a host; where it shares this machine's files nothing is copied.

    Args:
        executor: how to reach it.
        host: its name in the cluster file.
        files: name on the host -> file here. Modes are kept, names have no directories.

    Returns:
        Name -> absolute path on the host.

    Raises:
        MissingToolError: a file is not here.
        HostError: the host was not reached, has no room, or received something else than was sent.
    """
    for path in files.values():
        if not path.is_file():
            raise MissingToolError(
                f"{path} must be copied to {host}, but is not on this machine", hint="run `make setup`"
            )
    if executor.shares_files:
        return {name: str(path.absolute()) for name, path in files.items()}
    manifest = _manifest(files)
    identity = hashlib.sha256(manifest).hexdigest()
    found = attempt(executor, host, ["sh", "-c", _FIND, identity])
    if found.returncode == 0:
        directory = found.stdout.decode().strip()
    else:
        archive = _archive(files, manifest)
        directory = run_on(
            executor, host, ["sh", "-c", _PUT, identity], stdin=archive, timeout_s=COPY_TIMEOUT_S
        ).strip()
    if not directory.startswith("/") or "\n" in directory:
        raise unexpected(host, directory)
    return {name: f"{directory}/{name}" for name in files}


def deploy_everywhere(cluster: Cluster, hosts: Iterable[str], files: Mapping[str, Path]) -> dict[str, str]:
    """`deploy` on hosts of a cluster at the same time, of what must be at one path on all of them.

    Raises:
        MissingToolError, HostError: see `deploy`.
        ConfigError: the hosts do not have it at the same path.
    """
    executor = executor_of(cluster)
    each = dict.fromkeys(hosts)
    if executor.shares_files:
        return deploy(executor, next(iter(each)), files)
    first, *others = on_all(each, lambda host: deploy(executor, host, files)).values()
    if any(other != first for other in others):
        raise ConfigError(
            f"{cluster.source}: home directories differ between hosts, so {' and '.join(files)} cannot be at one path",
            hint="give the user the same home directory on all hosts",
        )
    return first


def check_version(executor: Executor, host: str, path: str, expected: str) -> None:
    """See that a program runs on a host and is of the version that this side speaks.

    Raises:
        HostError: it cannot run there (another processor or C library), or says another version.
    """
    done = attempt(executor, host, [path, "--version"])
    said = done.stdout.decode(errors="replace").split()
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        raise HostError(f"{host}: {path} does not run there: {reason}", hint="build fairlead on a host like it")
    if expected not in said:
        raise HostError(
            f"{host}: {path} is version {' '.join(said) or '(none)'}, here it is {expected}",
            hint=f"install the same version everywhere, or let fairlead copy it: shared_files = false under "
            f"[{executor.name}]",
        )


def _manifest(files: Mapping[str, Path]) -> bytes:
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n" for name, path in sorted(files.items())]
    return "".join(lines).encode()


def _archive(files: Mapping[str, Path], manifest: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo(MANIFEST)
        entry.size = len(manifest)
        archive.addfile(entry, io.BytesIO(manifest))
        for name, path in files.items():
            archive.add(path, arcname=name, filter=_anonymous)
    return buffer.getvalue()


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
