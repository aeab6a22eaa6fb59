/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A halo exchange on a grid of ranks: in each iteration, every rank exchanges messages with its neighbours and
 * waits for all of them. The positions of the ranks in the grid are shuffled, as in many codes after load
 * balancing. So ranks with adjacent numbers are not neighbours, and a scheduler that ignores the traffic
 * separates neighbours.
 *
 *   halo [--grid X[xY[xZ]]] [--periodic] [--bytes B[,B[,B]]] [--iterations N] [--warmup N] [--seed S]
 *        [--work M] [--graph] [--matrix FILE]
 *
 * --bytes is the message size along each axis. --matrix writes the communication matrix of one iteration, in
 * bytes, to FILE as dense text, and runs nothing; it needs no MPI launcher.
 * With --work each rank also computes M million multiplications in each iteration.
 * With --graph the ranks are those of a communicator of MPI_Dist_graph_create_adjacent with reorder, and a
 * line has the time of that call:
 *   graph made in 1.234 ms
 * Prints the host of each rank, one line per rank:
 *   rank R of N on HOST slurm NODE
 * Rank 0 prints the median and the extremes of the slowest rank's time per iteration:
 *   median 12.345 ms, least 11.9 ms, most 14.2 ms over 50 iterations of 1.00 MB */
#include <errno.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AXES = 3, MAX_RANKS = 4096 };

struct halo {
	int side[AXES];		/* of the grid of ranks */
	int periodic;
	int graph;		/* let MPI reorder the ranks */
	MPI_Comm comm;		/* whose ranks make the grid */
	long bytes[AXES];	/* of one message along each axis */
	int iterations, warmup;
	long work;		/* million multiplications of a rank in each iteration */
	unsigned long seed;
	const char *matrix;	/* file to write, or NULL */
	int ranks;
	int rank_at[MAX_RANKS];	/* the shuffle: rank at each cell, and cell of each rank */
	int cell_of[MAX_RANKS];
};

static void usage(const char *why, const char *value)
{
	fprintf(stderr, "halo: %s '%s'\n"
		"usage: halo [--grid X[xY[xZ]]] [--periodic] [--bytes B[,B[,B]]] [--iterations N]\n"
		"            [--warmup N] [--seed S] [--work M] [--graph] [--matrix FILE]\n", why, value);
	exit(2);
}

static long number(const char *option, const char *text, char **end, long least, long most)
{
	errno = 0;
	long value = strtol(text, end, 10);
	if (errno || *end == text || value < least || value > most)
		usage(option, text);
	return value;
}

/* Reads one to three numbers with the separator between them into `out`. Returns how many. */
static int numbers(const char *option, const char *text, char separator, long most, long out[AXES])
{
	char *end = NULL;
	int count = 0;
	do {
		if (count == AXES)
			usage(option, text);
		out[count] = number(option, count ? end + 1 : text, &end, 1, most);
		count++;
	} while (*end == separator);
	if (*end)
		usage(option, text);
	return count;
}

static void parse(int argc, char **argv, struct halo *h)
{
	long list[AXES];
	char *end;
	for (int i = 1; i < argc; i++) {
		const char *option = argv[i];
		if (!strcmp(option, "--periodic")) {
			h->periodic = 1;
			continue;
		}
		if (!strcmp(option, "--graph")) {
			h->graph = 1;
			continue;
		}
		if (i + 1 == argc)
			usage("unknown option, or no value after", option);
		const char *value = argv[++i];
		if (!strcmp(option, "--grid")) {
			int axes = numbers(option, value, 'x', MAX_RANKS, list);
			for (int a = 0; a < AXES; a++)
				h->side[a] = a < axes ? (int)list[a] : 1;
		} else if (!strcmp(option, "--bytes")) {
			int axes = numbers(option, value, ',', 1 << 28, list);
			for (int a = 0; a < AXES; a++)
				h->bytes[a] = list[a < axes ? a : axes - 1];
		} else if (!strcmp(option, "--iterations")) {
			h->iterations = (int)number(option, value, &end, 1, 1000000);
		} else if (!strcmp(option, "--warmup")) {
			h->warmup = (int)number(option, value, &end, 0, 1000000);
		} else if (!strcmp(option, "--seed")) {
			h->seed = (unsigned long)number(option, value, &end, 0, 1L << 30);
		} else if (!strcmp(option, "--work")) {
			h->work = number(option, value, &end, 0, 1000000);
		} else if (!strcmp(option, "--matrix")) {
			h->matrix = value;
		} else {
			usage("unknown option", option);
		}
	}
	int64_t ranks = (int64_t)h->side[0] * h->side[1];
	if (ranks <= MAX_RANKS)
		ranks *= h->side[2];
	if (ranks > MAX_RANKS)
		usage("--grid", "more than 4096 ranks");
	h->ranks = (int)ranks;
}

