! SPDX-License-Identifier: GPL-2.0-or-later
! The same calls through each Fortran interface: -Duse_mpif_h, -Duse_mpi or -Duse_mpi_f08. 2 ranks.
program traffic
#if defined(use_mpi)
  use mpi
#elif defined(use_mpi_f08)
  use mpi_f08
#endif
  implicit none
#if defined(use_mpif_h)
  include 'mpif.h'
#endif
#if defined(use_mpi_f08)
#define INTEGER_OR(kind) type(kind)
#define STATUS type(MPI_Status)
#else
#define INTEGER_OR(kind) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#endif
  integer :: ierr, rank, step, numbers(100), window_memory(10)
  double precision :: reals(10), sums(2)
  INTEGER_OR(MPI_Request) :: request
  INTEGER_OR(MPI_Win) :: win
  INTEGER_OR(MPI_Comm) :: copy
  STATUS :: state
  integer(kind=MPI_ADDRESS_KIND) :: bytes, offset

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  numbers = 0
  reals = 0
  sums = 1
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
  if (rank == 0) then
    call MPI_Send(numbers, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    call MPI_Recv(reals, 10, MPI_DOUBLE_PRECISION, 1, 0, copy, state, ierr)
    call MPI_Send_init(numbers, 3, MPI_INTEGER, 1, 7, copy, request, ierr)
    do step = 1, 2
      call MPI_Start(request, ierr)
      call MPI_Wait(request, state, ierr)
    end do
    call MPI_Request_free(request, ierr)
  else
    call MPI_Recv(numbers, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, state, ierr)
    call MPI_Isend(reals, 10, MPI_DOUBLE_PRECISION, 0, 0, copy, request, ierr)
    call MPI_Wait(request, state, ierr)
    do step = 1, 2
      call MPI_Recv(numbers, 3, MPI_INTEGER, 0, 7, copy, MPI_STATUS_IGNORE, ierr)
    end do
  end if
  call MPI_Bcast(reals, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, copy, ierr)
  if (sums(1) /= 2) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  bytes = 40
  offset = 0
  call MPI_Win_create(window_memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  if (rank == 0) call MPI_Put(numbers, 1, MPI_INTEGER, 1, offset, 1, MPI_INTEGER, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  call MPI_Comm_free(copy, ierr)
  call MPI_Finalize(ierr)
end program traffic
