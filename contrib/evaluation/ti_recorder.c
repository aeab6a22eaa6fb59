/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records a binary MPI program as a time-independent trace for SimGrid's replay:
 *
 *   TI_TRACE=FOLDER/NAME mpirun -x LD_PRELOAD=.../ti_recorder.so -x TI_TRACE -n N program
 *
 * writes FOLDER/NAME, which names one file per rank, and the files in FOLDER/NAME_files, which must exist. The format is
 * that of SimGrid 3.32 (smpirun -replay). Sizes are in bytes (type 6 of SMPI). The computation between two calls is the
 * rank's processor time multiplied by FLOPS_PER_SECOND, so waiting and other processes do not count.
 *
 * Ranks of other communicators are translated to those of MPI_COMM_WORLD. A collective call over all ranks is recorded
 * as a collective, in any order of its ranks. Calls that a replay does not support (collectives over some of the ranks,
 * one-sided and persistent calls) are counted and reported at the end. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FLOPS_PER_SECOND 6e9
enum { BYTE_TYPE = 6, LEAST_FLOPS = 1000 };

struct record {			/* one action; the peer of a receive may be known later only */
	enum { TEXT, RECEIVE } kind;
	char *text;		/* for RECEIVE the name of the action */
	int peer, tag;
	long long bytes;
};

struct pending {		/* a request that is not complete */
	MPI_Request request;
	long record;		/* of a receive whose sender is not known, or -1 */
	int receives, peer, tag;
};

static struct record *records;
static long count, room;
static struct pending *pending;
static int pendings, pending_room;
static int rank, ranks;
static long left_out;
static struct timespec since;

static void *grown(void *array, size_t element, long needed, long *size)
{
	if (needed < *size)
		return array;
	*size = *size ? 2 * *size : 1024;
	array = realloc(array, element * (size_t)*size);
	if (!array) {
		fprintf(stderr, "ti_recorder: rank %d has no memory for its trace\n", rank);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return array;
}

static long add(struct record record)
{
	records = grown(records, sizeof(*records), count, &room);
	records[count] = record;
	return count++;
}

__attribute__((format(printf, 1, 2))) static void action(const char *format, ...)
{
	char line[160];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	add((struct record){ .kind = TEXT, .text = strdup(line) });
}

/* Each wrapped call begins with enter(), which records what was computed since the last one, and ends with leave(). */
static void enter(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	double flops = FLOPS_PER_SECOND * ((double)(now.tv_sec - since.tv_sec) + 1e-9 * (double)(now.tv_nsec - since.tv_nsec));
	if (flops >= LEAST_FLOPS)
		action("compute %.0f", flops);
}

static int leave(int result)
{
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &since);
	return result;
}

static int world_rank(MPI_Comm comm, int peer)
{
	MPI_Group all, group;
	int result = peer;
	if (peer < 0 || comm == MPI_COMM_WORLD)
		return peer;
	PMPI_Comm_group(MPI_COMM_WORLD, &all);
	PMPI_Comm_group(comm, &group);
	PMPI_Group_translate_ranks(group, 1, &peer, all, &result);
	PMPI_Group_free(&all);
	PMPI_Group_free(&group);
	return result;
}

static int has_all(MPI_Comm comm)
{
	int size;
	PMPI_Comm_size(comm, &size);
	if (size > 1 && size < ranks)
		left_out++;
	return size == ranks;
}

static long long bytes_of(long long elements, MPI_Datatype type)
{
	int size;
	PMPI_Type_size(type, &size);
	return elements * size;
}

static void record_send(const char *name, int peer, int tag, long long bytes)
{
	if (peer >= 0)
		action("%s %d %d %lld %d", name, peer, tag, bytes, BYTE_TYPE);
}

static void keep(MPI_Request request, int receives, int peer, int tag, long record)
{
	long size = pending_room;
	pending = grown(pending, sizeof(*pending), pendings, &size);
	pending_room = (int)size;
	pending[pendings++] = (struct pending){ request, record, receives, peer, tag };
}

static int find(MPI_Request request)
{
	for (int k = 0; k < pendings; k++)
		if (pending[k].request == request)
			return k;
	return -1;
}

static void complete(int at, const MPI_Status *status)
{
	if (at < 0)
		return;
	struct pending done = pending[at];
	pending[at] = pending[--pendings];
	if (done.record >= 0) {
		done.peer = status->MPI_SOURCE;
		done.tag = status->MPI_TAG;
		records[done.record].peer = done.peer;
		records[done.record].tag = done.tag;
	}
	if (done.receives)
		action("wait %d %d %d", done.peer, rank, done.tag);
	else
		action("wait %d %d %d", rank, done.peer, done.tag);
}

static int begin(void)
{
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	action("init");
	return leave(MPI_SUCCESS);
}

int MPI_Init(int *argc, char ***argv)
{
	int result = PMPI_Init(argc, argv);
	return result == MPI_SUCCESS ? begin() : result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	int result = PMPI_Init_thread(argc, argv, required, provided);
	return result == MPI_SUCCESS ? begin() : result;
}

