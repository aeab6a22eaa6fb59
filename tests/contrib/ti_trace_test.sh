#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Communication matrices of time-independent SimGrid traces, held against sums made by hand: three ranks, one action each.
# shellcheck source=tests/tools/words_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/words_lib.sh"
set -u
source=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) checks=0 failures=0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }

fail() {
  failures=$((failures + 1))
  printf 'FAIL: %s\n' "$*"
}

# Each argument is what one rank does; "R" in it is the rank's number, "N" the next one's.
trace() {
  local rank=0 action
  mkdir -p t_files
  : >t
  for action in "$@"; do
    { echo "$rank init"; [ -z "$action" ] || printf '%s %s\n' "$rank" "$action"; echo "$rank finalize"; } >"t_files/$rank.txt"
    echo "t_files/$rank.txt" >>t
    rank=$((rank + 1))
  done
}

# The matrix of the trace is this: its lines but the first, joined by commas.
gives() {
  checks=$((checks + 1))
  local got
  got=$("$source/contrib/evaluation/lib/ti_trace.py" t 2>err | tail -n +2 | paste -sd ,)
  [ "$got" = "$1" ] || fail "$(cat t_files/0.txt | sed -n 2p): '$got' instead of '$1'; $(cat err)"
}

says() {
  checks=$((checks + 1))
  has_words "$(cat err)" "$1" || fail "no '$1' in '$(cat err)'"
}

# Type 0 is a double, 1 an int, 6 a byte.
trace 'send 1 7 10 0' '' 'isend 1 7 3 1'; gives '0 1 80,1 2 12'
trace 'sendRecv 5 1 9 2 0 0' 'sendRecv 9 2 5 0 1 0' ''; gives '0 1 40,1 2 36'
trace 'send -333 7 10 0' 'sendRecv 5 -333 9 0 0 0' 'Ssend 0 1 4 6'; gives '0 2 4'
trace 'bcast 2 0 0' 'bcast 2 0 0' 'bcast 2 0 0'; gives '0 1 16,0 2 16'
trace 'ibcast 2 1 0' 'ibcast 2 1 0' 'ibcast 2 1 0'; gives '0 1 16,1 2 16'
trace 'reduce 3 0 2 1' 'reduce 3 0 2 1' 'reduce 3 0 2 1'; gives '0 2 12,1 2 12'
trace 'allreduce 1 0 0' 'allreduce 1 0 0' 'allreduce 1 0 0'; gives '0 1 16,0 2 16'
trace 'alltoall 4 4 6 6' 'alltoall 4 4 6 6' 'alltoall 4 4 6 6'; gives '0 1 8,0 2 8,1 2 8'
trace 'alltoallv 9 1 2 3 9 1 1 1 6 6' 'alltoallv 9 4 5 6 9 1 1 1 6 6' 'alltoallv 9 7 8 9 9 1 1 1 6 6'; gives '0 1 6,0 2 10,1 2 14'
trace 'gather 4 4 2 0 0' 'gather 4 4 2 0 0' 'gather 4 4 2 0 0'; gives '0 2 32,1 2 32'
trace 'gatherv 3 3 4 5 0 6 6' 'gatherv 4 0 0 0 0 6 6' 'gatherv 5 0 0 0 0 6 6'; gives '0 1 4,0 2 5'
trace 'scatter 4 4 1 0 0' 'scatter 4 4 1 0 0' 'scatter 4 4 1 0 0'; gives '0 1 32,1 2 32'
trace 'scatterv 3 4 5 3 0 6 6' 'scatterv 0 0 0 4 0 6 6' 'scatterv 0 0 0 5 0 6 6'; gives '0 1 4,0 2 5'
trace 'allgather 2 2 0 0' 'allgather 2 2 0 0' 'allgather 2 2 0 0'; gives '0 1 32,0 2 32,1 2 32'
trace 'allgatherv 1 1 2 3 6 6' 'allgatherv 2 1 2 3 6 6' 'allgatherv 3 1 2 3 6 6'; gives '0 1 4,0 2 5,1 2 3'
trace 'reducescatter 1 2 3 0 6' 'reducescatter 1 2 3 0 6' 'reducescatter 1 2 3 0 6'; gives '0 1 3,0 2 4,1 2 5'
trace 'scan 2 0 0' 'exscan 2 0 0' 'scan 2 0 0'; gives '0 1 16,1 2 16'
trace 'barrier' 'barrier' 'barrier'; gives ''

trace 'Startall' '' ''; gives ''
says 'MPI_Startall'
trace 'Start 2 7 200 1' '' 'Start 2 7 200 1'; gives '0 2 200'
trace 'Start -333 7 200 1' '' ''; gives ''
trace 'reducescatter 0 0 0 0 1' 'reducescatter 0 0 0 0 1' 'reducescatter 0 0 0 0 1'; gives ''
says 'MPI_Reduce_scatter_block'
trace 'send 1 0 10 -1' '' ''; gives '0 1 10'
says 'derived datatypes'
trace 'frobnicate 1' '' ''; gives ''
says "$work/t_files/0.txt:2: '0 frobnicate 1'"
trace 'send 1' '' ''; gives ''
says "$work/t_files/0.txt:2: '0 send 1'"
trace 'send 3 0 10 0' '' ''; gives ''
says 'rank 3'

checks=$((checks + 1))
: >t
! "$source/contrib/evaluation/lib/ti_trace.py" t >matrix 2>err || fail "an empty index gives '$(cat matrix)' and exit code 0"
says "$work/t no file"

echo "$checks checks, $failures failures"
[ $failures = 0 ]
