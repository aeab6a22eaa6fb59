// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/profile/profile_store.hpp"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement::spank;

START_TEST(this_program_has_a_build_id_and_no_mpi) {
  const ProgramFacts facts = facts_of_program(std::filesystem::canonical("/proc/self/exe"));
  ck_assert(facts.mpi_libraries.empty());
  ck_assert(facts.version.find(" bytes of ") != std::string::npos ||
            (facts.version.size() >= 16 && facts.version.find_first_not_of("0123456789abcdef") == std::string::npos));
}
END_TEST

START_TEST(the_profiler_is_linked_with_an_mpi_library) {
  const char* const directory = std::getenv("PLUGIN_DIR");
  const std::string library = std::string(directory ? directory : ".libs") + "/libplacement-profile.so";
  if (!std::filesystem::exists(library)) return;  // built without MPI
  const ProgramFacts facts = facts_of_program(library);
  ck_assert_uint_eq(facts.mpi_libraries.size(), 1);
  ck_assert(facts.mpi_libraries[0].starts_with("libmpi"));
}
END_TEST

START_TEST(what_is_no_program_has_no_facts) {
  const TemporaryDirectory directory;
  const std::string pipe = directory.path() + "/pipe";
  ck_assert_int_eq(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {directory.file("script", "#!/bin/sh\nlibmpi.so\n"), directory.file("empty", ""),
                                  directory.file("magic",
                                                 "\x7f"
                                                 "ELF"),
                                  directory.path(), directory.path() + "/missing", std::string("/dev/zero"), pipe}) {
    const ProgramFacts facts = facts_of_program(path);
    ck_assert(facts.mpi_libraries.empty() && facts.version.empty());
  }
}
END_TEST

// A version of a program is a build ID, or else an unchanged file.
START_TEST(a_changed_program_has_another_version) {
  const TemporaryDirectory directory;
  std::ifstream program("/bin/true", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(program), {}};
  const std::string with = directory.file("with", bytes);
  ck_assert(facts_of_program(with).version.find(' ') == std::string::npos);
  const std::string note("\x14\0\0\0\x03\0\0\0GNU", 11);  // of a build ID with 20 bytes
  const std::size_t at = bytes.find(note);
  if (at == std::string::npos) return;  // a /bin/true without one
  bytes[at + 4] = 4;
  const std::string without = directory.file("without", bytes);
  const ProgramFacts before = facts_of_program(without);
  ck_assert(before.version.find(" bytes of ") != std::string::npos);
  ck_assert(facts_of_program(without).version == before.version);
  std::filesystem::last_write_time(without, std::filesystem::last_write_time(without) + std::chrono::seconds(1));
  ck_assert(facts_of_program(without).version != before.version);
}
END_TEST

// A user's program is read by srun as the user; a damaged one must not end it.
START_TEST(damaged_programs_end_nothing) {
  const TemporaryDirectory directory;
  std::ifstream program("/bin/true", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(program), {}};
  ck_assert(!whole.empty());
  std::mt19937_64 random(11);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = whole;
    if (round % 2 == 0) damaged.resize(random() % damaged.size());
    for (int byte = 0; byte < 40 && !damaged.empty(); ++byte) {
      const std::size_t region = round % 3 == 0 ? std::min<std::size_t>(damaged.size(), 64) : damaged.size();
      const std::size_t at = round % 3 == 1
                                 ? damaged.size() - 1 - random() % std::min<std::size_t>(damaged.size(), 4096)
                                 : random() % region;
      damaged[at] = static_cast<char>(random());
    }
    facts_of_program(directory.file("damaged", damaged));
  }
}
END_TEST

int main() {
  Suite* const suite = suite_create("program_facts");
  TCase* const tests = tcase_create("program_facts");
  tcase_add_test(tests, a_changed_program_has_another_version);
  tcase_add_test(tests, this_program_has_a_build_id_and_no_mpi);
  tcase_add_test(tests, the_profiler_is_linked_with_an_mpi_library);
  tcase_add_test(tests, what_is_no_program_has_no_facts);
  tcase_add_test(tests, damaged_programs_end_nothing);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
