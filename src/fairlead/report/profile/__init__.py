"""Report of a profile."""
