"""What kind of communication an MPI function does, by its name."""

import re

POINT_TO_POINT, COMPLETION, COLLECTIVE, ONE_SIDED, FILES, OTHER = KINDS = (
    "sending and receiving",
    "waiting for requests",
    "collective",
    "one-sided",
    "files",
    "other MPI",
)

_PATTERNS = (
    (FILES, r"File_.*"),
    (ONE_SIDED, r"Win_.*|R?(put|get|accumulate|get_accumulate)|Fetch_and_op|Compare_and_swap"),
    (COMPLETION, r"(Wait|Test)(all|any|some)?"),
    (COLLECTIVE, r"(I|Neighbor_|Ineighbor_)?(allgather|allreduce|alltoall|barrier|bcast|exscan|gather"
                 r"|reduce(?!_local)|scan|scatter)[a-z_]*"),
    (POINT_TO_POINT, r"[a-z]*(send|recv|probe)[a-z_]*|Start(all)?|Pready.*|Parrived"),
)  # fmt: skip
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)


def kind_of(function: str) -> str:
    """The kind of ``MPI_...``; of large-count and persistent forms the same."""
    name = function.removeprefix("MPI_").removesuffix("_c")
    return next((kind for kind, pattern in _COMPILED if pattern.fullmatch(name)), OTHER)
