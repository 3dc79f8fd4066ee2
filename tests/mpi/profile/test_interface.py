"""The table's signatures and the constants of `native/interpose/abi` against the mpi.h of every MPI library."""

import subprocess
import tomllib
from pathlib import Path

import pytest
from mpi_libraries import HEADERS, INTERPOSE, Mpi, every_mpi

pytestmark = pytest.mark.mpi
TABLE = tomllib.loads((INTERPOSE / "functions.toml").read_text(encoding="utf-8"))
CONSTANTS = (
    "MPI_SUCCESS", "MPI_UNDEFINED", "MPI_THREAD_SINGLE", "MPI_THREAD_MULTIPLE", "MPI_ANY_SOURCE", "MPI_PROC_NULL",
    "MPI_ROOT", "MPI_CART", "MPI_GRAPH", "MPI_DIST_GRAPH", "MPI_ANY_TAG", "MPI_COMBINER_NAMED", "MPI_COMM_TYPE_SHARED",
    "MPI_TAG_UB", "MPI_ERR_BUFFER", "MPI_ERR_TRUNCATE", "MPI_ERR_IN_STATUS", "MPI_ERR_PENDING", "MPI_LOCK_EXCLUSIVE",
    "MPI_LOCK_SHARED", "MPI_MODE_NOCHECK",
)  # fmt: skip
# By what they are called in abi.hpp.
HANDLES = {
    "comm_world": "MPI_COMM_WORLD", "comm_null": "MPI_COMM_NULL", "comm_self": "MPI_COMM_SELF",
    "datatype_byte": "MPI_BYTE", "datatype_packed": "MPI_PACKED", "datatype_null": "MPI_DATATYPE_NULL",
    "datatype_int64": "MPI_INT64_T", "errors_return": "MPI_ERRORS_RETURN", "info_null": "MPI_INFO_NULL",
    "op_min": "MPI_MIN", "op_no_op": "MPI_NO_OP", "op_null": "MPI_OP_NULL", "op_sum": "MPI_SUM",
    "win_null": "MPI_WIN_NULL", "request_null": "MPI_REQUEST_NULL", "message_no_proc": "MPI_MESSAGE_NO_PROC",
}  # fmt: skip
# Which an abi.hpp asks the library for, once MPI has begun.
OWN = {"standard": ("errors_return",)}
# A handle is a number, or the address of an object that libmpi has a name for, or else a number as such.
SAY = """
#include <dlfcn.h>
#include <type_traits>
template <class Handle> void say(const char* name, Handle handle) {
    Dl_info info{};
    if constexpr (std::is_pointer_v<Handle>) {
        if (dladdr(handle, &info) != 0) std::printf("%s %s\\n", name, info.dli_sname);
        else std::printf("%s %p\\n", name, static_cast<void*>(handle));
    } else {
        std::printf("%s %x\\n", name, handle);
    }
}
"""
# Where the standard has since said const.
DEVIATIONS = {
    "openmpi5": {"MPI_Pready_list"},
    "mpich4": {"MPI_Pready_list"},
    "intelmpi2021": {f"MPI_Request_get_status_{which}" for which in ("all", "any", "some")}
    | {f"MPI_Status_get_{what}" for what in ("error", "source", "tag")},
}


@every_mpi
def test_signatures(mpi: Mpi, tmp_path: Path) -> None:
    """A second declaration of a function is an error unless it has the same type."""
    names = mpi.need().declares()
    assert len(names) > 380
    lines = [HEADERS]
    for name in sorted(names - DEVIATIONS.get(mpi.launcher, set())):
        row = TABLE[name]
        parameters = ", ".join(parameter.split(" | ")[0] for parameter in row["parameters"]) or "void"
        lines += [f"#undef {name}", f"{row.get('returns', 'int')} {name}({parameters});"]
    source = tmp_path / "again.c"
    source.write_text("\n".join([*lines, ""]))
    done = subprocess.run([mpi.compiler, *mpi.options, "-fsyntax-only", "-w", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@every_mpi
def test_constants_and_status(mpi: Mpi, tmp_path: Path) -> None:
    """Printed by a program with mpi.h and by one with fairlead's own declarations."""
    values = "".join(f'std::printf("{name} %d\\n", int({name}));\n' for name in CONSTANTS)
    common = (
        f"{values}"
        'std::printf("in place %ld\\n", long(MPI_IN_PLACE));\n'
        'std::printf("ignore %ld %ld\\n", long(MPI_STATUS_IGNORE), long(MPI_STATUSES_IGNORE));\n'
        'std::printf("status %zu %zu %zu\\n", sizeof(MPI_Status), offsetof(MPI_Status, MPI_SOURCE),'
        " offsetof(MPI_Status, MPI_TAG));\n"
        'std::printf("sizes %zu %zu %zu %zu %zu %zu\\n", sizeof(MPI_Comm), sizeof(MPI_Datatype), sizeof(MPI_Request),'
        " sizeof(MPI_Aint), sizeof(MPI_Count), sizeof(MPI_Offset));\n"
    )
    head = f"#include <cstddef>\n#include <cstdio>\n{SAY}"
    theirs = tmp_path / "theirs.cpp"
    compared = {function: name for function, name in HANDLES.items() if function not in OWN.get(mpi.abi, ())}
    handles = "".join(f'say("{name}", {name});\n' for name in compared.values())
    theirs.write_text(f"{head}#include <mpi.h>\nint main() {{\n{common}{handles}}}\n")
    ours = tmp_path / "ours.cpp"
    handles = "".join(f'say("{name}", fairlead::{function}());\n' for function, name in compared.items())
    ours.write_text(f'{head}#include "abi.hpp"\nint main() {{\n{common}{handles}}}\n')
    said = []
    for source, options in ((theirs, []), (ours, [f"-I{INTERPOSE}", f"-I{INTERPOSE}/abi/{mpi.abi}"])):
        compiler = [
            mpi.need().compiler,
            *mpi.options,
            "-x",
            "c++",
            "-std=c++20",
            "-w",
            "-DOMPI_SKIP_MPICXX",
            "-DMPICH_SKIP_MPICXX",
        ]
        program = source.with_suffix("")
        subprocess.run([*compiler, *options, source, "-o", program, "-lstdc++", "-ldl"], check=True)
        said.append(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
    assert said[0] == said[1]
