#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# placectl map and cost, on trees, tori and Slurm's topologies.
# shellcheck source=tests/tools/placectl_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/placectl_lib.sh"

mapping() {
  run map --matrix matrix --topology tree --output mapping
  expect 0 ''
  has '4 ranks on 8 of 8 leaves by TREEMATCH'
  has 'cost      360 hop-bytes'
  has 'natural   570 (ratio 0.632)'
  has 'greedy    360'
  has ' s wall, '
  run cost --matrix matrix --topology tree mapping
  has 'cost      360 hop-bytes'
  # the spellings of other mapping tools
  run map --matrix matrix --topo tree --avail even --output mapping --seed 3
  expect 0 ''
  has 'cost      660 hop-bytes'
  run cost -m matrix -t tree mapping
  has 'cost      660 hop-bytes'
  [ "$(cut -d' ' -f2 mapping | sort -n | tr '\n' ' ')" = '0 2 4 6 ' ] || fail 'leaves that were not offered'
  run map -m matrix -t tree -a even -p natural
  expect 0 $'0 0\n1 2\n2 4\n3 6'
  has 'cost      870 hop-bytes'
  run map -m matrix -t tree -p greedy
  has 'cost      360 hop-bytes'
  run map -m matrix -t tree -p random=seed=7
  local first=$out
  run map -m matrix -t tree -p random=seed=7
  expect 0 "$first"
  run map -m matrix -t tree -p random=seed=8 --seed 7
  expect 0 "$first"
  run map -m matrix -t tree --fault-probability 0.1
  refused 2 "placectl map: --fault-probability --outage"
  run map -m matrix -t tree --het-group 1
  refused 2 'placectl map: --het-group --topology'
  run map -t tree -p treematch=matrix,scope=whole,levels-up=1
  has 'cost      360 hop-bytes'
  run map -m matrix -t tree -p treematch=scope=allocation
  says '4 ranks 8 8 leaves TREEMATCH: optimal cost 360 hop-bytes'
  run map -m matrix -t tree -p treematch=scope=allocation,objective=balanced
  [ $code = 0 ] || fail "$command: exit code $code"
  has $'\ncost      360 hop-bytes\n'
  says '2 2 tasks leaf switch'
  # 100 + 20 next to each other, 30 a level higher; in order 15 and 135.
  run map -m matrix -t tree --distances 1,10,100
  has $'cost      420 hop-bytes\nnatural   1365 (ratio 0.308)\n'
  run map -m matrix -t tree -p treematch=objective=balanced
  [ $code = 0 ] || fail "$command: exit code $code"
  has $'\ncost      360 hop-bytes\n'
  says '2 2 tasks leaf switch'
  run map -m matrix -t tree -p treematch=objective=worst-group
  [ $code = 0 ] || fail "$command: exit code $code"
  has $'\ncost      360 hop-bytes\n'
  says 'group 1 leaf switch'
  # The first leaves are beyond the smallest subtree with four free leaves, and cost less than that.
  printf '4 3\n0 1 100\n2 3 100\n1 2 1\n' >pairs
  printf '0\n1\n8\n10\n12\n14\n' >scattered
  run map -m pairs -t 2:4:2 -a scattered
  has $'cost      606 hop-bytes\nnatural   606 (ratio 1.000)\n'
  run map -m matrix -t tree --deadline-ms 0
  [ $code = 0 ] || fail "a deadline in the past: exit code $code"
  has $'by TREEMATCH: greedy, cut short by --deadline-ms\ncost      360 hop-bytes\n'
  printf 'tleaf 3 2 100 2 10 2 1\n' >tleaf
  run map -m matrix -t tleaf  # a leaf's link costs 1, the one above 10
  has $'4 ranks on 8 of 8 leaves by TREEMATCH: exact search, optimal\ncost      450 hop-bytes\nnatural   1500 (ratio 0.300)\n'
}

# A machine in a word, and no matrix: the natural order.
mapping_without_files() {
  run map -t 2:2
  expect 0 $'0 0\n1 1\n2 2\n3 3'
  has_words "$err" '4 ranks 4 4 leaves natural order --matrix' || fail "$command says: $err"
  run map -t 4:4:4
  [ "$(wc -l <<<"$out")" = 64 ] || fail "$command: $(wc -l <<<"$out") lines"
  run map -t tree -a even
  [ $code = 0 ] || fail "$command: exit code $code, $err"
  run map -t tree -p natural
  [ $code = 0 ] || fail "$command: exit code $code, $err"
  run map -m matrix -t tree
  local by_file=$out
  run map -m matrix -t "$(sed -n 's/^tree *//p' tree | tr ' ' :)"
  expect 0 "$by_file"
  printf 'tree 2\n' >8:8  # a file wins
  run map -t 8:8
  expect 0 $'0 0\n1 1'
}

