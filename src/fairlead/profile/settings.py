"""What a user may set of ``fairlead profile``, as TOML (docs/profile.md)."""

from fairlead.config import Model
from fairlead.profile.groups import Thresholds


class Settings(Model):
    """The whole file."""

    groups: Thresholds = Thresholds()
