"""What a command's CLUSTER argument means."""

from pathlib import Path

from fairlead import files
from fairlead.cluster import site
from fairlead.cluster.slurm import from_slurm, to_toml
from fairlead.errors import ConfigError


def cluster_file(argument: str, directory: Path = Path()) -> Path:
    """The cluster file named, or one of the Slurm allocation we are in (``slurm``), written to ``directory``.

    The allocation's is a file as well, so that later commands (`status`, `clean`) find the same hosts by it.

    Raises:
        ConfigError: see `from_slurm` and `site.read`; or there is another file of that name, maybe edited.
        FairleadError: the file cannot be written.
    """
    if argument != "slurm":
        return Path(argument)
    said = site.read()
    cluster = from_slurm(interface=said.cluster.get("interface"))
    path = directory / f"{cluster.name}.cluster.toml"
    text = to_toml(cluster, said)
    if not path.exists():
        return files.write(path, text, hint="run the command in a directory that you may write to")
    if path.read_text(encoding="utf-8") != text:
        raise ConfigError(
            f"{path}: exists, and differs from what Slurm reports now",
            hint=f"give it in place of `slurm` to use it as it is ({path}), or remove it; what shall hold for every "
            f"allocation goes into {site.places()[0]}",
        )
    return path
