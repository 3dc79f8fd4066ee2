"""``fairlead export``."""

from pathlib import Path
from typing import cast

import click


@click.command("export")
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--format", "file_format", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True,
              help="Format of the files.")  # fmt: skip
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=None,
    help="Directory to write to, which must be empty or new.  [default: RESULTS/export-FORMAT]",
)
def command(results: Path, file_format: str, output: Path | None) -> None:
    """Write the results in the directory RESULTS as CSV or Parquet.

    Writes one file per table: runs, events, and one for each series, with one sample per row. Captured output is
    written unchanged. RESULTS may also be a directory of messages (`fairlead run --messages`); then the tables have
    all messages and collective calls.

    \b
    Examples:
      fairlead export results/demo --format parquet --output /tmp/demo
      fairlead export messages --output tables
    """
    from fairlead.profile.reading import record_files
    from fairlead.profile.traces import message_tables
    from fairlead.store import Store
    from fairlead.store.export import Format, export, write_tables

    form = cast(Format, file_format)
    target = output or results / f"export-{file_format}"
    if record_files.are_in(results):
        written = write_tables(message_tables.of(record_files.read(results)), target, form)
    else:
        with Store.read(results) as store:
            written = export(store, target, form)
    for path in written:
        click.echo(path)
