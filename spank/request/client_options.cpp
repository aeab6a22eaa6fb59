// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/request/client_options.hpp"

#include <dlfcn.h>

#include <algorithm>

extern "C" {
#include <slurm/spank.h>
}

#include "common/util/text.hpp"

namespace placement::spank {

namespace {

// The command's record of its options, and libslurmfull's functions to read it. Slurm's cli_filter plugins get both.
// They are looked up at run time, so that the plugin also loads where they do not exist.
struct OptionTable {
  void* options = dlsym(RTLD_DEFAULT, "opt");
  using Get = char* (*)(void*, const char*);
  using IsSet = bool (*)(void*, const char*);
  Get get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "slurm_option_get"));
  using Set = int (*)(void*, const char*, const char*, bool early);
  Set set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "slurm_option_set"));
  IsSet is_set = reinterpret_cast<IsSet>(dlsym(RTLD_DEFAULT, "slurm_option_isset"));

  bool usable() const { return options && get && is_set; }
};

const OptionTable& option_table() {
  static const OptionTable table;
  return table;
}

std::optional<std::int32_t> positive(const std::optional<std::string>& text) {
  const auto value = text ? parse_integer(*text) : std::nullopt;
  if (!value || *value < 1 || *value > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(*value);
}

std::optional<std::int32_t> product(std::optional<std::int32_t> one, std::optional<std::int32_t> other) {
  const std::int64_t tasks = static_cast<std::int64_t>(one.value_or(0)) * other.value_or(0);
  if (tasks < 1 || tasks > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(tasks);
}

// The options that can change srun's number of tasks, in addition to those that known_task_count() reads.
constexpr const char* other_counts[] = {"extra-node-info",  "sockets-per-node",  "cores-per-socket",
                                        "threads-per-core", "ntasks-per-socket", "ntasks-per-core",
                                        "ntasks-per-tres",  "ntasks-per-gpu",    "gpus-per-task"};

}  // namespace

void tell_user(const std::string& text) {
  if (!client_option("quiet")) slurm_info("placement: %s", text.c_str());
}

bool client_options_known() { return option_table().usable(); }

std::optional<std::string> client_option(const std::string& name) {
  const OptionTable& table = option_table();
  if (!table.usable() || !table.is_set(table.options, name.c_str())) return std::nullopt;
  // The text is from Slurm's allocator. The plugin cannot free memory of that allocator, so the text is not freed.
  const char* const text = table.get(table.options, name.c_str());
  return std::string(text ? text : "");
}

std::string mpi_type_in_force() {
  const OptionTable& table = option_table();
  const char* const type = table.usable() ? table.get(table.options, "mpi") : nullptr;
  return type ? type : "";
}

bool set_client_option(const std::string& name, const std::string& value) {
  const OptionTable& table = option_table();
  if (!table.usable() || !table.set) return false;
  table.set(table.options, name.c_str(), value.c_str(), false);
  return client_option(name) == value;
}

std::optional<std::int32_t> gpu_number(const std::optional<std::string>& text) {
  if (!text || text->find(',') != text->npos) return std::nullopt;
  const std::size_t colon = text->rfind(':');
  return positive(colon == text->npos ? *text : text->substr(colon + 1));
}

std::optional<std::int32_t> known_task_count(const ClientOption& option, bool one_per_node) {
  if (const auto tasks = option("ntasks")) return positive(tasks);
  const auto nodes = positive(option("nodes"));  // nothing if -N gives a range
  if (const auto per_node = option("ntasks-per-node")) return product(nodes, positive(per_node));
  if (const auto per_gpu = option("ntasks-per-gpu")) {
    const auto gpus = option("gpus"), of_node = option("gpus-per-node");
    if (gpus && of_node) return std::nullopt;
    return product(gpus ? gpu_number(gpus) : product(nodes, gpu_number(of_node)), positive(per_gpu));
  }
  const bool others = std::ranges::any_of(other_counts, [&](const char* name) { return option(name).has_value(); });
  return one_per_node && !others ? nodes : std::nullopt;
}

}  // namespace placement::spank
