"""Makes the sources in folders `generated` from `functions.toml`: `python native/interpose/generate.py [DIRECTORY]`.

What a wrapper records is a few statements, by the direction and mode of its function: one small function below for each
kind makes them of the names of the parameters that have the roles. What the statements do is in `wrap/`.
"""

import re
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
COMMAND = "python native/interpose/generate.py"
OPERATION = "MPI_Op op | OPERATION in"  # as the table has this parameter


@dataclass(frozen=True)
class Function:
    """One row of the table.

    Attributes:
        name: with ``MPI_``.
        returns: C type.
        declarations: of the parameters, as in C.
        roles: the row's other columns.
    """

    name: str
    returns: str
    declarations: tuple[str, ...]
    roles: dict[str, Any]

    @property
    def arguments(self) -> str:
        return ", ".join(_name_of(declaration) for declaration in self.declarations)

    @property
    def signature(self) -> str:
        return f"{self.returns} {self.name}({', '.join(self.declarations)})"


def _name_of(declaration: str) -> str:
    found = re.search(r"(\w+)(\[\d*\])*$", declaration)
    return found.group(1) if found else declaration


def load(path: Path = HERE / "functions.toml") -> list[Function]:
    """The table's rows in its order; large-count forms have the roles of their function.

    Raises:
        KeyError: a row lacks a column.
    """
    rows = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Function(
            name,
            row.get("returns", "int"),
            tuple(parameter.split(" | ")[0] for parameter in row["parameters"]),
            {**rows.get(row.get("large_count_of", ""), {}), **row, "has_operation": OPERATION in row["parameters"]},
        )
        for name, row in rows.items()
    ]


