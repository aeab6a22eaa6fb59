// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/mpirun_options.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "common/util/text.hpp"

namespace placement::spank {

namespace {

enum class Effect {
  none,
  below_plan,  // maps or binds; beside a plan mpirun takes the nodes and the order of its ranks from the plan
  over_plan,   // maps; mpirun obeys it in place of the plan, refuses it beside the plan, or mixes them
};

struct Option {
  std::string_view name;  // without its hyphens
  std::size_t values;
  Effect effect = Effect::none;
};

constexpr Option short_mapping_options[] = {{"N", 1, Effect::over_plan}, {"H", 1, Effect::over_plan}};

// Options of Open MPI 4 and 5. --tune, --am and --app name a file of options or parameters, which is not read here.
constexpr Option options[] = {{"rankfile", 1, Effect::over_plan},
                              {"rf", 1, Effect::over_plan},
                              {"hostfile", 1, Effect::over_plan},
                              {"machinefile", 1, Effect::over_plan},
                              {"host", 1, Effect::over_plan},
                              {"default-hostfile", 1, Effect::over_plan},
                              {"npernode", 1, Effect::over_plan},
                              {"pernode", 0, Effect::over_plan},
                              {"npersocket", 1, Effect::over_plan},
                              {"ppr", 1, Effect::over_plan},
                              {"bynode", 0, Effect::over_plan},
                              {"byslot", 0, Effect::over_plan},
                              {"bycore", 0, Effect::over_plan},
                              {"bysocket", 0, Effect::over_plan},
                              {"bynuma", 0, Effect::over_plan},
                              {"byhwthread", 0, Effect::over_plan},
                              {"byl1cache", 0, Effect::over_plan},
                              {"byl2cache", 0, Effect::over_plan},
                              {"byl3cache", 0, Effect::over_plan},
                              {"byboard", 0, Effect::over_plan},
                              {"map-by", 1, Effect::over_plan},
                              {"cpu-set", 1, Effect::over_plan},
                              {"cpu-list", 1, Effect::over_plan},
                              {"tune", 1, Effect::over_plan},
                              {"am", 1, Effect::over_plan},
                              {"app", 1, Effect::over_plan},
                              {"rank-by", 1, Effect::below_plan},
                              {"oversubscribe", 0, Effect::below_plan},
                              {"nolocal", 0, Effect::below_plan},
                              {"bind-to", 1, Effect::below_plan},
                              {"bind-to-core", 0, Effect::below_plan},
                              {"bind-to-socket", 0, Effect::below_plan},
                              {"cpus-per-proc", 1, Effect::below_plan},
                              {"cpus-per-rank", 1, Effect::below_plan},
                              {"use-hwthread-cpus", 0, Effect::below_plan},
                              {"n", 1},
                              {"np", 1},
                              {"c", 1},
                              {"x", 1},
                              {"wdir", 1},
                              {"wd", 1},
                              {"path", 1},
                              {"prefix", 1},
                              {"report-pid", 1},
                              {"stdin", 1},
                              {"xterm", 1},
                              {"timeout", 1},
                              {"report-uri", 1},
                              {"ompi-server", 1},
                              {"server-wait-time", 1},
                              {"output-filename", 1},
                              {"output", 1},
                              {"display", 1},
                              {"debugger", 1},
                              {"personality", 1},
                              {"preload-files", 1},
                              {"max-restarts", 1},
                              {"dvm", 1},
                              {"hnp", 1},
                              {"uri", 1},
                              {"tmpdir", 1},
                              {"set-cwd-to-session-dir", 1},
                              {"max-vm-size", 1},
                              {"launch-agent", 1},
                              {"pmixam", 1},
                              {"pset", 1},
                              {"runtime-options", 1},
                              {"mca", 2},
                              {"gmca", 2},
                              {"prtemca", 2},
                              {"pmixmca", 2},
                              {"gpmixmca", 2},
                              {"q", 0},
                              {"quiet", 0},
                              {"v", 0},
                              {"verbose", 0},
                              {"V", 0},
                              {"version", 0},
                              {"h", 0},
                              {"help", 0},
                              {"tag-output", 0},
                              {"timestamp-output", 0},
                              {"merge-stderr-to-stdout", 0},
                              {"allow-run-as-root", 0},
                              {"display-map", 0},
                              {"display-allocation", 0},
                              {"display-devel-map", 0},
                              {"display-topo", 0},
                              {"report-bindings", 0},
                              {"nooversubscribe", 0},
                              {"novm", 0},
                              {"enable-recovery", 0},
                              {"show-progress", 0},
                              {"use-regexp", 0},
                              {"forward-signals", 0},
                              {"continuous", 0},
                              {"d", 0},
                              {"debug", 0},
                              {"debug-devel", 0},
                              {"debug-daemons", 0},
                              {"debug-daemons-file", 0},
                              {"disable-recovery", 0},
                              {"display-devel-allocation", 0},
                              {"display-diffable-map", 0},
                              {"do-not-launch", 0},
                              {"do-not-resolve", 0},
                              {"enable-instant-on-support", 0},
                              {"fwd-mpirun-port", 0},
                              {"get-stack-traces", 0},
                              {"index-argv-by-rank", 0},
                              {"leave-session-attached", 0},
                              {"output-proctable", 0},
                              {"report-child-jobs-separately", 0},
                              {"report-events", 1},
                              {"report-state-on-timeout", 0},
                              {"s", 0},
                              {"preload-binary", 0},
                              {"tv", 0},
                              {"xml", 0},
                              {"xml-file", 1}};

constexpr std::string_view programs[] = {"mpirun", "mpiexec", "orterun", "prterun"};
constexpr std::string_view counts[] = {"n", "np", "c"};
constexpr std::string_view parameters[] = {"rmaps_",         "hwloc_base_binding",    "hwloc_base_cpu",
                                           "hwloc_default_", "orte_default_hostfile", "prte_default_hostfile"};
// The last two name files of parameters, as --am and --tune do.
constexpr std::string_view whole_parameters[] = {"rmaps",
                                                 "orte_rankfile",
                                                 "prte_rankfile",
                                                 "orte_default_dash_host",
                                                 "mca_base_param_file_prefix",
                                                 "mca_base_envar_file_prefix"};

// Returns the name of the option, without hyphens and without "=VALUE"; empty if `word` is no option.
std::string_view option_name(std::string_view word) {
  if (!word.starts_with('-')) return {};
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word.substr(0, word.find('='));
}

// Returns the option that the word names; null if mpirun has none of that name.
const Option* option_of(std::string_view word) {
  const std::string_view name = option_name(word);
  const auto named = [name](const Option& each) { return each.name == name; };
  if (const auto found = std::ranges::find_if(short_mapping_options, named); found != std::end(short_mapping_options))
    return found;
  const auto found = std::ranges::find_if(options, named);
  return found != std::end(options) ? found : nullptr;
}

// One walk over the words of an mpirun.
class Walk {
 public:
  explicit Walk(std::span<const ShellWord> words) : words_(words) {}

