# SPDX-License-Identifier: GPL-2.0-or-later
# Writes one wrapper line per MPI function from the prototypes of the installed mpi.h.
#
#   awk -v library=profile -f wrappers.awk HOOKS.hpp... PREPROCESSED
#
# HOOKS.hpp has lines "//@ WHEN FUNCTION: MPI_A MPI_B ..", which name a hand-written function for the calls MPI_A, MPI_B:
#   before  it gets the arguments before the call
#   made    it gets the arguments after the call, if that succeeded
# "//@ skip: .." names calls that are written by hand. A large-count call MPI_X_c uses the hooks of MPI_X.

# PREPROCESSED (its name ends in .i) is mpi.h after the C preprocessor. library=profile wraps calls that move data, wait,
# or change communicators. library=reorder wraps calls with a communicator, and can exchange it.

# Calls of the following families neither move data nor wait, and profiling leaves them alone.
function is_local(name) {
  return name ~ /_([cf]2[cf]|[cf]2f08|f082[cf]|f082f)$/ ||
         name ~ /^MPI_(T|Type|Info|Op|Errhandler|Error|Status|Group|File|Attr|Keyval|Aint|Grequest|Session)_/ ||
         name ~ /^MPI_(Address|Add_error.*|Remove_error.*|Get_(address|count|elements|version|library|processor).*)$/ ||
         name ~ /^MPI_(Init|Init_thread|Initialized|Finalized|Is_thread_main|Query_thread|Dims_create|Alloc_mem|Free_mem)$/ ||
         name ~ /^MPI_(Register_datarep|(Publish|Unpublish|Lookup)_name|Open_port|Close_port|Buffer_(attach|flush|detach))$/ ||
         name ~ /^MPI_(Comm|Win)_(rank|size|test_inter|compare|group|remote_.*|get_.*|set_.*|create_keyval|free_keyval)$/ ||
         name ~ /^MPI_(Comm|Win)_(create_errhandler|call_errhandler|delete_attr|shared_query|attach|detach)$/ ||
         name ~ /^MPI_(Pack|Unpack|Pack_.*|Unpack_.*|Topo_test|Cart_(get|rank|coords|shift|map)|Cartdim_get)$/ ||
         name ~ /^MPI_(Graph_(get|map|neighbors.*)|Graphdims_get|Dist_graph_neighbors.*|Request_get_status|Test_cancelled)$/ ||
         name ~ /^MPIX_Query/
}

# Calls that return without waiting: their time is not worth what measuring it costs.
function is_immediate(name) {
  return name ~ /^MPI_(I[a-z_]+|Test[a-z]*|Start|Startall|Put|Get|Accumulate|Fetch_and_op|Compare_and_swap|Get_accumulate|R(put|get|accumulate|get_accumulate)|Request_free|Cancel|Pready.*|Parrived)(_c)?$/ || name ~ /_init(_c)?$/
}

function is_hooked(name) { return name in before_hook || name in made_hook }

# "const void *buf" -> "buf"; "int ranges[][3]" -> "ranges"; "void" -> "".
function argument_name(parameter) {
  gsub(/(\[[^]]*\])+/, "", parameter)
  if (!match(parameter, /[A-Za-z_][A-Za-z_0-9]*[ \t]*$/)) return ""
  parameter = substr(parameter, RSTART)
  gsub(/[ \t]/, "", parameter)
  return parameter == "void" ? "" : parameter
}

function emit(text,    name, parameters, count, list, i, arguments, base, before, after, communicator) {
  match(text, /[ *](MPI|MPIX)_[A-Z][A-Za-z_0-9]*[ \t]*\(/)
  name = substr(text, RSTART + 1, RLENGTH - 2)
  gsub(/[ \t]/, "", name)
  parameters = substr(text, RSTART + RLENGTH)
  sub(/\)[^)]*(__attribute__.*)?$/, "", parameters)
  sub(/\)[ \t]*__attribute__.*$/, "", parameters)
  gsub(/[ \t]+/, " ", parameters)
  if (name in done || name in skipped || parameters ~ /\.\.\./ || parameters ~ /\(/) return
  done[name] = 1
  base = name
  sub(/_c$/, "", base)
  count = split(parameters, list, /,/)
  arguments = ""
  communicator = ""
  for (i = 1; i <= count; ++i) {
    if (argument_name(list[i]) == "") continue
    arguments = arguments (arguments == "" ? "" : ", ") argument_name(list[i])
    if (list[i] ~ /^ *MPI_Comm [A-Za-z_0-9]+ *$/)
      communicator = communicator argument_name(list[i]) " = placement::mpi::reorder::stand_in(" argument_name(list[i]) "); "
  }
  if (library == "profile" && is_local(name) && !is_hooked(base)) return
  if (library == "profile" && is_immediate(name) && !is_hooked(base)) return
  if (library == "reorder" && communicator == "" && !is_hooked(base)) return
  if (library != "reorder") communicator = ""
  before = base in before_hook ? "placement::mpi::" library "::" before_hook[base] "(" arguments "); " : ""
  after = base in made_hook ? "if (mpi_result == MPI_SUCCESS) placement::mpi::" library "::" made_hook[base] "(" arguments "); " : ""
  printf "PLACEMENT_WRAP(%s, %s, (%s), (%s), %s, %s)\n", is_immediate(name) ? "Untimed" : "Timed", name, parameters, arguments,
         "{ " communicator before "}", "{ " after "}"
}

FILENAME !~ /\.i$/ {
  if ($1 != "//@") next
  if ($2 == "skip:") {
    for (i = 3; i <= NF; ++i) skipped[$i] = 1
  } else {
    hook = $3
    sub(/:$/, "", hook)
    for (i = 4; i <= NF; ++i) {
      if ($2 == "before") before_hook[$i] = hook
      else if ($2 == "made") made_hook[$i] = hook
      else { print FILENAME ": " $0 ": before or made" > "/dev/stderr"; exit 1 }
    }
  }
  next
}

/^#/ { next }

# A prototype may span lines; it ends with a semicolon.
{
  pending = pending " " $0
  while ((end = index(pending, ";")) > 0) {
    statement = substr(pending, 1, end - 1)
    pending = substr(pending, end + 1)
    if (statement ~ /(^|[ )])int[ \t]+(MPI|MPIX)_[A-Z][A-Za-z_0-9]*[ \t]*\(/) emit(statement)
  }
}

END {
  if (length(done) == 0) { print "no MPI prototype found" > "/dev/stderr"; exit 1 }
}
