"""What netgauge 2.4 prints (stdout) or writes (``-o``), pattern by pattern."""
