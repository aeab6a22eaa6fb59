// SPDX-License-Identifier: GPL-2.0-or-later
// The main function of every Check program, which runs one suite, and an assertion on errors.
#pragma once
#include <check.h>
#undef fail  // an old name of Check's that the standard streams have too

#include <cstdlib>
#include <string>

#include "common/util/error.hpp"

// Seconds after which Check ends a test case in an endless loop; a busy machine must not reach this limit.
inline const int patience_is_set = setenv("CK_DEFAULT_TIMEOUT", "120", 0);

// How many of `all` random instances a test tries. With AddressSanitizer, which makes the mapping some twenty times
// slower, it is one in ten and at least three: a sanitizer looks at the code that runs, not at how good the results
// are.
constexpr int instances(int all) {
#ifdef __SANITIZE_ADDRESS__
  return all / 10 > 3 ? all / 10 : 3;
#else
  return all;
#endif
}

// Runs the suite; the exit code is what automake's test driver expects.
inline int run_suite(Suite* suite) {
  SRunner* runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// The text of the Error that the call throws; empty when it throws none.
template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const placement::Error& error) {
    return error.what();
  }
  return {};
}

// The call throws an Error whose text has the part.
#define ck_assert_error(call, part)                                                       \
  do {                                                                                    \
    const std::string text_ = error_of([&] { (void)(call); });                            \
    ck_assert_msg(!text_.empty(), "no error from " #call);                                \
    ck_assert_msg(text_.find(part) != std::string::npos, "error is '%s'", text_.c_str()); \
  } while (0)

// Two strings, also temporaries, are equal (ck_assert_str_eq keeps a pointer beyond their life).
#define ck_assert_text_eq(actual, expected)                                                          \
  do {                                                                                               \
    const std::string actual_(actual), expected_(expected);                                          \
    ck_assert_msg(actual_ == expected_, "'%s' instead of '%s'", actual_.c_str(), expected_.c_str()); \
  } while (0)
