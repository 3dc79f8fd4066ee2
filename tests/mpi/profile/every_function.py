"""A program that calls every function of MPI once, as every_function.calls says, and what its record must hold.

What stands around a tested call goes past the profiler, as PMPI_ functions, or is counted, too: all mentions are.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import mpi_libraries
from mpi_libraries import Mpi

CALLS = Path(__file__).with_suffix(".calls")
RANKS = 3
# What stands around many calls. `in` and `out` are arrays, `next` and `before` ranks of the ring on `comm`.
SHORT = {
    "receive_it()": "PMPI_Irecv(in, 60, MPI_INT, before, TAG, comm, &aux)",
    "send_it()": "PMPI_Isend(out, 3, MPI_INT, next, TAG, comm, &aux)",
    "received_it()": "PMPI_Recv(in, 60, MPI_INT, before, TAG, comm, &status)",
    "settled()": "PMPI_Wait(&aux, &status)",
    "waited()": "MPI_Wait(&request, &status)",
    "freed()": "PMPI_Request_free(&aux); MPI_Request_free(&request)",
    "released()": "MPI_Request_free(&request)",
    "ran()": "MPI_Start(&request); MPI_Wait(&request, &status); MPI_Request_free(&request)",
    "post()": "MPI_Irecv(in, 60, MPI_INT, before, TAG, comm, &request)",
    "prepare()": "PMPI_Isend(out, 3, MPI_INT, next, TAG, comm, &aux);"
    " MPI_Recv_init(in, 60, MPI_INT, before, TAG, comm, &request)",
    "receive_later()": "PMPI_Isend(out, 3, MPI_INT, next, TAG, comm, &aux); PMPI_Probe(before, TAG, comm, &status);"
    " MPI_Irecv(in, 60, MPI_INT, before, TAG, comm, &request)",
    "matched(before, TAG)": "(MPI_Mprobe(before, TAG, comm, &message, &status), &message)",
    "partitioned()": "PMPI_Precv_init(in, 2, 3, MPI_INT, before, TAG, comm, MPI_INFO_NULL, &aux);"
    " PMPI_Psend_init(out, 2, 3, MPI_INT, next, TAG, comm, MPI_INFO_NULL, &request2);"
    " PMPI_Start(&aux); PMPI_Start(&request2)",
    "parted()": "PMPI_Wait(&request2, &status); PMPI_Wait(&aux, &status); PMPI_Request_free(&request2);"
    " PMPI_Request_free(&aux)",
    "told()": "length = length2 = sizeof text",
}
LARGE = re.compile(r"\b(counts|displs|distances|mine|threes|value)\b")
NAME = re.compile(r"\bMPIX?_[A-Z]\w*(?=\()")
ENDS_THE_PROGRAM = {"MPI_Abort"}  # not counted: test_counts.py
# PyPI's MPICH has no performance variable, and its functions do not check handles of none: they run with Open MPI. By
# the standard ABI it does not check events either. MPICH ends a program that asks who lives.
_PVARS = {
    f"MPI_T_pvar_{name}"
    for name in ("handle_alloc", "handle_free", "start", "stop", "reset", "read", "readreset", "write")
}
UNUSABLE = {"mpich5": _PVARS | {"MPIX_Comm_agree", "MPIX_Comm_shrink"}, "mpich5abi": _PVARS | {"MPI_T_event_get_info"}}


@dataclass(frozen=True)
class Message:
    """One end of a message as the record must hold it.

    Attributes:
        end: ``sends``, ``receives`` or ``cancels``.
        size_B: None: it is not done.
        begun_by, done_by: functions.
        row: the function that its bytes stand with.
    """

    end: str
    size_B: int | None
    begun_by: str
    done_by: str
    row: str


@dataclass(frozen=True)
class Line:
    """One line of the program.

    Attributes:
        function: that is tested; empty: none.
        code: C.
        given, got: bytes, as expressions of ``me``.
        messages: that the record must hold.
    """

    function: str
    code: str
    given: str = "0"
    got: str = "0"
    messages: tuple[Message, ...] = ()

    def calls(self) -> list[str]:
        """Every function that the line calls through the profiler."""
        return NAME.findall(self.code)


@dataclass
class Expected:
    """What the record of one rank must hold.

    Attributes:
        functions: calls, bytes sent and received, by function.
        ends: of the messages of each tested function.
        collectives: sizes of the calls of each collective function that are kept one by one.
    """

    functions: dict[str, list[int]] = field(default_factory=dict)
    ends: dict[str, list[Message]] = field(default_factory=dict)
    collectives: dict[str, list[int]] = field(default_factory=dict)

    def add(self, line: Line, me: int) -> None:
        for name in line.calls():
            self.functions.setdefault(name, [0, 0, 0])[0] += 1
        if line.function:
            row = self.functions[line.function]
            given, got = (eval(text, {"me": me}) for text in (line.given, line.got))
            row[1] += given
            row[2] += got
            if line.function in mpi_libraries.kept_collectives():
                self.collectives[line.function] = [max(given, got)]
        for message in line.messages:
            self.functions[message.row][1 if message.end == "sends" else 2] += message.size_B or 0
            self.ends.setdefault(line.function, []).append(message)


def callable_functions(mpi: Mpi) -> set[str]:
    """What the library has and the program can call."""
    return mpi.declares() - ENDS_THE_PROGRAM - UNUSABLE.get(mpi.name, set())


def lines(has: set[str], *, receives_of_isendrecv: bool) -> Iterator[Line]:
    """The lines for a library that has some of the functions."""
    for text in _texts():
        code, _, said = text.partition("  // ")
        tested = NAME.search(code)
        if tested is None:
            yield Line("", _whole(code, 0))
        elif tested.group() in has:
            yield _line(tested.group(), code, said, receives_of_isendrecv)


def _texts() -> Iterator[str]:
    """Lines as they stand in the file, and the forms that they stand for."""
    table = mpi_libraries.function_names()
    written = [line for line in CALLS.read_text(encoding="utf-8").splitlines() if line and not line.startswith("//")]
    forms = [form for line in written for form in _forms(line)]
    named = {found.group() for line in forms if (found := NAME.search(line.partition("  // ")[0]))}
    for line in forms:
        yield line
        code, mark, said = line.partition("  // ")
        found = NAME.search(code)
        if found and f"{found.group()}_c" in table and f"{found.group()}_c" not in named:
            large = NAME.sub(f"{found.group()}_c", LARGE.sub(r"\1_c", code), count=1)
            yield f"{large}{mark}{said}"


def _forms(line: str) -> list[str]:
    if not line.startswith("all: "):
        return [line]
    code, mark, said = line.removeprefix("all: ").partition("  // ")
    name = code.removeprefix("MPI_").partition("(")[0]
    arguments = code.partition("(")[2].removesuffix(");")
    return [
        f"{code}{mark}{said}",
        f"MPI_I{name.lower()}({arguments}, &request); PMPI_Wait(&request, &status);{mark}{said}",
        f"MPI_{name}_init({arguments}, MPI_INFO_NULL, &request); ran();{mark}{said}",
    ]


def _whole(code: str, tag: int) -> str:
    for short, long in SHORT.items():
        code = re.sub(rf"(?<![\w]){re.escape(short)}", long, code)
    return re.sub(r"\bTAG\b", str(tag), code)


def _line(function: str, code: str, said: str, receives_of_isendrecv: bool) -> Line:
    given = re.match(r"gives (.*), gets (.*)", said)
    messages = []
    for part in () if given or not said else said.split("; "):
        what, *details = part.split(", ")
        if what.startswith("may ") and not receives_of_isendrecv:
            continue
        found = re.fullmatch(r"(?:may )?(sends|receives?|cancels)(?: (\d+|nothing))?", what)
        assert found, part
        more = dict(detail.rsplit(" ", 1) for detail in details)
        assert more.keys() <= {"begun by", "done by", "in"}, part
        end = {"receive": "receives"}.get(found.group(1), found.group(1))
        size_B = int(found.group(2)) if (found.group(2) or "").isdigit() else None
        names = [more.get(role, function) for role in ("begun by", "done by", "in")]
        if size_B is None:
            names[2] = names[0]
        messages.append(Message(end, size_B, *names))
    sizes = given.groups() if given else ("0", "0")
    tag = mpi_libraries.function_names().index(function)
    return Line(function, _whole(code, tag), *sizes, tuple(messages))


def source(chosen: list[Line]) -> str:
    """The C program."""
    body = "\n".join(f'    now = "{line.function}";\n    {line.code}' for line in chosen)
    functions = "\n".join(f"#undef {name}" for name in mpi_libraries.function_names())  # some are macros, too
    return (
        f'#include "{Path(__file__).with_suffix(".h")}"\n{functions}\n\n'
        f"int main(int argc, char** argv) {{\n{body}\n    return 0;\n}}\n"
    )


def build(mpi: Mpi, chosen: list[Line], directory: Path) -> Path:
    """Compile it."""
    file = directory / "every.c"
    file.write_text(source(chosen))
    sessions = any(line.function == "MPI_Session_init" for line in chosen)
    return mpi.compile(file, directory / "every", "-w", *(["-DHAS_SESSIONS"] if sessions else []))
