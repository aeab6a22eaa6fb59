#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Drives "placectl measure" as a person does, with a program in the place of the launcher: what it starts, which tables it takes,
# and what it says when no monitor takes them.
# shellcheck source=tests/tools/placectl_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/placectl_lib.sh"

table() { printf '%s\n' '# two pairs' 'u v latency_us bandwidth_Bps measured_at_s' 'n1 n2 1.5 1.2e+10 1700000000' 'n1 n3 2 9e+09 1700000001'; }
table >pairs
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >words\ncat pairs\n' >launcher
chmod +x launcher

starts() {
  run measure -- ./launcher -x placement-measure
  expect 0 "$(table)" ''
  checks=$((checks + 1))
  [ "$(paste -sd ' ' words)" = '-x placement-measure' ] || fail "$command: started with $(cat words)"
  run measure --minutes 2 --at-once 3 -- ./launcher placement-measure
  expect 0 "$(table)" ''
  checks=$((checks + 1))
  [ "$(paste -sd ' ' words)" = 'placement-measure --minutes=2 --at-once=3' ] || fail "$command: started with $(cat words)"
  run measure
  refused 2 'Slurm allocation sbatch'
  run measure -- false
  refused 1 'placectl measure: code 1'
  run measure -- ./absent
  refused 1 'placectl measure: code 127'
  for words in '--minutes 0' '--minutes 1441' '--at-once 0' '--minutes x'; do
    # shellcheck disable=SC2086
    run measure $words -- ./launcher
    refused 2 "placectl measure: ${words%% *} ${words##* }"
  done
}

# What was measured is printed, although it is no table, or a wrong one.
tables() {
  run measure -- echo nonsense
  expect 1 nonsense 'u v latency_us'
  printf 'n1 n2 1 1 1\n' >headless
  run measure -- cat headless
  expect 1 'n1 n2 1 1 1' 'u v latency_us'
  head -n 2 pairs >empty
  run measure -- cat empty
  expect 1 "$(cat empty)" 'no pairs'
  for line in 'n1 n2 1 1' 'n1 n1 1 1 1' 'n1 n2 0 1 1' 'n1 n2 1 nan 1' 'n1 n2 1 1 later'; do
    { head -n 2 pairs && echo "$line"; } >wrong
    run measure -- cat wrong
    expect 1 "$(cat wrong)" 'placement-measure:3'
  done
}

# The columns of a measured table are among those that select reads.
selects() {
  printf '%s\n' 'node cores cpu_load' 'n1 4 0' 'n2 4 0' 'n3 4 0' >nodes
  run select --tasks 8 --ntasks-per-node 4 --nodes nodes --pairs pairs --policy nla-paper --set alpha=0,beta=1
  checks=$((checks + 1))
  [ "${out%%$'\n'*}" = 'n[1-2]' ] || fail "$command: chose '$out' $err"
}

sends() {
  run measure --send -- cat pairs
  expect 1 "$(table)" 'placectl measure:'
}

run_parts 20 starts tables selects sends
