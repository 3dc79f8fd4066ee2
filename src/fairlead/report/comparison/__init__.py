"""Report of a comparison."""
