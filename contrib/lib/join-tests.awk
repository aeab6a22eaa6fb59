# SPDX-License-Identifier: GPL-2.0-or-later
# For contrib/lib/join.sh. Reads lines "PROGRAM FLAGS LIBRARIES...", where PROGRAM is a unit test, FLAGS is yes if it has compiler flags of
# its own, and LIBRARIES are linked with it. Writes the sources of the tests with the same libraries into files BUILD/joined/tests-N.cpp, and
# prints the rules that compile and link these files in their place. Each test is in a namespace. All tests of a file are one program with
# many names (hard links), and the program runs the test that has its name: libtool needs 2 s of processor time to link a program.
# Variables: source and build are directories; limit is the number of lines of one file, without headers.

function read_source(file,    line) {
  text_of[file] = ""
  lines_of[file] = 0
  while ((getline line < file) > 0) {
    lines_of[file]++
    if (line ~ /^ *# *if/ || line ~ /^extern "C"/) lines_of[file] = -1e9
    if (line ~ /^#include/) text_of[file] = text_of[file] line "\n"
  }
  close(file)
}

function end_unit(group) {
  if (!(group in members)) return
  replace(build "/" unit[group] ".cpp", headers[group] "\n" members[group] "int main(int, char** argv) {\n" \
    "  const std::string name = std::filesystem::path(argv[0]).filename();\n" calls[group] "  return 127;\n}\n")
  delete members[group]
}

function begin_unit(group,    libraries) {
  unit[group] = "joined/tests-" ++units
  headers[group] = "#include <filesystem>\n#include <string>\n"
  members[group] = calls[group] = ""
  lines[group] = 0
  print unit[group] ".o: " unit[group] ".cpp"
  print "\t$(AM_V_CXX)$(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CXXFLAGS) $(CXXFLAGS) -MT $@ -MD -MP -MF " \
    unit[group] ".d -c -o $@ $<"
  print "-include " unit[group] ".d"
  libraries = group
  sub(/^[^ ]* ?/, "", libraries)
  print unit[group] ": " unit[group] ".o $(filter %.la," libraries ")"
  print "\t$(AM_V_CXXLD)$(CXXLINK) $< " libraries " $(LIBS)"
}

$2 == "no" {
  program = $1
  file = source "/" program ".cpp"
  read_source(file)
  if (lines_of[file] <= 0) next
  group = $0
  sub(/^[^ ]* /, "", group)
  if (!(group in members) || lines[group] + lines_of[file] > limit) {
    end_unit(group)
    begin_unit(group)
  }
  lines[group] += lines_of[file]
  name = program
  sub(/.*\//, "", name)
  headers[group] = headers[group] text_of[file]
  members[group] = members[group] "namespace of_" name " {\n#include \"" program ".cpp\"\n}\n"
  calls[group] = calls[group] "  if (name == \"" name "\") return of_" name "::main();\n"
  variable = program
  gsub(/[^A-Za-z0-9_]/, "_", variable)
  print "override " variable "_OBJECTS := " unit[group] ".o"
  print program ": " unit[group]
  print program ": private CXXLINK = ln -f " unit[group] " $@ \\#"
}

END { for (group in unit) end_unit(group) }
