/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select/configuration.h"

static struct machine_tables tables;
static bool records_fit;

static void fill_nodes(void)
{
	tables.record_count = node_record_count;
	tables.node_of_record = xcalloc(node_record_count + 1, sizeof(int32_t));
	tables.nodes = xcalloc(node_record_count + 1, sizeof(*tables.nodes));
	for (int i = 0; i < node_record_count; i++) {
		node_record_t *record = node_record_table_ptr[i];

		tables.node_of_record[i] = -1;
		if (!record || !record->name ||
		    record->tot_cores != record->tot_sockets * record->cores)
			continue;
		tables.node_of_record[i] = tables.machine.node_count;
		tables.nodes[tables.machine.node_count++] = (struct placement_machine_node) {
			.name = record->name,
			.sockets = record->tot_sockets,
			.cores_per_socket = record->cores,
			.threads_per_core = record->tpc,
		};
	}
	tables.machine.nodes = tables.nodes;
}

static void add_topology(int index, char *name)
{
	uint32_t at = tables.topology_count++;

	xrecalloc(tables.topologies, tables.topology_count, sizeof(*tables.topologies));
	xrecalloc(tables.topology_index, tables.topology_count, sizeof(*tables.topology_index));
	tables.topologies[at] = topology_text(name);
	tables.topology_index[at] = index;
}

/* Adds the topology of the partition to the tables. list_for_each() calls this for each partition. */
static int add_topology_of(void *partition, void *none)
{
	uint32_t known;
	char *name;
	int index = topology_of_partition(partition, &name);

	if (!machine_topology_of(&tables, partition, &known))
		add_topology(index, name);
	return 0;
}

static void fill_topologies(void)
{
	add_topology(0, NULL);
	if (part_list)
		list_for_each(part_list, add_topology_of, NULL);
	tables.machine.topology = tables.topologies[0];
	tables.machine.other_topologies = (const char *const *) tables.topologies + 1;
	tables.machine.other_topology_count = tables.topology_count - 1;
}

bool machine_topology_of(const struct machine_tables *tables, const part_record_t *partition, uint32_t *topology)
{
	char *name;
	int index = topology_of_partition(partition, &name);

	for (*topology = 0; *topology < tables->topology_count; ++*topology)
		if (tables->topology_index[*topology] == index)
			return true;
	return false;
}

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
	for (uint32_t i = 0; i < tables.topology_count; i++)
		xfree(tables.topologies[i]);
	xfree(tables.topologies);
	xfree(tables.topology_index);
	xfree(tables.nodes);
	xfree(tables.node_of_record);
	tables = (struct machine_tables) { 0 };
}

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
	fill_nodes();
	fill_topologies();
	path = get_extra_conf_path("placement.conf");
	tables.machine.private_jobs = slurm_conf.private_data & PRIVATE_DATA_JOBS;
	tables.machine.unbound = tasks_are_bound() ? NULL : task_plugin_setting();
	placement_log_to(log_line);
	placement_configure(path, &tables.machine);
	if (placement_failure()[0])
		error("placement: %s; placement is off until the next reconfigure", placement_failure());
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
