#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each case of tests/mpi/mpi_traffic.c under the profiler, against the matrix that was worked out by hand.
. "${srcdir:-.}/tests/mpi/mpi_environment.sh"
"$MPICC" -Wall -Werror -Wno-stringop-overflow -pthread -o "$scratch/mpi_traffic" "$source/tests/mpi/mpi_traffic.c" || exit 1

check_cases "$scratch/mpi_traffic" "$source/tests/mpi/mpi_traffic.expected"
[ "$cases" -gt 0 ] || fail "no cases"
check_fortran "$MPIFC"

# ---- programs that die: what was counted is left, and the tool makes a matrix of it.
left() {  # NAME: what the run NAME that died has left
  local out=$scratch/$1.profile
  # 5 bytes, and the empty messages of barriers
  head -1 "$out" | grep -q '^np 3$' && grep -q '^0 2 5 ' "$out" ||
    { fail "$1: nothing was left"; cat "$scratch/log"; }
  grep -q MPI_Finalize "$scratch/log" || fail "$1: does not say so"
  ls "$out".rank* >/dev/null 2>&1 && fail "$1: tables of counters are left"
}
# dies NAME STATUS: STATUS is the exit status of mpirun without the profiler.
dies() {
  local name=$1 status=$2
  "$build/placement-profile" -o "$scratch/$name.profile" "$MPIRUN" -np 3 "$scratch/mpi_traffic" "$name" >"$scratch/log" 2>&1
  local got=$?
  [ "$got" = "$status" ] || { fail "$name: exit status $got instead of $status"; cat "$scratch/log"; }
  left "$name"
}
# Ends a program by SIGNAL, which goes to a process, or with "-" before it to a group of processes, as by Ctrl-C. A test that runs in the background may
# have inherited that SIGINT is ignored.
ended_by() {  # SIGNAL "" or "-"
  local out=$scratch/$1.profile pid got
  rm -f "$scratch/log" "$out"
  setsid env --default-signal="$1" "$build/placement-profile" -o "$out" "$MPIRUN" -np 3 "$scratch/mpi_traffic" lingers >"$scratch/log" 2>&1 &
  pid=$!
  for _ in {1..600}; do grep -qs 'all have sent' "$scratch/log" && break; sleep 0.1; done
  kill "-$1" -- "$2$pid"
  wait "$pid"
  got=$?
  [ "$got" != 0 ] && [ "$got" != 2 ] || fail "SIG$1: exit status $got"
  left "$1"
}
export PLACEMENT_PROFILE_LIBRARY=$build/.libs/libplacement-profile.so
for name in aborts killed init_twice exits; do
  "$MPIRUN" -np 3 "$scratch/mpi_traffic" "$name" >/dev/null 2>&1
  dies "$name" $?
done
grep -q "rank . ended without MPI_Finalize" "$scratch/log" || fail "exits: the library does not say so"
ended_by INT -
ended_by TERM ""
ended_by TERM -

# ---- the tool
member() {  # FILE NAME: the value in the summary
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$scratch/$1.summary" "$2"
}
tool=$build/placement-profile
"$tool" --from-topology -o "$scratch/topology" "$MPIRUN" -np 4 "$scratch/mpi_traffic" topologies >"$scratch/log" 2>&1 &&
  grep -q '^1 3 5002 3$' "$scratch/topology" || { fail "--from-topology"; cat "$scratch/log"; }
