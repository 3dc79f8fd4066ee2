"""ep, is, ft and mg: the published values of the NAS Parallel Benchmarks, on the host's MPI libraries."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bundled import command, flavours, result, run

pytestmark = pytest.mark.mpi

# Sums of the deviates and their counts by annulus.
EP = {
    "S": (-3.247834652034740e3, -6.958407078382297e3, [6140517, 5865300, 1100361, 68546, 1648, 17, 0, 0, 0, 0]),
    "W": (-2.863319731645753e3, -6.320053679109499e3, [12281576, 11729692, 2202726, 137368, 3371, 36, 0, 0, 0, 0]),
    "A": (-4.295875165629892e3, -1.580732573678431e4, [98257395, 93827014, 17611549, 1110028, 26536, 245, 0, 0, 0, 0]),
}
# Checksums after the first and the sixth iteration.
FT = {
    "S": ([554.6087004964, 484.5363331978], [554.2683411902, 493.2597244941]),
    "W": ([567.3612178944, 529.3246849175], [550.4159734538, 523.9212247086]),
    "A": ([504.6735008193, 511.4047905510], [509.1487099959, 510.7917842803]),
}
# Norms of the residual.
MG = {"S": 0.5307707005734e-04, "W": 0.6467329375339e-05, "A": 0.2433365309069e-05}

PROGRAMS = ("ep", "is", "ft", "mg")


def assert_published(found: dict[str, Any], name: str) -> None:
    match found["program"]:
        case "ep":
            sum_x, sum_y, counts = EP[name]
            assert (found["sum_x"], found["sum_y"]) == pytest.approx((sum_x, sum_y), rel=1e-8)
            assert found["counts"] == counts
        case "is":
            assert found["test_ranks_right"] == 50  # five keys in ten iterations
        case "ft":
            first, last = FT[name]
            assert found["checksums"][0] == pytest.approx(first, rel=1e-12)
            assert found["checksums"][5] == pytest.approx(last, rel=1e-12)
            assert found["round_trip_error"] < 1e-12
        case "mg":
            assert found["residual_norm"] == pytest.approx(MG[name], rel=1e-8)


def check(completed: subprocess.CompletedProcess[str], program: str, name: str, ranks: int) -> None:
    found = result(completed)
    assert completed.returncode == 0
    assert (found["program"], found["class"], found["ranks"]) == (program, name, ranks)
    assert_published(found, name)
    assert found["verified"] is True
    if program != "ep":
        assert found["iterations"] == {"is": 10, "ft": 6, "mg": 4}[program]
        assert len(found["iteration_s"]) == found["iterations"]
        assert sum(found["iteration_s"]) <= found["seconds"] * (1 + 1e-9)


@flavours
@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
@pytest.mark.parametrize("program", PROGRAMS)
def test_class_s_gives_the_published_values(flavour: str, program: str, ranks: int) -> None:
    check(run(flavour, ranks, program, "--class", "S"), program, "S", ranks)


@flavours
@pytest.mark.slow
@pytest.mark.drawn
@pytest.mark.parametrize("ranks", [2, 8, 16])
@pytest.mark.parametrize("name", ["W", "A"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_larger_classes_give_the_published_values(flavour: str, program: str, name: str, ranks: int) -> None:
    check(run(flavour, ranks, program, "--class", name), program, name, ranks)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("program", PROGRAMS)
def test_class_b_verifies(program: str) -> None:
    arguments = command("openmpi", 2, program, "--class", "B")
    completed = subprocess.run(arguments, capture_output=True, text=True, timeout=1100)
    assert completed.returncode == 0
    assert result(completed)["verified"] is True


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [32, 64])
def test_mg_with_more_ranks_than_points_along_an_axis(ranks: int) -> None:
    """The coarsest grid has two points a side: most ranks own none of it."""
    check(run("openmpi", ranks, "mg", "--class", "S"), "mg", "S", ranks)


def test_ep_takes_any_number_of_ranks() -> None:
    check(run("openmpi", 3, "ep"), "ep", "S", 3)


@pytest.mark.parametrize(("program", "perturbation"), [("ep", "1e-3"), ("is", "10"), ("ft", "1e-3"), ("mg", "1e-3")])
def test_a_perturbed_run_fails(program: str, perturbation: str) -> None:
    completed = run("mpich", 2, program, "--perturb", perturbation)
    assert completed.returncode == 1
    assert result(completed)["verified"] is False
    assert "verification FAILED" in completed.stdout


def test_is_beyond_the_tenth_iteration_keeps_the_ranks_of_the_tenth() -> None:
    found = result(run("openmpi", 2, "is", "--iterations", "25"))
    assert found["test_ranks_right"] == 125
    assert found["verified"] is True


def test_ft_judges_the_iterations_that_have_a_published_checksum() -> None:
    shorter = result(run("openmpi", 2, "ft", "--iterations", "2"))
    assert len(shorter["checksums"]) == 2
    assert "checksums of 2 iterations against the published values" in shorter["verification"]
    longer = result(run("openmpi", 2, "ft", "--iterations", "9"))
    assert len(longer["checksums"]) == 9
    assert "no published checksums for the other iterations" in longer["verification"]
    assert (shorter["verified"], longer["verified"]) == (True, True)


def test_mg_with_another_number_of_iterations() -> None:
    shorter = result(run("openmpi", 2, "mg", "--iterations", "2"))
    assert "no published value" in shorter["verification"]
    assert shorter["residual_norm"] > MG["S"]
    longer = result(run("openmpi", 2, "mg", "--iterations", "10"))
    assert "final norm as a share of that after the standard iterations" in longer["verification"]
    assert longer["residual_norm"] < MG["S"]
    assert (shorter["verified"], longer["verified"]) == (True, True)


def functions_of_a_rank(program: str, ranks: int, target: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The profile of a run of class S, and in it the functions of the last rank."""
    fairlead = Path(sys.executable).with_name("fairlead")
    launch = [fairlead, "profile", "-n", str(ranks), "--mpirun", "mpirun.openmpi", "--json", target, "--", program]
    subprocess.run(launch, capture_output=True, check=True, timeout=100)
    profile = json.loads(target.read_text())
    return profile, profile["per_rank"][-1]["functions"]


