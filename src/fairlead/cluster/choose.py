"""What a command's CLUSTER argument means."""

from pathlib import Path

from fairlead.cluster.slurm import from_slurm, to_toml


def cluster_file(argument: str, directory: Path = Path()) -> Path:
    """The cluster file named, or one of the Slurm allocation we are in (``slurm``), written to ``directory``.

    The allocation's is a file as well, so that later commands (`status`, `clean`) find the same hosts by it.

    Raises:
        ConfigError: see `from_slurm`.
    """
    if argument != "slurm":
        return Path(argument)
    cluster = from_slurm()
    path = directory / f"{cluster.name}.cluster.toml"
    path.write_text(to_toml(cluster))
    return path
