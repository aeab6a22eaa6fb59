/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small programs with different ways to communicate, to be recorded by contrib/evaluation/nla-simgrid under SimGrid's SMPI:
 *
 *   nla_programs NAME FLOPS BYTES ITERATIONS
 *
 *   halo        a grid without ends, BYTES to each of four neighbours
 *   allreduce   two sums of BYTES over all ranks
 *   alltoall    BYTES from each rank to each other
 *   sweep       a wave through the grid, corner to corner and back, BYTES from rank to rank
 *   small       32 messages of BYTES to a partner that changes, one after the other
 *   master      rank 0 hands out tasks of BYTES one by one, and gets a tenth of that back
 *   barrier     nothing but a barrier
 *   uneven      a halo, and the last rank computes twice what the first does
 *   drift       a halo, and each time another rank computes four times as much
 *   phases      a halo; every fourth time also an exchange of all with all and a sum
 *   brick       conjugate gradients on a brick of finite elements: BYTES to each neighbour behind a face, the shares of edges and
 *               corners, and two sums of 8 bytes
 *   melt        atoms in a periodic cube of BYTES lattice cells in each dimension, as miniMD and LAMMPS' melt: positions of the atoms
 *               near each border go to the neighbour, and forces come back. For 32 ranks and 16 cells, the messages are those of LAMMPS
 *
 * Each rank computes FLOPS in each iteration (the master nothing). No data are touched, so that a recording is the same
 * on every machine. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, side_x, side_y, bytes;
static double flops;
static char *out, *in;

static void settle_grid(void)
{
	for (side_x = 1; (side_x + 1) * (side_x + 1) <= ranks; side_x++)
		;
	while (ranks % side_x)
		side_x--;
	side_y = ranks / side_x;
}

static int at(int x, int y)
{
	return (y + side_y) % side_y * side_x + (x + side_x) % side_x;
}

