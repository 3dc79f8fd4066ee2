"""Live migration in a lab: a virtual machine's link is re-plugged to another server while its processes go on.

`precopy` says what is copied when (pure), `carrier` does it inside the lab, `run` starts and follows the carrier.
"""

from fairlead.lab.migration.report import CopyProgress, MigrationReport
from fairlead.lab.migration.room import refusal
from fairlead.lab.migration.run import Migration, replug

__all__ = ["CopyProgress", "Migration", "MigrationReport", "refusal", "replug"]
