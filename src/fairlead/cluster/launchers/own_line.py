"""A launch line of the user's own: which words its launcher reads where it runs, and which ranks are started with.

Options: mpirun(1) of Open MPI, prterun(1) of PRRTE, Hydra's own --help, Intel MPI Library Developer Reference for Linux
("mpiexec.hydra"), srun(1). Those that are not the same everywhere are left out.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

_LAUNCHER = re.compile(r"(mpirun|mpiexec|orterun|prterun|srun)([._-].*)?")
_WITH_ITS_VALUE = re.compile(r"-.+=.*|-[A-Za-z]\d+")  # --ntasks=4, -n4
_WITHOUT_A_WORD = (
    "allow-run-as-root oversubscribe nooversubscribe nolocal pernode bynode byslot bycore bind-to-core "
    "bind-to-socket report-bindings tag-output timestamp-output display-map display-allocation "
    "merge-stderr-to-stdout use-hwthread-cpus leave-session-attached get-stack-traces noprefix quiet v verbose "
    "genvall genvnone envall envnone print-all-exitcodes prepend-rank disable-auto-cleanup "
    "disable-hostname-propagation skip-launch-node info l label exclusive"
)
_WITH_ONE_WORD = (
    "n np N c host hosts hostfile default-hostfile machinefile machine f configfile app rf rankfile "
    "map-by rank-by bind-to npernode npersocket cpus-per-proc cpus-per-rank cpu-set cpu-list ppr personality "
    "wd wdir path prefix x output-filename output display runtime-options stdin timeout am report-uri "
    "ppn perhost iface localhost launcher launcher-exec bootstrap bootstrap-exec rmk membind topolib usize "
    "order-nodes nameserver genvlist envlist prepend-pattern outfile-pattern errfile-pattern gpus-per-proc "
    "w p t A ntasks nodes ntasks-per-node cpus-per-task nodelist nodefile partition time account mpi"
)
_WITH_TWO_WORDS = "mca gmca omca prtemca pmixmca env genv"
_OR_WITH_ONE = ("env", "genv")
"""Hydra takes NAME VALUE, and NAME=VALUE."""
_VALUES = {
    **dict.fromkeys(_WITHOUT_A_WORD.split(), 0),
    **dict.fromkeys(_WITH_ONE_WORD.split(), 1),
    **dict.fromkeys(_WITH_TWO_WORDS.split(), 2),
}
"""Words after an option that belong to it, by its name without dashes, of which launchers take one or two."""


@dataclass(frozen=True)
class OwnLine:
    """Whose the words of a launch line are; all others are the launcher's, or stand before it.

    Attributes:
        program: positions of the words that ranks are started with: programs and their arguments.
        unclear: positions of words that may be such or the launcher's, each with the unknown option that makes it so.
    """

    program: frozenset[int]
    unclear: Mapping[int, str]


def read(argv: Sequence[str], is_program: Callable[[str], bool]) -> OwnLine:
    """Take a launch line apart, which may start several programs (``:``). The first word is what runs here.

    Args:
        is_program: whether a word is known to name a program: behind an unknown option, its words begin there.
    """
    launcher = next((at for at, word in enumerate(argv) if _LAUNCHER.fullmatch(PurePath(word).name)), 0)
    program: set[int] = set()
    unclear: dict[int, str] = {}
    begin = launcher + 1
    while begin < len(argv):
        end = next((at for at in range(begin, len(argv)) if argv[at] == ":"), len(argv))
        first, option = _after_options(argv, begin, end)
        sure = next((at for at in range(first, end) if is_program(argv[at])), end) if option else first
        unclear |= dict.fromkeys(range(first, sure), option)
        program |= set(range(sure, end))
        begin = end + 1
    return OwnLine(frozenset(program), unclear)


def _after_options(argv: Sequence[str], begin: int, end: int) -> tuple[int, str]:
    """Where the program's words begin, and empty; or the first word behind an option that is not known, and that."""
    at = begin
    while at < end and argv[at].startswith("-"):
        option = argv[at]
        at += 1
        if option == "--":
            break
        values = 0 if _WITH_ITS_VALUE.fullmatch(option) else _VALUES.get(option.lstrip("-"))
        if option.lstrip("-") in _OR_WITH_ONE and at < end and "=" in argv[at]:
            values = 1
        if values is None and at < end and not argv[at].startswith("-"):  # else it has no value
            return at, option
        at += values or 0
    return at, ""