# A directory that may not be searched, where the shell's user is not root, and a link that leads to itself.
files_out_of_reach() {
  ln -s itself itself
  run map -t itself -m matrix
  [ "$code" = 1 ] || fail "$command: exit code $code; $err"
  has 'itself: '
  run map -t tree -m itself
  [ "$code" = 1 ] || fail "$command: exit code $code; $err"
}

mapping_json() {
  [ $have_python = yes ] || return
  run map -m matrix -t tree -a even --json
  [ $code = 0 ] || fail "$command: exit code $code"
  [ -z "$err" ] || fail "$command: $err"
  json "['cost']" 660
  json "['natural_cost']" 870
  json "['leaves']" 8
  json "['usable_leaves']" 4
  json "['policy']" TREEMATCH
  json "['ranks']" 4
  json "['leaf_of_rank'].__len__()" 4
  run map -m matrix -t tree --json -o mapping
  json ".get('leaf_of_rank')" None
  [ "$(wc -l <mapping)" = 4 ] || fail 'no mapping file with the JSON'
  run cost -m matrix -t tree mapping --json
  json "['cost']" 360
  run matrix info matrix --json
  json "['heaviest'][0]" "{'a': 0, 'b': 3, 'weight': 100}"
  json "['traffic']['most']" 115
  run check-config --json
  json "['settings']['Mode']" enforce
}

# The worked figure of hierarchical job assignment: groups (0,6)(1,7)(2,5)(3,4), then (0,6,1,7)(2,5,3,4).
matching() {
  cat >table1 <<'END'
0 100 19 12 19 11 2511 223
100 0 12 12 25 28 223 1412
19 12 0 223 251 1584 17 10
12 12 223 0 1995 112 17 17
19 25 251 1995 0 158 17 12
11 28 1584 112 158 0 25 19
2511 223 17 17 17 25 0 100
223 1412 10 17 12 19 100 0
END
  printf 'tree 2 2 2 2\n' >sixteen
  run map -m table1 -t sixteen -p matching
  expect 0 $'0 0\n1 2\n2 4\n3 6\n4 7\n5 5\n6 1\n7 3'
  has 'cost      22196 hop-bytes'
  printf 'SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\nSwitchName=top Switches=s[0-1]\n' >four.conf
  printf 'NodeName=n[0-3] CPUs=2 CoresPerSocket=2\n' >four-nodes.conf
  run map -m table1 -t four.conf --slurm-conf four-nodes.conf -p matching -N 4 -f nodes
  expect 0 $'0 n0 0\n1 n1 0\n2 n2 0\n3 n3 0\n4 n3 1\n5 n2 1\n6 n0 1\n7 n1 1'
  run map -m table1 -t sixteen -p matching=effort=3
  refused 2 'placectl map: effort MATCHING matrix pattern grid tp pp dp cp ep order layers hidden seq batch'
  printf 'torus 4 4\n' >plain-torus
  run map -m table1 -t plain-torus -p matching
  refused 1 'placectl map: MATCHING TOFA'
}

