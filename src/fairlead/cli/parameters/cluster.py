"""The CLUSTER argument of commands: a cluster file, `slurm` inside an allocation, or `hostfile:PATH`."""

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from fairlead.cli.parameters.named_path import NOTHING_NAMED


class ClusterArgument(click.ParamType):
    """Converts to the path of a cluster file."""

    name = "cluster"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """See `fairlead.cluster.inventory.choose.cluster_file`."""
        from fairlead.cluster.inventory.choose import cluster_file

        if value == "--":
            self.fail(NOTHING_NAMED, param, ctx)
        return value if isinstance(value, Path) else cluster_file(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names of files, by the shell."""
        return [CompletionItem(incomplete, type="file")]
