! A Fortran program whose communication is known exactly, for 3 ranks; it checks what it receives. With MPIF by mpif.h,
! with USE_MPI by `use mpi`, else by `use mpi_f08`, where no call asks for the error code.
#if defined(MPIF) || defined(USE_MPI)
#define HANDLE(kind) integer
#define ONE_STATUS integer, dimension(MPI_STATUS_SIZE)
#define TWO_STATUSES integer, dimension(MPI_STATUS_SIZE, 2)
#define AND_ERROR , ierror
#else
#define HANDLE(kind) type(kind)
#define ONE_STATUS type(MPI_Status)
#define TWO_STATUSES type(MPI_Status), dimension(2)
#define AND_ERROR
#endif

program profile_fortran
#if defined(MPIF)
  implicit none
  include 'mpif.h'
#elif defined(USE_MPI)
  use mpi
  implicit none
#else
  use mpi_f08
  implicit none
#endif
  integer :: ierror, rank, ranks, next, before, i, provided
  integer :: numbers(300), got(300)
  double precision :: halves(3)
  logical :: yes
  HANDLE(MPI_Comm) :: world

  world = MPI_COMM_WORLD
  call MPI_Init_thread(MPI_THREAD_SINGLE, provided AND_ERROR)
  call MPI_Initialized(yes AND_ERROR)
  call check(yes, 'MPI_Initialized')
  call MPI_Comm_rank(world, rank AND_ERROR)
  call MPI_Comm_size(world, ranks AND_ERROR)
  next = modulo(rank + 1, ranks)
  before = modulo(rank - 1, ranks)
  numbers = [(1000 * rank + i, i = 1, 300)]
  halves = [0.5d0, 1.5d0, 2.5d0]

  call blocking
  call nonblocking
  call completions
  call persistent
  call derived_type
  call communicators
  call probes
  call collectives
  call topologies
  call MPI_Finalize(ierror)
  if (ierror == MPI_SUCCESS) print '(a)', 'correct'

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(a, i0, 2a)', 'rank ', rank, ': wrong: ', what
    call MPI_Abort(world, 3, ierror)
  end subroutine

  ! The first numbers of a rank, as it has them.
  logical function from(source, count)
    integer, intent(in) :: source, count
    from = all(got(1:count) == [(1000 * source + i, i = 1, count)])
    got = -1
  end function

  ! 0 sends 40 and 24 bytes to 1, nothing to nobody, and sections of arrays, 40 and 80 bytes, to 2.
  subroutine blocking
    integer :: sections(60), count
    ONE_STATUS :: status
    got = -1
    if (rank == 0) then
      call MPI_Send(numbers, 10, MPI_INTEGER, 1, 1, world AND_ERROR)
      call MPI_Ssend(halves, 3, MPI_DOUBLE_PRECISION, 1, 2, world AND_ERROR)
      call MPI_Send(numbers, 100, MPI_INTEGER, MPI_PROC_NULL, 1, world AND_ERROR)
      call MPI_Send(numbers(1:20:2), 10, MPI_INTEGER, 2, 3, world AND_ERROR)
      call MPI_Send(numbers(1:60:3), 20, MPI_INTEGER, 2, 3, world, ierror)
      call check(ierror == MPI_SUCCESS, 'ierror')
    else if (rank == 1) then
      call MPI_Recv(got, 100, MPI_INTEGER, 0, 1, world, MPI_STATUS_IGNORE AND_ERROR)
      call check(from(0, 10), 'MPI_Send')
      halves = 0
      call MPI_Recv(halves, 3, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 2, world, status AND_ERROR)
      call check(all(halves == [0.5d0, 1.5d0, 2.5d0]), 'MPI_Ssend')
      call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count AND_ERROR)
      call check(count == 3, 'MPI_Get_count')
    else
      sections = -1
      call MPI_Recv(sections(1:20:2), 10, MPI_INTEGER, 0, 3, world, MPI_STATUS_IGNORE AND_ERROR)
      call check(all(sections(1:20:2) == [(i, i = 1, 20, 2)]), 'a section')
      call check(all(sections(2:20:2) == -1), 'between a section')
      call MPI_Recv(sections(1:60:3), 20, MPI_INTEGER, 0, 3, world, MPI_STATUS_IGNORE AND_ERROR)
      call check(all(sections(1:60:3) == [(i, i = 1, 60, 3)]), 'another section')
    end if
    got = -1
    call MPI_Sendrecv(numbers, 11, MPI_INTEGER, next, 9, got, 300, MPI_INTEGER, before, 9, world, &
                      MPI_STATUS_IGNORE AND_ERROR)
    call check(from(before, 11), 'MPI_Sendrecv')
  end subroutine

  ! Round the ring: rank + 1 numbers, then 5.
  subroutine nonblocking
    HANDLE(MPI_Request) :: requests(2)
    ONE_STATUS :: status
    call MPI_Irecv(got, 100, MPI_INTEGER, before, 4, world, requests(1) AND_ERROR)
    call MPI_Isend(numbers, rank + 1, MPI_INTEGER, next, 4, world, requests(2) AND_ERROR)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE AND_ERROR)
    call check(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 'null requests')
    call check(from(before, before + 1), 'MPI_Waitall')
    call MPI_Irecv(got, 100, MPI_INTEGER, MPI_ANY_SOURCE, 5, world, requests(1) AND_ERROR)
    call MPI_Isend(numbers, 5, MPI_INTEGER, next, 5, world, requests(2) AND_ERROR)
    yes = .false.
    do while (.not. yes)
      call MPI_Test(requests(1), yes, status AND_ERROR)
    end do
    call check(from(before, 5), 'MPI_Test')
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE AND_ERROR)
  end subroutine

  ! Both neighbors get 7, then 9, then 3 numbers; their own are received by each call that completes.
  subroutine completions
    integer, parameter :: counts(3) = [7, 9, 3]
    integer :: call, index, number, indices(2), left, both(100, 2)
    HANDLE(MPI_Request) :: sends(2), receives(2)
    ONE_STATUS :: status
    TWO_STATUSES :: statuses
    do call = 1, 3
      both = -1
      call MPI_Irecv(both(1, 1), 100, MPI_INTEGER, before, call, world, receives(1) AND_ERROR)
      call MPI_Irecv(both(1, 2), 100, MPI_INTEGER, next, call, world, receives(2) AND_ERROR)
      call MPI_Isend(numbers, counts(call), MPI_INTEGER, before, call, world, sends(1) AND_ERROR)
      call MPI_Isend(numbers, counts(call), MPI_INTEGER, next, call, world, sends(2) AND_ERROR)
      left = 2
      yes = .false.
      select case (call)
      case (1)
        do i = 1, 3  ! the last of none; the indices that MPICH 4.0.2 gives are wrong in mpi_f08
          call MPI_Waitany(2, receives, index, MPI_STATUS_IGNORE AND_ERROR)
        end do
      case (2)
        do while (left > 0)
          call MPI_Waitsome(2, receives, number, indices, MPI_STATUSES_IGNORE AND_ERROR)
          left = left - number
        end do
      case (3)
        do while (.not. yes)
          call MPI_Testall(2, receives, yes, MPI_STATUSES_IGNORE AND_ERROR)
        end do
      end select
      call MPI_Waitall(2, sends, statuses AND_ERROR)
      do i = 1, counts(call)
        call check(both(i, 1) == 1000 * before + i .and. both(i, 2) == 1000 * next + i, 'completions')
      end do
    end do
  end subroutine

  ! Six rounds of 64 numbers round the ring.
  subroutine persistent
    HANDLE(MPI_Request) :: requests(2)
    integer :: round
    call MPI_Send_init(numbers, 64, MPI_INTEGER, next, 1, world, requests(1) AND_ERROR)
    call MPI_Recv_init(got, 100, MPI_INTEGER, before, 1, world, requests(2) AND_ERROR)
    do round = 1, 5
      call MPI_Startall(2, requests AND_ERROR)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE AND_ERROR)
      call check(from(before, 64), 'MPI_Startall')
    end do
    do i = 1, 2
      call MPI_Start(requests(i) AND_ERROR)
    end do
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE AND_ERROR)
    call check(from(before, 64), 'MPI_Start')
    call MPI_Request_free(requests(1) AND_ERROR)
    call MPI_Request_free(requests(2) AND_ERROR)
  end subroutine

  ! 4 times 2 numbers of every 3, exchanged in place round the ring.
  subroutine derived_type
    HANDLE(MPI_Datatype) :: strided
    got = [(1000 * rank + i, i = 1, 300)]
    call MPI_Type_vector(4, 2, 3, MPI_INTEGER, strided AND_ERROR)
    call MPI_Type_commit(strided AND_ERROR)
    call MPI_Sendrecv_replace(got, 1, strided, next, 6, before, 6, world, MPI_STATUS_IGNORE AND_ERROR)
    call MPI_Type_free(strided AND_ERROR)
    call check(got(1) == 1000 * before + 1 .and. got(11) == 1000 * before + 11, 'strided')
    call check(got(3) == 1000 * rank + 3, 'between strides')
  end subroutine

  ! In the world backwards, 0 is rank 2.
  subroutine communicators
    HANDLE(MPI_Comm) :: backwards
    character(MPI_MAX_OBJECT_NAME) :: name
    integer :: length, own
    call MPI_Comm_split(world, 0, ranks - rank, backwards AND_ERROR)
    call MPI_Comm_set_name(backwards, 'back' AND_ERROR)
    call MPI_Comm_get_name(backwards, name, length AND_ERROR)
    call check(name == 'back' .and. length == 4, 'MPI_Comm_get_name')
    call MPI_Comm_rank(backwards, own AND_ERROR)
    call check(own == 2 - rank, 'MPI_Comm_split')
    if (rank == 0) call MPI_Send(numbers, 9, MPI_INTEGER, 0, 1, backwards AND_ERROR)
    if (rank == 2) then
      call MPI_Recv(got, 9, MPI_INTEGER, MPI_ANY_SOURCE, 1, backwards, MPI_STATUS_IGNORE AND_ERROR)
      call check(from(0, 9), 'backwards')
    end if
    call MPI_Comm_free(backwards AND_ERROR)
  end subroutine

  ! 0 looks for 6 numbers of 2, then 4 and 5 of 1.
  subroutine probes
    HANDLE(MPI_Message) :: message
    ONE_STATUS :: status
    integer :: count
    if (rank == 2) call MPI_Send(numbers, 6, MPI_INTEGER, 0, 11, world AND_ERROR)
    if (rank == 1) call MPI_Send(numbers, 4, MPI_INTEGER, 0, 12, world AND_ERROR)
    if (rank == 1) call MPI_Send(numbers, 5, MPI_INTEGER, 0, 13, world AND_ERROR)
    if (rank /= 0) return
    call MPI_Probe(MPI_ANY_SOURCE, 11, world, status AND_ERROR)
    call MPI_Get_count(status, MPI_INTEGER, count AND_ERROR)
    call check(count == 6, 'MPI_Probe')
    call MPI_Recv(got, 100, MPI_INTEGER, MPI_ANY_SOURCE, 11, world, MPI_STATUS_IGNORE AND_ERROR)
    call check(from(2, 6), 'a probed message')
    yes = .false.
    do while (.not. yes)
      call MPI_Iprobe(1, 12, world, yes, MPI_STATUS_IGNORE AND_ERROR)
    end do
    call MPI_Recv(got, 100, MPI_INTEGER, 1, 12, world, MPI_STATUS_IGNORE AND_ERROR)
    call check(from(1, 4), 'MPI_Iprobe')
    call MPI_Mprobe(1, 13, world, message, MPI_STATUS_IGNORE AND_ERROR)
    call MPI_Mrecv(got, 100, MPI_INTEGER, message, MPI_STATUS_IGNORE AND_ERROR)
    call check(from(1, 5), 'MPI_Mrecv')
  end subroutine

  subroutine collectives
    integer, parameter :: counts(3) = [1, 2, 3], displacements(3) = [0, 10, 20], equal(3) = 4
    integer, parameter :: displacements_B(3) = [0, 40, 80]
    HANDLE(MPI_Datatype) :: types(3)
    HANDLE(MPI_Request) :: request
    integer :: sums(30)
    call MPI_Barrier(world AND_ERROR)
    got = numbers
    call MPI_Bcast(got, 10, MPI_INTEGER, 1, world AND_ERROR)
    call check(from(1, 10), 'MPI_Bcast')
    sums = rank
    call MPI_Allreduce(MPI_IN_PLACE, sums, 10, MPI_INTEGER, MPI_SUM, world AND_ERROR)
    call check(all(sums(1:10) == 3) .and. all(sums(11:) == rank), 'MPI_Allreduce')
    got = -1
    got(10 * rank + 1:10 * rank + rank + 1) = rank
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INTEGER, got, counts, displacements, MPI_INTEGER, world AND_ERROR)
    call check(got(1) == 0 .and. all(got(11:12) == 1) .and. all(got(21:23) == 2) .and. got(24) == -1, 'MPI_Allgatherv')
    if (rank == 1) then
      got(11:20) = 1
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, got, 10, MPI_INTEGER, 1, world AND_ERROR)
      call check(all(got(1:10) == [(i, i = 1, 10)]) .and. all(got(21:30) == [(2000 + i, i = 1, 10)]), 'MPI_Gather')
    else
      call MPI_Gather(numbers, 10, MPI_INTEGER, got, 10, MPI_INTEGER, 1, world AND_ERROR)
    end if
    call MPI_Scatterv(numbers, counts, displacements, MPI_INTEGER, got, rank + 1, MPI_INTEGER, 1, world AND_ERROR)
    call check(all(got(1:rank + 1) == [(1000 + 10 * rank + i, i = 1, rank + 1)]), 'MPI_Scatterv')
    types = MPI_INTEGER
    call MPI_Alltoallw(numbers, equal, displacements_B, types, got, equal, displacements_B, types, world AND_ERROR)
    call check(all(got(11:14) == [(1000 + 10 * rank + i, i = 1, 4)]), 'MPI_Alltoallw')
    sums = rank
    call MPI_Reduce_scatter(sums, got, counts, MPI_INTEGER, MPI_SUM, world AND_ERROR)
    call check(all(got(1:rank + 1) == 3), 'MPI_Reduce_scatter')
    call MPI_Iallreduce(sums, got, 20, MPI_INTEGER, MPI_MAX, world, request AND_ERROR)
    call MPI_Wait(request, MPI_STATUS_IGNORE AND_ERROR)
    call check(all(got(1:20) == 2), 'MPI_Iallreduce')
  end subroutine

  subroutine topologies
    HANDLE(MPI_Comm) :: ring, part
    integer :: place(1), at, dimensions
    call MPI_Cart_create(world, 1, [3], [.true.], .false., ring AND_ERROR)
    call MPI_Cartdim_get(ring, dimensions AND_ERROR)
    place = rank
    call MPI_Cart_rank(ring, place, at AND_ERROR)
    call check(dimensions == 1 .and. at == rank, 'MPI_Cart_rank')
    call MPI_Neighbor_allgather(numbers, 10, MPI_INTEGER, got, 10, MPI_INTEGER, ring AND_ERROR)
    call check(all(got(1:10) == [(1000 * before + i, i = 1, 10)]), 'MPI_Neighbor_allgather')
    call MPI_Cart_sub(ring, [.true.], part AND_ERROR)
    call MPI_Comm_free(part AND_ERROR)
    call MPI_Comm_free(ring AND_ERROR)
  end subroutine

end program
