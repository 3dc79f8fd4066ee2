"""Source trees of programs that the user added: a small file in the user's data directory says where they are."""

import json
from pathlib import Path

from fairlead import files, home
from fairlead.errors import ConfigError, MissingToolError, reason_of
from fairlead.programs import npb

NPB = "npb"
SUITES = (NPB,)


def registry_file() -> Path:
    """XDG Base Directory specification; not necessarily there."""
    return home.directory("XDG_DATA_HOME", "~/.local/share") / "fairlead" / "workloads.json"


def trees() -> dict[str, Path]:
    """Where each suite is.

    Raises:
        ConfigError: the file cannot be read.
    """
    path = registry_file()
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): Path(tree) for name, tree in known.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise ConfigError(
            f"{path}: cannot be read: {reason_of(error)}",
            hint="remove it, and add the workloads again",
        ) from error


def add(suite: str, tree: Path) -> None:
    """Note where a suite is, in place of what was noted before."""
    _write({**trees(), suite: tree})


def remove(suite: str) -> None:
    """Forget where a suite is; its files stay.

    Raises:
        ConfigError: it is not known.
    """
    known = trees()
    if suite not in known:
        raise ConfigError(f"{suite} was not added", hint="`fairlead workload list` shows what was")
    del known[suite]
    _write(known)


def resolve(name: str, ranks: int | None = None) -> Path:
    """The executable that ``npb:cg.A`` means.

    Raises:
        ConfigError: no such suite or program, or it does not run on so many ranks.
        MissingToolError: it was not built.
    """
    suite, _, text = name.partition(":")
    tree = trees().get(suite)
    if tree is None:
        raise ConfigError(f"{name}: {suite} was not added", hint=f"`fairlead workload add {suite} PATH`")
    program = npb.NpbProgram.parse(text)
    if ranks is not None:
        npb.check_ranks(program, ranks)
    path = npb.executable(tree, program)
    if not path.is_file():
        raise MissingToolError(
            f"{path}: was not built",
            hint=f"`fairlead workload add {suite} {tree} --apps {program.app} --classes {program.problem_class}`",
        )
    return path


def is_workload(word: str) -> bool:
    """Whether a program's name is one of a suite: ``npb:cg.A``."""
    return word.partition(":")[0] in SUITES and ":" in word


def _write(known: dict[str, Path]) -> None:
    text = json.dumps({name: str(tree) for name, tree in known.items()}, indent=2) + "\n"
    files.write(registry_file(), text)