static FILE *open_or_die(const char *path)
{
	FILE *file = fopen(path, "w");
	if (!file) {
		fprintf(stderr, "ti_recorder: %s cannot be written\n", path);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return file;
}

static void write_trace(const char *trace)
{
	char path[4096];
	const char *name = strrchr(trace, '/') ? strrchr(trace, '/') + 1 : trace;
	snprintf(path, sizeof(path), "%s_files/rank-%d.txt", trace, rank);
	FILE *out = open_or_die(path);
	for (long k = 0; k < count; k++) {
		struct record *r = &records[k];
		if (r->kind == TEXT)
			fprintf(out, "%d %s\n", rank, r->text);
		else if (r->peer >= 0)
			fprintf(out, "%d %s %d %d %lld %d\n", rank, r->text, r->peer, r->tag, r->bytes, BYTE_TYPE);
	}
	fclose(out);
	if (rank > 0)
		return;
	out = open_or_die(trace);
	for (int k = 0; k < ranks; k++)
		fprintf(out, "%s_files/rank-%d.txt\n", name, k);
	fclose(out);
}

int MPI_Finalize(void)
{
	long all = 0;
	enter();
	action("finalize");
	PMPI_Reduce(&left_out, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0 && all)
		fprintf(stderr, "ti_recorder: %ld collective calls over a part of the ranks are not in the trace\n", all);
	const char *trace = getenv("TI_TRACE");
	if (trace)
		write_trace(trace);
	return PMPI_Finalize();
}

int MPI_Send(const void *buffer, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
	enter();
	record_send("send", world_rank(comm, peer), tag, bytes_of(n, type));
	return leave(PMPI_Send(buffer, n, type, peer, tag, comm));
}

int MPI_Ssend(const void *buffer, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
	enter();
	record_send("send", world_rank(comm, peer), tag, bytes_of(n, type));
	return leave(PMPI_Ssend(buffer, n, type, peer, tag, comm));
}

int MPI_Rsend(const void *buffer, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
	enter();
	record_send("send", world_rank(comm, peer), tag, bytes_of(n, type));
	return leave(PMPI_Rsend(buffer, n, type, peer, tag, comm));
}

int MPI_Isend(const void *buffer, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
	enter();
	int to = world_rank(comm, peer), result = PMPI_Isend(buffer, n, type, peer, tag, comm, request);
	record_send("isend", to, tag, bytes_of(n, type));
	if (to >= 0)
		keep(*request, 0, to, tag, -1);
	return leave(result);
}

int MPI_Recv(void *buffer, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own;
	int got = 0;
	enter();
	int result = PMPI_Recv(buffer, n, type, peer, tag, comm, &own);
	PMPI_Get_count(&own, MPI_BYTE, &got);
	if (peer != MPI_PROC_NULL)
		action("recv %d %d %d %d", world_rank(comm, own.MPI_SOURCE), own.MPI_TAG, got, BYTE_TYPE);
	if (status != MPI_STATUS_IGNORE)
		*status = own;
	return leave(result);
}

int MPI_Irecv(void *buffer, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)
{
	enter();
	int from = world_rank(comm, peer), result = PMPI_Irecv(buffer, n, type, peer, tag, comm, request);
	int known = peer != MPI_ANY_SOURCE && tag != MPI_ANY_TAG;
	if (peer != MPI_PROC_NULL) {
		long at = add((struct record){ RECEIVE, "irecv", from, tag, bytes_of(n, type) });
		keep(*request, 1, from, tag, known ? -1 : at);
	}
	return leave(result);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	MPI_Status own;
	enter();
	int at = find(*request), result = PMPI_Wait(request, &own);
	complete(at, &own);
	if (status != MPI_STATUS_IGNORE)
		*status = own;
	return leave(result);
}

int MPI_Waitany(int n, MPI_Request *requests, int *index, MPI_Status *status)
{
	MPI_Status own;
	MPI_Request *before = malloc(sizeof(MPI_Request) * (size_t)(n + 1));
	enter();
	memcpy(before, requests, sizeof(MPI_Request) * (size_t)n);
	int result = PMPI_Waitany(n, requests, index, &own);
	if (*index != MPI_UNDEFINED)
		complete(find(before[*index]), &own);
	free(before);
	if (status != MPI_STATUS_IGNORE)
		*status = own;
	return leave(result);
}

int MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses)
{
	int result = MPI_SUCCESS;
	for (int k = 0; k < n && result == MPI_SUCCESS; k++)
		result = MPI_Wait(&requests[k], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[k]);
	return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	MPI_Status own;
	enter();
	int at = find(*request), result = PMPI_Test(request, flag, &own);
	if (*flag)
		complete(at, &own);
	if (status != MPI_STATUS_IGNORE)
		*status = own;
	return leave(result);
}

