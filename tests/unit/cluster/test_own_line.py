"""Launch lines of the user's own: where the program's words begin, and where that is not clear."""

import shlex

import pytest

from fairlead.cluster.launchers import own_line


def read(line: str, *programs: str) -> tuple[list[str], dict[str, str]]:
    """The program's words, and those that may be such with the option that makes it so."""
    argv = shlex.split(line)
    found = own_line.read(argv, lambda word: word in programs)
    return [argv[at] for at in sorted(found.program)], {argv[at]: option for at, option in found.unclear.items()}


@pytest.mark.parametrize(
    ("before", "program"),
    [
        ("mpirun", "./solver -f in.dat"),
        ("mpirun -n 4", "./solver -f in.dat"),
        ("/opt/mpi/bin/mpirun --hostfile hosts -np 4", "./solver hosts"),
        ("mpirun --hostfile=hosts --oversubscribe", "./solver hosts"),
        ("mpiexec.hydra -f hosts -ppn 2 -genv A -f -genvall", "./solver -f in.dat"),
        ("mpiexec.hydra -genv OMP_NUM_THREADS=4 -n 4", "./solver in.dat"),
        ("mpiexec -env A=1 -env B 2", "./solver in.dat"),
        ("mpirun -machinefile hosts --mca btl tcp,self --map-by ppr:2:node -x A=B", "numactl -l ./solver in.dat"),
        ("mpirun --weird -n 4", "./solver in.dat"),  # what stands before another option has no value
        ("mpirun --weird=3", "./solver in.dat"),
        ("mpirun --", "./solver in.dat"),
        ("srun --mpi=pmix -n4 -N 2", "./solver in.dat"),
        ("env -u A timeout 60 mpirun -n 4", "./solver in.dat"),
        ("./launch.sh -n 4", "./solver in.dat"),
        ("mpirun -n", ""),
        ("mpirun", ""),
    ],
)
def test_the_program_begins_behind_the_launchers_options(before: str, program: str) -> None:
    assert read(f"{before} {program}") == (shlex.split(program), {})


def test_each_of_several_programs_has_options_of_the_launcher_before_it() -> None:
    line = "mpiexec -f hosts -n 1 ./master -f in.dat : -n 3 -wdir hosts ./worker hosts"
    assert read(line) == (["./master", "-f", "in.dat", "./worker", "hosts"], {})


def test_behind_an_option_that_is_not_known_all_is_unclear() -> None:
    words = {"3": "--weird", "./solver": "--weird", "-i": "--weird", "in.dat": "--weird"}
    assert read("mpirun -n 4 --weird 3 ./solver -i in.dat") == ([], words)
    assert read("mpirun --weird ./solver : -n 1 ./other in.dat") == (["./other", "in.dat"], {"./solver": "--weird"})


def test_a_word_that_is_known_to_be_a_program_makes_it_clear() -> None:
    line = "mpirun -n 4 --weird 3 ./solver -i in.dat"
    assert read(line, "./solver") == (["./solver", "-i", "in.dat"], {"3": "--weird"})
    assert read("mpirun -launcher-exec ./agent -n 4 ./solver", "./agent") == (["./solver"], {})


def test_options_that_launchers_read_differently_are_not_known() -> None:
    """srun holds its job by -H, and takes a quality of service by -q."""
    assert read("srun -H ./solver") == ([], {"./solver": "-H"})
    assert read("srun -q ./solver") == ([], {"./solver": "-q"})
