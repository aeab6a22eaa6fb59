/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic with a known matrix: rank r sends r + 1 bytes to rank r + 1 and 2 r + 1 bytes to r + 7, modulo the ranks; all reduce 4 ints.
 * Rank 0 prints the largest resident memory of a rank before MPI_Finalize, its own after it, and the time of MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static void pass_on(int rank, int ranks, int step, int bytes, int received)
{
	static char in[1 << 16], out[1 << 16];
	MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + step) % ranks, 0, in, received, MPI_BYTE,
		     (rank + ranks - step % ranks) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

static long resident(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
	int rank, ranks, values[4] = { 0 };
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	pass_on(rank, ranks, 1, rank + 1, 1 << 16);
	pass_on(rank, ranks, 7, 2 * rank + 1, 1 << 16);
	MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	long most, mine = resident();
	MPI_Allreduce(&mine, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
	double start = now();
	MPI_Finalize();
	if (rank == 0)
		printf("%ld %ld %.1f\n", most, resident(), now() - start);
	return 0;
}