"$tool" -o "$scratch/spawns" "$MPIRUN" -np 3 "$scratch/mpi_traffic" spawns >"$scratch/log" 2>&1 || { fail "spawns"; cat "$scratch/log"; }
printf 'np 2\n0 1 7 1\n' | diff -u - "$scratch/spawns.spawned" || fail "profile of spawned processes"
[ "$(member spawns outside_world)" = "{'bytes': 18, 'messages': 2}" ] || fail "messages to spawned processes"
"$tool" -o "$scratch/twice" "$MPIRUN" -np 1 "$scratch/mpi_traffic" spawns_twice >"$scratch/log" 2>&1 || { fail "spawns_twice"; cat "$scratch/log"; }
printf 'np 2\n0 1 7 1\n' | diff -u - "$scratch/twice.spawned" || fail "profile of the first spawned processes"
printf 'np 2\n0 1 8 1\n' | diff -u - "$scratch/twice.spawned2" || fail "profile of the second spawned processes"
"$tool" -o "$scratch/none" sh -c 'exit 7'
[ $? = 7 ] || fail "the exit status of the command is lost"
# The last line says what was written, or that nothing was, which changes the exit status of a command that ended well.
reports_nothing() {  # FILE PART COMMAND..
  local file=$1 part=$2 got
  shift 2
  "$tool" -o "$file" "$@" >"$scratch/log" 2>&1
  got=$?
  [ $got = 1 ] && tail -n 1 "$scratch/log" | grep -q "nothing .* $file.*$part" ||
    { fail "$*: exit status $got, and nothing was written"; cat "$scratch/log"; }
}
"$tool" -o "$scratch/summed" "$MPIRUN" -np 3 "$scratch/mpi_traffic" sendrecv >"$scratch/log" 2>&1 || fail "a profile: exit status $?"
sums=$(awk 'NR > 1 { bytes += $3; messages += $4 } END { printf "3 ranks, %d pairs, %d bytes in %d messages", NR - 1, bytes, messages }' "$scratch/summed")
tail -n 1 "$scratch/log" | grep -qF "wrote $scratch/summed: $sums" || { fail "the last line has not $sums"; cat "$scratch/log"; }
reports_nothing "$scratch/without" MPI true
[ ! -e "$scratch/without" ] || fail "a profile without MPI"
reports_nothing "$scratch/summed" 'earlier run' true
# A run that dies leaves the profile of an earlier run as it is.
cp "$scratch/summed" "$scratch/kept"
"$tool" -o "$scratch/kept" "$MPIRUN" -np 3 "$scratch/mpi_traffic" aborts >"$scratch/log" 2>&1 && fail "aborts: exit status 0"
cmp -s "$scratch/summed" "$scratch/kept" && tail -n 1 "$scratch/log" | grep -q "earlier run.*--merge $scratch/kept" ||
  { fail "a run that died replaced a profile"; cat "$scratch/log"; }
# The next run starts, and replaces both.
"$tool" -o "$scratch/kept" "$MPIRUN" -np 3 "$scratch/mpi_traffic" aborts >"$scratch/log" 2>&1
ls "$scratch"/kept.rank* >/dev/null 2>&1 && grep -q "removed .*$scratch/kept.rank" "$scratch/log" || { fail "a second run that died"; cat "$scratch/log"; }
"$tool" -o "$scratch/kept" "$MPIRUN" -np 3 "$scratch/mpi_traffic" sendrecv >"$scratch/log" 2>&1 || { fail "the run after one that died"; cat "$scratch/log"; }
! ls "$scratch"/kept.rank* >/dev/null 2>&1 || fail "counts of a run that died are left"
# A table that cannot be read.
reports_nothing "$scratch/odd" "--merge $scratch/odd" sh -c 'echo x >"$0.rank0"' "$scratch/odd"
# A program that died and left no counts has the status that it has without the profiler.
"$tool" --salvage=no -o "$scratch/lost" "$MPIRUN" -np 3 "$scratch/mpi_traffic" aborts >"$scratch/log" 2>&1
got=$?
[ $got != 0 ] && [ $got != 2 ] && tail -n 1 "$scratch/log" | grep -q "nothing .* $scratch/lost" ||
  { fail "--salvage=no: exit status $got"; cat "$scratch/log"; }
PLACEMENT_PROFILE_LIBRARY=$scratch/no-library "$tool" -o "$scratch/without" touch "$scratch/ran" 2>"$scratch/log"
[ $? = 2 ] && [ ! -e "$scratch/ran" ] && grep -q no-library "$scratch/log" || { fail "without the library the command runs"; cat "$scratch/log"; }
# The program ends well, but cannot give the matrix its name.
"$tool" -o "$scratch/late" sh -c 'mkdir "$0"; "$@"; got=$?; rmdir "$0"; exit $got' "$scratch/late" "$MPIRUN" -np 3 "$scratch/mpi_traffic" sendrecv >"$scratch/log" 2>&1 ||
  fail "a matrix that was written late: exit status $?"