bad_mapping() {
  run map -t tree -p treematch
  refused 2 'placectl map: --matrix --pattern TREEMATCH'
  run map -t 2:x
  refused 1 'placectl map: 2:x No such file or directory'
  run map -t 2:0
  refused 1 'placectl map: 2:0: 1 4:4:4'
  for word in 8 4,4; do
    run map -t $word
    refused 1 "placectl map: $word 4:4:4"
  done
  run map -m matrix -t tree extra
  refused 2 "placectl map: unexpected 'extra'"
  run map -m matrix -t
  refused 2 'placectl map: --topology value'
  run map -m matrix -t tree --json=yes
  refused 2 'placectl map: --json not value'
  run map -m matrix -t tree --seed -1
  refused 2 'placectl map: --seed -1 0 9223372036854775807'
  for keys in treematch=scope=all treematch=objective=speed greedy=objective=balanced; do
    run map -m matrix -t tree -p $keys
    [ "$code" = 2 ] || fail "$command: exit code $code"
    keys=${keys#*=}
    has "${keys%%=*}"
  done
  run map -m matrix -t tree --format xml
  refused 2 'placectl map: --format xml leaves nodes gpus hostfile rankfile machinefile mpich-order torchrun srun'
  run map -m matrix -t tree --format nodes
  refused 2 'placectl map: --format nodes topology.conf --slurm-conf'
  run map -m matrix -t tree --nodes 2
  refused 2 'placectl map: --nodes topology.conf --slurm-conf'
  run map -m matrix -t tree --distances 1,x
  refused 2 'placectl map: --distances 1,x 1,10,100'
  run map -m matrix -t tree --distances 1,2
  refused 1 'placectl map: tree 2 3'
  run map -m matrix -t tree -p weather
  refused 2 'placectl map: WEATHER NATURAL TREEMATCH NLA NLA-PAPER LOAD-AWARE TOFA TOFA-PAPER GREEDY MATCHING MATCHING-PAPER SEQUENTIAL RANDOM'
  run map --pattern grid=4x2 -p weather
  [ $code = 2 ] || fail "$command: exit code $code"
  says 'placectl map: WEATHER NATURAL'
  for pattern in ring grid=4x2; do
    run map -t tree -p $pattern
    [ $code = 2 ] || fail "$command: exit code $code"
    says 'SEQUENTIAL RANDOM --pattern'
  done
  run map -m matrix -t tree -p nla
  [ $code = 1 ] || fail "$command: exit code $code"
  says 'NLA live data placectl select'
  run map -m matrix -t tree -p treematch=colour=red
  [ $code = 2 ] || fail "$command: exit code $code"
  says 'colour TREEMATCH matrix scope levels-up seed effort objective comm-share'
  run map -m gone -t tree
  [ $code = 1 ] || fail "$command: exit code $code"
  has 'gone: cannot be opened: No such file'
  run map -m matrix -t gone
  refused 1 'placectl map: gone No such file or directory'
  run map -m matrix -t tree -a gone
  refused 1 'placectl map: gone No such file or directory'
  printf '0 1\n' >short
  run map -m short -t tree
  [ $code = 1 ] || fail "$command: exit code $code"
  has 'short:'
  printf '0\n0\n' >twice
  run map -m matrix -t tree -a twice
  refused 1 'placectl map: twice:2: 0 1'
  printf '0\n8\n' >far
  run map -m matrix -t tree -a far
  refused 1 "placectl map: far:2: '8' 0 7"
  printf '0\n1\n' >few
  run map -m matrix -t tree -a few
  refused 1 'placectl map: 4 2 8'
  : >none
  run map -m matrix -t tree -a none
  refused 1 'placectl map: 4 0 8'
  run map -m matrix -t tree -o /nonexistent/mapping
  refused 1 'placectl map: /nonexistent/mapping No such file or directory'
  "$placectl" map -m matrix -t tree >/dev/full 2>.err
  code=$? out='' err=$(cat .err) command='placectl map >/dev/full'
  [ $code = 1 ] || fail "$command: exit code $code"
  has 'No space left on device'
  run cost -m matrix -t tree
  refused 2 'placectl cost: --matrix FILE --topology FILE MAPPING'
  printf '0 0\n1 1\n2 2\n' >mapping
  run cost -m matrix -t tree mapping
  refused 1 'placectl cost: mapping rank 3'
}

tori() {
  printf 'torus 4 4\nfaulty 100 1 6\n' >torus
  run map -m matrix -t torus --json -o mapping
  [ "$code" = 0 ] || fail "$command: exit code $code; $err"
  json "['policy']" TOFA
  json "['abort_probability']" '0'
  json "['expected_time']" '1'
  json "['suspects_touched']" '0'
  run cost -m matrix -t torus mapping
  has 'abort     0 probability, by 0 of 4 nodes'
  # ranks on nodes 0, 1, 2, 3 in natural order: node 1 is faulty, and 0 to 2 leads through it
  run map -m matrix -t torus -p sequential --json
  # 0-1 5, 0-2 10, 0-3 100, 1-2 20, 1-3 5, 2-3 10; the ring has 0-3 as neighbours
  json "['cost']" '165'
  json "['hop_bytes']" '165'
  json "['abort_probability']" '0.02'
  json "['leaf_of_rank']" '[0, 1, 2, 3]'
  run map -m matrix -t torus -p sequential --fault-probability 0.5 --job-seconds 100
  has 'abort     0.5 probability, by 1 of 4 nodes'
  has 'expected  200 s'
  run map -m matrix -t torus -p sequential --fault-probability 1 --job-seconds 100
  has 'expected  never'
  has 'objective none'
  run map -m matrix -t torus -p sequential --fault-probability 1 --json
  json "['expected_time']" 'None'
  json "['objective']" 'None'
  printf '2 0.1\n' >outage
  run map -m matrix -t torus -p sequential --outage outage --json
  json "['abort_probability']" '0.118'
  run map -m matrix -t torus -p greedy
  [ "$code" = 0 ] || fail "$command: exit code $code; $err"
  run map -m matrix -t torus -p treematch
  refused 1 'placectl map: TREEMATCH TOFA'
  run map -m matrix -t torus -p tofa=effort=0
  refused 2 'placectl map: effort=0 1 1000'
  run map -m matrix -t tree -p treematch=effort=1001
  refused 2 'placectl map: effort=1001 1 1000'
  run map -m matrix -t torus -p tofa=foo=1
  refused 2 'placectl map: foo TOFA matrix seed effort comm-share job-seconds pattern grid tp pp dp cp ep order layers hidden seq batch'
  run map -m matrix -t tree -p greedy=effort=2
  refused 2 'placectl map: effort GREEDY matrix pattern grid tp pp dp cp ep order layers hidden seq batch'
  run map -m matrix -t tree -p natural=effort=2
  refused 2 'placectl map: effort NATURAL'
  run map -m matrix -t torus -p tofa=matrix=/other
  refused 2 'placectl map: --matrix matrix /other --policy'
  printf '16 0.1\n' >outage
  run map -m matrix -t torus --outage outage
  refused 1 'placectl map: outage:1: 16'
  printf '2 1.5\n' >outage
  run map -m matrix -t torus --outage outage
  refused 1 "placectl map: outage:1: '1.5' 0 1"
  run map -m matrix -t torus --fault-probability 2
  refused 2 'placectl map: --fault-probability 2 0 1'
  printf '2 1\n0 1 12345678901\n' >bulk
  run map -m bulk -t torus -p sequential --json
  json "['max_link_load']" '6172839450.5'
  printf '1 0\n' >single
  printf 'torus 3 3\nfaulty 3 0\n' >first
  for policy in tofa tofa-paper; do
    run map -m single -t first -p $policy --json
    json "['leaf_of_rank']" '[1]'
    json "['abort_probability']" '0'
  done
  # named nodes with one core each
  printf 'torus 3 mesh 2\nn[1-3] 0-2 0\nm[1-2] 0-1 1\n' >named
  printf 'n2 0.3\n' >outage
  run map -m matrix -t named --outage outage --format nodes
  [ "$(printf '%s\n' "$out" | cut -d' ' -f2 | sort | tr '\n' ' ')" = 'm1 m2 n1 n3 ' ] || fail "$command: '$out'"
  run map -m matrix -t named -N4 -w n2 --format nodes
  case $out in *n2*) ;; *) fail "$command: '$out'" ;; esac
  printf 'n1 0.3\nx 0.1\n' >outage
  run map -m matrix -t named --outage outage
  refused 1 'placectl map: outage:2: x'
  # trees: only nodes with ranks count
  printf '2 0.5\n' >outage
  run map -m matrix -t tree --outage outage -p tofa --json
  json "['abort_probability']" '0'
  run map -m matrix -t tree --outage outage -p natural --json
  json "['abort_probability']" '0.5'
}

