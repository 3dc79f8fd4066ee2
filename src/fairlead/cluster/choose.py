"""What a command's CLUSTER argument means."""

from pathlib import Path

from fairlead import files
from fairlead.cluster.slurm import from_slurm, to_toml
from fairlead.errors import ConfigError


def cluster_file(argument: str, directory: Path = Path()) -> Path:
    """The cluster file named, or one of the Slurm allocation we are in (``slurm``), written to ``directory``.

    The allocation's is a file as well, so that later commands (`status`, `clean`) find the same hosts by it.

    Raises:
        ConfigError: see `from_slurm`; or there is another file of that name, which may have been edited.
        FairleadError: the file cannot be written.
    """
    if argument != "slurm":
        return Path(argument)
    cluster = from_slurm()
    path = directory / f"{cluster.name}.cluster.toml"
    text = to_toml(cluster)
    if not path.exists():
        return files.write(path, text, hint="run the command in a directory that you may write to")
    if path.read_text(encoding="utf-8") != text:
        raise ConfigError(
            f"{path}: is there already, and is not what Slurm says now",
            hint=f"give it in place of `slurm` to use it as it is ({path}), or remove it",
        )
    return path
