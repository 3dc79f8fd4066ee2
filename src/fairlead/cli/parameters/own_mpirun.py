"""``--own-mpirun``: the program is a launch line of the user's own."""

import click

own_mpirun_option = click.option(
    "--own-mpirun", is_flag=True, help="PROGRAM is your own launch line (mpirun ...), run unchanged."
)


def check_own_mpirun(mpirun: str | None, transport: str) -> None:
    """Refuse what the user's own launch line decides.

    Raises:
        click.UsageError: an option says it, too.
    """
    if mpirun:
        raise click.UsageError("--mpirun: with --own-mpirun your launch line already names mpirun; omit --mpirun")
    if transport != "auto":
        raise click.UsageError(
            "--transport: with --own-mpirun your launch line chooses the transport; omit --transport"
        )
