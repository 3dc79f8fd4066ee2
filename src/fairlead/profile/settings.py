"""What a user may set of ``fairlead profile``, as TOML (docs/reference/files/profile.md)."""

from fairlead.config import Model
from fairlead.profile.analysis.groups import Thresholds


class ProfileSettings(Model):
    """A whole file of settings."""

    groups: Thresholds = Thresholds()
    """Where the groups of dependence on the network begin."""
