/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rank that uses the process manager as an MPI library does. It blocks instead of polling, so thousands of ranks run on a few
 * cores. usage: pmi_ranks 1|2|x for the wire protocols of PMI-1 and PMI-2 and for PMIx (compiled with -DPMIX -lpmix).
 * Each rank publishes the name of its node, fences, and reads the name of its right neighbour's node. It prints
 *   RANK SIZE NODE NEIGHBOUR'S_NODE MAP
 * Rank 0 writes $PLACEMENT_RANKS into the file "planned".
 * For PMIx, MAP is a hash of the list of ranks on this node, because srun mixes up lines of more than 1,024 bytes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef PMIX
#include <pmix.h>
#endif

enum { LINE = 1 << 18 };
static char answer[LINE];
static int fd, version;

static void die(const char *what)
{
	fprintf(stderr, "pmi_ranks: %s: %s, last answer '%s'\n", what, strerror(errno), answer);
	exit(1);
}

static void receive(char *to, size_t bytes)
{
	for (ssize_t n; bytes > 0; to += n, bytes -= (size_t)n)
		if ((n = read(fd, to, bytes)) <= 0)
			die("read");
}

/* Sends a command and reads its answer. PMI-1 ends lines with a newline; PMI-2 writes the length in six digits first. */
static void ask(const char *command)
{
	char line[512];
	size_t length = 0;
	int bytes = version == 1 ? snprintf(line, sizeof line, "%s\n", command)
				 : snprintf(line, sizeof line, "%6zu%s", strlen(command), command);
	if (write(fd, line, (size_t)bytes) != bytes)
		die("write");
	if (version == 2) {
		receive(answer, 6);
		answer[6] = '\0';
		length = strtoul(answer, NULL, 10);
		if (length >= LINE)
			die("length");
		receive(answer, length);
	} else {
		do
			receive(answer + length++, 1);
		while (answer[length - 1] != '\n' && length < LINE);
		length--;
	}
	answer[length] = '\0';
}

/* Returns a copy of the value of a key in the last answer. */
static char *value(const char *key)
{
	const char *at = strstr(answer, key);
	if (!at)
		die(key);
	at += strlen(key);
	return strndup(at, strcspn(at, version == 1 ? " \n" : ";"));
}

static void wire(const char *node)
{
	int rank = atoi(getenv("PMI_RANK")), size = atoi(getenv("PMI_SIZE"));
	char text[512];
	int wanted = version;
	fd = atoi(getenv("PMI_FD"));
	version = 1;
	ask(wanted == 1 ? "cmd=init pmi_version=1 pmi_subversion=1" : "cmd=init pmi_version=2 pmi_subversion=0");
	version = wanted;
	if (version == 1) {
		ask("cmd=get_my_kvsname");
		char *name = value("kvsname=");
		snprintf(text, sizeof text, "cmd=get kvsname=%s key=PMI_process_mapping", name);
		ask(text);
		char *map = value("value=");
		snprintf(text, sizeof text, "cmd=put kvsname=%s key=node%d value=%s", name, rank, node);
		ask(text);
		ask("cmd=barrier_in");
		snprintf(text, sizeof text, "cmd=get kvsname=%s key=node%d", name, (rank + 1) % size);
		ask(text);
		printf("%d %d %s %s %s\n", rank, size, node, value("value="), map);
		ask("cmd=finalize");
		return;
	}
	snprintf(text, sizeof text, "cmd=fullinit;pmijobid=0;pmirank=%d;threaded=FALSE;", rank);
	ask(text);
	rank = atoi(value(";rank="));
	size = atoi(value(";size="));
	ask("cmd=info-getjobattr;key=PMI_process_mapping;");
	char *map = value(";value=");
	snprintf(text, sizeof text, "cmd=kvs-put;key=node%d;value=%s;", rank, node);
	ask(text);
	ask("cmd=kvs-fence;");
	snprintf(text, sizeof text, "cmd=kvs-get;jobid=;srcid=-1;key=node%d;", (rank + 1) % size);
	ask(text);
	printf("%d %d %s %s %s\n", rank, size, node, value(";value="), map);
	ask("cmd=finalize;");
}

#ifdef PMIX
static void check(pmix_status_t status, const char *what)
{
	if (status != PMIX_SUCCESS)
		die(what);
}

static void pmix(const char *node)
{
	pmix_proc_t self, other;
	pmix_value_t put, *got = NULL;
	check(PMIx_Init(&self, NULL, 0), "PMIx_Init");
	PMIX_LOAD_PROCID(&other, self.nspace, PMIX_RANK_WILDCARD);
	check(PMIx_Get(&other, PMIX_JOB_SIZE, NULL, 0, &got), PMIX_JOB_SIZE);
	unsigned size = got->data.uint32;
	check(PMIx_Get(&other, PMIX_LOCAL_PEERS, NULL, 0, &got), PMIX_LOCAL_PEERS);
	unsigned peers = 0;
	for (const char *at = got->data.string; *at; at++)
		peers = peers * 31 + (unsigned char)*at;
	put.type = PMIX_STRING;
	put.data.string = (char *)node;
	check(PMIx_Put(PMIX_GLOBAL, "node", &put), "PMIx_Put");
	check(PMIx_Commit(), "PMIx_Commit");
	pmix_info_t collect;
	bool yes = true;
	PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
	check(PMIx_Fence(NULL, 0, &collect, 1), "PMIx_Fence");
	PMIX_LOAD_PROCID(&other, self.nspace, (self.rank + 1) % size);
	check(PMIx_Get(&other, "node", NULL, 0, &got), "PMIx_Get");
	printf("%u %u %s %s %u\n", self.rank, size, node, got->data.string, peers);
	fflush(stdout);
	check(PMIx_Finalize(NULL, 0), "PMIx_Finalize");
}
#endif

/* Writes the ranks that slurmctld planned. */
static void write_plan(void)
{
	const char *rank = getenv("SLURM_PROCID"), *planned = getenv("PLACEMENT_RANKS");
	FILE *file;
	if (!planned || !rank || strcmp(rank, "0") != 0)
		return;
	file = fopen("planned", "w");
	if (!file || fprintf(file, "%s\n", planned) < 0 || fclose(file) != 0)
		die("planned");
}

int main(int argc, char **argv)
{
	const char *node = getenv("SLURMD_NODENAME");
	if (argc != 2 || !node)
		return 2;
	write_plan();
	if (argv[1][0] == '1' || argv[1][0] == '2') {
		version = argv[1][0] - '0';
		wire(node);
		return 0;
	}
#ifdef PMIX
	pmix(node);
	return 0;
#else
	return 2;
#endif
}
