/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bucket sort of integers like NPB IS. In each iteration every rank counts its keys by bucket, and all ranks sum the counts. Each
 * rank then gets buckets with about equally many keys in total, and the keys are sent there. Keys are means of four random numbers,
 * so middle buckets have the most keys.
 *
 *   integer_sort [--keys N] [--iterations N] [--graph MATRIX]
 *
 * --keys is the total number of keys. --graph calls MPI_Dist_graph_create_adjacent with reorder right after MPI_Init, with the edges
 * of a matrix file. That file has the number of ranks and of pairs, then two ranks and their bytes in each line. The program checks
 * the order at the end, and rank 0 prints
 *   run 1234.567 ms from MPI_Init on, median 12.345 ms of 10 iterations
 * The first time includes the work of a library inside MPI_Init. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUCKETS = 1024, KEY_BITS = 19, BUCKET_BITS = 10 };

static int rank, ranks;
static MPI_Comm world = MPI_COMM_NULL;	/* in which the ranks sort */

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void *allocated(size_t elements, size_t size)
{
	void *memory = calloc(elements ? elements : 1, size);
	if (!memory) {
		fprintf(stderr, "integer_sort: rank %d has no memory for %zu keys\n", rank, elements);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return memory;
}

static long number(int argc, char **argv, const char *option, long standard)
{
	for (int i = 1; i + 1 < argc; i += 2)
		if (!strcmp(argv[i], option)) {
			char *end;
			long value = strtol(argv[i + 1], &end, 10);
			if (*end || value < 1 || value > 1L << 30) {
				fprintf(stderr, "integer_sort: %s %s: expected a number from 1 to 2^30\n", option, argv[i + 1]);
				exit(2);
			}
			return value;
		}
	return standard;
}

static void draw(int32_t *keys, long count)
{
	uint64_t x = 314159265u + 2654435761u * (uint64_t)(rank + 1);
	for (long i = 0; i < count; i++) {
		uint64_t sum = 0;
		for (int k = 0; k < 4; k++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			sum += x >> (64 - KEY_BITS);
		}
		keys[i] = (int32_t)(sum / 4);
	}
}

static int bucket_of(int32_t key)
{
	return key >> (KEY_BITS - BUCKET_BITS);
}

/* Which rank gets each bucket, so that the ranks have about as many keys: owner[b] ascends. */
static void share_out(const int *all, int *owner)
{
	long long total = 0, before = 0;
	for (int b = 0; b < BUCKETS; b++)
		total += all[b];
	for (int b = 0; b < BUCKETS; b++) {
		long long at = (before + all[b] / 2) * ranks / (total ? total : 1);
		owner[b] = at < ranks ? (int)at : ranks - 1;
		before += all[b];
	}
}

/* Asks MPI for the order of the ranks that suits the edges of the matrix file. */
static void reorder_by(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];
	int edges = 0, source, target, *peer = allocated(ranks, sizeof(int)), *weight = allocated(ranks, sizeof(int));
	double bytes;
	if (!file || !fgets(line, sizeof(line), file)) {
		fprintf(stderr, "integer_sort: --graph %s cannot be read\n", path);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%d %d %lf", &source, &target, &bytes) == 3 && source != target && (source == rank || target == rank) && edges < ranks) {
			peer[edges] = source == rank ? target : source;
			weight[edges++] = bytes < 1024 ? 1 : bytes > 2e12 ? 2000000000 : (int)(bytes / 1024);
		}
	fclose(file);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, edges, peer, weight, edges, peer, weight, MPI_INFO_NULL, 1, &world);
	MPI_Comm_rank(world, &rank);
	free(peer);
	free(weight);
}

/* One iteration; returns how many keys this rank has then, in *sorted. */
static int sort_once(const int32_t *keys, int count, int32_t **sorted)
{
	int mine[BUCKETS] = { 0 }, all[BUCKETS], owner[BUCKETS], start[BUCKETS], got = 0;
	int *to = allocated(ranks, sizeof(int)), *from = allocated(ranks, sizeof(int));
	int *at_to = allocated(ranks, sizeof(int)), *at_from = allocated(ranks, sizeof(int));
	int32_t *grouped = allocated(count, sizeof(int32_t));

	for (int i = 0; i < count; i++)
		mine[bucket_of(keys[i])]++;
	MPI_Allreduce(mine, all, BUCKETS, MPI_INT, MPI_SUM, world);
	share_out(all, owner);
	for (int b = 0, at = 0; b < BUCKETS; b++) {
		start[b] = at;
		at += mine[b];
		to[owner[b]] += mine[b];
	}
	for (int i = 0; i < count; i++)
		grouped[start[bucket_of(keys[i])]++] = keys[i];
	MPI_Alltoall(to, 1, MPI_INT, from, 1, MPI_INT, world);
	for (int r = 0; r < ranks; r++) {
		at_to[r] = r ? at_to[r - 1] + to[r - 1] : 0;
		at_from[r] = got;
		got += from[r];
	}
	free(*sorted);
	*sorted = allocated(got, sizeof(int32_t));
	MPI_Alltoallv(grouped, to, at_to, MPI_INT32_T, *sorted, from, at_from, MPI_INT32_T, world);
	free(to);
	free(from);
	free(at_to);
	free(at_from);
	free(grouped);
	return got;
}

static int ascending(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

static int ascending_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Whether no key is lost and each rank's keys are above those of the rank before. */
static int is_sorted(int32_t *keys, int count, long total)
{
	long mine = count, all = 0;
	int32_t greatest = -1, before = -1;
	int good = 1, all_good = 0;
	qsort(keys, count, sizeof(*keys), ascending);
	MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, world);
	if (count)
		greatest = keys[count - 1];
	MPI_Exscan(&greatest, &before, 1, MPI_INT32_T, MPI_MAX, world);
	if (rank > 0 && count)
		good = bucket_of(keys[0]) > bucket_of(before) || before < 0;
	MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_LAND, world);
	return all_good && all == total;
}

int main(int argc, char **argv)
{
	const double begin = now_ms();
	const long total = number(argc, argv, "--keys", 1 << 20);
	const int iterations = (int)number(argc, argv, "--iterations", 10);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	const char *graph = NULL;
	for (int i = 1; i + 1 < argc; i += 2)
		if (!strcmp(argv[i], "--graph"))
			graph = argv[i + 1];
	if (graph)
		reorder_by(graph);
	else
		world = MPI_COMM_WORLD;
	const int count = (int)(total / ranks + (rank < total % ranks));
	int32_t *keys = allocated(count, sizeof(*keys)), *sorted = NULL;
	double *each = allocated(iterations, sizeof(*each));
	int got = 0;
	draw(keys, count);
	for (int i = 0; i < iterations; i++) {
		MPI_Barrier(world);
		const double start = now_ms();
		got = sort_once(keys, count, &sorted);
		each[i] = now_ms() - start;
	}
	MPI_Reduce(rank ? each : MPI_IN_PLACE, each, iterations, MPI_DOUBLE, MPI_MAX, 0, world);
	const double run = now_ms() - begin;
	const int good = is_sorted(sorted, got, total);
	if (rank == 0) {
		qsort(each, iterations, sizeof(*each), ascending_times);
		printf("run %.3f ms from MPI_Init on, median %.3f ms of %d iterations\n", run, each[iterations / 2], iterations);
		if (!good)
			fprintf(stderr, "integer_sort: the keys are not in order\n");
	}
	free(keys);
	free(sorted);
	free(each);
	MPI_Finalize();
	return good ? 0 : 1;
}
