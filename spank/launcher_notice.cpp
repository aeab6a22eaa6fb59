// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/launcher_notice.hpp"

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "common/util/file_descriptor.hpp"
#include "common/util/text.hpp"

namespace placement::spank {

namespace {

constexpr std::string_view open_mpi_daemons[] = {"orted", "prted"};
constexpr std::string_view hydra_daemons[] = {"pmi_proxy", "hydra_pmi_proxy", "hydra_bstrap_proxy"};

// Returns true if the mpirun that started this srun was given a rankfile, or the hostfile of the plan.
bool uses_policy_file(const std::string& hostfile) {
  const std::vector<std::string> words = command_line_of(std::to_string(getppid()));
  return std::any_of(words.begin() + (words.empty() ? 0 : 1), words.end(), [&](const std::string& word) {
    return word.find("rankfile") != word.npos || word == "-rf" || (!hostfile.empty() && word == hostfile);
  });
}

// Returns a duplicate of the standard error of `process`, which shares the position in the file with it. If the file
// were opened again, both processes would overwrite each other's output. Returns an empty descriptor if the kernel
// refuses.
FileDescriptor errors_of(pid_t process) {
  const FileDescriptor handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (handle < 0) return FileDescriptor(-1);
  return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_getfd, static_cast<int>(handle), STDERR_FILENO, 0)));
}

// Returns the end of the notice: how the ranks would follow `policy`.
std::string remedy(bool open_mpi, const std::string& policy, const MpirunPlan& plan, bool for_srun_alone) {
  if (for_srun_alone)
    return "only srun finds a stored profile (auto); \"placement-profile -o FILE mpirun ...\" makes one for -m " +
           policy + "=FILE";
  if (!open_mpi) return "\"placectl run -- mpiexec ...\" chooses the order of the nodes, and srun places each rank";
  if (!plan.path.empty()) {
    std::string text = mpirun_command;
    return text += ", PLACEMENT_MPIRUN=yes at the submission, and srun use it";
  }
  return "\"placectl run -- mpirun ...\" and srun use it";
}

}  // namespace

std::string launcher_daemon(spank_t spank) {
  const std::vector<std::string> command = command_of_step(spank);
  const std::string_view program = command.empty() ? "" : base_name(command.front());
  const auto known = std::ranges::count(open_mpi_daemons, program) + std::ranges::count(hydra_daemons, program);
  return std::string(known > 0 ? program : "");
}

void tell_launcher(std::string_view daemon, const std::string& policy, const MpirunPlan& plan,
                   const std::string& why_not_srun, bool for_srun_alone) {
  const bool open_mpi = std::ranges::count(open_mpi_daemons, daemon) > 0;
  if (open_mpi && (plan.in_force || uses_policy_file(plan.path))) return;
  std::string line =
      std::string("placement: ") + (open_mpi ? "mpirun" : "mpiexec") + " does not use the policy " + policy;
  if (open_mpi && !plan.reason.empty() && plan.reason != why_not_srun) line += " (" + plan.reason + ")";
  line += !why_not_srun.empty() ? "; srun keeps Slurm's order (" + why_not_srun + ")\n"
                                : ": " + remedy(open_mpi, policy, plan, for_srun_alone) + "\n";
  const FileDescriptor parent = errors_of(getppid());
  if (write(parent >= 0 ? static_cast<int>(parent) : STDERR_FILENO, line.data(), line.size()) < 0)
    slurm_debug("placement: the notice about the launcher cannot be written");
}

}  // namespace placement::spank