grep -q '^np 3$' "$scratch/late" && tail -n 1 "$scratch/log" | grep -q "wrote $scratch/late: 3 ranks, .* all 3 ranks" &&
  ! grep -q MPI_Finalize "$scratch/log" || { fail "a matrix that was written late"; cat "$scratch/log"; }
# A relative name is that of the directory where the tool was started, wherever the program runs.
mkdir "$scratch/elsewhere"
(cd "$scratch" && "$tool" -o relative sh -c 'cd elsewhere && "$@"' sh "$MPIRUN" -np 3 "$scratch/mpi_traffic" sendrecv >"$scratch/log" 2>&1)
grep -q '^np 3$' "$scratch/relative" || { fail "-o with a relative name"; ls "$scratch/elsewhere"; cat "$scratch/log"; }
# Slurm's name of the node is that of a rank only where srun started the rank: mpirun may have passed its own environment on.
SLURMD_NODENAME=inherited "$tool" -o "$scratch/nodes" "$MPIRUN" -np 3 "$scratch/mpi_traffic" sendrecv >"$scratch/log" 2>&1
[ "$(member nodes nodes)" != '[]' ] && ! grep -q inherited "$scratch/nodes.summary" || { fail "nodes by mpirun"; cat "$scratch/log" "$scratch/nodes.summary"; }
SLURMD_NODENAME=given SLURM_STEP_NUM_TASKS=3 "$tool" -o "$scratch/nodes" "$MPIRUN" -np 3 "$scratch/mpi_traffic" sendrecv >"$scratch/log" 2>&1
[ "$(member nodes nodes)" = "['given']" ] || { fail "nodes by srun"; cat "$scratch/log" "$scratch/nodes.summary"; }
# ---- what mpirun passes on to another node, for which an agent in place of ssh starts its daemon here, in an empty environment
cat >"$scratch/agent" <<'end'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done  # options
shift  # the name of the node
exec env -i PATH="$PATH" HOME="$HOME" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 sh -c "$*"
end
chmod +x "$scratch/agent"
on_other_node() {  # [VARIABLE=VALUE].. -- [OPTION OF mpirun]..: prints the environment of a rank there
  local settings=()
  while [ "$1" != -- ]; do settings+=("$1"); shift; done
  shift
  env "${settings[@]}" "$tool" -o "$scratch/other" timeout 60 "$MPIRUN" --mca plm rsh --mca plm_rsh_agent "$scratch/agent" --mca oob_tcp_if_include lo \
    --host another:1 -np 1 "$@" env 2>&1
}
case $("$MPIRUN" --version) in
  *"(Open MPI) 4."*)
    for options in "" "-x HOME"; do
      # shellcheck disable=SC2086
      on_other_node PLACEMENT_PROFILE_SAMPLE=no PLACEMENT_PROFILE_CHILDREN=yes -- $options >"$scratch/log"
      for name in LD_PRELOAD PLACEMENT_PROFILE PLACEMENT_PROFILE_SAMPLE PLACEMENT_PROFILE_CHILDREN; do
        grep -q "^$name=" "$scratch/log" || { fail "mpirun $options: $name does not reach another node"; cat "$scratch/log"; }
      done
    done
    on_other_node OMPI_MCA_mca_base_env_list=OWN=7 -- >"$scratch/log"
    grep -q '^OWN=7$' "$scratch/log" && grep -q '^PLACEMENT_PROFILE=' "$scratch/log" || { fail "a list of one's own"; cat "$scratch/log"; } ;;
esac
"$tool" --count=nonsense true 2>"$scratch/log" && fail "--count=nonsense is taken"
grep -q -e '--count=nonsense.*topology' "$scratch/log" || fail "--count=nonsense: $(cat "$scratch/log")"
# A file that cannot be made is known before the command runs.
mkdir "$scratch/directory"
for file in "$scratch/no/such/file" "$scratch/directory"; do
  "$tool" -o "$file" touch "$scratch/ran" 2>"$scratch/log"
  [ $? = 2 ] && [ ! -e "$scratch/ran" ] || fail "-o $file: the command runs"
