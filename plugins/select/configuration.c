/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/configuration.h"

#include "plugins/compat/self_test.h"
#include "plugins/planning/decide.h"

static struct machine_tables tables;
static bool records_fit;

const struct machine_tables *placement_tables(void)
{
	return &tables;
}

bool placement_records_fit(void)
{
	return records_fit;
}

void placement_forget_machine(void)
{
	placement_unconfigure();
	machine_tables_free(&tables);
}

static const char *const mode_names[] = {
	[PLACEMENT_OFF] = "off",
	[PLACEMENT_OBSERVE] = "observe",
	[PLACEMENT_ADVISE] = "advise",
	[PLACEMENT_ENFORCE] = "enforce",
};

static void log_line(bool is_error, const char *text)
{
	if (is_error)
		error("placement: %s", text);
	else
		info("placement: %s", text);
}

/* Logs the partitions of PartitionPolicies that Slurm does not have. */
static void log_unknown_partitions(void)
{
	const char *name;

	for (uint32_t i = 0; (name = placement_partition_with_policy(i)); i++) {
		char *copy = xstrdup(name);	/* find_part_record() does not take a constant */

		if (!find_part_record(copy))
			info("placement: PartitionPolicies: partition %s does not exist", name);
		xfree(copy);
	}
}

void placement_reconfigure(void)
{
	enum placement_mode mode;
	char *path, *misfit;

	if (!in_slurmctld())
		return;
	placement_forget_machine();
	misfit = records_do_not_fit();
	records_fit = !misfit;
	if (misfit) {
		error("placement: Mode=off: this plugin was compiled for Slurm %s with other structures than slurmctld has (%s); build it with the source of the Slurm that is installed",
		      SLURM_RELEASE, misfit);
		xfree(misfit);
		return;
	}
	machine_tables_fill(&tables);
	path = get_extra_conf_path("placement.conf");
	tables.machine.private_jobs = slurm_conf.private_data & PRIVATE_DATA_JOBS;
	placement_log_to(log_line);
	mode = placement_configure(path, &tables.machine);
	if (placement_failure()[0])
		error("placement: %s; placement is off until the next reconfigure", placement_failure());
	else
		info("placement: Mode=%s by %s", mode_names[mode], path);
	log_unknown_partitions();
	xfree(path);
}

#ifdef HAVE_SLURM_SELECT_FACTS
/* scontrol prints the title of the select plugin's list without a newline. */
#define BEFORE_FIRST_FACT "\n"
#else
#define BEFORE_FIRST_FACT ""
#endif

static void add_pair(void *list, const char *name, const char *value)
{
	list_t *pairs = list;
	config_key_pair_t *pair = xmalloc(sizeof(*pair));

	pair->name = xstrdup_printf("%s%s", list_count(pairs) ? "" : BEFORE_FIRST_FACT, name);
	pair->value = xstrdup(value);
	list_append(pairs, pair);
}

void placement_add_facts(list_t **pairs)
{
	char *binding;

	if (!*pairs)
		*pairs = list_create(destroy_config_key_pair);
	placement_facts(add_pair, *pairs);
	binding = xstrdup_printf("%s: TaskPlugin=%s", tasks_are_bound() ? "cores" : "none", task_plugin_setting());
	add_pair(*pairs, "PlacementBinding", binding);
	xfree(binding);
}