@dataclass(frozen=True)
class Body:
    """What a wrapper does beside the call.

    Attributes:
        before: statements before the call.
        after: statements after it, if it succeeded and counts.
        failed: statement after it where not.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    failed: str = ""


def _size(side: dict[str, str]) -> str:
    size = f"bytes({side['count']}, {side['datatype']})"
    return f"static_cast<std::uint64_t>({side['partitions']}) * {size}" if "partitions" in side else size


_OWN_STATUS = (
    "MPI_Status own_status;",
    "{status} = {status} == MPI_STATUS_IGNORE ? &own_status : {status};",
)


def _message(roles: dict[str, Any]) -> Body:
    """send, receive and exchange."""
    comm, request = roles.get("communicator"), roles.get("request")
    before: list[str] = []
    after: list[str] = []
    failed = ""
    mode = roles["mode"]
    if send := roles.get("send"):
        to = f"{send['peer']}, {send['tag']}"
        if mode in ("persistent", "partitioned"):
            after.append(f"send_when_started(call, {comm}, {to}, {_size(send)}, *{request});")
        elif mode == "nonblocking" and not roles.get("receive"):
            after.append(f"sent_meanwhile(call, {comm}, {to}, {_size(send)}, *{request});")
        else:
            after.append(f"sent(call, {comm}, {to}, {_size(send)});")
    if receive := roles.get("receive"):
        source = f"{receive['peer']}, {receive['tag']}"
        if mode == "blocking":
            before += [line.format(status=roles["status"]) for line in _OWN_STATUS]
            # A message that is too long is received all the same, and what goes out with it goes out.
            failed = (
                f"if (is_too_long(call, error)) {{ {' '.join(after)} "
                f"received_too_long(call, {comm}, {source}, *{roles['status']}); }}"
            )
            after.append(f"received(call, {comm}, *{roles['status']});")
        elif mode == "nonblocking":
            both = "if constexpr (kIsendrecvHasStatus) " if send else ""
            after.append(f"{both}receive_later(call, {comm}, {source}, *{request});")
        else:
            size = _size(receive) if mode == "partitioned" else "kByStatus"
            after.append(f"receive_when_started(call, {comm}, {source}, {size}, *{request});")
    return Body(tuple(before), tuple(after), failed)


def _matched(roles: dict[str, Any]) -> Body:
    """The receive of a matched message."""
    before = [f"const Match match = take_match({roles['message']});"]
    if "request" in roles:
        return Body(
            tuple(before),
            (f"receive_later(call, match, *{roles['request']});",),
            f"not_received(call, match, {roles['message']});",
        )
    before += [line.format(status=roles["status"]) for line in _OWN_STATUS]
    return Body(
        tuple(before),
        (f"received(call, match, *{roles['status']});",),
        f"if (is_too_long(call, error)) received_too_long(call, match, *{roles['status']}); "
        f"else not_received(call, match, {roles['message']});",
    )


def _if_flag(roles: dict[str, Any], then: str, otherwise: str) -> tuple[str, ...]:
    """Statements of which one is carried out, by what the function says; the first, where it has no flag."""
    return (f"if (*{roles['flag']}) {then}", f"else {otherwise}") if "flag" in roles else (then,)


def _match(roles: dict[str, Any]) -> Body:
    wanted = f"{roles['communicator']}, {roles['peer']}, {roles['tag']}"
    found = f"matched(call, {wanted}, *{roles['message']});"
    return Body(after=_if_flag(roles, found, f"probed_nothing(call, {wanted});"))


def _probe(roles: dict[str, Any]) -> Body:
    before = tuple(line.format(status=roles["status"]) for line in _OWN_STATUS)
    wanted = f"{roles['communicator']}, {roles['peer']}, {roles['tag']}"
    found = f"probed(call, {wanted}, *{roles['status']});"
    return Body(before, _if_flag(roles, found, f"probed_nothing(call, {wanted});"))


def _start(roles: dict[str, Any]) -> Body:
    many = f"{roles.get('length')}, {roles.get('requests')}"
    return Body(after=(f"started(call, {many if 'requests' in roles else '1, ' + roles['request']});",))


def _release(roles: dict[str, Any]) -> Body:
    what = next(role for role in ("request", "communicator", "datatype") if role in roles)
    by = "call, " if what == "request" else ""
    return Body(before=(f"if ({roles[what]} != nullptr) forget_{what}({by}*{roles[what]});",))


def _completion(roles: dict[str, Any]) -> Body:
    one = roles["completes"] in ("one", "any")
    length, requests = (roles.get("length", "1"), roles.get("requests", roles.get("request")))
    status = roles["status" if one else "statuses"]
    place = f"status_for({status})" if one else f"statuses_for({status}, {length})"
    told = {
        "one": status,
        "any": f"*{roles.get('index')}, {status}",
        "all": status,
        "some": f"*{roles.get('number')}, {roles.get('indices')}, {status}",
    }[roles["completes"]]
    after = _if_flag(roles, f"completion.{roles['completes']}({told});", "completion.nothing();")
    # After an error nothing may be there: the library did not come so far, or there is no place for it.
    unknown = (f"if ({roles['index']} != nullptr) *{roles['index']} = MPI_UNDEFINED;",) if "index" in roles else ()
    as_given = told.replace("*", "")
    certainty = "all" if roles["completes"] in ("one", "all") and "flag" not in roles else "none"
    return Body(
        (
            f"Completion completion(call, Completion::Certainty::{certainty}, {length}, {requests});",
            f"{status} = completion.{place};",
            *unknown,
        ),
        after,
        f"completion.failed_{roles['completes']}(error, {requests}, {as_given});",
    )


def _block(side: dict[str, str], ranks: str, blocks: str) -> str:
    """Bytes of one side of a collective."""
    count, datatype = side["count"], side["datatype"]
    return {
        "one": f"bytes({count}, {datatype})",
        "each": f"each({ranks}, {count}, {datatype})",
        "vector": f"vector({ranks}, {count}, {datatype})",
        "own": f"own(group, {count}, {datatype})",
    }[blocks]


def _side(side: dict[str, str], other: dict[str, str], ranks: str) -> str:
    """As `_block`, where the buffer may be MPI_IN_PLACE and the side may be that of some ranks only."""
    ranks = "group.size" if side.get("over") == "local" else ranks
    size = _block(side, ranks, side["blocks"])
    if "buffer" in side:
        # In place, a rank's share lies where the other side is; of an all-to-all exchange the whole does.
        share = {"each": "one", "vector": "own"}[other["blocks"]] if side["blocks"] == "one" else other["blocks"]
        size = f"({side['buffer']} == MPI_IN_PLACE ? {_block(other, ranks, share)} : {size})"
    whose = {None: "", "successors": "group.rank > 0"}.get(side.get("by"), f"part.{side.get('by')}()")
    return f"{whose} ? {size} : 0" if whose else size


def _collective(roles: dict[str, Any]) -> Body:
    near = roles["direction"] == "neighborhood"
    comm = roles["communicator"]
    after = []
    send, receive = roles.get("send"), roles.get("receive")
    given = got = "0"
    if send and receive:
        after.append(f"const Communicator& group = communicator({comm});")
        given = _side(send, receive, "near.out" if near else "group.peers")
        got = _side(receive, send, "near.in" if near else "group.peers")
        if "near." in given + got:
            after.append(f"const Neighbors near = neighbors({comm});")
        if "root" in roles:
            after.append(f"const Part part(group, {roles['root']});")
        if "group" not in given + got and "root" not in roles:
            after.pop(0)
    members = f"{comm}, MPI_PROC_NULL, false" if near else f"{comm}, {roles['root']}" if "root" in roles else comm
    after.append(
        {
            "blocking": f"collective(call, {{{members}}}, {given}, {got});",
            "nonblocking": f"collective_meanwhile(call, {{{members}}}, {given}, {got}, *{roles.get('request')});",
            "persistent": f"collective_when_started(call, {given}, {got}, *{roles.get('request')});",
        }[roles["mode"]]
    )
    return Body(after=tuple(after))


def _one_sided(roles: dict[str, Any]) -> Body:
    if "peer" not in roles:
        return Body()
    sizes = []
    for side in (roles.get("send"), roles.get("receive")):
        sizes.append(f"bytes({side.get('count', '1')}, {side['datatype']})" if side else "0")
    if sizes[1] != "0" and roles["has_operation"]:  # MPI_NO_OP only fetches: what would go out is not looked at
        sizes[0] = f"op == op_no_op() ? 0 : {sizes[0]}"
    return Body(after=(f"one_sided(call, {roles['peer']}, {', '.join(sizes)});",))


def _create(roles: dict[str, Any]) -> Body:
    """The creation of a communicator."""
    made = roles["creates"]
    later = roles.get("mode") == "nonblocking"
    noted = f"created_like({roles['communicator']}, *{made});" if later else f"created(*{made});"
    return Body(before=(f"none_yet({made});",), after=(f"if ({made} != nullptr) {noted}",))


BODIES: dict[str, Callable[[dict[str, Any]], Body]] = {
    "send": _message,
    "receive": lambda roles: (_matched if roles["mode"] == "matched" else _message)(roles),
    "exchange": _message,
    "match": _match,
    "probe": _probe,
    "start": _start,
    "completion": _completion,
    "release": _release,
    "collective": _collective,
    "neighborhood": _collective,
    "rma": _one_sided,
    "io": lambda _: Body(),
    "create": _create,
    "none": lambda _: Body(),
}

# Which directions stand in which file, and what it includes.
FILES = {
    "wrap/generated/wrappers_messages.cpp": (
        ("send", "receive", "exchange", "match", "probe", "start", "create", "release"),
        "communication/messages",
    ),
    "wrap/generated/wrappers_completion.cpp": (("completion",), "communication/completion"),
    "wrap/generated/wrappers_collectives.cpp": (("collective", "neighborhood", "rma"), "communication/collectives"),
    "wrap/generated/wrappers_others.cpp": (("io", "none"), "call"),
}


# Functions that only ask for something that the process knows: they wait for nobody and get nothing done.
_QUESTION = re.compile(
    r"MPI_(Wtime|Wtick|Initialized|Finalized|Is_thread_main|Query_thread|Test_cancelled|Topo_test|Op_commutative"
    r"|Error_(class|string)|Aint_(add|diff)|Pack_size|Pack_external_size|Comm_test_inter|Attr_get"
    r"|Get_(address|count|elements|elements_x|library_version|processor_name|version)"
    r"|(Comm|Group)_(rank|size|remote_size|compare|translate_ranks)|Type_(size|size_x)"
    r"|(Comm|Type|Win|Info|Status)_get\w*|Status_(c2f|c2f08|f082c|f082f|f2c|f2f08)|\w+_(c2f|f2c)"
    r"|Cart_(coords|get|rank|shift)|Cartdim_get|Graph_(get|neighbors|neighbors_count)|Graphdims_get"
    r"|Dist_graph_(neighbors|neighbors_count))(_c)?"
)


def _is_local(function: Function) -> bool:
    """Whether a program that polls may call the function between two tests, and polls all the same."""
    return function.roles["direction"] == "none" and _QUESTION.fullmatch(function.name) is not None


def wrapper(function: Function) -> str:
    """The C++ definition of a function's wrapper."""
    body = BODIES[function.roles["direction"]](function.roles)
    call = f"call.timed(next<decltype({function.name})>(Function::{function.name})({function.arguments}))"
    kind = "LocalCall" if _is_local(function) else "Call"
    lines = [f"{function.signature} {{", f"    {kind} call(Function::{function.name});"]
    lines += [f"    {statement}" for statement in body.before]
    if body.after:
        lines += [f"    const {function.returns} error = {call};", "    if (call.counts(error)) {"]
        lines += [f"        {statement}" for statement in body.after]
        lines += ["    } else {", f"        {body.failed}"] if body.failed else []
        lines += ["    }", "    return error;"]
    else:
        lines.append(f"    return {call};")
    return "\n".join([*lines, "}"])


