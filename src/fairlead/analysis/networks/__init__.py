"""The network that a characterization lets one infer: links that paths share, and what is slow in it."""
