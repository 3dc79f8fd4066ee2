"""What the dynamic loader says of a program, read; the loader itself is asked in tests/mpi."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors.base import Executor, with_environment
from fairlead.cluster.job import Job
from fairlead.errors import ConfigError, HostError, NoProgramError
from fairlead.programs import linkage
from fairlead.programs.linkage import Linkage, check_mpi, on_hosts, read

VDSO = "\tlinux-vdso.so.1 (0x00007ffd)\n"
C = "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n"


def of(*libraries: str, marks: str = "") -> str:
    """What is said of a program that needs these libraries."""
    return "executable\n" + VDSO + "".join(f"\t{each}\n" for each in libraries) + C + marks


def at(name: str) -> str:
    """A library that is found, in a directory with a space in its name."""
    return f"{name} => /opt/my mpi/{name} (0x00007f)"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("other\n", Linkage()),
        ("foreign\n", Linkage(foreign=True)),
        (of(), Linkage()),
        (of(at("libmpi_mpifh.so.40"), at("libmpi.so.40")), Linkage("openmpi")),
        (of("libmpi_usempif08.so.40 => not found"), Linkage("openmpi", missing=("libmpi_usempif08.so.40",))),
        (of("libmpichfort.so.12 => not found"), Linkage("mpich", missing=("libmpichfort.so.12",))),
        (of(at("libmpifort.so.12"), at("libmpi.so.12")), Linkage("mpich")),
        (of(at("libmpi.so.12"), at("libopen-pal.so.13")), Linkage("openmpi")),
        (of("/opt/lib/libmpi.so.40 (0x7f)"), Linkage("openmpi")),
        (of(at("libmpi_abi.so.1"), marks="behind MPICH Version:\n"), Linkage("mpich", standard=True)),
        (of(at("libmpi_abi.so.1"), marks="behind Intel(R) MPI Library\n"), Linkage("mpich", standard=True)),
        (of(at("libmpi_abi.so.1"), at("libopen-pal.so.90")), Linkage("openmpi", standard=True)),
        (of(at("libmpi_abi.so.1")), Linkage(standard=True)),
        (of("libmpi_abi.so.1 => not found"), Linkage(missing=("libmpi_abi.so.1",), standard=True)),
        (of(at("libmpifort_abi.so.1"), at("libmpi_abi.so.1")), Linkage(standard=True)),
        # An MPI library that is not known is not one inside, whatever names of it are in the file.
        (of(at("libmpi_ibm.so.3"), marks="ompi_mpi_comm_world\n"), Linkage()),
        (of("libown.so => not found", marks="ompi_mpi_comm_world\n"), Linkage(missing=("libown.so",))),
        (of(marks="MPICH Version:\n"), Linkage("mpich", static=True)),
        ("executable\nompi_mpi_comm_world\n", Linkage("openmpi", static=True)),
        ("executable\n\tstatically linked\n", Linkage(static=True)),
        ("executable\n", Linkage(static=True)),
    ],
)
def test_what_the_loader_says(said: str, expected: Linkage) -> None:
    assert read(said) == expected


@pytest.mark.parametrize(
    ("libraries", "expected"),
    [
        ([at("libmpi_mpifh.so.40"), at("libmpi.so.40"), at("libopen-pal.so.40")], "openmpi"),
        ([at("libmpi.so.12")], "mpich"),
        ([at("libmpich.so.12")], "mpich"),
        (["libmpi.so.40 => not found"], "openmpi"),
        ([at("libmpi_abi.so.1")], "standard"),
        ([at("libmpi.so.12"), at("libopen-pal.so.13")], None),  # an Open MPI before its version 2
        ([at("libmpi_gnu_123.so.12")], None),
        ([at("libmpi.so.20"), at("libopen-pal.so.20")], None),
        ([at("libmpi.so.40"), at("libmpi.so.12")], None),  # whose calls are whose?
        ([], None),
    ],
)
def test_what_libfairlead_has_wrappers_for(libraries: list[str], expected: str | None) -> None:
    assert read(of(*libraries)).wrapped == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (of(at("libmpi.so.40")), None),
        (of(at("libubsan.so.1")), None),  # it may come at any place
        (of(at("libasan.so.8"), at("libmpi.so.40")), "AddressSanitizer"),
        (of(at("libclang_rt.asan-x86_64.so")), "AddressSanitizer"),
        (of(at("libtsan.so.2")), "ThreadSanitizer"),
        (of(at("libmpi.so.40"), marks="__msan_init\n"), "MemorySanitizer"),
        ("executable\n__lsan_init\n", "LeakSanitizer"),
    ],
)
def test_sanitizers_are_seen_as_a_library_and_as_a_part(said: str, expected: str | None) -> None:
    assert read(said).sanitizer == expected


def test_what_the_user_of_a_host_preloads() -> None:
    said = "executable\npreloaded /opt/my tools/libjemalloc.so.2\n" + of(at("libmpi.so.40")).partition("\n")[2]
    assert read(said) == Linkage("openmpi", preloaded="/opt/my tools/libjemalloc.so.2")
    assert read(of(at("libmpi.so.40"))).preloaded == ""


def test_in_words() -> None:
    assert str(Linkage()) == "no MPI library"
    assert str(Linkage("mpich", static=True)) == "mpich, linked statically"
    assert str(Linkage("mpich", standard=True)) == "mpich by the standard ABI"
    missing = Linkage(missing=("libmpi_abi.so.1",), standard=True)
    assert str(missing) == "MPI by the standard ABI; not found: libmpi_abi.so.1"
    assert str(Linkage("openmpi", missing=("liba.so", "libb.so"))) == "openmpi; not found: liba.so, libb.so"


def test_one_host_with_another_mpi_is_enough() -> None:
    check_mpi("./prog", [Linkage(), Linkage("mpich"), Linkage(static=True)], "mpich")
    with pytest.raises(ConfigError, match=r"./prog: was built for mpich, and mpirun is openmpi's"):
        check_mpi("./prog", [Linkage("openmpi"), Linkage("mpich")], "openmpi")


def test_the_standard_abi_needs_the_mpirun_of_the_library_that_is_found() -> None:
    check_mpi("./prog", [Linkage("mpich", standard=True), Linkage(standard=True)], "mpich")
    check_mpi("./prog", [Linkage(standard=True)], "openmpi")
    with pytest.raises(ConfigError, match=r"the libmpi_abi that the loader finds is mpich's, and mpirun is openmpi's"):
        check_mpi("./prog", [Linkage("mpich", standard=True)], "openmpi")


class Elsewhere(Executor):
    """Other machines, each with its own root: here directories of this one."""

    name = "elsewhere"
    passes_signals = True
    shares_files = False
    other_machines = True
    root = Path()
    greeting = ""

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        command = with_environment(argv, env, str(self.root / host))
        return ["sh", "-c", 'printf %s "$0"; exec "$@"', self.greeting, *command]

    def rsh_agent(self) -> Path | None:
        return None


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """Three hosts, of which the first has prog."""
    for host in ("a", "b", "c"):
        (tmp_path / host).mkdir()
    (tmp_path / "a" / "prog").write_text("#!/bin/sh\n")
    (tmp_path / "a" / "prog").chmod(0o755)
    monkeypatch.setattr(Elsewhere, "root", tmp_path)
    monkeypatch.setattr(linkage, "executor_of", Elsewhere)
    return Cluster("c", "elsewhere", tuple(Host(name, "127.0.0.1") for name in ("a", "b", "c")))


def test_hosts_with_files_of_their_own_are_asked_each(far: Cluster) -> None:
    assert on_hosts(far, Job("1", ("./prog",), ("a", "a"))) == {"a": Linkage()}
    with pytest.raises(NoProgramError, match=r"^b and 1 more: ./prog was not found\n  name an executable file") as told:
        on_hosts(far, Job("1", ("./prog",), ("a", "b", "c")))
    assert told.value.exit_code == 127


def test_a_file_that_is_not_executable_there_is_told_with_what_makes_it_so(far: Cluster, tmp_path: Path) -> None:
    (tmp_path / "b" / "prog").write_text("#!/bin/sh\n")
    with pytest.raises(NoProgramError) as told:
        on_hosts(far, Job("1", ("./prog",), ("a", "b")))
    assert told.value.message == "b: ./prog is not an executable file"
    assert told.value.hint.startswith("name an executable file that every host has at this path")
    assert "`chmod +x ./prog` makes a file executable, unless its file system is mounted noexec" in told.value.hint


def test_a_host_says_what_it_preloads(monkeypatch: pytest.MonkeyPatch) -> None:
    libc = next(path for path in linkage_libraries("/bin/ls") if "libc.so" in path)
    monkeypatch.setenv("LD_PRELOAD", libc)
    assert linkage.here(Path("/bin/ls")).preloaded == libc


def linkage_libraries(program: str) -> list[str]:
    """Paths of the libraries that the loader finds for a program."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [line.split(" => ")[1].split()[0] for line in said.splitlines() if " => " in line]


def test_a_bare_name_is_left_to_mpirun_there(far: Cluster) -> None:
    """Its PATH, which ranks may get, is not that of a command on the host."""
    assert on_hosts(far, Job("1", ("prog",), ("b",))) == {"b": Linkage()}
    assert on_hosts(far, Job("1", ("prog",), ("b",)))["b"].absent
    assert on_hosts(far, Job("1", ("true",), ("b",)))["b"].mpi is None


def test_a_shell_that_greets_is_told(far: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Elsewhere, "greeting", "Welcome!\n")
    with pytest.raises(HostError, match="a: printed 'Welcome!' instead of an answer"):
        on_hosts(far, Job("1", ("./prog",), ("a",)))
