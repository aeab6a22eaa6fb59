/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each rank prints its place as MPI and the kernel see it:
 *   rank R of N on HOST slurm NODE sharing K sum S cpus LIST
 * HOST is the host name, NODE is Slurm's name of the node, and K the number of ranks that share memory with this
 * one. S is the sum of all ranks, which proves that all communicate. LIST has the CPUs of the affinity mask.
 * With an argument, rank 0 then waits that many seconds. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void cpu_list(char *text, size_t size)
{
	cpu_set_t set;
	size_t used = 0;
	text[0] = '\0';
	if (sched_getaffinity(0, sizeof set, &set))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE && used + 8 < size; cpu++)
		if (CPU_ISSET(cpu, &set))
			used += snprintf(text + used, size - used, "%s%d", used ? "," : "", cpu);
}

int main(int argc, char **argv)
{
	int rank, ranks, sharing, sum = 0;
	char host[256] = "", cpus[1024], line[2048];
	const char *node = getenv("SLURMD_NODENAME");
	MPI_Comm shared;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
	MPI_Comm_size(shared, &sharing);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	gethostname(host, sizeof host - 1);
	cpu_list(cpus, sizeof cpus);
	/* One write per rank, so that lines of different ranks are not mixed. */
	snprintf(line, sizeof line, "rank %d of %d on %s slurm %s sharing %d sum %d cpus %s\n", rank, ranks,
		 host, node ? node : "-", sharing, sum, cpus);
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		return 1;
	if (argc > 1 && rank == 0)
		sleep(atoi(argv[1]));
	MPI_Comm_free(&shared);
	MPI_Finalize();
	return 0;
}
