"""The examples that come with fairlead: labs, plans, price books and scenarios of the source tree's examples folder."""

from pathlib import Path

from fairlead.errors import MissingToolError

FOLDER = "examples"


def directory() -> Path:
    """Where they are: in the installed package, or in the source tree that it is run from.

    Raises:
        MissingToolError: they are in neither.
    """
    here = Path(__file__).parent
    found = next((path for path in (here / FOLDER, here.parents[1] / FOLDER) if path.is_dir()), None)
    if found is None:
        raise MissingToolError(f"fairlead's examples are not in {here}", hint="install fairlead again")
    return found


def find(name: str) -> Path | None:
    """An example by its path in the source tree, or by that without ``examples/`` or ``.toml``; None: there is none.

    For example ``examples/evaluate/small.toml``, ``evaluate/small`` or ``mesh8``.
    """
    parts = Path(name).parts
    if not parts or Path(name).is_absolute() or ".." in parts:
        return None
    inside = directory().joinpath(*(parts[1:] if parts[0] == FOLDER else parts))
    return next((path for path in (inside, inside.with_name(f"{inside.name}.toml")) if path.is_file()), None)
