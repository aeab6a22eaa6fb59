# SPDX-License-Identifier: GPL-2.0-or-later
# For contrib/lib/join.sh. Reads lines "TARGET OBJECT...", where TARGET is the prefix of automake's variables. Writes the sources of
# each target into files BUILD/joined/TARGET-1.cpp and so on, and prints the rules that compile these files in their place.
# Variables: source and build are directories; limit is the number of lines of one file, without headers.

function lines_of(file,    line, lines) {
  while ((getline line < file) > 0) lines++
  close(file)
  return lines + 0
}

function source_of(object) {  # with flags of its own, automake names it DIRECTORY/TARGET-SOURCE.lo
  sub(/\.[^.]*$/, ".cpp", object)
  sub(/[^\/-]*-/, "", object)
  return object
}

function rule(unit, target, suffix) {
  print unit suffix ": " unit ".cpp"
  print "\t$(AM_V_CXX)" (suffix == ".lo" ? "$(LIBTOOL) $(AM_V_lt) --tag=CXX $(AM_LIBTOOLFLAGS) $(LIBTOOLFLAGS) --mode=compile " : "") \
    "$(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(INCLUDES) $(or $(" target "_CPPFLAGS),$(AM_CPPFLAGS)) $(CPPFLAGS) $(or $(" target \
    "_CXXFLAGS),$(AM_CXXFLAGS)) $(CXXFLAGS) -MT $@ -MD -MP -MF " unit ".d -c -o $@ $<"
  print "-include " unit ".d"
}

BEGIN { print ".DEFAULT_GOAL = all" }

NF > 2 {
  total = 0
  for (i = 2; i <= NF; i++) total += lines[i] = lines_of(source "/" source_of($i))
  units = int((total + limit - 1) / limit)
  objects = ""
  before = unit = 0
  for (i = 2; i <= NF; i++) {
    if (!lines[i]) objects = objects " " $i  # in C, or made by the build
    else {
      number = int(before * units / total) + 1
      before += lines[i]
      if (number != unit) {
        if (unit) replace(build "/" name ".cpp", text)
        unit = number
        name = "joined/" $1 "-" unit
        text = ""
        match($i, /\.[^.]*$/)
        suffix = substr($i, RSTART)
        objects = objects " " name suffix
        rule(name, $1, suffix)
      }
      text = text "#include \"" source_of($i) "\"\n"
    }
  }
  if (unit) replace(build "/" name ".cpp", text)
  print "override " $1 "_OBJECTS :=" objects
}
