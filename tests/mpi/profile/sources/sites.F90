! Calls of MPI from places that are known: see the comments. 2 ranks.
program sites
#ifdef F08
   use mpi_f08
   implicit none
#else
   implicit none
   include "mpif.h"
#endif
   integer :: ierror, rank, step
   integer :: data(10), total(10)
   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror) ! rank
   data = rank
   do step = 1, 3
      call MPI_Allreduce(data, total, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror) ! sum
   end do
   call MPI_Finalize(ierror)
end program
