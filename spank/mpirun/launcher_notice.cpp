// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/launcher_notice.hpp"

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "common/util/file_descriptor.hpp"
#include "common/util/text.hpp"
#include "spank/mpirun/mpirun_options.hpp"
#include "spank/mpirun/mpirun_parameters.hpp"

namespace placement::spank {

namespace {

constexpr std::string_view open_mpi_daemons[] = {"orted", "prted"};
constexpr std::string_view hydra_daemons[] = {"pmi_proxy", "hydra_pmi_proxy", "hydra_bstrap_proxy"};

template <std::size_t size>
bool among(const std::string_view (&names)[size], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Returns the arguments of the mpirun that started this srun.
std::vector<std::string> arguments_of_mpirun() {
  std::ifstream line("/proc/" + std::to_string(getppid()) + "/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(line, word, '\0');) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

// Returns true if `word` of mpirun, or the environment, names a rankfile.
bool is_rankfile(const std::string& word) {
  if (word.find("rankfile") != word.npos || word == "-rf" || word == "--rf") return true;
  for (const char* name : {"OMPI_MCA_orte_rankfile", "OMPI_MCA_rmaps_rank_file_path", "PRTE_MCA_prte_rankfile"})
    if (std::getenv(name)) return true;
  return false;
}

// Returns a duplicate of the standard error of `process`, which shares the position in the file with it. If the file
// were opened again, both processes would overwrite each other's output. Returns an empty descriptor if the kernel
// refuses.
FileDescriptor errors_of(pid_t process) {
  const FileDescriptor handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (handle < 0) return FileDescriptor(-1);
  return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_getfd, static_cast<int>(handle), STDERR_FILENO, 0)));
}

// Returns what maps mpirun's ranks apart from its options, such as "the environment has OMPI_MCA_rmaps"; empty if
// nothing does. PRRTE starts srun without its own variables, so the plan's reason counts too.
std::string mapping_elsewhere(const MpirunPlan& plan) {
  if (const std::string variable = mapping_variable(environ); !variable.empty()) return environment_has + variable;
  if (plan.reason.starts_with(environment_has)) return plan.reason;
  return mapping_in_parameter_files(variable_here, "/proc/" + std::to_string(getppid()) + "/exe");
}

std::string told_of_plan(std::string_view policy, const std::string& elsewhere) {
  return "placement: mpirun places its ranks by " + std::string(policy) + ", although " + elsewhere +
         ": with PLACEMENT_MPIRUN=no in the environment of the submission it goes by that\n";
}

// `word` is the user's option, `elsewhere` the result of mapping_elsewhere(), and `reason` says why there is no plan;
// each may be empty.
std::string told_of_other_order(bool open_mpi, std::string_view policy, const std::string& word,
                                const std::string& elsewhere, const std::string& reason,
                                const std::string& why_not_srun, bool for_srun_alone) {
  const bool in_slurms_order = word.empty() && elsewhere.empty();
  const std::string why = !word.empty() ? "" : !elsewhere.empty() ? elsewhere : reason != why_not_srun ? reason : "";
  std::string line = std::string("placement: ") + (open_mpi ? "mpirun" : "mpiexec") + " places its ranks " +
                     (!word.empty()     ? "by its user's " + word
                      : in_slurms_order ? "itself, in Slurm's order"
                                        : "itself") +
                     " and not by " + std::string(policy) + (why.empty() ? "" : " (" + why + ")");
  if (!why_not_srun.empty())
    line += std::string("; srun keeps Slurm's order") + (in_slurms_order ? ", too" : "") + " (" + why_not_srun + ")";
  else if (for_srun_alone)
    line += ": srun alone finds a stored profile (auto); \"placement-profile -o FILE mpirun ...\" makes one for -m " +
            std::string(policy) + "=FILE";
  else
    line +=
        open_mpi
            ? ": \"placectl rankfile -o FILE\" and then \"mpirun --rankfile FILE\" place them by it, and so does srun"
            : ": srun starts them in the order of the policy (\"placectl rankfile\" is for Open MPI alone)";
  return line + "\n";
}

}  // namespace

std::string launcher_daemon(spank_t spank) {
  int count = 0;
  char** words = nullptr;
  if (spank_get_item(spank, S_JOB_ARGV, &count, &words) != ESPANK_SUCCESS || count < 1 || !words || !words[0])
    return {};
  std::string_view program = words[0];
  program = base_name(program);
  return among(open_mpi_daemons, program) || among(hydra_daemons, program) ? std::string(program) : std::string();
}

void tell_launcher(std::string_view daemon, std::string_view policy, const MpirunPlan& plan,
                   const std::string& why_not_srun, bool for_srun_alone) {
  const bool open_mpi = among(open_mpi_daemons, daemon);
  const std::vector<std::string> arguments = open_mpi ? arguments_of_mpirun() : std::vector<std::string>();
  const std::string word = own_mapping_option(arguments);
  const bool by_hand =
      !plan.path.empty() && std::find(arguments.begin(), arguments.end(), plan.path) != arguments.end();
  if (open_mpi && (by_hand || is_rankfile(word))) return;
  const bool by_plan = open_mpi && plan.in_force && !overrides_plan(word);
  const std::string elsewhere = !open_mpi      ? ""
                                : word.empty() ? mapping_elsewhere(plan)
                                : by_plan      ? "its command has " + word
                                               : "";
  if (by_plan && elsewhere.empty()) return;
  const std::string line =
      by_plan ? told_of_plan(policy, elsewhere)
              : told_of_other_order(open_mpi, policy, word, elsewhere, elsewhere.empty() && open_mpi ? plan.reason : "",
                                    why_not_srun, for_srun_alone);
  const FileDescriptor parent = errors_of(getppid());
  if (write(parent >= 0 ? static_cast<int>(parent) : STDERR_FILENO, line.data(), line.size()) < 0)
    slurm_debug("placement: nobody can be told of the launcher");
}

}  // namespace placement::spank