/* Seed 0 leaves ranks in the order of the cells. */
static void shuffle(struct halo *h)
{
	uint64_t x = h->seed * 0x9e3779b97f4a7c15u;
	for (int i = 0; i < h->ranks; i++)
		h->rank_at[i] = i;
	for (int i = h->ranks - 1; i > 0 && h->seed; i--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		int j = (int)((x >> 33) % (unsigned)(i + 1)), swap = h->rank_at[i];
		h->rank_at[i] = h->rank_at[j];
		h->rank_at[j] = swap;
	}
	for (int i = 0; i < h->ranks; i++)
		h->cell_of[h->rank_at[i]] = i;
}

/* The neighbours of a rank: fills peer and axis, returns how many. */
static int neighbours(const struct halo *h, int rank, int peer[2 * AXES], int axis[2 * AXES])
{
	int at[AXES], count = 0, rest = h->cell_of[rank];
	for (int a = 0; a < AXES; a++) {
		at[a] = rest % h->side[a];
		rest /= h->side[a];
	}
	for (int a = 0; a < AXES; a++) {
		for (int step = -1; step <= 1; step += 2) {
			int to[AXES] = { at[0], at[1], at[2] };
			to[a] += step;
			if (h->periodic)
				to[a] = (to[a] + h->side[a]) % h->side[a];
			if (to[a] < 0 || to[a] >= h->side[a] || to[a] == at[a])
				continue;
			peer[count] = h->rank_at[(to[2] * h->side[1] + to[1]) * h->side[0] + to[0]];
			axis[count++] = a;
		}
	}
	return count;
}

static int write_matrix(const struct halo *h)
{
	FILE *file = fopen(h->matrix, "w");
	long *row = calloc(h->ranks, sizeof *row);
	int peer[2 * AXES], axis[2 * AXES];
	if (!file || !row) {
		fprintf(stderr, "halo: %s: %s\n", h->matrix, strerror(errno));
		return 1;
	}
	fprintf(file, "%d\n", h->ranks);
	for (int r = 0; r < h->ranks; r++) {
		memset(row, 0, h->ranks * sizeof *row);
		int count = neighbours(h, r, peer, axis);
		for (int i = 0; i < count; i++)
			row[peer[i]] += h->bytes[axis[i]];
		for (int c = 0; c < h->ranks; c++)
			fprintf(file, "%ld%c", row[c], c + 1 < h->ranks ? ' ' : '\n');
	}
	free(row);
	if (fclose(file)) {
		fprintf(stderr, "halo: %s: %s\n", h->matrix, strerror(errno));
		return 1;
	}
	return 0;
}

