"""Files of the user's own that a command brings to hosts, its program above all: ``--bring``."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.remote import brought
from fairlead.cluster.remote.parcel import MANIFEST
from fairlead.display.words import first_of
from fairlead.errors import ConfigError, of_system


def check(files: Sequence[Path], argv: Sequence[str], *, own_mpirun: bool = False) -> None:
    """See that files can be brought, and that the command names each of them.

    Args:
        own_mpirun: ``argv`` is a whole launch line, whose first word is run here.

    Raises:
        ConfigError: one cannot, or is not named.
    """
    for file in files:
        if not file.exists():
            raise ConfigError(f"--bring {file}: no such file")
        if not file.is_file():
            raise ConfigError(f"--bring {file}: is not a regular file", hint="bring single files: --bring DIR/FILE")
        if not file.name.isprintable() or "\\" in file.name or file.name == MANIFEST:
            raise ConfigError(f"--bring {str(file)!r}: files of such names cannot be brought", hint="rename it")
        if own_mpirun and _is(argv[0], file):
            raise ConfigError(
                f"--bring {file}: with --own-mpirun this program runs here, and the copies are on the hosts",
                hint="bring what mpirun starts there",
            )
        if not any(_is(word, file) for word in argv):
            raise ConfigError(
                f"--bring {file}: no word of the command names this file, so nothing would use the copy",
                hint=f"name it in the command as well, for example: --bring {file} -- {_as_program(file)}",
            )


def with_brought(
    cluster: Cluster, job: Job, files: Sequence[Path], hosts: Iterable[str], tell: Callable[[str], None]
) -> Job:
    """The job with files copied to hosts that lack them, and its words that name one replaced by the path there.

    Args:
        files: see `check`.
        tell: gets a line about each file that was copied.

    Raises:
        HostError, ConfigError: see `brought.bring`.
        FileError: a file cannot be read.
    """
    if not files:
        return job
    try:
        found = brought.bring(cluster, hosts, files)
    except OSError as error:
        raise of_system(error, doing="cannot be brought to hosts") from error
    for file, copy in found.items():
        if copy.copied_to:
            tell(f"copied {file} to {first_of(list(copy.copied_to))}")
    argv = [next((found[file].path for file in files if _is(word, file)), word) for word in job.argv]
    return replace(job, argv=tuple(argv))


def _is(word: str, file: Path) -> bool:
    """Whether a word of the command is the file's path, as a shell here would read it."""
    return Path(word).absolute() == file.absolute()


def _as_program(file: Path) -> str:
    return str(file) if "/" in str(file) else f"./{file}"