# Only cores that Slurm offers are used: reserved ones are not, and those of a node that is down or does not exist yet.
offered_cores() {
  printf 'NodeName=n[0-3] Sockets=2 CoresPerSocket=2 CoreSpecCount=2\nNodeName=n4 CPUs=4 State=FUTURE\nDownNodes=n3\n' >slurm.conf
  printf 'SwitchName=s0 Nodes=n[0-4]\n' >topology.conf
  run map --pattern ring -t topology.conf -f nodes
  expect 0 $'0 n0 0\n1 n0 2\n2 n1 0\n3 n1 2\n4 n2 0\n5 n2 2'
  run map --pattern ring -n 7 -t topology.conf
  [ $code = 1 ] || fail "$command: exit code $code"
  printf '7 1\n0 6 5\n' >seven
  run map -t topology.conf -m seven
  [ $code = 1 ] || fail "$command: 7 ranks on 6 cores; exit code $code"
  printf 'n0 0\nn1 1\nn3 2\n' >torus
  run map --pattern ring -t torus --slurm-conf slurm.conf -f nodes -p SEQUENTIAL
  expect 0 $'0 n0 0\n1 n0 2\n2 n1 0\n3 n1 2'
  run map --pattern ring -t torus --slurm-conf slurm.conf -n 5
  [ $code = 1 ] || fail "$command: exit code $code"
}

