"""Where a host keeps the way back."""

JOURNAL = "/run/fairlead-net"
"""Directory on a host that says how to take back what was made there. Gone after a restart, as what was made is."""
