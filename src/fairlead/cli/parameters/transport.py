"""``--transport``: what carries MPI's messages between hosts."""

from collections.abc import Callable

import click

from fairlead.cli.parameters.command_type import CommandT


def transport_option(default: str | None = None) -> Callable[[CommandT], CommandT]:
    """The option of what starts programs; ``default`` says in words what counts without it. None: ``auto`` does."""
    meaning = (
        "What carries MPI's messages between hosts. tcp: TCP, which can be rerouted; native: the library's own choice, "
        "such as InfiniBand; auto: native if every host has an active RDMA device, else tcp."
    )
    return click.option(
        "--transport",
        type=click.Choice(["auto", "tcp", "native"]),
        default="auto" if default is None else None,
        show_default=default is None,
        help=meaning if default is None else f"{meaning}  [default: {default}]",
    )
