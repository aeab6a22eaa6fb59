// SPDX-License-Identifier: GPL-2.0-or-later
#include "spank/mpirun/mpirun_words.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "spank/mpirun/mpirun_options.hpp"
#include "spank/mpirun/mpirun_parameters.hpp"
#include "tests/check.hpp"
#include "tests/temporary_directory.hpp"

namespace {

using placement::spank::is_mapping_parameter;
using placement::spank::mapping_in_parameter_files;
using placement::spank::mapping_parameter_in;
using placement::spank::names_mpirun;
using placement::spank::overrides_plan;
using placement::spank::own_mapping_option;
using placement::spank::parameter_files;
using placement::spank::VariableValue;

std::string own_mapping_word(std::string_view script, const VariableValue& value = nullptr) {
  return placement::spank::mpirun_words(script, value).own;
}

std::string made_mpirun_words(std::string_view script, const VariableValue& value = nullptr) {
  return placement::spank::mpirun_words(script, value).made;
}

bool gives_arguments_to_mpirun(std::string_view script) { return placement::spank::mpirun_words(script).arguments; }

}  // namespace

START_TEST(scripts_that_start_ranks) {
  ck_assert(names_mpirun("#!/bin/bash\nmpirun ./app\n"));
  ck_assert(names_mpirun("/opt/mpi/bin/mpiexec.hydra ./app"));
  ck_assert(!names_mpirun("#!/bin/bash\nsrun ./app\n"));
  ck_assert(!names_mpirun(""));
}
END_TEST

START_TEST(words_of_an_own_mapping) {
  ck_assert_text_eq(own_mapping_word("mpirun --rankfile r ./app"), "--rankfile");
  ck_assert_text_eq(own_mapping_word("mpirun -rf r ./app"), "-rf");
  ck_assert_text_eq(own_mapping_word("a\nmpirun --hostfile=h ./app"), "--hostfile=h");
  ck_assert_text_eq(own_mapping_word("mpirun -H n1,n2 ./app"), "-H");
  ck_assert_text_eq(own_mapping_word("mpirun --bind-to none ./app"), "--bind-to");
  ck_assert_text_eq(own_mapping_word("export OMPI_MCA_rmaps_base_mapping_policy=node"),
                    "OMPI_MCA_rmaps_base_mapping_policy");
  ck_assert_text_eq(own_mapping_word("eval \"mpirun --oversubscribe ./app\""), "--oversubscribe");
  ck_assert_text_eq(own_mapping_word("#SBATCH --oversubscribe\n  # --rankfile\nmpirun ./app"), "");
  ck_assert_text_eq(own_mapping_word("mpirun --map-by=node ./app"), "--map-by=node");
  ck_assert_text_eq(own_mapping_word("mpirun -n 4 ./rankfile host -N 1 --hosting"), "");
  ck_assert_text_eq(own_mapping_word("mpirun -n 4 --mca rmaps ppr ./app"), "rmaps");
  ck_assert_text_eq(own_mapping_word("\n\n"), "");
  ck_assert_text_eq(own_mapping_word(std::string("\0\xff --bynode", 11)), "--bynode");
}
END_TEST

START_TEST(short_words_among_the_options_of_mpirun) {
  ck_assert_text_eq(own_mapping_word("#SBATCH -N 4\nsrun -N 4 ./app\nmpirun ./app"), "");
  ck_assert_text_eq(own_mapping_word("srun -N 4 ./a && /opt/bin/mpirun -np 8 -N 2 ./app"), "-N");
  ck_assert_text_eq(own_mapping_word("mpirun \\\n  -np 8 \\\n  -N 2 ./app"), "-N");
  ck_assert_text_eq(own_mapping_word("mpirun.openmpi --mca btl self,tcp -x PATH -N 2 ./app"), "-N");
  ck_assert_text_eq(own_mapping_word("curl -H Accept: x\nmpirun ./app"), "");
  ck_assert_text_eq(own_mapping_word("mpirun -x A=b -H n3:2,n2:2 ./app"), "-H");
  ck_assert_text_eq(own_mapping_word("mpirun -x A=b -N 2 ./app"), "-N");
  ck_assert_text_eq(own_mapping_word("mpirun -x A=b ./app -N 2"), "");
  ck_assert_text_eq(own_mapping_word("mpirun -n $((1+3)) -H n3:2,n2:2 ./app"), "-H");
  ck_assert_text_eq(own_mapping_word("mpirun -n 2 -x A=1 ./app : -n 4 -x A=2 -H n1:2 ./app"), "-H");
  ck_assert_text_eq(own_mapping_word("mpirun --report-pid - -H n3:2 ./app"), "-H");
  ck_assert_text_eq(own_mapping_word("mpirun --app FILE"), "--app");
}
END_TEST

