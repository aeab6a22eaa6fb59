/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client of libslurm that ships what srun and sbatch never would:
 *   hostile_request word MIB   asks where a job could start whose policy has a word of MIB MiB
 *   hostile_request het N [C]  submits a heterogeneous job of C [2] components. All but the first have N variables
 *                              PLACEMENT_000000 and following; its script writes the number that it sees to the file "seen"
 *   hostile_request flood JOBS N WORD  submits JOBS batch jobs of 5 nodes and 20 tasks with N variables of this kind and, unless
 *                              WORD is "-", the policy WORD and another alpha in each job
 */
#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *environment[] = { "PATH=/usr/bin:/bin", NULL };

static void describe(job_desc_msg_t *job, char **variables, int count)
{
	static char directory[4096];

	slurm_init_job_desc_msg(job);
	job->user_id = getuid();
	job->group_id = getgid();
	job->min_nodes = job->max_nodes = job->num_tasks = 1;
	job->time_limit = 1;
	job->work_dir = getcwd(directory, sizeof(directory));
	job->environment = environment;
	job->env_size = 1;
	job->std_out = job->std_err = "/dev/null";
	job->spank_job_env = variables;
	job->spank_job_env_size = count;
}

static int ask_with_word(size_t bytes)
{
	char *word = malloc(bytes + 64);
	char *variables[] = { "PLACEMENT_VERSION=1", word };
	job_desc_msg_t job;
	size_t begin = (size_t) sprintf(word, "PLACEMENT_POLICY=TREEMATCH=");

	memset(word + begin, ',', bytes);
	word[begin + bytes] = '\0';
	describe(&job, variables, 2);
	return slurm_job_will_run(&job);
}

static int submit_components(int count, int others)
{
	char **variables = calloc((size_t) count, sizeof(*variables));
	job_desc_msg_t first, *other = calloc((size_t) others, sizeof(*other));
	submit_response_msg_t *answer = NULL;
	void *components = slurm_list_create(NULL);	/* List or list_t *, by the version of Slurm */

	for (int i = 0; i < count; i++) {
		variables[i] = malloc(32);
		sprintf(variables[i], "PLACEMENT_%06d=x", i);
	}
	describe(&first, NULL, 0);
	first.script = "#!/bin/sh\nenv | grep -c SLURM_SPANK_PLACEMENT_ >seen\n";
	slurm_list_append(components, &first);
	for (int i = 0; i < others; i++) {
		describe(other + i, variables, count);
		slurm_list_append(components, other + i);
	}
	if (slurm_submit_batch_het_job(components, &answer))
		return 1;
	printf("%u\n", answer->job_id);
	return 0;
}

static int submit_flood(int jobs, int count, const char *word)
{
	char **variables = calloc((size_t) count + 2, sizeof(*variables)), policy[256];
	job_desc_msg_t job;
	int first = 0;

	if (strcmp(word, "-")) {
		variables[first++] = "PLACEMENT_VERSION=1";
		variables[first++] = policy;
	}
	for (int i = 0; i < count; i++) {
		variables[first + i] = malloc(32);
		sprintf(variables[first + i], "PLACEMENT_%06d=x", i);
	}
	for (int i = 0; i < jobs; i++) {
		submit_response_msg_t *answer = NULL;

		snprintf(policy, sizeof(policy), "PLACEMENT_POLICY=%s,alpha=0.%04d", word, i);
		describe(&job, variables, first + count);
		job.min_nodes = job.max_nodes = 5;
		job.num_tasks = job.min_cpus = 20;
		job.time_limit = 30;
		job.script = "#!/bin/sh\nexec sleep 900\n";
		if (slurm_submit_batch_job(&job, &answer))
			return 1;
		slurm_free_submit_response_response_msg(answer);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 2;

	if (argc < 3)
		return failed;
	slurm_init(NULL);
	failed = !strcmp(argv[1], "word") ? ask_with_word((size_t) atoi(argv[2]) << 20) :
		 !strcmp(argv[1], "flood") && argc > 4 ? submit_flood(atoi(argv[2]), atoi(argv[3]), argv[4])
						       : submit_components(atoi(argv[2]), argc > 3 ? atoi(argv[3]) - 1 : 1);
	if (failed)
		fprintf(stderr, "%s: %s\n", argv[1], slurm_strerror(errno));
	return failed;
}
