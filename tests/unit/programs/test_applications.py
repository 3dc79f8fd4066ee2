"""What LAMMPS, Quantum ESPRESSO and HPC Challenge say, from outputs cut to what is read and what is near."""

import pytest

from fairlead.programs import Verdict, failure, verdict
from fairlead.programs.applications import Report, hpcc, lammps, quantum_espresso

LAMMPS = """LAMMPS (7 Jan 2022)
Per MPI rank memory allocation (min/avg/max) = 2.805 | 2.805 | 2.805 Mbytes
Step Temp E_pair E_mol TotEng Press
       0            3   -6.7733681            0   -2.2744931   -3.7033504
     100    1.6712577   -4.7875609            0    -2.281301    5.6613913
Loop time of 0.279906 on 2 procs for 100 steps with 4000 atoms

Performance: 154337.649 tau/day, 357.263 timesteps/s
Setting up Verlet run ...
Per MPI rank memory allocation (min/avg/max) = 2.805 | 2.805 | 2.805 Mbytes
Step Temp TotEng CPU TimeoutLeft
     100    1.6712577    -2.281301            0   1000
WARNING: something on the way
     150    1.6559317   -2.2807e+00     0.131   999.8
Loop time of 0.131 on 2 procs for 50 steps with 4000 atoms
Total wall time: 0:00:00
"""

PW = """
!    total energy              =     -15.79441232 Ry
     convergence has been achieved in   5 iterations
!    total energy              =     -15.83916744 Ry
     convergence has been achieved in   6 iterations

     fft          :      0.00s CPU      0.00s WALL (      21 calls)

     PWSCF        :     1m 0.28s CPU   %s WALL


   This run was terminated on:  23:42:17  28Nov2026

=------------------------------------------------------------------------------=
   JOB DONE.
=------------------------------------------------------------------------------=
"""

HPCC = """Begin of MPIFFT section.
End of MPIFFT section.
Begin of Summary section.
Success=%s
HPL_Tflops=0.0046
HPL_time=6.25
PTRANS_time=0.5
MPIRandomAccess_LCG_time=4.5
MPIRandomAccess_LCG_CheckTime=1.29882
MPIRandomAccess_time=%s
MPIFFT_time0=0.25
MPIFFT_time6=0.125
End of Summary section.
"""


def test_lammps_tells_the_time_of_all_its_runs_and_its_last_line_of_output() -> None:
    assert lammps(LAMMPS) == Report(
        "lammps", 0.279906 + 0.131, result={"Step": 150.0, "Temp": 1.6559317, "TotEng": -2.2807}
    )


def test_a_lammps_run_that_was_cut_short_tells_nothing() -> None:
    assert lammps(LAMMPS[: LAMMPS.index("Loop time")]) is None


def test_lammps_without_thermodynamic_output_in_lines_has_a_time_and_no_result() -> None:
    memory = "Per MPI rank memory allocation (min/avg/max) = 2.8 | 2.8 | 2.8 Mbytes\n"
    thermo = LAMMPS + memory + "------- Step 0 ----- CPU = 0 (sec) -------\nTotEng = 1\n"
    text = thermo + "Loop time of 2.5 on 4 procs for 10 steps with 8 atoms\n"
    assert lammps(text) == Report("lammps", 0.279906 + 0.131 + 2.5)


@pytest.mark.parametrize(
    ("printed", "time_s"),
    [("     0.35s", 0.35), ("  1m 3.25s", 63.25), ("  2h 3m", 7380.0), ("  1d 2h", 93600.0)],
)
def test_pw_tells_its_wall_time_and_the_energy_it_converged_to(printed: str, time_s: float) -> None:
    assert quantum_espresso(PW % printed) == Report("pw.x", time_s, True, {"total energy": -15.83916744})


def test_pw_that_did_not_converge_is_not_verified() -> None:
    found = quantum_espresso((PW % "0.35s").replace("has been achieved in   6", "NOT achieved after 100"))
    assert found is not None
    assert found.verified is False


def test_pw_is_judged_by_its_last_step() -> None:
    """Relaxations may go on after a step that did not converge."""
    found = quantum_espresso((PW % "0.35s").replace("has been achieved in   5", "NOT achieved after 100"))
    assert found is not None
    assert found.verified is True


def test_a_calculation_of_pw_that_seeks_no_energy_has_a_time_only() -> None:
    text = "".join(line for line in (PW % "0.35s").splitlines(True) if "energy" not in line and "conv" not in line)
    assert quantum_espresso(text) == Report("pw.x", 0.35)


def test_pw_that_did_not_end_tells_nothing() -> None:
    assert quantum_espresso((PW % "0.35s").replace("JOB DONE.", "")) is None


@pytest.mark.parametrize("success", ["0", "1"])
def test_hpcc_tells_the_times_of_its_parts_over_all_ranks_and_its_verdict(success: str) -> None:
    time_s = 6.25 + 0.5 + 4.5 + 2.0 + 0.375
    assert hpcc(HPCC % (success, "2.0")) == Report("hpcc", time_s, success == "1", timed_to_the_end=False)


def test_a_broken_summary_tells_nothing() -> None:
    assert hpcc(HPCC % ("1", "2.[h0] x")) is None


def test_the_verdict_of_a_run_has_an_applications_words() -> None:
    said = verdict((PW % "0.35s").encode())
    assert (said.verified, said.timed_s, said.result) == (True, 0.35, {"total energy": -15.83916744})
    assert verdict(b"Loop time of day\n") == Verdict()


@pytest.mark.parametrize(
    ("printed", "result"),
    [
        (b"1.5", {"result": 1.5}),
        (b'{"energy": -2, "steps": 10}', {"energy": -2.0, "steps": 10.0}),
        (b'"good"', {}),
        (b"true", {}),
        (b'{"energy": "low"}', {}),
        (b"[1, 2]", {}),
    ],
)
def test_a_program_of_ones_own_prints_its_result_as_json(printed: bytes, result: dict[str, float]) -> None:
    assert verdict(b'{"seconds": 2, "result": %s}\n' % printed).result == result


def test_a_result_that_is_no_number_is_no_sample() -> None:
    broken = LAMMPS.replace("1.6559317", "nan")
    assert failure("lmp", 0, verdict(broken.encode())) == "lmp prints nan as its result (Temp), which is no number"
    assert failure("lmp", 0, verdict(LAMMPS.encode())) is None
