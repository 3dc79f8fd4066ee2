"""Report of an evaluation."""