# The machine of TreeMatch's motivating example: six nodes of two cores under two switches, n3 busy.
slurm_topology() {
  printf 'NodeName=n[0-5] CPUs=2 CoresPerSocket=2\n' >slurm.conf
  printf 'SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-5]\nSwitchName=top Switches=s[0-1]\n' >topology.conf
  printf '8 7\n0 1 20000\n2 3 20000\n4 5 20000\n6 7 20000\n0 2 20\n0 6 2000\n2 4 1000\n' >pairs
  printf '%s\n' 0 1 2 3 4 5 8 9 10 11 >idle
  run map -m pairs -t topology.conf -a idle --format nodes
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  [ "$(printf '%s\n' "$out" | wc -l)" = 8 ] || fail "$command: '$out'"
  # each pair shares a node, 0 and 6 share a switch, and so do 2 and 4
  node() { printf '%s\n' "$out" | awk -v r="$1" '$1 == r { print $2 }'; }
  same_switch() { case "$1$2" in n[0-3]n[0-3] | n[45]n[45]) ;; *) fail "ranks apart: $1 $2" ;; esac }
  for pair in '0 1' '2 3' '4 5' '6 7'; do
    [ "$(node "${pair% *}")" = "$(node "${pair#* }")" ] || fail "the pair $pair is apart: $out"
  done
  same_switch "$(node 0)" "$(node 6)"
  same_switch "$(node 2)" "$(node 4)"
  case "$out" in *' n3 '*) fail 'the busy node is used' ;; esac
  checks=$((checks + 8))
  run map -m pairs -t topology.conf -a idle --nodes 5
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  run map -m pairs -t topology.conf --nodes 4 --ntasks-per-node 2 -f nodes
  [ "$(printf '%s\n' "$out" | cut -d' ' -f2 | sort | uniq -c | awk '{ print $1 }' | sort -u)" = 2 ] || fail "not two on each: $out"
  run map -m pairs -t topology.conf --nodelist n5 -f nodes
  has ' n5 '
  run map -m pairs -t topology.conf --nodelist n9
  refused 1 'placectl map: --nodelist n9'
  run map -m pairs -t topology.conf --nodes 3-2
  refused 2 'placectl map: --nodes 3-2 2-4'
  run map -m pairs -t topology.conf --nodes 7
  [ $code = 1 ] || fail "$command: exit code $code"
  run map -m pairs -t topology.conf --cores-per-task 2
  [ $code = 1 ] || fail "$command: exit code $code"
  printf '4 1\n0 1 5\n' >wide
  run map -m wide -t topology.conf --cores-per-task 2 -f nodes
  printf '%s\n' "$out" | grep -qE '^[0-3] n[0-5] 0,1$' || fail "$command: '$out'"
  # The natural order is that on the first nodes that the request allows, and not that on those chosen.
  printf 'SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-5]\nSwitchName=top Switches=s[0-1]\n' >uneven.conf
  printf '4 2\n0 1 1\n2 3 1\n' >two
  run map -m two -t uneven.conf --slurm-conf slurm.conf --ntasks-per-node 1
  has 'cost      8 hop-bytes'
  has 'natural order, optimal'
  printf '4 4\n0 1 1\n1 2 1\n2 3 1\n3 0 1\n' >ring4
  run map -m ring4 -t uneven.conf --slurm-conf slurm.conf --ntasks-per-node 1 --json
  json "['cost']" 16
  json "['natural_cost']" 20
  run map -m pairs -t topology.conf -p natural -f nodes
  expect 0 $'0 n0 0\n1 n0 1\n2 n1 0\n3 n1 1\n4 n2 0\n5 n2 1\n6 n3 0\n7 n3 1'
  run map -m pairs -t topology.conf -p sequential -f nodes
  expect 0 $'0 n0 0\n1 n0 1\n2 n1 0\n3 n1 1\n4 n2 0\n5 n2 1\n6 n3 0\n7 n3 1'
  # Both are within the limits of the request, with a matrix and without.
  run map -m two -t topology.conf -p natural -N 4 --ntasks-per-node 1 -w n5 -f nodes
  expect 0 $'0 n0 0\n1 n1 0\n2 n2 0\n3 n5 0'
  run map -t topology.conf -N 2 --ntasks-per-node 2 -f nodes
  expect 0 $'0 n0 0\n1 n0 1\n2 n1 0\n3 n1 1'
  run map -t topology.conf -N 3 -f nodes
  expect 0 $'0 n0 0\n1 n1 0\n2 n2 0'
  run map -t topology.conf -c 2 -f nodes
  expect 0 $'0 n0 0,1\n1 n1 0,1\n2 n2 0,1\n3 n3 0,1\n4 n4 0,1\n5 n5 0,1'
  run map -t topology.conf -N 2-4 -f nodes
  expect 0 $'0 n0 0\n1 n1 0'
  run map -t topology.conf -c 3
  refused 1 'placectl map: 3 --cores-per-task'
  run map -t topology.conf -N 4 --ntasks-per-node 1073741824
  refused 2 'placectl map: 4294967296 ranks'
  run map -t topology.conf --pattern ring -N 2 --ntasks-per-node 2 -f nodes
  [ "$(wc -l <<<"$out")" = 4 ] || fail "$command: $out"
  # Ranks of no matrix, and the nodes of a partition.
  run map -t topology.conf -n 3 -f nodes
  expect 0 $'0 n0 0\n1 n0 1\n2 n1 0'
  printf 'torus 2 2\n' >four
  run map -t four -n 3
  expect 0 $'0 0\n1 1\n2 2'
  { cat slurm.conf && printf 'PartitionName=late Nodes=n[2-5]\nPartitionName=few Nodes=n5\n'; } >parts.conf
  run map -t topology.conf --slurm-conf parts.conf --partition late -n 3 -f nodes
  expect 0 $'0 n2 0\n1 n2 1\n2 n3 0'
  run map -m pairs -t topology.conf --slurm-conf parts.conf --partition few
  [ $code = 1 ] || fail "$command: exit code $code; $err"
  run map -t topology.conf --slurm-conf parts.conf --partition none
  refused 1 'placectl map: --partition none parts.conf late few'
  # In a topology.yaml, the partition has a topology of its own.
  { cat slurm.conf && printf 'PartitionName=a Nodes=ALL\nPartitionName=b Nodes=n[0-3] Topology=pairs\n'; } >kinds.conf
  printf -- '- topology: whole\n  flat: true\n- topology: pairs\n  tree:\n    switches:\n%s%s' \
    $'      - switch: s0\n        nodes: n0,n2\n' $'      - switch: s1\n        nodes: n1,n3\n' >kinds.yaml
  for words in 'a n0,n1' 'b n0,n2' 'b:whole n0,n1'; do
    name=${words%% *}
    file=kinds.yaml
    [ "$name" = "${name#*:}" ] || file+=:${name#*:}
    run map --pattern ring -n 4 -t "$file" --slurm-conf kinds.conf --partition "${name%:*}" -f nodes
    [ "$(cut -d ' ' -f 2 <<<"$out" | sort -u | paste -sd ,)" = "${words#* }" ] || fail "$command: $out; $err"
  done
  printf 'tree 2 3\n' >six
  run map -t six --partition late
  [ $code = 2 ] || fail "$command: exit code $code; $err"
  run map -m pairs -t six --slurm-conf slurm.conf -f nodes
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  run map -m pairs -t tree --slurm-conf slurm.conf
  refused 1 'placectl map: tree 8 12 6'
  mkdir -p alone
  cp topology.conf alone
  run map -m pairs -t alone/topology.conf
  refused 1 'placectl map: alone/slurm.conf No such file or directory'
  printf 'SwitchName=s0 Nodes=n[0-6]\n' >bad.conf
  run map -m pairs -t bad.conf
  expect 0 "$(printf '%s\n' {0..7} | sed 's/.*/& &/')"
  says 'placectl: bad.conf n6 slurm.conf'
}

# One file with several topologies: that of the cluster, or the one behind the colon.
several_topologies() {
  local way
  printf '%s\n' '---' '- topology: flat' '  flat: true' '- topology: tree' '  cluster_default: true' '  tree:' '    switches:' \
    '    - {switch: s0, nodes: "n[0-3]"}' '    - {switch: s1, nodes: "n[4-5]"}' '    - {switch: top, children: "s[0-1]"}' \
    '- topology: blocks' '  block: {block_sizes: [2], blocks: [{block: b0, nodes: "n[0-1]"}, {block: b1, nodes: "n[2-5]"}]}' >topology.yaml
  run map -m pairs -t topology.conf -f nodes
  local by_conf=$out
  for way in topology.yaml topology.yaml:tree; do
    run map -m pairs -t $way -f nodes
    expect 0 "$by_conf"
  done
  run map -m pairs -t topology.yaml:blocks -p natural -f nodes
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  printf '%s\n' '0 0' '1 1' '2 2' '3 3' '4 4' '5 5' '6 6' '7 7' >in_order
  run cost -m pairs -t topology.yaml:tree in_order
  has 'cost      172080 hop-bytes'
  printf '1 0 -1 60 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1\n' >one.swf
  run simulate -t topology.yaml:blocks one.swf
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  # The topology of a partition need not have all nodes.
  printf '%s\n' '- topology: some' '  tree: {switches: [{switch: s0, nodes: "n[2-3]"}]}' >>topology.yaml
  run simulate -t topology.yaml:some one.swf
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  says 'placectl: n[0-1,4-5] topology.yaml:some'
  run map -m pairs -t topology.yaml:flat  # all nodes are equally near
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  run map -m pairs -t topology.yaml:none
  refused 1 "placectl map: topology.yaml 'none' flat tree blocks some"
  run map -m pairs -t absent.yaml:tree
  refused 1 'placectl map: absent.yaml No such file or directory'
  printf '%s\n' '- topology: a' '  tree: {switches: [{switch: s0, nodes: n9}]}' >bad.yaml
  run map -m pairs -t bad.yaml
  refused 1 'placectl map: bad.yaml slurm.conf'
}

# Two fabrics of eight cores each, and a node that is on no switch: Slurm lets no job use two of the three parts.
fabrics() {
  mkdir -p fabrics
  printf 'NodeName=n[0-8] CPUs=2 CoresPerSocket=2\n' >fabrics/slurm.conf
  printf 'SwitchName=%s Nodes=n[%s]\n' a1 0-1 a2 2-3 b1 4-5 b2 6-7 >fabrics/topology.conf
  printf 'SwitchName=a Switches=a[1-2]\nSwitchName=b Switches=b[1-2]\n' >>fabrics/topology.conf
  awk 'BEGIN { print 9, 8; for (r = 0; r < 8; ++r) print r, r + 1, 100 }' >ring9
  printf '6 5\n0 1 9\n1 2 9\n2 3 9\n3 4 9\n4 5 9\n' >ring6
  local policy nodes
  for policy in TREEMATCH TREEMATCH=scope=whole GREEDY MATCHING MATCHING-PAPER NATURAL SEQUENTIAL RANDOM; do
    run map -m ring9 -t fabrics/topology.conf -p $policy
    expect 1 ''
    says '9 at most 8'
    run map -m ring6 -t fabrics/topology.conf -p $policy -f nodes
    nodes=$(printf '%s\n' "$out" | awk '{ print $2 <= "n3" ? "a" : $2 <= "n7" ? "b" : "neither" }' | sort | uniq -c)
    case $nodes in *'6 a' | *'6 b') ;; *) fail "$command: over several fabrics: $out" ;; esac
  done
  # Only the second one has room: the first has four free cores, and the node on no switch has two more.
  printf '%s\n' 0 1 2 3 8 9 10 11 12 13 16 17 >idle6
  run map -m ring6 -t fabrics/topology.conf -a idle6 -f nodes
  printf '%s\n' "$out" | grep -qv ' n[4-7] ' && fail "$command: '$out'"
  run map -m ring6 -t fabrics/topology.conf -w n1,n4
  refused 1 'placectl map: required nodes switch'
  run map -m ring6 -t fabrics/topology.conf -w n8
  refused 1 'placectl map: required nodes switch'
  printf '%s\n' '2 1' '0 1 5' >pair
  printf '0 1\n1 8\n' >both
  run cost -m pair -t fabrics/topology.conf both
  refused 1 'placectl cost: both n0 n4'
  printf '0 1\n1 17\n' >neither
  run cost -m pair -t fabrics/topology.conf neither
  refused 1 'placectl cost: neither n8 switch'
  printf '0 9\n1 12\n' >second
  run cost -m pair -t fabrics/topology.conf second
  expect 0 $'cost      30 hop-bytes\nnatural   30'
  printf '1 0 0 9 2 -1 -1 2 9 -1 1 1 1 -1 -1 -1 -1 -1\n' >one.swf
  run simulate --topology fabrics/topology.conf one.swf
  refused 1 'placectl simulate: --topology fabrics/topology.conf topology.conf'
}