def _head() -> str:
    return f"// Made by `{COMMAND}`: change functions.toml or generate.py, not this file.\n// clang-format off\n"


def names_header(functions: list[Function]) -> str:
    """The functions by number and by name."""
    names = [function.name for function in functions]
    return "\n".join(
        [
            f"{_head()}#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\nnamespace fairlead {{\n",
            "enum class Function : std::uint16_t {",
            *(f"    {name}," for name in names),
            f"}};\n\nconstexpr std::size_t kFunctions = {len(names)};\n",
            "inline constexpr const char* kFunctionNames[kFunctions] = {",
            *(f'    "{name}",' for name in names),
            "};\n\n}  // namespace fairlead\n",
        ]
    )


def wrappers_header(functions: list[Function]) -> str:
    """Declarations of all wrappers."""
    return "\n".join(
        [
            f'{_head()}#pragma once\n\n#include "abi.hpp"\n#include "generated/functions.hpp"\n',
            "namespace fairlead {\nnamespace wrapped {\n",
            *(f"{function.signature};" for function in functions),
            "\n}  // namespace wrapped\n",
            "extern void* const kWrappers[kFunctions];\n\n}  // namespace fairlead\n",
        ]
    )


def wrappers_table(functions: list[Function]) -> str:
    """Their addresses by number."""
    return "\n".join(
        [
            f'{_head()}#include "generated/wrappers.hpp"\n\nnamespace fairlead {{\n',
            "void* const kWrappers[kFunctions] = {",
            *(f"    reinterpret_cast<void*>(&wrapped::{function.name})," for function in functions),
            "};\n\n}  // namespace fairlead\n",
        ]
    )


