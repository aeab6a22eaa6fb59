// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes are jobs that can be replayed, lines that are skipped, or an Error; the same from gzip.
#include <sys/mman.h>
#include <unistd.h>

#include "common/topology/tree_topology.hpp"
#include "common/util/error.hpp"
#include "sim/job_log.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace placement;
using namespace placement::sim;

const char* const fuzz_corpus = "job_log";

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("log", MFD_CLOEXEC);
  REQUIRE(file >= 0);
  REQUIRE(write(file, data, size) == static_cast<ssize_t>(size));
  LogNotes notes;
  std::int64_t jobs = 0;
  std::int64_t last_line = 0;
  try {
    read_job_log("/proc/self/fd/" + std::to_string(file), notes, [&](LogJob&& job) {
      ++jobs;
      REQUIRE(job.line > last_line);
      last_line = job.line;
      REQUIRE(job.submit_s >= 0 && job.run_s > 0 && job.limit_s >= job.run_s);
      REQUIRE(job.limit_s <= std::int64_t{1} << 32 && job.submit_s <= std::int64_t{1} << 32);
      REQUIRE(job.tasks > 0 && job.tasks <= TreeTopology::max_leaves);
    });
  } catch (const Error& error) {
    REQUIRE(std::string_view(error.what()).size() < 2000);
  }
  for (const LogNotes::Note& note : notes.notes()) REQUIRE(note.count > 0 && note.first_line > 0 && !note.what.empty());
  close(file);
  return 0;
}