# Patterns in place of a matrix.
patterns() {
  run matrix make ring -n 4
  expect 0 $'4 4\n0 1 1\n0 3 1\n1 2 1\n2 3 1' ''
  run matrix make grid=2x2:periodic -t dense
  expect 0 $'0 1 1 0\n1 0 0 1\n1 0 0 1\n0 1 1 0' ''
  run matrix make grid=auto -n 128 -o grid.mat
  expect 0 '' 'placectl matrix: grid=auto grid=8x4x4 128 grid=auto2'
  run matrix info grid.mat
  has 'ranks     128'
  has 'pairs     304'
  run matrix make tp=2,layers=1,hidden=60,seq=1,batch=12 -n 2
  expect 0 $'2 1\n0 1 11520' 'placectl matrix: tp=2,layers=1,hidden=60,seq=1,batch=12 is tp=2,dp=1,layers=1,hidden=60,seq=1,batch=12 with 2 ranks'
  run matrix make alltoall
  refused 2 'placectl matrix: --ntasks alltoall'
  run matrix make alltoall -n 100000
  refused 2 'placectl matrix: 100000 4999950000 4194304'
  run matrix make grid=8x4x4 -n 100
  refused 2 'placectl matrix: grid=8x4x4 128 100'
  run matrix make grid=4x2 -o small.mat
  run matrix scale -n 16 small.mat
  expect 0 "$("$PLACECTL" matrix make grid=4x4)" 'placectl matrix: a grid of 4 x 4'
  run matrix scale -n 17 small.mat
  refused 1 'placectl matrix: small.mat 8 17 4 2 17'
  run matrix scale small.mat
  refused 2 'placectl matrix: --ntasks new matrix'
  run matrix scale -n 1 small.mat
  refused 2 'placectl matrix: --ntasks 1 2 16777216'
  run matrix make rign -n 4
  refused 2 "placectl matrix: 'rign' ring tree alltoall grid=8x4x4 grid=auto tp=8,pp=4,dp=16"
  run map --pattern ring -t tree
  has '8 ranks on 8 of 8 leaves by TREEMATCH'
  has 'cost      28 hop-bytes'
  run map -p treematch=ring -t tree -a even
  has '4 ranks on 4 of 8 leaves by TREEMATCH'
  run map --pattern grid=2x2 -t tree
  has '4 ranks on 8 of 8 leaves by TREEMATCH'
  run map --pattern grid=2x2 -n 5 -t tree
  refused 2 'placectl map: grid=2x2 4 5'
  run map --pattern grid=auto2 -t tree
  has 'placectl map: grid=auto2 is grid=4x2, the most even 2-D grid of 8 ranks'
  run map --pattern ring -m matrix -t tree
  refused 2 'placectl map: --pattern matrix'
  run map --pattern ring -p treematch=tree -t tree
  refused 2 'placectl map: --pattern ring tree --policy'
  run map -p treematch=tree -t tree
  says 'placectl map: tree pattern file ./tree'
  cp matrix ring
  run map -m ring -t tree
  has "$("$PLACECTL" cost -m matrix -t tree <("$PLACECTL" map -m matrix -t tree 2>/dev/null) | head -n 1)"
  has '4 ranks on 8 of 8 leaves'
  rm ring
  run map -m ring -t tree
  refused 1 'placectl map: ring --pattern ring'
  run map -m grid=2x2 -t tree
  refused 1 'placectl map: grid=2x2 --pattern grid=2x2'
  : >none
  run map --pattern ring -a none -t tree
  refused 1 'placectl map: --available none'
  run map --pattern tp=2,objective=balanced -t tree
  refused 2 "placectl map: 'objective' ring tree alltoall grid=8x4x4 grid=auto tp=8,pp=4,dp=16 keys"
  run matrix make grid= -n 4
  refused 2 "placectl matrix: 'grid=' grid=8x4x4 grid=auto ring tree alltoall tp=8,pp=4,dp=16"
  run matrix make tp=4,tp=2 -n 4
  refused 2 "placectl matrix: tp 'tp=4,tp=2'"
  run matrix make tp=2,pp=2
  refused 2 'placectl matrix: --ntasks tp=2,pp=2 4'
  run map -m matrix -n 4 -t tree
  [ $code = 2 ] || fail "$command: exit code $code; $err"
}

