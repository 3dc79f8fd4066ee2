"""Clusters: which hosts there are, how to run something on them, and how to start MPI programs over them.

`inventory`: where hosts come from; `executors`, `remote`: how something runs on them, and what does; `launchers`,
`jobs`: MPI programs; `doctor`, `guardian`: what hosts need, and what is installed on them.
"""