static void say_where(int rank, int ranks)
{
	const char *node = getenv("SLURMD_NODENAME");
	char host[256] = "", line[1024];
	gethostname(host, sizeof host - 1);
	/* One write per rank, so that lines of different ranks are not mixed. */
	snprintf(line, sizeof line, "rank %d of %d on %s slurm %s\n", rank, ranks, host, node ? node : "-");
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Nobody looks at the result, but the compiler does not know. */
static void compute(long million)
{
	volatile double result;
	double x = 1;
	for (long i = 0; i < million * 1000000; i++)
		x *= 1.0000001;
	result = x;
	(void)result;
}

/* One iteration: all receives, all sends, all done. */
static void exchange(const struct halo *h, int count, const int *peer, const int *axis, char **in, char *out)
{
	MPI_Request request[4 * AXES];
	for (int i = 0; i < count; i++)
		MPI_Irecv(in[i], (int)h->bytes[axis[i]], MPI_BYTE, peer[i], axis[i], h->comm, &request[i]);
	for (int i = 0; i < count; i++)
		MPI_Isend(out, (int)h->bytes[axis[i]], MPI_BYTE, peer[i], axis[i], h->comm,
			  &request[count + i]);
	MPI_Waitall(2 * count, request, MPI_STATUSES_IGNORE);
}

/* Passes the graph of neighbours to MPI, which may reorder the ranks. Returns this process's rank. */
static int make_graph(struct halo *h, int rank)
{
	int peer[2 * AXES], axis[2 * AXES], weight[2 * AXES];
	int count = neighbours(h, rank, peer, axis);
	for (int i = 0; i < count; i++)
		weight[i] = (int)h->bytes[axis[i]];
	MPI_Barrier(MPI_COMM_WORLD);
	double most, took, start = MPI_Wtime();
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, peer, weight, count, peer, weight, MPI_INFO_NULL, 1,
				       &h->comm);
	took = MPI_Wtime() - start;
	MPI_Comm_rank(h->comm, &rank);
	MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, h->comm);
	if (rank == 0)
		printf("graph made in %.3f ms\n", most * 1e3);
	return rank;
}

static void run(const struct halo *h, int rank)
{
	int peer[2 * AXES], axis[2 * AXES];
	long largest = 0;
	double bytes = 0, total, *each = calloc(h->iterations, sizeof *each);
	int count = neighbours(h, rank, peer, axis);
	char *in[2 * AXES], *out;

	for (int a = 0; a < AXES; a++)
		largest = h->bytes[a] > largest ? h->bytes[a] : largest;
	out = calloc(1, largest);
	for (int i = 0; i < count; i++) {
		in[i] = calloc(1, h->bytes[axis[i]]);
		bytes += h->bytes[axis[i]];
	}
	for (int i = -h->warmup; i < h->iterations; i++) {
		MPI_Barrier(h->comm);
		double took, start = MPI_Wtime();
		compute(h->work);
		exchange(h, count, peer, axis, in, out);
		took = MPI_Wtime() - start;
		if (i >= 0)
			each[i] = took;
	}
	MPI_Reduce(rank ? each : MPI_IN_PLACE, each, h->iterations, MPI_DOUBLE, MPI_MAX, 0, h->comm);
	MPI_Reduce(&bytes, &total, 1, MPI_DOUBLE, MPI_SUM, 0, h->comm);
	if (rank == 0) {
		qsort(each, h->iterations, sizeof *each, ascending);
		printf("median %.3f ms, least %.3f ms, most %.3f ms over %d iterations of %.2f MB\n",
		       each[h->iterations / 2] * 1e3, each[0] * 1e3, each[h->iterations - 1] * 1e3,
		       h->iterations, total / 1e6);
	}
	for (int i = 0; i < count; i++)
		free(in[i]);
	free(out);
	free(each);
}

int main(int argc, char **argv)
{
	static struct halo h = {
		.side = { 4, 2, 1 }, .bytes = { 65536, 65536, 65536 }, .iterations = 50, .warmup = 5, .seed = 1
	};
	int rank, ranks;

	parse(argc, argv, &h);
	shuffle(&h);
	if (h.matrix)
		return write_matrix(&h);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks != h.ranks) {
		if (rank == 0)
			fprintf(stderr, "halo: the grid has %d ranks and there are %d\n", h.ranks, ranks);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	h.comm = MPI_COMM_WORLD;
	if (h.graph)
		rank = make_graph(&h, rank);
	say_where(rank, ranks);
	run(&h, rank);
	MPI_Finalize();
	return 0;
}
