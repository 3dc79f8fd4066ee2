"""``fairlead placement``: which rank should run on which host, from a profile."""

from pathlib import Path

import click

from fairlead.cli.parameters.cluster import ClusterArgument
from fairlead.cli.parameters.named_path import NamedPath

FILE = NamedPath(path_type=Path, dir_okay=False)


@click.command("placement")
@click.argument("profile_file", metavar="PROFILE", type=FILE)
@click.argument("cluster_file", metavar="CLUSTER", type=ClusterArgument())
@click.option("--results", default="results", show_default=True, type=click.Path(path_type=Path),
              help="Results directory with the cluster's characterization.")  # fmt: skip
@click.option(
    "--characterization",
    "run",
    type=int,
    help="Run number of the characterization.  [default: the newest complete one]",
)
@click.option("--unmeasured", is_flag=True, help="Assume the same distance between all hosts.")
@click.option("--json", "json_file", metavar="FILE", type=FILE, help="Write the placement to FILE, for `fairlead run`.")
@click.option("--rankfile", metavar="FILE", type=FILE, help="Write the placement as a rankfile for Open MPI.")
@click.option("--hosts", "hosts_file", metavar="FILE", type=FILE, help="Write the placement as a host list for MPICH.")
def command(
    profile_file: Path,
    cluster_file: Path,
    results: Path,
    run: int | None,
    unmeasured: bool,
    json_file: Path | None,
    rankfile: Path | None,
    hosts_file: Path | None,
) -> None:
    """Place a program's ranks so that those that communicate most are near each other.

    PROFILE is a file written by `fairlead profile --json`, CLUSTER a cluster file. Distances and shared bottlenecks are
    those of the cluster's characterization; without one, only ranks on the same host are near. What collective calls
    send counts as the profile has it, estimated or measured.

    \b
    Examples:
      fairlead profile --cluster mesh8.cluster.toml -n 16 --json p.json -- ./program
      fairlead placement p.json mesh8.cluster.toml --json placed.json
      fairlead run mesh8.cluster.toml --placement placed.json -- ./program
    """
    from fairlead import files
    from fairlead.cluster.cluster_file import load_cluster
    from fairlead.display import words
    from fairlead.display.terminal import console
    from fairlead.placement import compute, json_form
    from fairlead.profile import findings
    from fairlead.profile.json_form import Summary
    from fairlead.report.network import placement_table

    if unmeasured and run is not None:
        raise click.UsageError("--unmeasured and --characterization exclude each other")
    profile, cluster = Summary.read(profile_file), load_cluster(cluster_file)
    found = compute.compute(profile, cluster, None if unmeasured else compute.known(results, cluster, run))
    placement_table.show(found, console())
    for host, (ranks, room) in compute.too_many(found, cluster).items():
        click.echo(f"{host} had {words.count(ranks, 'rank')} and has room for {room}: not all can stay there")
    for text in findings.collectives_counted(profile):
        click.echo(text)
    if profile.missing_ranks:
        click.echo(f"{len(profile.missing_ranks)} ranks left no record: their messages are ignored")
    for path, text in (
        (json_file, found.to_json()),
        (rankfile, json_form.rankfile(found.host_of_rank)),
        (hosts_file, json_form.host_list(found.host_of_rank)),
    ):
        if path is not None:
            click.echo(files.write(path, text))