START_TEST(words_of_the_program) {
  for (const char* command :
       {"mpirun ./where -N 3 --host a", "mpirun ./where --host a >out", "mpirun -n 4 --tag-output ./where --hostfile h",
        "mpirun -x A=b ./where -H a", "mpirun --mca btl self,tcp ./where --bind-to none",
        "mpirun \\\n -n 4 \\\n ./where \\\n --host a", "cd x && mpirun.openmpi ./where \"--host\" a",
        "mpirun -n 2 ./a --host x : -n 2 ./b --host y", "mpirun -n $N -np \"${N}\" ./where \"$1\" --host a"})
    ck_assert_msg(own_mapping_word(command).empty(), "%s: %s", command, own_mapping_word(command).c_str());
}
END_TEST

// Where a word may be of mpirun, it counts.
START_TEST(words_that_may_be_of_mpirun) {
  for (const char* command :
       {"mpirun ./a --host x : --host y ./b", "mpirun ./a && mpirun --host y ./b", "mpirun ./a; mpirun --host y ./b",
        "mpirun $OPTIONS --host y ./b", "mpirun -n $N --host y ./b", "mpirun -n $(wc -l hosts) --host y ./b",
        "mpirun --unknown x --host y ./b", "eval \"mpirun -n 4\" --host y ./b", "mpirun -x \"A=b c\" --host y ./b",
        "echo mpirun ./a | xargs mpirun --host y", "mpirun ./a & mpirun --host y ./b", "mpirun --quiet --host y ./b"})
    ck_assert_msg(!own_mapping_word(command).empty(), "%s", command);
}
END_TEST