static void halo(int tag)
{
	int x = rank % side_x, y = rank / side_x;
	int to[4] = { at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1) };
	MPI_Request requests[8];

	for (int k = 0; k < 4; k++) {
		MPI_Irecv(in, bytes, MPI_BYTE, to[k], tag + k, MPI_COMM_WORLD, &requests[k]);
		MPI_Isend(out, bytes, MPI_BYTE, to[k], tag + (k ^ 1), MPI_COMM_WORLD, &requests[4 + k]);
	}
	MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static void sum(void)
{
	MPI_Allreduce(out, in, (bytes + 7) / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void exchange_all(void)
{
	MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void wave(int step)
{
	int x = rank % side_x, y = rank / side_x, tag = step + 2;
	int before[2] = { x - step, y - step }, after[2] = { x + step, y + step };

	if (before[0] >= 0 && before[0] < side_x)
		MPI_Recv(in, bytes, MPI_BYTE, at(before[0], y), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (before[1] >= 0 && before[1] < side_y)
		MPI_Recv(in, bytes, MPI_BYTE, at(x, before[1]), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	smpi_execute_flops(flops / 2);
	if (after[0] >= 0 && after[0] < side_x)
		MPI_Send(out, bytes, MPI_BYTE, at(after[0], y), tag, MPI_COMM_WORLD);
	if (after[1] >= 0 && after[1] < side_y)
		MPI_Send(out, bytes, MPI_BYTE, at(x, after[1]), tag, MPI_COMM_WORLD);
}

static void small(int iteration)
{
	int partner = rank ^ (1 + iteration % (ranks - 1));

	for (int k = 0; k < 32 && partner < ranks; k++)
		MPI_Sendrecv(out, bytes, MPI_BYTE, partner, 0, in, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
}

/* The ranks take fixed turns, because the order in which they come depends on the machine. */
static void master(int iterations)
{
	int answer = bytes / 10 + 1;

	for (int i = 0; i < iterations; i++) {
		if (rank > 0) {
			MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			smpi_execute_flops(flops);
			MPI_Send(out, answer, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
			continue;
		}
		for (int worker = 1; worker < ranks; worker++) {
			if (i > 0)
				MPI_Recv(in, answer, MPI_BYTE, worker, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Send(out, bytes, MPI_BYTE, worker, 0, MPI_COMM_WORLD);
		}
	}
	for (int worker = 1; rank == 0 && worker < ranks; worker++)
		MPI_Recv(in, answer, MPI_BYTE, worker, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Neighbours behind faces, edges and corners of a part of the brick, which has no periodic ends. A face of BYTES has edges of the
 * square root of its doubles. */
static void exchange_brick(int tag)
{
	static int side[3];
	MPI_Request requests[52];
	int count = 0, edge = 8;

	if (!side[0])
		MPI_Dims_create(ranks, 3, side);
	while ((edge / 8 + 1) * (edge / 8 + 1) * 8 <= bytes)
		edge += 8;
	for (int k = 0; k < 27; k++) {
		int step[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
		int to[3] = { rank % side[0] + step[0], rank / side[0] % side[1] + step[1], rank / (side[0] * side[1]) + step[2] };
		int away = abs(step[0]) + abs(step[1]) + abs(step[2]);
		int size = away == 1 ? bytes : away == 2 ? edge : 8;
		if (!away || to[0] < 0 || to[0] >= side[0] || to[1] < 0 || to[1] >= side[1] || to[2] < 0 || to[2] >= side[2])
			continue;
		int other = (to[2] * side[1] + to[1]) * side[0] + to[0];
		MPI_Irecv(in, size, MPI_BYTE, other, tag + k, MPI_COMM_WORLD, &requests[count++]);
		MPI_Isend(out, size, MPI_BYTE, other, tag + 26 - k, MPI_COMM_WORLD, &requests[count++]);
	}
	MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
	for (int k = 0; k < 2; k++)
		MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* One time step. Lengths are in cells of four atoms; the border of a part is 1.75 cells deep (a distance of 2.8). */
static void melt(int tag)
{
	static int parts[3], at_part[3], periodic[3] = { 1, 1, 1 };
	static char *atoms[2];
	static MPI_Comm cube;
	const double deep = 1.75;
	int size[3], next[3], previous[3];

	if (!parts[0]) {
		MPI_Dims_create(ranks, 3, parts);
		MPI_Cart_create(MPI_COMM_WORLD, 3, parts, periodic, 0, &cube);
		MPI_Cart_coords(cube, rank, 3, at_part);
		atoms[0] = calloc(1 << 22, 1);
		atoms[1] = calloc(1 << 22, 1);
	}
	for (int d = 0; d < 3; d++) {
		double volume = 4 * deep;
		for (int e = 0; e < 3; e++)
			volume *= e == d ? 1 : (double)bytes / parts[e] + (e < d ? 2 * deep : 0);
		size[d] = 24 * (int)volume;
		MPI_Cart_shift(cube, d, 1, &previous[d], &next[d]);
	}
	for (int k = 0; k < 6; k++) {
		int d = k < 3 ? k : 5 - k;
		if (k == 3)
			smpi_execute_flops(flops);
		if (parts[d] == 1)
			continue;
		for (int side = 0; side < 2; side++)
			MPI_Sendrecv(atoms[0], size[d], MPI_BYTE, side ? next[d] : previous[d], tag + k, atoms[1], size[d], MPI_BYTE,
				     side ? previous[d] : next[d], tag + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static int iterate(const char *name, int i)
{
	double factor = 1;

	if (!strcmp(name, "sweep")) {
		wave(1);
		wave(-1);
		return 0;
	}
	if (!strcmp(name, "melt")) {
		melt(8 * i);
		return 0;
	}
	if (!strcmp(name, "uneven") && ranks > 1)
		factor = 2.0 / 3 * (1 + (double)rank / (ranks - 1));
	if (!strcmp(name, "drift") && i * 7 % ranks == rank)
		factor = 4;
	smpi_execute_flops(flops * factor);
	if (!strcmp(name, "halo") || !strcmp(name, "uneven") || !strcmp(name, "drift") || !strcmp(name, "phases"))
		halo(8 * i);
	else if (!strcmp(name, "allreduce"))
		sum(), sum();
	else if (!strcmp(name, "alltoall"))
		exchange_all();
	else if (!strcmp(name, "small"))
		small(i);
	else if (!strcmp(name, "brick"))
		exchange_brick(27 * i);
	else if (!strcmp(name, "barrier"))
		MPI_Barrier(MPI_COMM_WORLD);
	else
		return 1;
	if (!strcmp(name, "phases") && i % 4 == 3)
		exchange_all(), sum();
	return 0;
}

int main(int argc, char **argv)
{
	int iterations, wrong = 0;

	MPI_Init(&argc, &argv);
	if (argc != 5) {
		fprintf(stderr, "usage: nla_programs NAME FLOPS BYTES ITERATIONS\n");
		return 2;
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	flops = atof(argv[2]);
	bytes = atoi(argv[3]);
	iterations = atoi(argv[4]);
	out = calloc((size_t)ranks + 1, (size_t)bytes + 8);
	in = calloc((size_t)ranks + 1, (size_t)bytes + 8);
	if (!out || !in)
		return 1;
	settle_grid();
	if (!strcmp(argv[1], "master"))
		master(iterations);
	else
		for (int i = 0; i < iterations && !wrong; i++)
			wrong = iterate(argv[1], i);
	if (wrong)
		fprintf(stderr, "nla_programs: unknown program '%s'\n", argv[1]);
	MPI_Finalize();
	free(out);
	free(in);
	return wrong ? 2 : 0;
}
