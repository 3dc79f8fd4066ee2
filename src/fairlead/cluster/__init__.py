"""Clusters: which hosts there are, how to run something on them, and how to start MPI programs over them."""
