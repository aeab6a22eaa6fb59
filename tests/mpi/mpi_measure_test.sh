#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# placement-measure with the MPI library that configure found, and compiled for MPICH: which pairs are in the table, and what it
# refuses. All ranks are on this host, so srun's variables give them names.
. "${srcdir:-.}/tests/mpi/mpi_environment.sh"
cd "$scratch" || exit 1

# Names and number of ranks come from variables; a launcher of this test sets them for each rank as srun does.
cat >as_node <<'END'
#!/bin/sh
export SLURM_STEP_NUM_TASKS="$ranks" SLURMD_NODENAME="${same:-n$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} + 1))}"
[ -z "$full" ] || exec >/dev/full
[ "$stuck_start_s $SLURMD_NODENAME" != 'yes n2' ] || exec sleep 600
exec nice -n 19 "$@"
END
chmod +x as_node

measured() {  # launcher program ranks [option]...: the table on standard output
  local launcher=$1 program=$2
  export ranks=$3
  shift 3
  timeout 240 "$launcher" -np "$ranks" ./as_node "$program" "$@"
}

all_pairs() {  # launcher program ranks
  local pairs=$(($3 * ($3 - 1) / 2))
  measured "$@" >table 2>err || { fail "$* ends with $?"; cat err; return; }
  grep -q "^# $pairs of $pairs pairs of $3 nodes, by .*MPI" table || fail "$*: $(head -n 1 table)"
  [ "$(sed -n 2p table)" = 'u v latency_us bandwidth_Bps measured_at_s' ] || fail "$*: $(sed -n 2p table)"
  awk -v ranks="$3" -v now="$(date +%s)" 'NR > 2 {
    a = substr($1, 2); b = substr($2, 2)
    if (!(a >= 1 && a < b && b <= ranks) || seen[$1, $2]++ || !($3 > 0) || !($4 > 0) || $5 > now || $5 < now - 600) bad = bad " " $0
    n++
  } END { print n + 0 bad }' table >found
  [ "$(cat found)" = "$pairs" ] || { fail "$*: $(cat found)"; cat table; }
  cases=$((cases + 1))
}

check_program() {  # launcher program
  all_pairs "$1" "$2" 2
  all_pairs "$1" "$2" 3
  all_pairs "$1" "$2" 4 --at-once 1
  measured "$1" "$2" 1 >table 2>err && fail "one rank"
  grep -q 'one rank' err || fail "one rank: $(cat err)"
  same=n1 measured "$1" "$2" 2 >table 2>err && fail "two ranks on a node"  # the host name is equal, too
  grep -q 'two ranks' err || fail "two ranks on a node: $(cat err)"
  [ ! -s table ] || fail "a table without nodes: $(cat table)"
  full=yes measured "$1" "$2" 2 >table 2>err && fail "a table that cannot be written"
  grep -q 'placement-measure:' err || fail "a table that cannot be written: $(cat err)"
  "$2" --frobnicate >/dev/null 2>&1
  [ $? = 2 ] || fail "an unknown option"
  "$2" --minutes 0 2>err
  [ $? = 2 ] && grep -q -e '--minutes' err || fail "--minutes 0: $(cat err)"
  "$2" --help | grep -q '^Usage: .*placement-measure' || fail "--help"
}

compile() {  # compiler of the MPI library, program, source
  local flags=() libraries=() word
  for word in $MEASURE_LIBS; do
    case $word in *.la) libraries+=("$build/.libs/${word%.la}.a") ;; *) libraries+=("$word") ;; esac
  done
  for word in $("$1" -show); do
    case $word in -I*) flags+=(-isystem "${word#-I}") ;; -L* | -l*) flags+=("$word") ;; esac
  done
  # shellcheck disable=SC2086
  $CXX -std=c++20 -O1 -Wall -Wextra -Werror -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX -DHAVE_CONFIG_H -I"$source" -I"$build" -o "$2" "$3" \
    "${libraries[@]}" "${flags[@]}" || { echo "placement-measure does not build with $1"; exit 1; }
}

check_program "$MPIRUN" "$build/placement-measure"

# A copy with room for four pairs, in which a minute is a millisecond: each pair takes longer. stuck_start_s and stuck_grace_s let
# it hang in MPI_Init or MPI_Finalize, with a limit of two seconds.
sed -e 's/room = most_measured_pairs/room = 4/' -e 's/(number) \* 60/(number) * 1e-3/' \
  -e 's/alarm(\(start_s\|grace_s\))/alarm(getenv("stuck_\1") ? 2 : \1)/' \
  -e 's/^  MPI_Finalize();/  if (getenv("stuck_grace_s")) sleep(600);\n&/' "$source/mpi/placement_measure.cpp" >short.cpp
compile "$MPICC" measure_short short.cpp
for words in '4' '1 --minutes 1'; do
  read -r pairs option minutes <<<"$words"
  # shellcheck disable=SC2086
  measured "$MPIRUN" ./measure_short 4 --at-once 1 $option $minutes >table 2>err || fail "a short measurement ends with $?: $(cat err)"
  grep -q "^# $pairs of 6 pairs" table && [ "$(grep -c '^n' table)" = "$pairs" ] || fail "a short measurement $option: $(cat table)"
  cases=$((cases + 1))
done

# A program that hangs in the MPI library ends, and names the function.
stuck_start_s=yes measured "$MPIRUN" ./measure_short 2 >table 2>err && fail "a node without MPI_Init"
grep -q 'placement-measure: MPI_Init' err && [ ! -s table ] || fail "a node without MPI_Init: $(cat table err)"
stuck_grace_s=yes measured "$MPIRUN" ./measure_short 2 >table 2>err
grep -q 'placement-measure: MPI_Finalize' err && grep -q '^# 1 of 1 pairs' table || fail "MPI_Finalize hangs: $(cat table err)"

: "${MPICH_CC:=mpicc.mpich}" "${MPICH_RUN:=mpiexec.mpich}"
if [ -x "$(command -v "$MPICH_CC")" ]; then
  compile "$MPICH_CC" measure_mpich "$source/mpi/placement_measure.cpp"
  check_program "$MPICH_RUN" ./measure_mpich
else
  echo "no $MPICH_CC: MPICH is not tested"
fi
echo "$cases tables, $failures failed"
[ "$failures" = 0 ]
