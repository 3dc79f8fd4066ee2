"""The files of Open MPI's component pml/monitoring."""

from fairlead.profile.reading.pml_monitoring import counted, environment

# As Open MPI 4.1 writes them: two messages of the program, one of the library, and what belongs to other tables.
RANK_0 = """# POINT TO POINT
E\t0\t1\t48 bytes\t2 msgs sent\t0,0,0,0,0,2
I\t0\t1\t5 bytes\t1 msgs sent\t0,0,1
I\t0\t0\t7 bytes\t3 msgs sent\t0,0,3
# OSC
S\t0\t1\t99 bytes\t9 msgs sent
# COLLECTIVES
C\t0\t1\t53 bytes\t3 msgs sent
D\tMPI_COMM_WORLD\tprocs: 0,1
A2A\t0\t96 bytes\t2 msgs sent
"""


def test_what_the_program_and_the_library_send_is_added_up() -> None:
    found = counted({"counted.0.prof": RANK_0, "counted.1.prof": "# POINT TO POINT\n"}, 2)
    assert found is not None
    messages, bytes_B = found
    assert messages.tolist() == [[3, 3], [0, 0]]
    assert bytes_B.tolist() == [[7, 53], [0, 0]]


def test_without_the_file_of_a_rank_nothing_is_known() -> None:
    assert counted({"counted.0.prof": RANK_0}, 2) is None
    assert counted({}, 1) is None


def test_each_rank_writes_beside_the_records() -> None:
    assert environment("/dev/shm/x")["OMPI_MCA_pml_monitoring_filename"] == "/dev/shm/x/counted"