def wrappers_source(functions: list[Function], directions: tuple[str, ...], header: str) -> str:
    """Definitions of the wrappers of some directions."""
    chosen = [each for each in functions if each.roles["direction"] in directions and not each.roles.get("by_hand")]
    return "\n".join(
        [
            f'{_head()}#include "wrap/{header}.hpp"\n\n#include "generated/wrappers.hpp"\n',
            "namespace fairlead::wrapped {\n",
            "\n\n".join(map(wrapper, chosen)),
            "\n}  // namespace fairlead::wrapped\n",
        ]
    )


def fortran_wrapper(function: Function) -> str:
    """What Fortran bindings call in place of a function that they also call for themselves."""
    return "\n".join(
        [
            f"{function.signature} {{",
            f"    const BindingCall binding(Function::{function.name}, __builtin_return_address(0));",
            f"    return wrapped::{function.name}({function.arguments});",
            "}",
        ]
    )


# Collective calls on files (native/interpose/relay/collectives/together.hpp). Those that begin one may be carried out
# as it begins.
_FILE_TOGETHER = re.compile(
    r"MPI_File_(preallocate|seek_shared|set_(atomicity|info|size|view)|sync|(read|write)_(at_)?all(_begin)?"
    r"|(read|write)_ordered(_begin)?)"
)
CREATED_BY_HAND = (
    "MPIX_Comm_shrink", "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_create", "MPI_Comm_create_from_group",
    "MPI_Comm_create_group", "MPI_Comm_join", "MPI_Intercomm_create", "MPI_Intercomm_create_from_groups",
)  # fmt: skip

