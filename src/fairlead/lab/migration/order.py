"""What the process that carries a migration out is told."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MigrationOrder:
    """What is to be done. ``copies``: as a live migration; else the link is re-plugged and that is all."""

    directory: str
    vm: str
    server: str
    copies: bool
