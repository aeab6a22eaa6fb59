/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three programs whose traffic no grid describes.
 *
 *   irregular graph|transpose|particles [--iterations N] [--size N]
 *
 * graph      sums along the edges of an R-MAT graph (Chakrabarti, Zhan, Faloutsos, SDM 2004; the quadrants of Graph500) of 2^N vertices,
 *            sixteen edges each: each rank sends the values of its vertices to the ranks that have an edge to them [16]
 * transpose  the all-to-all exchange of a matrix that is distributed by rows, as in a two-dimensional transform; N rows [1024]
 * particles  each rank has a cloud of N particles; four swarms of clouds pass each other, and clouds that are near each other swap their
 *            particles, so that the neighbours of a rank change from step to step [8192]. The ranks of a swarm are drawn, as after a
 *            sort of the particles or a balance of the load.
 * Each checks its result, and prints where its ranks are and the time of an iteration of the slowest rank:
 *   rank R of N on HOST
 *   median 12.345 ms, least 11.900 ms, most 14.200 ms over 20 iterations */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EDGES_PER_VERTEX = 16, SWARMS = 4, NAME = 64, TAG = 1 };

static int rank, ranks;

static void fail(const char *what)
{
	fprintf(stderr, "irregular: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static void *allocated(size_t elements, size_t size)
{
	void *memory = calloc(elements ? elements : 1, size);
	if (!memory)
		fail("out of memory: use a smaller --size");
	return memory;
}

static uint64_t drawn(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;	/* splitmix64 */
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static double fraction(uint64_t *state)
{
	return (double)(drawn(state) >> 11) / 9007199254740992.0;
}

/* An exchange of doubles. Each rank knows how many it sends to each other rank, and how many it gets. */
struct exchange {
	int *send, *receive;	/* doubles for and from each rank */
	double **out, **in;
};

static struct exchange make_exchange(void)
{
	return (struct exchange){ allocated(ranks, sizeof(int)), allocated(ranks, sizeof(int)), allocated(ranks, sizeof(double *)),
				  allocated(ranks, sizeof(double *)) };
}

static void swap(struct exchange *e)
{
	MPI_Request *requests = allocated(2 * (size_t)ranks, sizeof(*requests));
	int started = 0;
	for (int r = 0; r < ranks; r++)
		if (e->receive[r] && r != rank)
			MPI_Irecv(e->in[r], e->receive[r], MPI_DOUBLE, r, TAG, MPI_COMM_WORLD, &requests[started++]);
	for (int r = 0; r < ranks; r++)
		if (e->send[r] && r != rank)
			MPI_Isend(e->out[r], e->send[r], MPI_DOUBLE, r, TAG, MPI_COMM_WORLD, &requests[started++]);
	MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
	free(requests);
}

/* ---- graph */

struct graph {
	long vertices, each;	/* of all ranks, of one */
	struct exchange values;
	int **wanted;		/* local numbers of the vertices that each rank expects from this one */
	double *value, *sum;
	long edges;
	int *from_rank;		/* of each edge that leads here: the rank of its source, its place in what that rank sends, its target */
	int *from_place, *to;
};

/* The end of one edge; every rank draws all edges, and keeps those that lead to its vertices. */
static void edge(uint64_t *state, int scale, long *from, long *to)
{
	*from = *to = 0;
	for (int bit = 0; bit < scale; bit++) {
		const double x = fraction(state);
		*from = *from << 1 | (x >= .76);
		*to = *to << 1 | ((x >= .57 && x < .76) || x >= .95);
	}
}

static void make_graph(struct graph *g, int scale)
{
	uint64_t state = 20;
	g->vertices = 1L << scale;
	g->each = (g->vertices + ranks - 1) / ranks;
	const long all = g->vertices * EDGES_PER_VERTEX;
	int *place = allocated(g->vertices, sizeof(int));	/* index of a vertex in the request to its rank, from 1 on */
	int *wanted = allocated(g->vertices, sizeof(int));
	int *from = allocated(all, sizeof(int)), *to = allocated(all, sizeof(int));
	g->values = make_exchange();
	for (long k = 0; k < all; k++) {
		long a, b;
		edge(&state, scale, &a, &b);
		if (b / g->each != rank)
			continue;
		from[g->edges] = (int)a;
		to[g->edges++] = (int)(b % g->each);
		if (!place[a])
			place[a] = ++g->values.receive[a / g->each];
	}
	g->from_rank = allocated(g->edges, sizeof(int));
	g->from_place = allocated(g->edges, sizeof(int));
	g->to = allocated(g->edges, sizeof(int));
	for (long k = 0; k < g->edges; k++) {
		g->from_rank[k] = (int)(from[k] / g->each);
		g->from_place[k] = place[from[k]] - 1;
		g->to[k] = to[k];
	}
	MPI_Alltoall(g->values.receive, 1, MPI_INT, g->values.send, 1, MPI_INT, MPI_COMM_WORLD);
	g->wanted = allocated(ranks, sizeof(int *));
	for (int r = 0; r < ranks; r++) {
		g->values.in[r] = allocated(g->values.receive[r], sizeof(double));
		g->values.out[r] = allocated(g->values.send[r], sizeof(double));
		g->wanted[r] = allocated(g->values.send[r], sizeof(int));
	}
	MPI_Request *requests = allocated(2 * (size_t)ranks, sizeof(*requests));
	for (int r = 0; r < ranks; r++)
		MPI_Irecv(g->wanted[r], g->values.send[r], MPI_INT, r, TAG, MPI_COMM_WORLD, &requests[r]);
	for (int r = 0; r < ranks; r++) {
		int *list = wanted + (long)r * g->each < wanted + g->vertices ? wanted + (long)r * g->each : wanted;
		for (long v = (long)r * g->each; v < g->vertices && v < (long)(r + 1) * g->each; v++)
			if (place[v])
				list[place[v] - 1] = (int)(v % g->each);
		MPI_Isend(list, g->values.receive[r], MPI_INT, r, TAG, MPI_COMM_WORLD, &requests[ranks + r]);
	}
	MPI_Waitall(2 * ranks, requests, MPI_STATUSES_IGNORE);
	g->value = allocated(g->each, sizeof(double));
	g->sum = allocated(g->each, sizeof(double));
	for (long v = 0; v < g->each; v++)
		g->value[v] = 1;
	free(requests);
	free(place);
	free(wanted);
	free(from);
	free(to);
}

/* Each vertex gets the sum over the edges that lead to it. Returns whether all sums add up to the number of edges. */
static int graph_step(struct graph *g)
{
	for (int r = 0; r < ranks; r++)
		for (int k = 0; k < g->values.send[r]; k++)
			(r == rank ? g->values.in : g->values.out)[r][k] = g->value[g->wanted[r][k]];
	swap(&g->values);
	memset(g->sum, 0, g->each * sizeof(double));
	double total = 0;
	for (long k = 0; k < g->edges; k++)
		g->sum[g->to[k]] += g->values.in[g->from_rank[k]][g->from_place[k]];
	for (long v = 0; v < g->each; v++)
		total += g->sum[v];
	return fabs(total - (double)g->edges) < .5;
}

/* ---- transpose */

struct matrix {
	long rows, each;
	double *mine, *other;
};

static void make_matrix(struct matrix *m, long rows)
{
	m->each = (rows + ranks - 1) / ranks;
	m->rows = m->each * ranks;
	m->mine = allocated(m->each * m->rows, sizeof(double));
	m->other = allocated(m->each * m->rows, sizeof(double));
}

/* Element (i, j) is i * rows + j; block r of a rank's memory holds its columns of rank r. */
static int transpose_step(struct matrix *m)
{
	const long block = m->each * m->each;
	for (int r = 0; r < ranks; r++)
		for (long i = 0; i < m->each; i++)
			for (long j = 0; j < m->each; j++)
				m->mine[r * block + j * m->each + i] = (double)((rank * m->each + i) * m->rows + r * m->each + j);
	MPI_Alltoall(m->mine, (int)block, MPI_DOUBLE, m->other, (int)block, MPI_DOUBLE, MPI_COMM_WORLD);
	for (int r = 0; r < ranks; r++)
		if (m->other[r * block + m->each - 1] != (double)((r * m->each + m->each - 1) * m->rows + rank * m->each))
			return 0;
	return 1;
}

/* ---- particles */

struct clouds {
	int *swarm;		/* of each rank */
	double *phase;		/* of each rank within its swarm, 0 to 1 */
	struct exchange copies;
	double *particles;
	long each;
	int step;
};

static void make_clouds(struct clouds *c, long each)
{
	uint64_t state = 7;
	c->swarm = allocated(ranks, sizeof(int));
	c->phase = allocated(ranks, sizeof(double));
	for (int r = 0; r < ranks; r++)
		c->swarm[r] = r % SWARMS;
	for (int r = ranks - 1; r > 0; r--) {
		const int other = (int)(drawn(&state) % (uint64_t)(r + 1)), kept = c->swarm[r];
		c->swarm[r] = c->swarm[other];
		c->swarm[other] = kept;
	}
	for (int r = 0; r < ranks; r++)
		c->phase[r] = fraction(&state);
	c->each = each;
	c->particles = allocated(each, sizeof(double));
	c->copies = make_exchange();
	for (int r = 0; r < ranks; r++) {
		c->copies.out[r] = c->particles;
		c->copies.in[r] = allocated(each, sizeof(double));
	}
}

/* Swarms circle about the centre of the plane, each at a speed of its own, and clouds about the centre of their swarm. */
static void position(const struct clouds *c, int r, double *x, double *y)
{
	const double round = 6.283185307179586, t = c->step * .02;
	const int s = c->swarm[r];
	*x = 2 * cos(round * (s / (double)SWARMS + t * (s % 2 ? 1 : -.6))) + .6 * cos(round * (c->phase[r] + 2 * t));
	*y = 2 * sin(round * (s / (double)SWARMS + t * (s % 2 ? 1 : -.6))) + .6 * sin(round * (c->phase[r] + 2 * t));
}

/* Clouds less than one unit from each other swap all particles, those farther away, up to two units, an eighth of them. */
static int particles_step(struct clouds *c)
{
	double x, y, there_x, there_y;
	position(c, rank, &x, &y);
	for (int r = 0; r < ranks; r++) {
		position(c, r, &there_x, &there_y);
		const double distance = hypot(x - there_x, y - there_y);
		c->copies.send[r] = c->copies.receive[r] = r == rank || distance > 2 ? 0 : (int)(distance < 1 ? c->each : c->each / 8);
	}
	for (long k = 0; k < c->each; k++)
		c->particles[k] = rank + c->step * .5;
	swap(&c->copies);
	for (int r = 0; r < ranks; r++)
		if (c->copies.receive[r] && c->copies.in[r][c->copies.receive[r] - 1] != r + c->step * .5)
			return 0;
	c->step++;
	return 1;
}

/* ---- all three */

static long number(int argc, char **argv, const char *option, long standard, long most)
{
	for (int k = 2; k + 1 < argc; k += 2)
		if (!strcmp(argv[k], option)) {
			char *end;
			const long value = strtol(argv[k + 1], &end, 10);
			if (*end || value < 1 || value > most) {
				fprintf(stderr, "irregular: %s %s: expected a number from 1 to %ld\n", option, argv[k + 1], most);
				exit(2);
			}
			return value;
		}
	return standard;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void tell(double *times, int iterations)
{
	char name[NAME] = "", *all = allocated(ranks, NAME);
	gethostname(name, NAME - 1);
	MPI_Gather(name, NAME, MPI_CHAR, all, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Reduce(rank ? times : MPI_IN_PLACE, times, iterations, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		for (int r = 0; r < ranks; r++)
			printf("rank %d of %d on %s\n", r, ranks, all + r * NAME);
		qsort(times, iterations, sizeof(*times), ascending);
		printf("median %.3f ms, least %.3f ms, most %.3f ms over %d iterations\n", times[iterations / 2], times[0], times[iterations - 1],
		       iterations);
	}
	free(all);
}

int main(int argc, char **argv)
{
	const char *program = argc > 1 ? argv[1] : "";
	const int is_graph = !strcmp(program, "graph"), is_transpose = !strcmp(program, "transpose");
	if ((!is_graph && !is_transpose && strcmp(program, "particles") != 0) || argc % 2) {
		fprintf(stderr, "usage: irregular graph|transpose|particles [--iterations N] [--size N]\n");
		return 2;
	}
	const int iterations = (int)number(argc, argv, "--iterations", 20, 100000);
	const long size = is_graph ? number(argc, argv, "--size", 16, 24) : number(argc, argv, "--size", is_transpose ? 1024 : 8192, 1 << 20);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	struct graph graph = { 0 };
	struct matrix matrix = { 0 };
	struct clouds clouds = { 0 };
	if (is_graph)
		make_graph(&graph, (int)size);
	else if (is_transpose)
		make_matrix(&matrix, size);
	else
		make_clouds(&clouds, size);
	double *times = allocated(iterations, sizeof(*times));
	for (int k = 0; k < iterations; k++) {
		MPI_Barrier(MPI_COMM_WORLD);
		const double begin = MPI_Wtime();
		if (!(is_graph ? graph_step(&graph) : is_transpose ? transpose_step(&matrix) : particles_step(&clouds)))
			fail("a message was lost or changed");
		times[k] = 1e3 * (MPI_Wtime() - begin);
	}
	tell(times, iterations);
	free(times);
	MPI_Finalize();
	return 0;
}