# MPICH's MPI_Comm_get_info says what these are told of the new communicator; others' info it takes for their own.
KEEPS_ASSERTIONS = ("MPI_Comm_dup_with_info", "MPI_Comm_split_type")


def _relay_kind(function: Function) -> str:
    """What the relay plane makes of a function: a key of ``RELAY_BODIES``, or an empty string."""
    base = function.roles.get("large_count_of", function.name)
    roles = function.roles
    if _FILE_TOGETHER.fullmatch(base):
        return "file"
    if roles["direction"] in ("collective", "neighborhood") and roles["mode"] == "blocking":
        return "collective"
    made = roles["direction"] == "create" and "mode" not in roles
    return "create" if made and base not in CREATED_BY_HAND else ""


# How each collective call may receive where it sends from (native/interpose/relay/collectives/collectives.hpp).
_REDUCED = "reduced_onto_itself(sendbuf, recvbuf, {})"
_SENT = "sent_onto_itself(sendbuf, {0}, {1}, recvbuf, {2}, {3})"
_ALIASES = {
    "MPI_Allgather": "own_block(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)",
    "MPI_Allgatherv": "own_block(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype)",
    "MPI_Allreduce": _REDUCED.format("count"),
    "MPI_Alltoall": _SENT.format("sendcount", "sendtype", "recvcount", "recvtype"),
    "MPI_Alltoallv": _SENT.format("sendcounts", "sendtype", "recvcounts", "recvtype"),
    "MPI_Alltoallw": _SENT.format("sendcounts", "sendtypes", "recvcounts", "recvtypes"),
    "MPI_Exscan": _REDUCED.format("count"),
    "MPI_Gather": "own_block(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)",
    "MPI_Gatherv": "own_block(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype)",
    "MPI_Reduce": _REDUCED.format("count"),
    "MPI_Reduce_scatter": _REDUCED.format("recvcounts"),
    "MPI_Reduce_scatter_block": _REDUCED.format("recvcount"),
    "MPI_Scan": _REDUCED.format("count"),
    "MPI_Scatter": "own_block(recvbuf, recvcount, recvtype, sendbuf, sendcount, sendtype)",
    "MPI_Scatterv": "own_block(recvbuf, recvcount, recvtype, sendbuf, sendcounts, displs, sendtype)",
}


def _relay_mistakes(function: Function) -> str:
    """C++ expression: what of a collective call's arguments the library refuses without a look at anything else."""
    roles = function.roles
    told = f"Mistakes({roles['communicator']}{', ' + roles['root'] if 'root' in roles else ''})"
    looks = []
    for side in (roles["send"], roles["receive"]):
        of_root = "_of_root" if side.get("by") == "root" and roles["send"]["count"] != roles["receive"]["count"] else ""
        buffer = f"{side['buffer']}, " if "buffer" in side else ""
        if side["blocks"] in ("one", "each"):
            looks.append(f".count{of_root}({buffer}{side['count']})")
        if not side["datatype"].endswith("types"):
            looks.append(f".type{of_root}({buffer}{side['datatype']})")
    if roles["has_operation"]:
        looks.append(".operation(op)")
    if alias := _ALIASES.get(roles.get("large_count_of", function.name)):
        looks.append(f".{alias}")
    return told + "".join(dict.fromkeys(looks))


def _relay_collective(function: Function) -> list[str]:
    comm = function.roles["communicator"]
    direct = f"direct({function.arguments})"
    if "send" in function.roles:
        return [
            f"if ({comm} == comm_null()) return {direct};",
            f"return meet_and({comm}, {_relay_mistakes(function)}, [&] {{ return {direct}; }});",
        ]
    # A barrier: nothing is left to be done when all have come.
    alone = f"{comm} == comm_null() || communicator({comm}).outside"
    return [f"if ({alone}) return {direct};", "plane->enter();", f"return plane->gather({comm});"]