START_TEST(words_in_variables) {
  const std::map<std::string, std::string> environment = {
      {"OPTIONS", "-np 8 -N 2"}, {"MAP", "--bynode"}, {"EMPTY", ""}, {"N", "8"}};
  const auto value = [&environment](const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
  ck_assert_text_eq(own_mapping_word("mpirun $OPTIONS ./app", value), "-N in $OPTIONS");
  ck_assert_text_eq(own_mapping_word("mpirun ${MAP} ./app", value), "--bynode in $MAP");
  ck_assert_text_eq(own_mapping_word("mpirun -n $N $EMPTY $MISSING ${N:-8} $ $$ ./app", value), "");
  ck_assert_text_eq(own_mapping_word("echo $MAP\nmpirun ./app", value), "");
  ck_assert_text_eq(own_mapping_word("WORDS=--npernode\nmpirun $WORDS 2 ./app"), "--npernode");
  ck_assert_text_eq(own_mapping_word("HOSTS=\"-H n3:2,n1:2\"\nmpirun $HOSTS ./app"), "-H");
  ck_assert_text_eq(own_mapping_word("export HOSTS='-N 2'\nmpirun $HOSTS ./app"), "-N");
  ck_assert_text_eq(own_mapping_word("  export HOSTS='-N 2'\nmpirun $HOSTS ./app"), "-N");
  ck_assert_text_eq(own_mapping_word("A=b curl -H x\nmpirun ./app"), "");
  ck_assert_text_eq(own_mapping_word("mpirun ${NOTSET:---bynode} ./app"), "--bynode");
}
END_TEST

START_TEST(options_before_the_program) {
  using Words = std::vector<std::string>;
  ck_assert_text_eq(own_mapping_option(Words{}), "");
  ck_assert_text_eq(own_mapping_option(Words{"-np", "8", "-npernode", "2", "./app"}), "-npernode");
  ck_assert_text_eq(own_mapping_option(Words{"--display-map", "-H", "n1", "./app"}), "-H");
  ck_assert_text_eq(own_mapping_option(Words{"-n", "8", "./app", "-N", "20", "--bynode"}), "");
  ck_assert_text_eq(own_mapping_option(Words{"--mca", "rmaps_base_bynode", "1", "./app"}), "rmaps_base_bynode");
  ck_assert_text_eq(own_mapping_option(Words{"--mca", "btl", "self", "--map-by=node", "./app"}), "--map-by=node");
  ck_assert_text_eq(own_mapping_option(Words{"--map-by", "rankfile:file=r", "./app"}), "--map-by rankfile:file=r");
  ck_assert_text_eq(own_mapping_option(Words{"--map-by"}), "--map-by");
  ck_assert_text_eq(own_mapping_option(Words{"--mca"}), "");
  ck_assert_text_eq(own_mapping_option(Words{"--timeout=10", "-rf", "r"}), "-rf");
  ck_assert_text_eq(own_mapping_option(Words{"--bind-to", "none", "--bynode", "./app"}), "--bynode");
  ck_assert_text_eq(own_mapping_option(Words{"--rank-by", "node", "--bind-to", "none", "./app", "--bynode"}),
                    "--rank-by");
  for (const char* word : {"--bynode", "-N", "--hostfile=h", "--map-by node", "rmaps"})
    ck_assert_msg(overrides_plan(word), "%s", word);
  for (const char* word : {"", "--bind-to", "-bind-to-core", "--oversubscribe", "--rank-by=node"})
    ck_assert_msg(!overrides_plan(word), "%s", word);
}
END_TEST

START_TEST(parameters_that_map) {
  for (const char* name :
       {"OMPI_MCA_rmaps", "OMPI_MCA_rmaps_ppr_n_pernode", "PRTE_MCA_rmaps_default_mapping_policy",
        "OMPI_MCA_hwloc_base_cpu_list", "OMPI_MCA_hwloc_base_binding_policy", "PRTE_MCA_hwloc_default_binding_policy",
        "OMPI_MCA_orte_rankfile", "OMPI_MCA_mca_base_param_file_prefix"})
    ck_assert_msg(is_mapping_parameter(name), "%s", name);
  for (const char* name : {"OMPI_MCA_btl", "OMPI_MCA_plm_slurm_args", "PRTE_MCA_plm_slurm_args", ""})
    ck_assert_msg(!is_mapping_parameter(name), "%s", name);
}
END_TEST

START_TEST(words_that_a_command_makes) {
  ck_assert_text_eq(made_mpirun_words("OPTS=$(choose --how)\nmpirun -n 4 $OPTS ./app"), "$OPTS");
  ck_assert_text_eq(made_mpirun_words("export OPTS=`choose`\nmpirun ${OPTS} ./app"), "$OPTS");
  ck_assert_text_eq(made_mpirun_words("OPTS+=$(a)$(b); /opt/bin/mpirun \"$OPTS\" ./app"), "$OPTS");
  ck_assert_text_eq(made_mpirun_words("read -r OPTS <options\nmpirun $OPTS ./app"), "$OPTS");
  ck_assert_text_eq(made_mpirun_words("mpirun $(choose a b) ./app"), "$(choose a b)");
  ck_assert_text_eq(made_mpirun_words("mpirun --mca btl self `choose a b` ./app"), "`choose a b`");
  ck_assert_text_eq(made_mpirun_words("N=$(choose)\nmpirun -n $N ./app $N"), "");
  ck_assert_text_eq(made_mpirun_words("APP=$(choose)\nmpirun $APP"), "");
  ck_assert_text_eq(made_mpirun_words("APP=$(choose)\nmpirun $APP >out 2>&1"), "");
  ck_assert_text_eq(made_mpirun_words("APP=$(which app)\nmpirun $APP -i x\nmpirun $(command -v app) -i x"), "");
  ck_assert_text_eq(made_mpirun_words("N=$((SLURM_NTASKS / 2))\nmpirun -n $N --report-bindings $N ./app"), "");
  ck_assert_text_eq(made_mpirun_words("# OPTS=$(choose)\nmpirun $OPTS ./app"), "");
  ck_assert_text_eq(made_mpirun_words("OPTS=$(choose)\nsrun $OPTS ./app"), "");
  for (const char* hostile : {"mpirun $(\n`\n)))((\"'\nread\n=$(\nmpirun ' $( ` x", "${${$($(`", "<<", "<<-\n<<\n",
                              "a() (", "=(\\", "\\", "'\\", "mpirun \"$(echo \"", "&>|&<("})
    ck_assert_uint_lt(made_mpirun_words(hostile).size(), 60);
  std::string many = "mpirun ";
  for (int i = 0; i < instances(500); ++i) many += "\"$(mpirun `";
  ck_assert_uint_lt(made_mpirun_words(many).size(), many.size() + 1);
  ck_assert_text_eq(made_mpirun_words(""), "");
}
END_TEST

START_TEST(words_that_are_read_or_come_from_elsewhere) {
  const auto nothing = [](const std::string&) { return std::optional<std::string>(); };
  for (const char* script :
       {"while read o; do mpirun $o ./app; done <f",
        "while IFS= read -r o\ndo\n  mpirun $o; done <f",
        "mapfile -t OPTS <f\nmpirun \"${OPTS[@]}\" ./app",
        "readarray OPTS < <(choose)\nmpirun ${OPTS[*]} ./app",
        "IFS= read -r OPTS\nmpirun $OPTS ./app",
        "cat f | xargs mpirun",
        "xargs -n 1 mpirun -n 4 <f",
        "xargs -I{} mpirun $X {} <f",
        "printf -v OPTS %s \"$x\"\nmpirun $OPTS ./app",
        "for o in $(choose); do mpirun $o ./app; done",
        "A=$(choose)\nB=\"-n 4 $A\"\nmpirun $B ./app",
        "A=$(choose)\nbash -c \"mpirun $A ./app\"",
        "A=$(choose)\nM=\"mpirun $A\"\n$M ./app",
        "M=mpirun\nA=$(choose)\n$M $A ./app",
        "f() { mpirun \"$@\"; }\nA=$(choose)\nf $A ./app",
        "function f {\n mpirun $*; }\nf $(choose) ./app",
        "python3 -c 'import os; os.system(\"mpirun ./app\")'",
        "#!/usr/bin/env python3\nimport subprocess\nsubprocess.run([\"mpirun\", *options, \"./app\"])",
        ". ./settings\nmpirun $OPTS ./app",
        "source settings.sh; mpirun -n 4 $OPTS ./app",
        "module load x\nmpirun ${OPTS} ./app",
        "python3 <<EOF\nrun('mpirun ./app')\nEOF"})
    ck_assert_msg(!made_mpirun_words(script, nothing).empty(), "%s", script);
  for (const char* script :
       {"read N <f\nmpirun -n $N ./app", "read x\nmpirun ./app $x", "cat f | xargs mpirun -n 4 ./app",
        "module load x\nmpirun -n $N $APP", "module load x\nmpirun ./app $IN",
        "eval \"$(conda shell.bash hook)\"\nmpirun ./app", "OUT=$(mktemp)\nmpirun ./app >$OUT",
        "CC=$(which mpicc)\nmodule load x\n$CC -O2 $FLAGS a.c\nmpirun ./a", "MPI=$(which mpirun)\n$MPI -n 4 ./app",
        "$(which mpirun) ./app", "OPTS=(-n 4 --report-bindings)\nmpirun \"${OPTS[@]}\" ./app", "time mpirun -n 4 ./app",
        "python3 -c 'print(1)'\nmpirun ./app"})
    ck_assert_msg(made_mpirun_words(script, nothing).empty() && own_mapping_word(script, nothing).empty(), "%s: %s",
                  script, made_mpirun_words(script, nothing).c_str());
}
END_TEST

START_TEST(words_of_other_commands) {
  for (const char* script :
       {"echo \"no --bynode, mpirun --bynode\"\nmpirun ./app", "mpirun ./app # --bynode",
        "grep -q -- --host f && mpirun ./app", "printf '%s\\n' --oversubscribe\nmpirun ./app",
        "cat <<EOF\nmpirun --bynode ./app\nEOF\nmpirun ./app", "cat <<-'EOF'\n\t--host\n\tEOF\nmpirun ./app",
        "srun --hostfile f ./a\nmpirun ./app", "echo using --host a >>log\nmpirun ./app",
        "mpirun ./app 2>&1 | grep -v -- --bind-to", "unset OMPI_MCA_rmaps_base_mapping_policy\nmpirun ./app",
        "[ \"$1\" = --bynode ] && exit\nmpirun ./app", "curl --host x y; mpirun ./app",
        "echo '--bynode' \"it's\" \"a \\\"b\\\" --bynode\"\nmpirun ./app"})
    ck_assert_msg(own_mapping_word(script).empty() && made_mpirun_words(script).empty(), "%s: %s", script,
                  own_mapping_word(script).c_str());
  for (const char* script : {"echo \"mpirun --bynode ./app\" >job; bash job; mpirun ./app",
                             "bash <<EOF\nmpirun --bynode ./app\nEOF",
                             "cat >job <<EOF\nmpirun --bynode ./app\nEOF\nbash job",
                             "bash -c 'mpirun --bynode ./app'",
                             "CMD=\"mpirun --bynode ./app\"\n$CMD",
                             "eval \"mpirun -N 2 ./app\"",
                             "f() { mpirun \"$@\"; }\nf -N 2 ./app",
                             "OPTS=(-n 4 -N 2)\nmpirun \"${OPTS[@]}\" ./app",
                             "set -- -N 2\nmpirun \"$@\" ./app",
                             "if true; then mpirun --bynode ./app; fi",
                             "X=$(mpirun --bynode ./app)",
                             "case $1 in a) OPTS=--bynode;; esac\nmpirun $OPTS ./app",
                             "env A=b nice -n 5 mpirun --bynode ./app",
                             "'mpirun' \"--bynode\" ./app",
                             "mpirun -n 4 \\\n  --bynode ./app",
                             "mpirun -n 4 ./a : ./b",
                             "mpirun ./a : -n 4 ./b",
                             "cat <<EOF | bash\nmpirun --bynode ./app\nEOF",
                             "bash <(echo \"mpirun --bynode ./app\")",
                             "$(echo \"mpirun --bynode ./app\")",
                             "#!/usr/bin/python3\nrun(['mpirun', '--bynode', 'app'])"})
    ck_assert_msg(!own_mapping_word(script).empty(), "%s", script);
}
END_TEST

START_TEST(parameters_in_files) {
  ck_assert_text_eq(mapping_parameter_in(""), "");
  ck_assert_text_eq(mapping_parameter_in("# rmaps = seq\n\nbtl = self\nmtl = ^ofi\n"), "");
  ck_assert_text_eq(mapping_parameter_in("btl=self\r\n  rmaps_base_mapping_policy=node"), "rmaps_base_mapping_policy");
  ck_assert_text_eq(mapping_parameter_in("hwloc_base_binding_policy\t= core # mine"), "hwloc_base_binding_policy");
  ck_assert_text_eq(mapping_parameter_in("mca_base_env_list = A=rmaps_x\n"), "");
}
END_TEST

START_TEST(files_that_are_read) {
  using Files = std::vector<std::string>;
  std::map<std::string, std::string> environment = {{"HOME", "/h"}, {"PATH", "relative::/none"}};
  const auto value = [&environment](const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
  ck_assert(parameter_files(value) == (Files{"/h/.openmpi/mca-params.conf", "/h/.prte/mca-params.conf"}));
  environment["OMPI_MCA_mca_base_param_files"] = "/a,/b:/c,";
  ck_assert(parameter_files(value) == (Files{"/a", "/b", "/c", "/h/.prte/mca-params.conf"}));
  environment = {{"OPAL_PREFIX", "/o"}, {"PRTE_MCA_mca_base_param_files", ""}};
  ck_assert(parameter_files(value) ==
            (Files{"/o/etc/openmpi-mca-params.conf", "/o/etc/openmpi-mca-params-override.conf",
                   "/o/etc/prte-mca-params-override.conf"}));
  ck_assert_text_eq(mapping_in_parameter_files(value), "");
}
END_TEST

START_TEST(hostile_files) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/mca-params.conf";
  const auto value = [&file](const std::string& name) {
    return name == "OMPI_MCA_mca_base_param_files" ? std::optional(file) : std::nullopt;
  };
  ck_assert_text_eq(mapping_in_parameter_files(value), "");  // there is no such file
  std::ofstream(file) << "rmaps = \x1b[2J\n";
  ck_assert_text_eq(mapping_in_parameter_files(value), file + " has rmaps");
  std::ofstream(file) << "rmaps_\x1b[2J = 1\n";
  ck_assert_text_eq(mapping_in_parameter_files(value), file + " has rmaps_?[2J");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
  ck_assert_text_eq(mapping_in_parameter_files(value), file + " is longer than 1 MiB");
  std::filesystem::remove(file);
  ck_assert_int_eq(mkfifo(file.c_str(), 0600), 0);
  ck_assert_text_eq(mapping_in_parameter_files(value), "");  // and nobody writes into the pipe
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  ck_assert_text_eq(mapping_in_parameter_files(value), "");
}
END_TEST

START_TEST(assignments_without_a_name) {
  for (const char* script : {"+=$1\nmpirun ./app", "+=$(x)\nmpirun ./app", " +=$1", "export +=$(x)"}) {
    ck_assert_msg(!gives_arguments_to_mpirun(script), "%s", script);
    ck_assert_msg(made_mpirun_words(script).empty(), "%s", script);
  }
}
END_TEST

START_TEST(arguments_of_the_script) {
  for (const char* script :
       {"mpirun \"$@\"", "mpirun $* ./app", "mpirun $1 $2 ./app", "A=(\"$@\")\nmpirun \"${A[@]}\"",
        "OPT=$1\nmpirun -n 4 $OPT ./app", "mpirun --tag-output ${1:-x} ./app", "mpirun $APP \"$@\""})
    ck_assert_msg(gives_arguments_to_mpirun(script), "%s", script);
  for (const char* script : {"mpirun ./app \"$@\"", "mpirun -n 4 ./app $1", "OPT=$1\nmpirun ./app $OPT",
                             "echo $1; mpirun ./app", "run \"$@\"", "# mpirun $1 ./app", "mpirun ./app > $1"})
    ck_assert_msg(!gives_arguments_to_mpirun(script), "%s", script);
}
END_TEST

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int k = 0; k < times; ++k) all += text;
  return all;
}