done
grep -q "$scratch/directory is a directory" "$scratch/log" || fail "-o DIRECTORY: $(cat "$scratch/log")"
"$tool" --merge "$scratch/none" 2>"$scratch/log" && fail "--merge of nothing succeeds"
"$tool" "$scratch/no-such-command" 2>/dev/null
[ $? = 127 ] || fail "exit status of a command that is not there"
# A file that cannot be written is no reason for the program to fail.
under libplacement-profile 2 env PLACEMENT_PROFILE="$scratch/no/such/directory" "$scratch/mpi_traffic" sendrecv >"$scratch/log" 2>&1 ||
  fail "the program fails where the profile cannot be written"
grep -q "$scratch/no/such/directory: " "$scratch/log" || fail "an unwritable profile goes unsaid"
under libplacement-profile 2 env PLACEMENT_PROFILE_COUNT=wrong "$scratch/mpi_traffic" sendrecv >"$scratch/log" 2>&1 ||
  fail "the program fails with a wrong setting"
grep -q PLACEMENT_PROFILE_COUNT "$scratch/log" || fail "a wrong setting goes unsaid"

# ---- rows come to rank 0 along a tree of ranks: the matrix is whole where this tree is not, and rank 0 keeps no buffers for each rank
# (with 24 ranks, 700 KiB).
MPICC=$MPICC MPIRUN=$MPIRUN "$source/contrib/evaluation/profile-many" "$libraries/libplacement-profile.so" 1 3 13 24 >"$scratch/many" 2>&1 ||
  fail "contrib/evaluation/profile-many"
[ "$(grep -c ' right$' "$scratch/many")" = 4 ] || { fail "profiles of 1, 3, 13 and 24 ranks"; cat "$scratch/many"; }
awk '$1 == 24 { gsub(/[()]/, ""); found = 1; if ($4 - $3 > 400) exit 1 } END { exit !found }' "$scratch/many" ||
  { fail "rank 0 of 24 ranks needs more than 400 KiB more than any rank before the end"; cat "$scratch/many"; }
# Rank 0 needs at most twice the memory of the others. SP_PROFILE_RANKS has more numbers of ranks, in contrib/check --all 128.
for ranks in ${SP_PROFILE_RANKS:-}; do
  MPICC=$MPICC MPIRUN=$MPIRUN "$source/contrib/evaluation/profile-many" "$libraries/libplacement-profile.so" "$ranks" >"$scratch/many.$ranks" 2>&1 ||
    { fail "a profile of $ranks ranks"; cat "$scratch/many.$ranks"; }
  cat "$scratch/many.$ranks" >>"$scratch/many"
done
awk '$1 + 0 > 0 { gsub(/[()]/, ""); found++; if ($4 > 2 * $3) exit 1 } END { exit !found }' "$scratch/many" ||
  { fail "rank 0 needs more than twice the memory of the others"; cat "$scratch/many"; }
# ---- four threads that send as fast as they can, and one that polls: counted in slices, the sum is near what was sent, and never equal
flooded() {  # case, option of sampling: prints what was counted as a part of what was sent
  PLACEMENT_PROFILE_SAMPLE=$2 "$tool" -o "$scratch/flood" "$MPIRUN" -np 1 "$scratch/mpi_traffic" "$1" >"$scratch/log" 2>&1 || cat "$scratch/log" >&2
  awk '$1 == "sent" { sent = $2 } /"least_bytes": 2,/ { counted = $NF + 0 } END { print (sent > 0 ? counted / sent : 0), (counted == sent ? "all" : "a part") }' \
    "$scratch/log" "$scratch/flood.summary"
}
[ "$(flooded flooding_threads no)" = "1 all" ] || fail "threads that send very much are not counted: $(cat "$scratch/log")"
[ "$(flooded flooding_bursts yes)" = "1 all" ] || fail "time without a processor is counted as time of a slice: $(cat "$scratch/log")"
for name in flooding_threads flooding_polls; do
  part=$(flooded $name yes)
  awk '!($1 > 0.7 && $1 < 1.4 && $2 == "a") { exit 1 }' <<<"$part" || fail "$name: in slices, $part of the messages were counted"
done
echo "$cases cases, $failures failed"
[ "$failures" = 0 ]