  MpirunOptions over_all() {
    for (std::size_t at = 0; at < words_.size(); at = state_ == State::options ? after_option(at) : after_word(at)) {
    }
    end_program();
    if (found_.own.empty()) found_.own = below_plan_;
    found_.program_without_count = contexts_ > 1 && lacks_count_;
    return found_;
  }

 private:
  enum class State { options, program, unknown };

  void see(std::string_view word, Effect effect) {
    if (effect == Effect::over_plan && found_.own.empty()) found_.own = word;
    if (effect == Effect::below_plan && below_plan_.empty()) below_plan_ = word;
  }

  void end_program() {
    ++contexts_;
    lacks_count_ = lacks_count_ || !counted_;
    counted_ = false;
  }

  // In the place of an option. Returns the index of the next word to be looked at.
  std::size_t after_option(std::size_t at) {
    const std::string& word = words_[at].text;
    if (!word.starts_with('-')) {
      if (words_[at].expands) found_.expanded.push_back(words_[at]);
      found_.program_is_known = found_.program_is_known || !words_[at].expands;
      state_ = words_[at].expands ? State::unknown : State::program;
      return at + 1;
    }
    const Option* const option = option_of(word);
    if (!option) {
      state_ = State::unknown;
      if (words_[at].expands) found_.expanded.push_back(words_[at]);
      return at + 1;
    }
    const std::size_t values = word.find('=') == word.npos ? option->values : 0;
    counted_ = counted_ || std::ranges::find(counts, option->name) != std::end(counts);
    const bool with_value = option->name == "map-by" && values == 1 && at + 1 < words_.size();
    see(with_value ? word + " " + words_[at + 1].text : word, option->effect);
    if (values == 2 && at + 1 < words_.size() && is_mapping_parameter(words_[at + 1].text))
      see(words_[at + 1].text, Effect::over_plan);
    return at + 1 + values;
  }

  // Behind the program, or where nobody knows whether it is.
  std::size_t after_word(std::size_t at) {
    const ShellWord& word = words_[at];
    if (word.text == ":") {
      end_program();
      state_ = State::options;
    } else if (state_ == State::unknown) {
      const Option* const option = option_of(word.text);
      if (option) see(word.text, option->effect);
      if (is_mapping_parameter(word.text)) see(word.text, Effect::over_plan);
      if (word.expands && !found_.program_is_known) found_.expanded.push_back(word);
      if (!word.expands && !word.text.starts_with('-')) found_.program_is_known = true;
      counted_ = counted_ || (option && std::ranges::find(counts, option->name) != std::end(counts));
    }
    return at + 1;
  }

  std::span<const ShellWord> words_;
  MpirunOptions found_ = {};
  std::string below_plan_ = {};
  State state_ = State::options;
  int contexts_ = 0;
  bool counted_ = false, lacks_count_ = false;
};

}  // namespace

bool is_mpirun(std::string_view word) {
  word = base_name(word);
  return std::ranges::find(programs, word.substr(0, word.find('.'))) != std::end(programs);
}

bool is_mapping_parameter(std::string_view name) {
  return std::ranges::any_of(
             whole_parameters,
             [name](std::string_view each) { return name == each || name.ends_with("_MCA_" + std::string(each)); }) ||
         std::ranges::any_of(parameters, [name](std::string_view each) { return name.find(each) != name.npos; });
}

bool is_mapping_word(std::string_view word) {
  const Option* const option = option_of(word);
  return (option && option->effect != Effect::none && option->name.size() > 1) || is_mapping_parameter(word);
}

bool overrides_plan(std::string_view word) {
  const Option* const option = option_of(word.substr(0, word.find(' ')));
  return !word.empty() && (!option || option->effect == Effect::over_plan);
}

std::string mapping_argument(std::span<const std::string> arguments) {
  const auto found = std::ranges::find_if(arguments, [](const std::string& word) {
    const Option* const option = option_of(word);
    return (option && option->effect != Effect::none) || is_mapping_parameter(word);
  });
  return found != arguments.end() ? *found : "";
}

MpirunOptions mpirun_options(std::span<const ShellWord> words) { return Walk(words).over_all(); }

std::string own_mapping_option(std::span<const std::string> arguments) {
  std::vector<ShellWord> words;
  for (const std::string& argument : arguments) words.push_back({argument});
  return mpirun_options(words).own;
}

}  // namespace placement::spank
