! SPDX-License-Identifier: Apache-2.0
! Messages of Fortran programs, whose handles and statuses the bindings convert: run with two paths (FAIRLEAD_CHAOS).
! BINDING is a use statement's module: mpi or mpi_f08.
program relay_fortran
    use BINDING
    implicit none
    integer, parameter :: messages = 50
    integer :: rank, ranks, next, last, i, error, length
    integer :: out(messages), in(messages), grid(8, 8), row(8)
    logical :: found
#ifdef F08
    type(MPI_Request) :: requests(2 * messages), again
    type(MPI_Status) :: statuses(2 * messages), one
    type(MPI_Datatype) :: line
#define SOURCE(s) s%MPI_SOURCE
#define TAG(s) s%MPI_TAG
#define STATUS(i) statuses(i)
#else
    integer :: requests(2 * messages), again, statuses(MPI_STATUS_SIZE, 2 * messages), one(MPI_STATUS_SIZE), line
#define SOURCE(s) s(MPI_SOURCE)
#define TAG(s) s(MPI_TAG)
#define STATUS(i) statuses(:, i)
#endif
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    next = mod(rank + 1, ranks)
    last = mod(rank + ranks - 1, ranks)
    do i = 1, messages
        call MPI_Irecv(in(i), 1, MPI_INTEGER, merge(last, MPI_ANY_SOURCE, mod(i, 2) == 0), 3, MPI_COMM_WORLD, &
                       requests(i), error)
    end do
    do i = 1, messages
        out(i) = 1000 * rank + i
        call MPI_Isend(out(i), 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(messages + i), error)
    end do
    call MPI_Waitall(2 * messages, requests, statuses, error)
    do i = 1, messages
        call need(in(i) == 1000 * last + i)
        one = STATUS(i)
        call need(SOURCE(one) == last .and. TAG(one) == 3)
        call need(requests(i) == MPI_REQUEST_NULL)
    end do
    ! A row of a matrix, which lies with gaps, of a persistent request.
    grid = rank
    call MPI_Type_vector(8, 1, 8, MPI_INTEGER, line, error)
    call MPI_Type_commit(line, error)
    call MPI_Send_init(grid(2, 1), 1, line, next, 4, MPI_COMM_WORLD, again, error)
    do i = 1, 10
        grid(2, :) = 100 * rank + i
        call MPI_Start(again, error)
        found = .false.
        do while (.not. found)
            call MPI_Iprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, found, one, error)
        end do
        call MPI_Get_count(one, MPI_INTEGER, length, error)
        call need(length == 8 .and. SOURCE(one) == last)
        call MPI_Recv(row, 8, MPI_INTEGER, last, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call need(all(row == 100 * last + i))
        call MPI_Wait(again, MPI_STATUS_IGNORE, error)
    end do
    call MPI_Request_free(again, error)
    call MPI_Type_free(line, error)
    call MPI_Sendrecv_replace(rank, 1, MPI_INTEGER, next, 5, last, 5, MPI_COMM_WORLD, one, error)
    call need(rank == last)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (last == 0) print '(a)', 'fortran'
    call MPI_Finalize(error)

contains

    subroutine need(holds)
        logical, intent(in) :: holds
        integer :: ignored
        if (.not. holds) call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
    end subroutine
end program
