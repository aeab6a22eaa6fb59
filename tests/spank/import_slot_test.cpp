// SPDX-License-Identifier: GPL-2.0-or-later
// Diverts calls in two small libraries that differ in the way they were linked.
#include "spank/function_hook.hpp"

#include <dlfcn.h>

#include <string>

#include "spank/client_hooks.hpp"
#include "tests/check.hpp"

namespace {

using Function = int (*)(int);

int replaced(int value) { return value + 1000; }

struct Library {
  explicit Library(const std::string& name)
      : handle(dlopen((std::string(IMPORT_LIBRARIES) + "/" + name + ".so").c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    ck_assert_msg(handle != nullptr, "%s", dlerror());
    call = reinterpret_cast<Function>(dlsym(handle, "import_test_caller"));
    ck_assert(call != nullptr);
  }
  ~Library() { dlclose(handle); }

  void* handle;
  Function call;
};

void hook_and_restore(const std::string& name, bool read_only, bool call_first) {
  Library library(name);
  if (call_first) ck_assert_int_eq(library.call(1), 2);
  const auto slot = placement::spank::find_import_slot(name, "import_test_callee");
  ck_assert(slot.address != nullptr);
  ck_assert_int_eq(slot.read_only, read_only);
  void* const before = *slot.address;
  ck_assert(placement::spank::write_import_slot(slot, reinterpret_cast<void*>(replaced)));
  ck_assert_int_eq(library.call(1), 1001);
  ck_assert(placement::spank::write_import_slot(slot, before));
  ck_assert_int_eq(library.call(1), 2);
}

}  // namespace

START_TEST(a_lazy_slot_is_hooked_before_its_first_call) { hook_and_restore("import_lazy", false, false); }
END_TEST

START_TEST(a_lazy_slot_is_hooked_after_its_first_call) { hook_and_restore("import_lazy", false, true); }
END_TEST

START_TEST(a_slot_behind_relro_is_hooked) { hook_and_restore("import_now", true, false); }
END_TEST

START_TEST(a_call_bound_at_link_time_has_no_slot) {
  Library library("import_symbolic");
  ck_assert(placement::spank::find_import_slot("import_symbolic", "import_test_callee").address == nullptr);
}
END_TEST

START_TEST(what_is_not_there_is_not_found) {
  Library library("import_lazy");
  ck_assert(placement::spank::find_import_slot("import_lazy", "import_test_nothing").address == nullptr);
  ck_assert(placement::spank::find_import_slot("no_such_library", "import_test_callee").address == nullptr);
  ck_assert(!placement::spank::write_import_slot({}, nullptr));
}
END_TEST

START_TEST(without_slurm_there_is_no_distribution_hook) {
  ck_assert(!placement::spank::install_distribution_hook([](const char*) { return false; }));
  placement::spank::remove_client_hooks();
}
END_TEST

int main() {
  Suite* const suite = suite_create("import_slot");
  TCase* const tests = tcase_create("import_slot");
  tcase_add_test(tests, a_lazy_slot_is_hooked_before_its_first_call);
  tcase_add_test(tests, a_lazy_slot_is_hooked_after_its_first_call);
  tcase_add_test(tests, a_slot_behind_relro_is_hooked);
  tcase_add_test(tests, a_call_bound_at_link_time_has_no_slot);
  tcase_add_test(tests, what_is_not_there_is_not_found);
  tcase_add_test(tests, without_slurm_there_is_no_distribution_hook);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
