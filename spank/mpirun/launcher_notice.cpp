// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/launcher_notice.hpp"

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "common/util/file_descriptor.hpp"
#include "spank/mpirun/mpirun_words.hpp"

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

// Returns the part of the line that tells what places ranks by the policy, if anything does.
std::string what_else_places(bool open_mpi, bool in_slurms_order, const std::string& why_not_srun) {
  if (!why_not_srun.empty()) return std::string("; srun keeps Slurm's order") + (in_slurms_order ? ", too" : "") + " (" + why_not_srun + ")";
  return open_mpi ? ": \"placectl rankfile -o FILE\" and then \"mpirun --rankfile FILE\" place them by it, and so does srun"
                  : ": srun starts them in the order of the policy (\"placectl rankfile\" is for Open MPI alone)";
}

}  // namespace

std::string launcher_daemon(spank_t spank) {
  int count = 0;
  char** words = nullptr;
  if (spank_get_item(spank, S_JOB_ARGV, &count, &words) != ESPANK_SUCCESS || count < 1 || !words || !words[0]) return {};
  std::string_view program = words[0];
  if (const auto slash = program.rfind('/'); slash != program.npos) program.remove_prefix(slash + 1);
  return among(open_mpi_daemons, program) || among(hydra_daemons, program) ? std::string(program) : std::string();
}

void tell_launcher(std::string_view daemon, std::string_view policy, const MpirunPlan& plan, const std::string& why_not_srun) {
  const bool open_mpi = among(open_mpi_daemons, daemon);
  const std::vector<std::string> arguments = open_mpi ? arguments_of_mpirun() : std::vector<std::string>();
  const std::string word = own_mapping_option(arguments);
  const bool by_hand = !plan.path.empty() && std::find(arguments.begin(), arguments.end(), plan.path) != arguments.end();
  if (open_mpi && ((plan.in_force && word.empty()) || by_hand || is_rankfile(word))) return;
  const bool told_why = open_mpi && word.empty() && !plan.reason.empty() && plan.reason != why_not_srun;
  const std::string line =
      "placement: " + std::string(open_mpi ? "mpirun" : "mpiexec") + " places its ranks " +
      (word.empty() ? "itself, in Slurm's order" : "by its user's " + word) + " and not by " + std::string(policy) +
      (told_why ? " (" + plan.reason + ")" : "") + what_else_places(open_mpi, word.empty(), why_not_srun) + "\n";
  const FileDescriptor parent = errors_of(getppid());
  if (write(parent >= 0 ? static_cast<int>(parent) : STDERR_FILENO, line.data(), line.size()) < 0)
    slurm_debug("placement: nobody can be told of the launcher");
}

}  // namespace placement::spank
