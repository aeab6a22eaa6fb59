// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/profile/profile_store.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

using namespace placement;
using namespace placement::spank;
namespace fs = std::filesystem;

namespace {

void write(const std::string& path, std::time_t age_s, std::size_t bytes = 1) {
  std::ofstream(path) << std::string(bytes, 'x');
  const utimbuf times{std::time(nullptr) - age_s, std::time(nullptr) - age_s};
  utime(path.c_str(), &times);
}

std::string class_of(const std::vector<std::string>& arguments) {
  std::string text = class_of_arguments(arguments);
  for (char& c : text)
    if (c == '\0') c = '|';
  return text;
}

// Returns a name in the form that the store gives to a profile.
std::string stored(const std::string& name, std::size_t ranks) {
  const std::string hash = "-0123456789abcdef";
  return "/" + name + hash + hash + hash + "." + std::to_string(ranks);
}

// slurm-placement-profiles(7): of more than 512 files or 256 MiB the oldest are removed, but none of the last hour.
constexpr std::size_t most_files = 512;
constexpr std::uintmax_t most_bytes = 256 << 20;

std::size_t files_in(const std::string& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

}  // namespace

START_TEST(numbers_do_not_make_a_class) {
  ck_assert_text_eq(class_of({"-i", "40", "mesh2.nml"}), "-i|#|mesh#.nml|");
  ck_assert_text_eq(class_of({"-i", "4000", "mesh17.nml"}), "-i|#|mesh#.nml|");
  ck_assert_text_eq(class_of({"0.5", "1e-7", "4x2x1", "3."}), "#|#e-#|#x#x#|#.|");
  ck_assert_text_eq(class_of({}), "");
  ck_assert(class_of({"a", "b"}) != class_of({"ab"}));
  ck_assert(class_of({""}) != class_of({}));
}
END_TEST

START_TEST(programs_are_found_as_a_shell_finds_them) {
  const TemporaryDirectory directory;
  const std::string home = fs::canonical(directory.path()).string();
  fs::create_directories(home + "/bin");
  for (const char* name : {"/bin/app", "/here"}) {
    write(home + name, 0);
    chmod((home + name).c_str(), 0700);
  }
  write(home + "/bin/plain", 0);
  fs::create_symlink(home + "/bin/app", home + "/link");
  const std::string path = "/nonexistent:" + home + "/bin";
  const auto program = [&](const std::string& word) { return program_run({word, "x"}, 4, home, path).program; };
  ck_assert_text_eq(program("app"), home + "/bin/app");
  ck_assert_text_eq(program("bin/app"), home + "/bin/app");
  ck_assert_text_eq(program("./link"), home + "/bin/app");
  ck_assert_text_eq(program("here"), home + "/here");
  ck_assert_text_eq(program("plain"), "plain");  // not executable
  ck_assert_text_eq(program("/no/such"), "/no/such");
  const ProgramRun run = program_run({"app", "-i", "3"}, 7, home, path);
  ck_assert_int_eq(run.ranks, 7);
  ck_assert_uint_eq(run.arguments.size(), 2);
  ck_assert_error(program_run({}, 1, home, path), "no command");
}
END_TEST

START_TEST(the_same_arguments_come_before_the_latest) {
  const TemporaryDirectory directory;
  const ProfileStore store(directory.path() + "/a/b");
  const ProgramRun asked{"/bin/app", {"-i", "3"}, 8}, other{"/bin/app", {"-i", "4"}, 8},
      third{"/bin/app", {"-i", "5"}, 8};
  ck_assert(!store.find(asked));  // there is no directory yet
  write(store.file_for(other), 50);
  struct stat status;
  stat(store.directory().c_str(), &status);
  ck_assert_int_eq(status.st_mode & 0777, 0700);
  stat((directory.path() + "/a").c_str(), &status);
  ck_assert_int_eq(status.st_mode & 0777, 0700);

  auto found = store.find(asked);
  ck_assert(found && !found->same_arguments);
  ck_assert_text_eq(found->file, store.file_for(other));
  write(store.file_for(third), 20);
  ck_assert_text_eq(store.find(asked)->file, store.file_for(third));
  write(store.file_for(asked), 90);
  found = store.find(asked);
  ck_assert(found && found->same_arguments);
  ck_assert_text_eq(found->file, store.file_for(asked));

  for (const ProgramRun& stranger : {ProgramRun{"/bin/app", {"-i", "3"}, 9}, ProgramRun{"/bin/app", {"-i", "3"}, 88},
                                     ProgramRun{"/bin/app2", {"-i", "3"}, 8}, ProgramRun{"/opt/app", {"-i", "3"}, 8},
                                     ProgramRun{"/bin/app", {"-j", "3"}, 8}, ProgramRun{"/bin/app", {"-i3"}, 8}})
    ck_assert(!store.find(stranger));
  // A file next to a profile is not taken for a profile.
  write(store.file_for({"/bin/app", {}, 3}) + ".summary", 0);
  ck_assert(!store.find({"/bin/app", {}, 3}));
}
END_TEST

START_TEST(a_profile_with_other_arguments_is_known_by_them) {
  const TemporaryDirectory directory;
  const ProfileStore store(directory.path() + "/store");
  const ProgramRun asked{"/bin/app", {"-i", "3"}, 8}, other{"/bin/app", {"-x", "a\033b"}, 8}, none{"/bin/app", {}, 8};
  ck_assert(!store.find_other_arguments(asked));
  for (const ProgramRun& stranger : {ProgramRun{"/bin/app", {"-i", "4"}, 8}, ProgramRun{"/bin/app", {"-x"}, 88},
                                     ProgramRun{"/bin/app2", {"-x"}, 8}, ProgramRun{"/opt/app", {"-x"}, 8}})
    write(store.file_for(stranger), 10);
  ck_assert(!store.find_other_arguments(asked));
  write(store.file_for(none), 50);
  ck_assert_text_eq(store.find_other_arguments(asked)->file, store.file_for(none));
  ck_assert(!ProfileStore::noted_arguments(*store.find_other_arguments(asked)));  // of an earlier version
  store.note_arguments(none);
  ck_assert_text_eq(ProfileStore::noted_arguments(*store.find_other_arguments(asked)).value(), "");
  write(store.file_for(other), 20);
  store.note_arguments(other);
  struct stat status;
  ck_assert(stat((store.file_for(other) + ".arguments").c_str(), &status) == 0 && (status.st_mode & 0777) == 0600);
  ck_assert_text_eq(store.find_other_arguments(asked)->file, store.file_for(other));
  ck_assert_text_eq(ProfileStore::noted_arguments(*store.find_other_arguments(asked)).value(), "-x a?b");
  // A file with noted arguments is not a profile.
  ck_assert(store.find(other) && store.find_other_ranks(asked).size() == 0);
}
END_TEST

START_TEST(what_others_may_write_says_nothing) {
  const TemporaryDirectory directory;
  const ProfileStore store(directory.path() + "/store");
  const ProgramRun run{"/bin/app", {}, 2};
  write(store.file_for(run), 0);
  chmod(store.directory().c_str(), 0770);
  ck_assert_error(store.find(run), "others ");
  ck_assert_error(store.file_for(run), "others ");
  chmod(store.directory().c_str(), 0755);  // reading is no harm
  ck_assert(store.find(run).has_value());
  fs::remove(store.file_for(run));
  fs::create_symlink("/etc/passwd", store.file_for(run));
  ck_assert(!store.find(run));
  if (geteuid() == 0) {
    ck_assert_int_eq(chown(store.directory().c_str(), 12345, 12345), 0);
    ck_assert_error(store.find(run), "another user");
    const fs::path target = fs::path(directory.path()) / "target", link = fs::path(directory.path()) / "link";
    fs::create_directory(target);
    fs::create_symlink(target, link);
    ck_assert_int_eq(lchown(link.c_str(), 12345, 12345), 0);
    ck_assert_error(ProfileStore((link / "profiles").string()).file_for(run), link.string());
    ck_assert(fs::is_empty(target));
  }
  const ProfileStore file(directory.file("file", "x"));
  ck_assert_error(file.find(run), "/file");
  ck_assert_error(file.file_for(run), "cannot be created");
}
END_TEST

START_TEST(the_store_is_bounded) {
  const TemporaryDirectory directory;
  const ProfileStore store(directory.path() + "/store");
  const ProgramRun run{"/bin/app", {}, 2};
  store.file_for(run);
  for (std::size_t i = 0; i < most_files; ++i)
    write(store.directory() + stored("old", i), static_cast<std::time_t>(10000 + i));
  write(store.directory() + stored("young", 1), 10);
  store.file_for(run);
  ck_assert_uint_eq(files_in(store.directory()), most_files - 3);
  ck_assert(fs::exists(store.directory() + stored("young", 1)) && fs::exists(store.directory() + stored("old", 0)));
  ck_assert(!fs::exists(store.directory() + stored("old", 511)));
  // Three files are too large together. The oldest one is removed, and that is enough.
  const TemporaryDirectory fourth;
  const ProfileStore large(fourth.path());
  for (int i = 0; i < 3; ++i) {
    const std::string path = large.directory() + stored("large", static_cast<std::size_t>(i));
    write(path, 0);
    fs::resize_file(path, most_bytes / 3 + 1);  // sparse
    const utimbuf times{std::time(nullptr) - 50000 + i, std::time(nullptr) - 50000 + i};
    utime(path.c_str(), &times);
  }
  large.file_for(run);
  ck_assert(!fs::exists(large.directory() + stored("large", 0)));
  ck_assert(fs::exists(large.directory() + stored("large", 1)) && fs::exists(large.directory() + stored("large", 2)));
  // Files of the last hour are kept, however many there are, and older ones are not.
  const TemporaryDirectory second;
  const ProfileStore busy(second.path());
  for (std::size_t i = 0; i < most_files + 9; ++i) write(busy.directory() + stored("new", i), 3500);
  busy.file_for(run);
  ck_assert_uint_eq(files_in(busy.directory()), most_files + 9);
  const TemporaryDirectory third;
  const ProfileStore idle(third.path());
  for (std::size_t i = 0; i < most_files + 9; ++i) write(idle.directory() + stored("new", i), 3700);
  idle.file_for(run);
  ck_assert_uint_eq(files_in(idle.directory()), most_files - 3);
}
END_TEST

// Each kind of profile has its own room.
START_TEST(learned_profiles_do_not_push_out_the_users_own) {
  const TemporaryDirectory directory;
  const ProfileStore store(directory.path());
  const ProgramRun run{"/bin/app", {}, 2};
  for (std::size_t i = 0; i < most_files - 3; ++i) write(store.directory() + stored("own", i + 1), 50000);
  for (std::size_t i = 0; i < most_files; ++i)
    write(store.directory() + stored("site", i + 1) + ".learned1", static_cast<std::time_t>(10000 + i));
  store.learned_file_for(run, {}, 0);
  ck_assert_uint_eq(files_in(store.directory()), 2 * (most_files - 3));
  ck_assert(fs::exists(store.directory() + stored("own", 1)) &&
            !fs::exists(store.directory() + stored("site", 512) + ".learned1"));
  for (std::size_t i = 0; i < 9; ++i) write(store.directory() + stored("mine", i + 1), 5000);
  store.file_for(run);
  ck_assert_uint_eq(files_in(store.directory()), 2 * (most_files - 3));
  ck_assert(fs::exists(store.directory() + stored("mine", 1)) &&
            fs::exists(store.directory() + stored("site", 1) + ".learned1"));
}
END_TEST

START_TEST(what_the_store_did_not_make_stays) {
  const TemporaryDirectory directory;
  const ProfileStore store(directory.path());
  const std::string good = stored("app", 4);
  const std::string names[] = {"/thesis.tex",
                               "/old.4",
                               "/data-0123456789abcdef.4",
                               "/.4",
                               good + "x",
                               good.substr(0, good.find('.')),
                               stored("a-b", 1).replace(6, 1, "G"),
                               good.substr(0, good.find('.') + 1)};
  for (const std::string& name : names) {
    write(store.directory() + name, 1);
    fs::resize_file(store.directory() + name, ProfileStore::most_bytes);  // sparse
    const utimbuf times{std::time(nullptr) - 90000, std::time(nullptr) - 90000};
    utime((store.directory() + name).c_str(), &times);
  }
  for (std::size_t i = 0; i < ProfileStore::most_files + 9; ++i) write(store.directory() + stored("app", i), 50000);
  store.file_for({"/bin/app", {}, 2});
  for (const std::string& name : names) ck_assert_msg(fs::exists(store.directory() + name), "%s", name.c_str());
  ck_assert_uint_eq(files_in(store.directory()), std::size(names) + ProfileStore::most_files - 3);
}
END_TEST

START_TEST(where_it_is) {
  std::map<std::string, std::string> variables;
  const auto getenv = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  ck_assert_error(ProfileStore::of_user(getenv), "XDG_DATA_HOME");
  variables["HOME"] = "/home/u";
  ck_assert_text_eq(ProfileStore::of_user(getenv).directory(), "/home/u/.local/share/slurm-placement/profiles");
  variables["XDG_DATA_HOME"] = "relative";
  ck_assert_text_eq(ProfileStore::of_user(getenv).directory(), "/home/u/.local/share/slurm-placement/profiles");
  variables["XDG_DATA_HOME"] = "/data";
  ck_assert_text_eq(ProfileStore::of_user(getenv).directory(), "/data/slurm-placement/profiles");
  variables["PLACEMENT_PROFILE_STORE"] = "/own";
  ck_assert_text_eq(ProfileStore::of_user(getenv).directory(), "/own");
  variables["PLACEMENT_PROFILE_STORE"] = "own";
  ck_assert_error(ProfileStore::of_user(getenv), "PLACEMENT_PROFILE_STORE=own: ");
}
END_TEST

int main() {
  Suite* suite = suite_create("profile_store");
  TCase* all = tcase_create("all");
  tcase_add_test(all, numbers_do_not_make_a_class);
  tcase_add_test(all, programs_are_found_as_a_shell_finds_them);
  tcase_add_test(all, the_same_arguments_come_before_the_latest);
  tcase_add_test(all, a_profile_with_other_arguments_is_known_by_them);
  tcase_add_test(all, what_others_may_write_says_nothing);
  tcase_add_test(all, the_store_is_bounded);
  tcase_add_test(all, learned_profiles_do_not_push_out_the_users_own);
  tcase_add_test(all, what_the_store_did_not_make_stays);
  tcase_add_test(all, where_it_is);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
