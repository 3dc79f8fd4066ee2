"""What a command's CLUSTER argument means."""

from pathlib import Path

from fairlead import files
from fairlead.cluster.description import Cluster
from fairlead.cluster.inventory import site
from fairlead.cluster.inventory.found import to_toml
from fairlead.cluster.inventory.hostfile import from_hostfile
from fairlead.cluster.inventory.slurm import from_slurm
from fairlead.errors import ConfigError

HOSTFILE = "hostfile:"


def cluster_file(argument: str, directory: Path = Path()) -> Path:
    """The file named, or one of the Slurm allocation we are in (``slurm``), or of a hostfile (``hostfile:PATH``).

    Those that are made are written to ``directory``, so that later commands (`status`, `clean`) find the same hosts.

    Raises:
        ConfigError: see `from_slurm`, `from_hostfile` and `site.read`; or there is another file of that name, maybe
            edited.
        FairleadError: see `from_slurm` and `from_hostfile`; or the file cannot be written.
    """
    if argument == "slurm":
        said = site.read(source="slurm")
        return _written(from_slurm(site=said), said, argument, directory)
    if argument.startswith(HOSTFILE):
        path = argument.removeprefix(HOSTFILE)
        if not path:
            raise ConfigError(f"{argument} names no file", hint="add its path: hostfile:PATH")
        said = site.read(source="hostfile")
        return _written(from_hostfile(Path(path), said), said, argument, directory)
    return Path(argument)


def _written(cluster: Cluster, said: site.Site, argument: str, directory: Path) -> Path:
    path = directory / f"{cluster.name}.cluster.toml"
    text = to_toml(cluster, said)
    if not path.exists():
        return files.write(path, text, hint="run the command in a directory that you may write to")
    if path.read_text(encoding="utf-8") != text:
        raise ConfigError(
            f"{path}: exists, and differs from what the {cluster.source} says now",
            hint=f"pass {path} instead of `{argument}` to use it as it is, or remove it; put lasting settings "
            f"into {site.places(source='slurm' if argument == 'slurm' else 'hostfile')[0]}",
        )
    return path
