"""The table of MPI functions, and what is generated of it."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

INTERPOSE = Path(__file__).parents[3] / "native" / "interpose"
TABLE = tomllib.loads((INTERPOSE / "functions.toml").read_text(encoding="utf-8"))
# What the standard calls a parameter of each role.
KINDS = {
    "communicator": {"COMMUNICATOR"},
    "creates": {"COMMUNICATOR"},
    "window": {"WINDOW"},
    "request": {"REQUEST"},
    "requests": {"REQUEST"},
    "status": {"STATUS"},
    "statuses": {"STATUS"},
    "message": {"MESSAGE"},
    "root": {"RANK"},
    "peer": {"RANK", "RANK_NNI"},
    "tag": {"TAG"},
    "datatype": {"DATATYPE"},
    "count": {"POLYXFER_NUM_ELEM_NNI", "XFER_NUM_ELEM_NNI", "XFER_NUM_ELEM"},
    "partitions": {"PARTITION"},
    "buffer": {"BUFFER"},
    "length": {"ARRAY_LENGTH_NNI", "ARRAY_LENGTH"},
    "flag": {"LOGICAL"},
    "index": {"INDEX"},
    "indices": {"INDEX"},
    "number": {"ARRAY_LENGTH"},
}
WORDS = {
    "direction": {"send", "receive", "exchange", "probe", "match", "start", "completion", "create", "release",
                  "collective", "neighborhood", "rma", "io", "none"},
    "mode": {"blocking", "nonblocking", "persistent", "partitioned", "matched"},
    "completes": {"one", "any", "all", "some"},
    "blocks": {"one", "each", "vector", "own"},
    "over": {"local"},
    "by": {"root", "members", "others", "successors"},
    "fortran": {"helper", "conversion"},
}  # fmt: skip
OTHER = {"parameters", "returns", "large_count_of", "by_hand", "send", "receive"}


def parameters(name: str) -> dict[str, str]:
    """Kind by name of a function's parameters."""
    found = {}
    for parameter in TABLE[name]["parameters"]:
        declaration, kind = parameter.split(" | ")
        match = re.search(r"(\w+)(\[\d*\])*$", declaration)
        found[match.group(1) if match else declaration] = kind.split()[0]
    return found


def roles(row: dict) -> list[tuple[str, str]]:
    """All (role, value) of a row, those of its sides too."""
    found = []
    for key, value in row.items():
        found += list(value.items()) if isinstance(value, dict) else [(key, value)] if key not in OTHER else []
    return found


def test_all_functions_of_mpi_4_1_are_there() -> None:
    names = {name for name in TABLE if name.startswith("MPI_")}
    assert len(names) == 662
    assert len([name for name in names if "large_count_of" in TABLE[name]]) == 159
    assert set(TABLE) - names == {"MPIX_Comm_agree", "MPIX_Comm_shrink"}
    for name in (
        "MPI_Send",
        "MPI_Psend_init",
        "MPI_Comm_attach_buffer",
        "MPI_Get_hw_resource_info",
        "MPI_T_event_read",
    ):
        assert name in names
    assert not {name for name in names if name.startswith("MPI_Abi_")}  # of MPI 5


def test_roles_are_parameters_of_the_right_kind() -> None:
    for name, written in TABLE.items():
        large = written.get("large_count_of")
        assert not large or set(written) == {"large_count_of", "parameters"}, name
        row = TABLE[large] if large else written
        kinds = parameters(name)
        assert row["direction"] in WORDS["direction"], name
        for role, value in roles(row):
            if role in WORDS:
                assert value in WORDS[role], (name, role)
            else:
                assert kinds[value] in KINDS[role], (name, role)


def test_what_communicates_says_so() -> None:
    """A function with a buffer, a count and a peer that the table calls "none" would be forgotten."""
    for name, row in TABLE.items():
        kinds = set(parameters(TABLE[name].get("large_count_of", name)).values())
        if "BUFFER" in kinds and kinds & {"COMMUNICATOR", "WINDOW"} and row.get("direction") == "none":
            assert name in {
                "MPI_Pack", "MPI_Unpack", "MPI_Pack_external", "MPI_Unpack_external",  # memory only
                "MPI_Win_create", "MPI_Win_attach", "MPI_Win_detach",  # memory that others reach
                "MPI_Comm_attach_buffer", "MPI_Comm_detach_buffer",
            }  # fmt: skip


def test_conversions_are_of_handles_and_statuses() -> None:
    """What Fortran bindings call all the time is not what a program does."""
    conversions = {name for name, row in TABLE.items() if row.get("fortran") == "conversion"}
    assert conversions == {name for name in TABLE if re.search(r"_(c|f|f08)2(c|f|f08)$", name)}
    assert {"MPI_Comm_f2c", "MPI_Status_f082c"} < conversions


def test_generated_sources_are_of_this_table(tmp_path: Path) -> None:
    subprocess.run([sys.executable, INTERPOSE / "generate.py", tmp_path], check=True)
    made, committed = (
        {str(path.relative_to(top)): path.read_text() for path in top.rglob("generated/*")}
        for top in (tmp_path, INTERPOSE)
    )
    assert made == committed, "run python native/interpose/generate.py"
    for text in made.values():
        assert text.startswith("// Made by `python native/interpose/generate.py`")


def test_bodies_say_what_the_roles_mean() -> None:
    specification = importlib.util.spec_from_file_location("generate", INTERPOSE / "generate.py")
    assert specification and specification.loader
    generate = importlib.util.module_from_spec(specification)
    sys.modules["generate"] = generate  # dataclasses look their module up
    specification.loader.exec_module(generate)
    wrappers = {function.name: generate.wrapper(function) for function in generate.load()}
    assert "sent(call, comm, dest, tag, bytes(count, datatype));" in wrappers["MPI_Send"]
    assert "receive_later(call, comm, source, tag, *request);" in wrappers["MPI_Irecv_c"]
    assert "sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype)" in wrappers["MPI_Allgatherv"]
    assert "part.root() ? vector(group.peers, sendcounts, sendtype) : 0" in wrappers["MPI_Scatterv"]
    assert "if (*flag) completion.all(array_of_statuses);" in wrappers["MPI_Testall"]
    assert "one_sided(call, target_rank, 0, bytes(origin_count, origin_datatype));" in wrappers["MPI_Get"]
    assert "counts" not in wrappers["MPI_Comm_rank"]
    fortran = generate.fortran_source(generate.load())
    assert "    reinterpret_cast<void*>(&wrapped::MPI_Send),\n" in fortran
    assert "    reinterpret_cast<void*>(&from_fortran::MPI_Comm_size),\n" in fortran
    assert "    reinterpret_cast<void*>(&from_fortran::MPI_Type_contiguous_c),\n" in fortran
    assert "MPI_Comm_f2c" not in fortran
    assert fortran.count("    nullptr,\n") == 28