int MPI_Sendrecv(const void *out, int n_out, MPI_Datatype type_out, int to, int tag_out, void *in, int n_in,
		 MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm, MPI_Status *status)
{
	MPI_Status own;
	int got = 0, result;
	enter();
	result = PMPI_Sendrecv(out, n_out, type_out, to, tag_out, in, n_in, type_in, from, tag_in, comm, &own);
	int target = world_rank(comm, to);
	record_send("isend", target, tag_out, bytes_of(n_out, type_out));
	if (from != MPI_PROC_NULL) {
		PMPI_Get_count(&own, MPI_BYTE, &got);
		action("recv %d %d %d %d", world_rank(comm, own.MPI_SOURCE), own.MPI_TAG, got, BYTE_TYPE);
	}
	if (target >= 0)
		action("wait %d %d %d", rank, target, tag_out);
	if (status != MPI_STATUS_IGNORE)
		*status = own;
	return leave(result);
}

int MPI_Barrier(MPI_Comm comm)
{
	enter();
	if (has_all(comm))
		action("barrier");
	return leave(PMPI_Barrier(comm));
}

int MPI_Bcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
	enter();
	if (has_all(comm))
		action("bcast %lld %d %d", bytes_of(n, type), world_rank(comm, root), BYTE_TYPE);
	return leave(PMPI_Bcast(buffer, n, type, root, comm));
}

int MPI_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
	enter();
	if (has_all(comm))
		action("reduce %lld 0 %d %d", bytes_of(n, type), world_rank(comm, root), BYTE_TYPE);
	return leave(PMPI_Reduce(in, out, n, type, op, root, comm));
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	enter();
	if (has_all(comm))
		action("allreduce %lld 0 %d", bytes_of(n, type), BYTE_TYPE);
	return leave(PMPI_Allreduce(in, out, n, type, op, comm));
}

int MPI_Scan(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	enter();
	if (has_all(comm))
		action("scan %lld 0 %d", bytes_of(n, type), BYTE_TYPE);
	return leave(PMPI_Scan(in, out, n, type, op, comm));
}

int MPI_Allgather(const void *in, int n, MPI_Datatype type, void *out, int n_out, MPI_Datatype type_out, MPI_Comm comm)
{
	long long bytes = bytes_of(n_out, type_out);
	enter();
	if (has_all(comm))
		action("allgather %lld %lld %d %d", bytes, bytes, BYTE_TYPE, BYTE_TYPE);
	return leave(PMPI_Allgather(in, n, type, out, n_out, type_out, comm));
}

int MPI_Gather(const void *in, int n, MPI_Datatype type, void *out, int n_out, MPI_Datatype type_out, int root, MPI_Comm comm)
{
	long long bytes = in == MPI_IN_PLACE ? bytes_of(n_out, type_out) : bytes_of(n, type);
	enter();
	if (has_all(comm))
		action("gather %lld %lld %d %d %d", bytes, bytes, world_rank(comm, root), BYTE_TYPE, BYTE_TYPE);
	return leave(PMPI_Gather(in, n, type, out, n_out, type_out, root, comm));
}

int MPI_Alltoall(const void *in, int n, MPI_Datatype type, void *out, int n_out, MPI_Datatype type_out, MPI_Comm comm)
{
	long long bytes = bytes_of(n_out, type_out);
	enter();
	if (has_all(comm))
		action("alltoall %lld %lld %d %d", bytes, bytes, BYTE_TYPE, BYTE_TYPE);
	return leave(PMPI_Alltoall(in, n, type, out, n_out, type_out, comm));
}

/* The recorded programs make few calls with one count for each rank. Their messages are recorded one by one, because each
 * rank knows what it sends and receives. */
static void exchange(const int *sent, MPI_Datatype type_out, const int *got, MPI_Datatype type_in)
{
	enum { TAG = 32000 };
	for (int k = 1; k < ranks; k++) {
		int to = (rank + k) % ranks, from = (rank - k + ranks) % ranks;
		record_send("isend", to, TAG, bytes_of(sent[to], type_out));
		action("recv %d %d %lld %d", from, TAG, bytes_of(got[from], type_in), BYTE_TYPE);
		action("wait %d %d %d", rank, to, TAG);
	}
}

int MPI_Alltoallv(const void *in, const int *counts, const int *at, MPI_Datatype type, void *out, const int *counts_out,
		  const int *at_out, MPI_Datatype type_out, MPI_Comm comm)
{
	enter();
	if (has_all(comm))
		exchange(counts, type, counts_out, type_out);
	return leave(PMPI_Alltoallv(in, counts, at, type, out, counts_out, at_out, type_out, comm));
}

int MPI_Reduce_scatter(const void *in, void *out, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	long long all = 0;
	for (int k = 0; k < ranks; k++)
		all += counts[k];
	enter();
	if (has_all(comm))
		action("allreduce %lld 0 %d", bytes_of(all, type), BYTE_TYPE);
	return leave(PMPI_Reduce_scatter(in, out, counts, type, op, comm));
}
