"""Files of the user's own that a command brings to hosts, its program above all: ``--bring``."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.launchers import own_line
from fairlead.cluster.launchers.own_line import OwnLine
from fairlead.cluster.remote import brought
from fairlead.cluster.remote.parcel import MANIFEST
from fairlead.display.words import first_of
from fairlead.errors import ConfigError, FileError, of_system

Tell = Callable[[str], None]


def check(files: Sequence[Path], argv: Sequence[str], *, own_mpirun: bool = False) -> None:
    """See that files can be brought, and that the command names each of them.

    Args:
        own_mpirun: ``argv`` is a whole launch line, whose first word is run here.

    Raises:
        ConfigError: one cannot, or is not named; or it is not clear whether ranks or the launcher would read it.
    """
    line = _line(argv, files) if own_mpirun else None
    for file in files:
        _check_file(file)
        if own_mpirun and _is(argv[0], file):
            raise ConfigError(
                f"--bring {file}: with --own-mpirun this program runs here, and the copies are on the hosts",
                hint="bring what mpirun starts there",
            )
        places = [at for at, word in enumerate(argv) if _is(word, file)]
        if not places:
            raise ConfigError(
                f"--bring {file}: no word of the command names this file, so nothing would use the copy",
                hint=f"name it in the command as well, for example: --bring {file} -- {_as_program(file)}",
            )
        if line is not None:
            _check_places(file, places, line)


def check_plan(files: Sequence[Path], commands: Iterable[Sequence[str]]) -> None:
    """See that files can be brought, and that a command of a plan names each of them.

    Raises:
        ConfigError: one cannot, or is not named.
    """
    words = [word for command in commands for word in command]
    for file in files:
        _check_file(file)
        if not any(_is(word, file) for word in words):
            raise ConfigError(
                f"--bring {file}: no command of the plan names this file, so nothing would use the copy",
                hint=f'name it there as well, for example: command = ["{_as_program(file)}"]',
            )


def identities(files: Iterable[Path]) -> dict[Path, str]:
    """What tells whether files are the same another time, as hexadecimal SHA-256 of their names and contents.

    Raises:
        FileError: one cannot be read.
    """
    found = {}
    for file in files:
        try:
            found[file] = brought.identity(file)
        except OSError as error:
            raise of_system(error, file, doing="cannot be brought to hosts") from error
    return found


def copies(cluster: Cluster, files: Mapping[Path, str], hosts: Iterable[str], tell: Tell) -> dict[Path, str]:
    """Paths of files on hosts, after they were copied to those that lack them.

    Args:
        files: with their `identities`, which they still have to have.
        tell: gets a line about each file that was copied.

    Raises:
        HostError, ConfigError: see `brought.bring`.
        FileError: a file cannot be read, or is another one now.
    """
    found = _brought(cluster, list(files), hosts, tell)
    for file, identity in files.items():
        if Path(found[file]).parent.name != identity:
            raise FileError(
                f"--bring {file}: the file has changed since this command began",
                hint="repeat the command, which begins anew with the file as it is now",
            )
    return found


def with_brought(
    cluster: Cluster, job: Job, files: Sequence[Path], hosts: Iterable[str], tell: Tell, *, own_mpirun: bool = False
) -> Job:
    """The job with files copied to hosts that lack them, and its words that name one replaced by the path there.

    Args:
        files: see `check`.
        tell: gets a line about each file that was copied.
        own_mpirun: the job's words are a whole launch line, of which the launcher's own stay as they are.

    Raises:
        HostError, ConfigError: see `brought.bring`.
        FileError: a file cannot be read.
    """
    if not files:
        return job
    places: Collection[int] = _line(job.argv, files).program if own_mpirun else range(len(job.argv))
    there = with_copies(job.argv, _brought(cluster, files, hosts, tell))
    argv = [there[at] if at in places else word for at, word in enumerate(job.argv)]
    return replace(job, argv=tuple(argv))


def with_copies(argv: Sequence[str], found: Mapping[Path, str]) -> tuple[str, ...]:
    """A command with the words that name a file replaced by the path of its copy."""
    return tuple(next((path for file, path in found.items() if _is(word, file)), word) for word in argv)


def _brought(cluster: Cluster, files: Sequence[Path], hosts: Iterable[str], tell: Tell) -> dict[Path, str]:
    """As `copies`, whatever the files hold."""
    if not files:
        return {}
    try:
        found = brought.bring(cluster, hosts, files)
    except OSError as error:
        raise of_system(error, doing="cannot be brought to hosts") from error
    for file, copy in found.items():
        if copy.copied_to:
            tell(f"copied {file} to {first_of(list(copy.copied_to))}")
    return {file: copy.path for file, copy in found.items()}


def _check_file(file: Path) -> None:
    if not file.exists():
        raise ConfigError(f"--bring {file}: no such file")
    if not file.is_file():
        raise ConfigError(f"--bring {file}: is not a regular file", hint="bring single files: --bring DIR/FILE")
    if not file.name.isprintable() or "\\" in file.name or file.name == MANIFEST:
        raise ConfigError(f"--bring {str(file)!r}: files of such names cannot be brought", hint="rename it")


def _check_places(file: Path, places: Sequence[int], line: OwnLine) -> None:
    """That ranks read a file which stands at these places of a launch line."""
    option = next((line.unclear[at] for at in places if at in line.unclear), None)
    if option is not None:
        raise ConfigError(
            f"--bring {file}: it is not clear whether ranks read this file, or the launcher, which runs here: fairlead "
            f"does not know the launcher's option {option}",
            hint="bring the program as well; or, if the option takes a value, write its long form as --OPTION=VALUE "
            "(Open MPI before 5 does not read that); else put another of the launcher's options behind it",
        )
    if not any(at in line.program for at in places):
        raise ConfigError(
            f"--bring {file}: only the launcher's own words name this file, and those are read here: no rank would use "
            "the copy",
            hint="omit it, or name it behind the program, too",
        )


def _line(argv: Sequence[str], files: Sequence[Path]) -> OwnLine:
    """A launch line of the user's own. What is brought and can be executed is a program."""
    programs = [file for file in files if os.access(file, os.X_OK)]
    return own_line.read(argv, lambda word: any(_is(word, file) for file in programs))


def _is(word: str, file: Path) -> bool:
    """Whether a word of the command is the file's path, as a shell here would read it."""
    return Path(word).absolute() == file.absolute()


def _as_program(file: Path) -> str:
    return str(file) if "/" in str(file) else f"./{file}"
