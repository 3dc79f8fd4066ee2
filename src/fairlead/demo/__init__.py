"""The plan of `fairlead demo` and the lab that it runs in, which come with the package."""

from pathlib import Path

from fairlead import files
from fairlead.errors import ConfigError

PLAN = Path(__file__).with_name("demo.toml")
LAB = Path(__file__).with_name("mesh8.toml")


def write(directory: Path) -> list[Path]:
    """Copy both to a directory, where they can be changed.

    Raises:
        ConfigError: one is there already.
        FileError: they cannot be written.
    """
    targets = {directory / path.name: path for path in (PLAN, LAB)}
    if present := next((target for target in targets if target.exists()), None):
        raise ConfigError(f"{present} exists already", hint="name another directory")
    return [files.write(target, path.read_text(encoding="utf-8")) for target, path in targets.items()]