def _relay_create(function: Function) -> list[str]:
    comm = next(_name_of(each) for each in function.declarations if each.startswith("MPI_Comm "))
    made = function.roles["creates"]
    keeps = function.name in KEEPS_ASSERTIONS
    arguments = re.sub(r"\binfo\b", "hints" if keeps else "Hints(info)", function.arguments)
    call = f"create({comm}, {made}, [&] {{ return direct({arguments}); }})"
    return ["const Hints hints(info);", f"return noted(hints, {made}, {call});"] if keeps else [f"return {call};"]


def _relay_file(function: Function) -> list[str]:
    return [f"return together(files.find(fh), [&] {{ return direct({function.arguments}); }});"]


RELAY_BODIES = {"collective": _relay_collective, "create": _relay_create, "file": _relay_file}


def relay_source(functions: list[Function]) -> str:
    """What the relay plane puts between the wrappers and the MPI library by rule."""
    chosen = [(function, kind) for function in functions if (kind := _relay_kind(function))]
    definitions = []
    for function, kind in chosen:
        # All members of a collective call have to make the same one of the library's, those in callbacks, too.
        given = function.roles["communicator"] if kind == "collective" else ""
        lines = [
            f"{function.signature} {{",
            f"    const auto direct = library<decltype(wrapped::{function.name})>(Function::{function.name});",
            f"    if (passes_by({given})) return direct({function.arguments});",
            *(f"    {line}" for line in RELAY_BODIES[kind](function)),
            "}",
        ]
        definitions.append("\n".join(lines))
    puts = [
        "\n".join(
            [
                f"void put_{plural}(Table& table) {{",
                *(f"    table.put(Function::{each.name}, {each.name});" for each, kind in chosen if kind == of),
                "}",
            ]
        )
        for plural, of in (("collectives", "collective"), ("creations", "create"), ("file_calls", "file"))
    ]
    return "\n".join(
        [
            f'{_head()}#include "generated/wrappers.hpp"\n#include "relay/calls/calls.hpp"',
            '#include "relay/collectives/collectives.hpp"\n#include "relay/collectives/together.hpp"\n',
            "namespace fairlead::relay {\nnamespace {\n",
            "\n\n".join(definitions),
            "\n}  // namespace\n",
            "\n\n".join(puts),
            "\n}  // namespace fairlead::relay\n",
        ]
    )


def _fortran_target(function: Function) -> str:
    use = function.roles.get("fortran")
    if use == "conversion":
        return "nullptr"
    return f"reinterpret_cast<void*>(&{'from_fortran' if use == 'helper' else 'wrapped'}::{function.name})"


def fortran_source(functions: list[Function]) -> str:
    """What the Fortran bindings' calls go to, by number."""
    helpers = [each for each in functions if each.roles.get("fortran") == "helper"]
    return "\n".join(
        [
            f'{_head()}#include "wrap/fortran.hpp"\n\n#include "generated/wrappers.hpp"\n',
            "namespace fairlead {\nnamespace from_fortran {\nnamespace {\n",
            "\n\n".join(map(fortran_wrapper, helpers)),
            "\n}  // namespace\n}  // namespace from_fortran\n",
            'extern "C" {',
            '[[gnu::visibility("default")]] extern void* const fairlead_from_fortran[kFunctions];',
            "void* const fairlead_from_fortran[kFunctions] = {",
            *(f"    {_fortran_target(function)}," for function in functions),
            "};\n}\n\n}  // namespace fairlead\n",
        ]
    )


def sources(functions: list[Function]) -> dict[str, str]:
    """Text of every generated file, by its path below this folder. What all need is in `generated`."""
    made = {
        "generated/functions.hpp": names_header(functions),
        "generated/wrappers.hpp": wrappers_header(functions),
        "wrap/generated/wrappers.cpp": wrappers_table(functions),
        "wrap/generated/wrappers_fortran.cpp": fortran_source(functions),
        "relay/generated/relay_calls.cpp": relay_source(functions),
    }
    for file, (directions, header) in FILES.items():
        made[file] = wrappers_source(functions, directions, header)
    entries = [f"entry {index} {function.name}" for index, function in enumerate(functions)]
    made["generated/entries.inc"] = "\n".join([_head(), *entries, ""])
    return made


def main(directory: Path) -> None:
    """Write all files below ``directory``."""
    for name, text in sources(load()).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