def test_mg_communicates_as_documented(tmp_path: Path) -> None:
    """Five iterations (one untimed) and two residuals at the start, each one exchange on the finest level."""
    profile, functions = functions_of_a_rank("mg", 8, tmp_path / "mg.json")
    assert functions["MPI_Isend"]["calls"] == 5 * 84 + 2 * 6
    finest = 16 * (3 * 16**2 + 6 * 16 + 4)
    assert functions["MPI_Isend"]["sent_B"] == 5 * 58_784 + 2 * finest
    assert functions["MPI_Irecv"]["received_B"] == functions["MPI_Isend"]["sent_B"]
    assert [[messages > 0 for messages in row] for row in profile["messages"]] == [
        [(one ^ other) in (1, 2, 4) for other in range(8)] for one in range(8)
    ]


def test_is_communicates_as_documented(tmp_path: Path) -> None:
    profile, functions = functions_of_a_rank("is", 4, tmp_path / "is.json")
    assert sum(map(sum, profile["messages"])) == 0
    iterations = 11
    assert functions["MPI_Ialltoall"]["calls"] == functions["MPI_Ialltoallv"]["calls"] == iterations
    assert functions["MPI_Ialltoall"]["sent_B"] == iterations * 4 * 4
    assert functions["MPI_Ialltoallv"]["sent_B"] == iterations * 4 * 65536 // 4  # every key, to whomever
    received = [rank["functions"]["MPI_Ialltoallv"]["received_B"] for rank in profile["per_rank"]]
    assert sum(received) == iterations * 4 * 65536
    judging = 8 * (3 + 4)  # the order at the end; set-up, seconds, test ranks, verdict
    assert functions["MPI_Iallreduce"]["sent_B"] == iterations * 2068 + judging


def test_ft_communicates_as_documented(tmp_path: Path) -> None:
    """Six iterations, the first transform, the untimed one and the one back at the end."""
    profile, functions = functions_of_a_rank("ft", 4, tmp_path / "ft.json")
    assert sum(map(sum, profile["messages"])) == 0
    assert functions["MPI_Ialltoall"]["calls"] == 9
    assert functions["MPI_Ialltoall"]["sent_B"] == 9 * 4 * (16 * 64**3 // 4**2)