// slurmstepd reads the script, so that neither its stack nor its time may grow without bounds with what a user writes.
START_TEST(hostile_scripts) {
  std::string chain = "mpirun $A0 ./app\n";
  for (int k = 0; k < instances(60'000); ++k) chain += "A" + std::to_string(k) + "=$A" + std::to_string(k + 1) + "\n";
  ck_assert_text_eq(made_mpirun_words(chain), "$A0");
  // The next two have to pass the limit of 8 MiB of values, with sanitizers, too.
  const std::string long_value =
      "A=\"" + repeated("$B -q ", instances(10'000)) + "\"\n" + repeated("mpirun $A ./app\n", 3'000);
  ck_assert_text_eq(made_mpirun_words(long_value), "$A");
  const std::string names =
      "A=" + repeated("x", 100'000) + "\n" + repeated("$A ./app\n", instances(5'000)) + "mpirun ./app\n";
  ck_assert_text_eq(made_mpirun_words(names), "$A");
  ck_assert(gives_arguments_to_mpirun(repeated("()", instances(100'000)) + "\nmpirun \"$@\""));
  ck_assert(gives_arguments_to_mpirun("mpirun $1 $(pwd " + repeated("$(pwd ", instances(20'000))));
  for (const char* part :
       {"$(", "${", "`", "\"", "'", "\\", "<(", "<<E\n", "A=(", "{", "\"`", "mpirun ", "$A=", "function "})
    (void)made_mpirun_words(repeated(part, instances(1'000)) + "\nmpirun $1 ./app\n");
}
END_TEST

int main() {
  Suite* suite = suite_create("mpirun_words");
  TCase* all = tcase_create("all");
  tcase_add_test(all, assignments_without_a_name);
  tcase_add_test(all, arguments_of_the_script);
  tcase_add_test(all, scripts_that_start_ranks);
  tcase_add_test(all, words_of_an_own_mapping);
  tcase_add_test(all, short_words_among_the_options_of_mpirun);
  tcase_add_test(all, words_of_the_program);
  tcase_add_test(all, words_that_may_be_of_mpirun);
  tcase_add_test(all, words_in_variables);
  tcase_add_test(all, options_before_the_program);
  tcase_add_test(all, parameters_that_map);
  tcase_add_test(all, words_that_a_command_makes);
  tcase_add_test(all, words_that_are_read_or_come_from_elsewhere);
  tcase_add_test(all, words_of_other_commands);
  tcase_add_test(all, parameters_in_files);
  tcase_add_test(all, files_that_are_read);
  tcase_add_test(all, hostile_files);
  tcase_add_test(all, hostile_scripts);
  suite_add_tcase(suite, all);
  return run_suite(suite);
}