# MPICH's mpiexec reads the file. A stand-in for rsh sets NODE for the ranks of a node.
ranks_of_mpiexec() {
  command -v mpiexec.hydra >/dev/null || return 0
  printf 'SwitchName=s0 Switches=s[1-2]\nSwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\n' >two_switches
  printf 'NodeName=n[1-4] CoresPerSocket=2 CPUs=2\n' >slurm.conf
  printf '%s\n' '#!/bin/sh' 'while [ "${1#-}" != "$1" ]; do shift; done' 'export NODE=$1' 'shift' 'exec sh -c "$*"' >rsh
  chmod +x rsh
  printf '%s\n' '8 6' '0 6 1000' '1 7 1000' '2 4 1000' '3 5 1000' '0 1 50' '4 5 50' >pairs
  local policy
  for policy in TREEMATCH RANDOM NATURAL; do
    run map -m pairs -t two_switches --slurm-conf slurm.conf -p $policy --format hostfile -o nodes
    run map -m pairs -t two_switches --slurm-conf slurm.conf -p $policy --format machinefile -o machines
    checks=$((checks + 1))
    mpiexec.hydra -launcher rsh -launcher-exec "$work/rsh" -machinefile machines sh -c 'echo $PMI_RANK $NODE' </dev/null | sort -n | cut -d ' ' -f 2 >ran
    cmp -s nodes ran || fail "$policy: $(paste -sd ' ' ran) instead of $(paste -sd ' ' nodes), by $(paste -sd ' ' machines)"
  done
}

run_parts 150 mapping mapping_without_files files_out_of_reach mapping_json matching bad_mapping tori offered_cores slurm_topology several_topologies fabrics patterns ranks_of_mpiexec
