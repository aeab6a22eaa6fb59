// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/util/cpu_list.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "tests/check.hpp"

using namespace placement;

namespace {

// The number of processors of a simulated kernel; 0: the kernel of this machine answers.
std::size_t supported = 0;

}  // namespace

// Replaces the C library's function. As sched_setaffinity(2) says, a kernel refuses a set that is too small for all
// processors that it supports.
extern "C" int sched_getaffinity(pid_t process, std::size_t size, cpu_set_t* set) noexcept {
  if (supported == 0) {
    const long length = syscall(SYS_sched_getaffinity, process, size, set);
    if (length > 0) std::memset(reinterpret_cast<char*>(set) + length, 0, size - static_cast<std::size_t>(length));
    return length < 0 ? -1 : 0;
  }
  if (size * 8 < supported) {
    errno = EINVAL;
    return -1;
  }
  std::memset(set, 0, size);
  CPU_SET_S(3, size, set);
  CPU_SET_S(supported - 1, size, set);
  return 0;
}

START_TEST(the_processors_of_this_process) {
  const std::vector<std::int32_t> cpus = allowed_cpus();
  cpu_set_t set;
  ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
  ck_assert_uint_eq(cpus.size(), static_cast<std::size_t>(CPU_COUNT(&set)));
  for (const std::int32_t cpu : cpus) ck_assert(CPU_ISSET(cpu, &set));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpus.back(), &one);
  ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
  ck_assert(allowed_cpus() == std::vector<std::int32_t>{cpus.back()});
}
END_TEST

START_TEST(more_than_1024_processors) {
  for (const std::size_t processors : {1024, 1025, 5000, 1 << 20}) {
    supported = processors;
    ck_assert(allowed_cpus() == (std::vector<std::int32_t>{3, static_cast<std::int32_t>(processors - 1)}));
  }
  supported = (1 << 20) + 1;
  ck_assert(allowed_cpus().empty());
  supported = 0;
}
END_TEST

int main() {
  TCase* const cases = tcase_create("allowed_cpus");
  for (const TTest* test : {the_processors_of_this_process, more_than_1024_processors}) tcase_add_test(cases, test);
  Suite* const suite = suite_create("allowed_cpus");
  suite_add_tcase(suite, cases);
  return run_suite(suite);
}
