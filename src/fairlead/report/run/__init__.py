"""Report of one managed run."""
