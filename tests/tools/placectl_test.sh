#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# placectl as a whole, its matrix, check-config and rankfile, and the completion.
# shellcheck source=tests/tools/placectl_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/placectl_lib.sh"

general() {
  run
  refused 2 'placectl: command --help'
  run --help
  for command_name in map run bind cost matrix check-config enable disable gres-conf select; do has "  $command_name "; done
  overview=$out
  run help
  expect 0 "$overview" ''
  for words in help --help; do
    run help $words
    expect 0 "$overview" ''
  done
  for words in map 'matrix info' simulate; do
    # shellcheck disable=SC2086
    run $words --help
    shown=$out
    # shellcheck disable=SC2086
    run help $words
    expect 0 "$shown" ''
  done
  run help mpa
  checks=$((checks + 1))
  [ $code = 2 ] || fail "$command: exit code $code"
  has 'did you mean map?'
  run --version
  has 'placectl (slurm-placement) '
  run mpa
  refused 2 "placectl: command 'mpa' map?"
  run weather
  refused 2 "placectl: 'weather' map run choose topology bind cost matrix check-config enable disable gres-conf select status nodes pairs measure predict explain decisions report metrics export import simulate"
  for words in map run choose topology bind cost measure 'matrix info' 'matrix convert' 'matrix heatmap' check-config enable disable gres-conf; do
    # shellcheck disable=SC2086
    run $words --help
    [ $code = 0 ] || fail "$command: exit code $code"
    has "usage: placectl $words"
    # shellcheck disable=SC2086
    run $words --frobnicate
    [ $code = 2 ] || fail "$command: exit code $code"
    has "placectl ${words%% *}: "
    says "unknown --frobnicate"
    has '--help'
  done
  for words in map cost simulate report; do
    run $words --help
    has 'topology.yaml[:NAME]'
  done
}

matrices() {
  run matrix
  refused 2 'placectl matrix: info make scale convert heatmap'
  run matrix show
  refused 2 "placectl matrix: 'show' info make scale convert heatmap"
  run matrix info matrix -n 2
  expect 0 $'format    dense\nranks     4\npairs     6 (density 1)\ntotal     150\nsymmetric yes\npartners  3 to 3, median 3 of a rank\ntraffic   30 to 115, median 40 of a rank\nregular   90 % of the traffic is in 2 differences of rank numbers, and in 4 pairs\nheaviest  0 - 3: 100\nheaviest  1 - 2: 20' ''
  for form in dense edges np mtx; do
    run matrix convert --to $form matrix "as.$form"
    expect 0 ''
    run matrix info "as.$form" -n 0
    has 'total     150'
    run matrix convert --to edges "as.$form" again
    cmp -s again as.edges 2>/dev/null || [ $form = dense ] || fail "$form is not the same matrix again"
  done
  run matrix convert --to edges matrix
  [ "$out" = "$(cat as.edges)" ] || fail 'standard output and file differ'
  run matrix convert matrix
  refused 2 'placectl matrix: --to missing'
  printf 'np 4\n0 1 1000 1\n0 2 10 50\n1 3 10 50\n2 3 1000 1\n' >both
  printf 'tree 2 2\n' >pairs
  run matrix info both
  has 'With --weight messages:'
  run matrix info <(cat both)
  has 'total     2020'
  run matrix info --weight messages --json both
  has '"total": 102'
  run matrix convert --to edges --weight messages both
  expect 0 $'4 4\n0 1 1\n0 2 50\n1 3 50\n2 3 1'
  run map -m both -t pairs
  has 'cost      4080 hop-bytes'
  for weight in '--weight messages' '--policy TREEMATCH=weight=messages' '--policy TOFA=weight=messages'; do
    # shellcheck disable=SC2086
    run map -m both -t pairs $weight -o order
    has 'cost      208 hop-bytes'
  done
  run cost -m both -t pairs --weight messages order
  has 'cost      208 hop-bytes'
  run matrix heatmap --weight messages -o heat.svg both
  grep -q messages heat.svg || fail 'the unit of a picture of messages'
  for command_name in 'map -t pairs -m' 'matrix info' 'matrix convert --to np'; do
    # shellcheck disable=SC2086
    run $command_name both --weight packets
    refused 2 "weight='packets' bytes messages"
  done
  run matrix info --weight messages matrix
  refused 1 'placectl matrix: matrix: weight=messages'
  run matrix convert --to png matrix
  refused 2 "placectl matrix: --to 'png'"
  run matrix convert --to edges
  refused 2 'placectl matrix: --to FORMAT IN [OUT]'
  run matrix convert --to edges matrix /nonexistent/out
  refused 1 'placectl matrix: /nonexistent/out No such file or directory'
  run matrix heatmap matrix -o picture.svg
  expect 0 ''
  grep -q "^<svg " picture.svg || fail "picture.svg is no SVG"
  run matrix heatmap matrix --title 'a & b' --unit messages --linear -o picture.svg
  expect 0 ''
  for words in 'a &amp; b' '>rank<' '>messages<'; do grep -q "$words" picture.svg || fail "picture.svg does not have $words"; done
  run matrix heatmap matrix
  refused 2 'placectl matrix: --output .svg'
  run matrix heatmap matrix -o picture.gif
  refused 2 'placectl matrix: picture.gif .svg'
  printf '0 0.5\n0.5 0\n' >fractions
  run matrix info fractions
  says 'scale 10^1'
  run matrix convert --to edges fractions
  has '10^1'
  printf '0 nan\n1 0\n' >nan
  run matrix info nan
  [ $code = 1 ] || fail "$command: exit code $code"
  has 'nan:1'
  # The name of another user's file may have what a terminal obeys: ESC, the byte 0x9b alone and in UTF-8.
  local name=$'data\303\251\033[31m\233\302\233\177'
  echo x >"$name"
  run matrix info "$name"
  [ $code = 1 ] || fail "$command: exit code $code"
  has $'placectl matrix: data\303\251?[31m???:1: '
}

configuration() {
  if [ $have_python = yes ]; then  # a name that is no UTF-8, and one that is
    : >$'caf\351\303\251'
    run check-config --json $'caf\351\303\251'
    json "['file'].encode().hex()" 636166efbfbdc3a9
  fi
  printf 'NodeName=n[1-4] CPUs=4 CoresPerSocket=4\n' >slurm.conf
  printf '# ours\nMode=observe\nDecisionTimeMs=20\n' >placement.conf
  run check-config placement.conf
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  has '# placement.conf: ok'
  has $'Mode=observe\nDecisionTimeMs=20\n'
  has 'TreematchScope=subtree'
  [[ $out != *'# ProbeBytesPerMinute'* ]] || fail "$command: $out"
  printf 'ProbeBytesPerMinute=100000\n' >probes.conf
  run check-config probes.conf
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  says '# ProbeBytesPerMinute=100000 448000'
  run check-config --quiet placement.conf
  expect 0 '' ''
  mkdir -p switches  # topology.conf and topology.yaml are read as the monitor reads them
  cp slurm.conf placement.conf switches
  printf 'SwitchName=s1 Nodes=n[1-3],gone[7-8]\nSwitchName=top Switches=s1\n' >switches/topology.conf
  run check-config switches/placement.conf
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  has '# switches/topology.conf: 2 switches'
  has 'gone[7-8]'
  printf 'SwitchName=s1 Nodes=n[1-3]\nSwitchName=top Switches=s9\n' >switches/topology.conf
  run check-config switches/placement.conf
  [ $code = 1 ] || fail "$command: exit code $code"
  has 'switches/topology.conf:2: '
  has '# switches/placement.conf: ok'
  rm switches/topology.conf
  printf -- '- topology: a\n  tree: 5\n' >switches/topology.yaml
  run check-config --slurm-conf switches/slurm.conf placement.conf
  [ $code = 1 ] || fail "$command: exit code $code"
  has 'switches/topology.yaml:2: '
  printf 'Name=gpu Count=x\n' >switches/gres.conf
  run check-config switches/placement.conf
  [ $code = 1 ] || fail "$command: exit code $code"
  has 'switches/topology.yaml:2: '
  has 'switches/gres.conf'
  printf 'NodeName=n1 Name=gpu Count=x\nNodeName=n2 Name=gpu File=/dev/a[0-\nNodeName=n3 Name=gpu Count=2\n' >switches/gres.conf
  run check-config switches/placement.conf
  [ $code = 1 ] || fail "$command: exit code $code"
  has 'switches/gres.conf:1: '
  has 'switches/gres.conf:2: '
  printf 'SwitchName=s1 Nodes=n[1-3]\n' >switches/topology.conf && rm switches/topology.yaml
  run check-config --json switches/placement.conf
  [ $code = 1 ] || fail "$command: exit code $code"
  has '"nodes"'
  rm switches/gres.conf switches/topology.conf
  printf -- '- topology: a\n  flat: true\n' >switches/topology.yaml
  run check-config --quiet switches/placement.conf
  expect 0 '' ''
  SLURM_CONF=$work/slurm.conf run check-config
  has "# $work/placement.conf: ok"
  SLURM_CONF=$work/none/slurm.conf run check-config
  says "# $work/none/placement.conf: defaults"
  run check-config gone.conf
  refused 1 'placectl check-config: gone.conf No such file or directory'
  printf 'Mode=on\n' >bad
  run check-config bad
  refused 1 'placectl check-config: bad:1: Mode=on off observe advise enforce'
  printf '\nDecisionTimeMS=5\nDecisionTime=5\n' >bad
  run check-config bad
  refused 1 'placectl check-config: bad:3: DecisionTime DecisionTimeMs?'
  # All mistakes are reported: of lines, of values, and of the files that other lines name.
  printf 'Mode=on\nFoo\nMode=off\nNlaWeights=foo=1\nTorusFile=/nosuch\nPartitionPolicies=a:XX b:YY\nOutageFile=/neither\nAgentPort=6828\n' >bad
  run check-config bad
  checks=$((checks + 1))
  [ $code = 1 ] && [ "$(grep -o 'bad:[0-9]*:' <<<"$err" | tr -d '\n')" = bad:1:bad:2:bad:3:bad:8:bad:4:bad:6:bad:6:bad:5:bad:7: ] || fail "$command: $err"
  printf 'Foo=%s\n' {1..200} >bad
  run check-config bad
  checks=$((checks + 1))
  [ $code = 1 ] && [ "$(wc -l <<<"$err")" = 100 ] || fail "$command: $(wc -l <<<"$err") lines"
  # This includes all wrong lines of the files that placement.conf names, and of the files of the site.
  mkdir wrong
  printf 'torus 2 2\nn1 0 0\nn1 1 1\nn9 5 5\nn4\n' >wrong/torus
  printf 'n1 2\nn2 0.1\nn3 x\n' >wrong/outages
  printf 'NodeName=n[1-\nNodeName=n2 CPUs=abc\nPartitionName=p Nodes=n[3-\n' >wrong/slurm.conf
  printf 'SwitchName=a Nodes=n[1-\nSwitchName=b Foo=1\nSwitchName=c Nodes=n1\n' >wrong/topology.conf
  printf '%s\n' TorusFile="$work/wrong/torus" OutageFile="$work/wrong/outages" >wrong/placement.conf
  run check-config wrong/placement.conf
  checks=$((checks + 1))
  [ $code = 1 ] && [ "$(grep -o '[a-z.]*:[0-9]*:' <<<"$err" | tr '\n' ' ')" = "torus:3: torus:4: torus:5: outages:1: outages:3: slurm.conf:1: slurm.conf:2: slurm.conf:3: topology.conf:1: topology.conf:2: " ] || fail "$command: $err"
  printf 'BlockName=a Nodes=n[1-\nBlockSizes=x\nBlockName=c Foo=1\n' >wrong/topology.conf
  printf 'NodeName=n[1-4]\n' >wrong/slurm.conf
  run check-config --slurm-conf wrong/slurm.conf placement.conf
  checks=$((checks + 1))
  [ $code = 1 ] && [ "$(grep -o '[a-z.]*:[0-9]*:' <<<"$err" | tr '\n' ' ')" = "topology.conf:1: topology.conf:2: topology.conf:3: " ] || fail "$command: $err"
  run check-config bad worse
  refused 2 "placectl check-config: unexpected 'worse'"
  printf 'TreematchTopologyFile=%s/machine\n' "$work" >placement.conf
  run check-config placement.conf
  refused 1 "placectl check-config: placement.conf:1: TreematchTopologyFile=$work/machine No such file or directory"
  local setting
  for setting in TorusFile OutageFile; do
    printf '# ours\n%s=/nosuch\n' $setting >bad
    run check-config bad
    refused 1 "placectl check-config: bad:2: $setting=/nosuch No such file or directory"
  done
  local weights='alpha beta latency bandwidth cpu_load cpu_utilisation flow_rate_Bps memory_used_MiB cores frequency_MHz memory_MiB memory_available_MiB users'
  for setting in foo=1 wait=5 seed=1 matrix=x profile=x max-age=5 processors=printed; do
    printf '\nNlaWeights=%s\n' $setting >bad
    run check-config bad
    refused 1 "placectl check-config: bad:2: NlaWeights=$setting ${setting%%=*} $weights"
  done
  printf 'NlaWeights=alpha=0.4,beta=0.7\n' >bad
  run check-config bad
  refused 1 'placectl check-config: bad:1: NlaWeights=alpha=0.4,beta=0.7 alpha=0.4 beta=0.7 1.1 1'
  printf 'NlaWeights=alpha=0.4,flow_rate_bps=1,Memory_used_MiB=0\n' >good
  run check-config --quiet good
  expect 0 '' ''
  mkdir -p alone
  printf 'PartitionPolicies=nopart:NLA\n' >alone/good
  run check-config alone/good
  has '# PartitionPolicies, PartitionModes: '
  has 'alone/slurm.conf'
  printf '\n\nPartitionPolicies=a:NLA b:XX\n' >bad
  run check-config bad
  refused 1 'placectl check-config: bad:3: PartitionPolicies=b:XX XX TREEMATCH NLA TOFA'
  printf 'MonitorPort=7000\nAgentPort=7000\n' >bad
  run check-config bad
  refused 1 'placectl check-config: bad:1: MonitorPort=7000 MonitorPort AgentPort'
  printf '\nMonitorPort=6829\n' >bad
  run check-config bad
  refused 1 'placectl check-config: bad:2: MonitorPort=6829 MonitorPort AgentPort'
  printf 'torus 2 2\n' >bare_torus
  mkdir -p nowhere
  printf 'TorusFile=%s/bare_torus\n' "$work" >nowhere/placement.conf
  run check-config nowhere/placement.conf
  refused 1 "placectl check-config: $work/bare_torus no nodes"
  printf 'tree 4 4\n' >machine
  run check-config placement.conf
  has "# TreematchTopologyFile: 16 cores of 4 nodes of slurm.conf"
  printf 'tree 3 4\n' >machine
  run check-config placement.conf
  refused 1 "placectl check-config: $work/machine 12 16 4"
  printf 'tree 2 2\n' >machine
  printf 'LevelDistances=1,2\n' >>placement.conf
  run check-config placement.conf
  refused 1 "placectl check-config: $work/machine 2 3"
  mkdir -p apart
  cp placement.conf apart
  run check-config apart/placement.conf
  says '4 leaves no apart/slurm.conf'
  printf 'TorusFile=%s/torus\nOutageFile=%s/outages\n' "$work" "$work" >placement.conf
  printf 'torus 2 2\nn1 0 0\nn2 1 0\nn3 0 1\n' >torus
  printf 'n1 0.02\nn7 0.1\n' >outages
  run check-config placement.conf
  says "# TorusFile: 3 nodes 4 positions $work/torus: n4"
  says "# OutageFile: 2 nodes $work/outages:2: n7 slurm.conf"
  printf 'n1 2%%\n' >outages
  run check-config placement.conf
  refused 1 "placectl check-config: $work/outages:1: '2%' 0 1 0.02 2%"
  printf 'torus 2 2\nn1 0 0\nm2 1 0\n' >torus  # m2 was retired
  printf 'n1 0.02\n' >outages
  run check-config --quiet placement.conf
  expect 0 ''
}

# What needs no slurmctld: it is not asked before the environment is in order.
allocations() {
  run map -m matrix
  refused 2 'placectl map: --topology SLURM_JOB_ID predict'
  export SLURM_JOB_ID=7
  run map -m matrix --nodes 2
  refused 2 'placectl map: --nodes --topology'
  run map -m matrix
  refused 1 'placectl map: SLURM_JOB_NODELIST set'
  export SLURM_JOB_NODELIST='n[1-3' SLURM_TASKS_PER_NODE='2(x2)'
  run map -m matrix
  refused 1 "placectl map: 'n[1-3' brackets"
  SLURM_JOB_NODELIST='n[1-3]'
  run map -m matrix
  refused 1 'placectl map: SLURM_TASKS_PER_NODE 2 SLURM_JOB_NODELIST 3'
  SLURM_TASKS_PER_NODE='2(x'
  run map -m matrix
  refused 1 "placectl map: SLURM_TASKS_PER_NODE=2(x '2(x'"
  SLURM_TASKS_PER_NODE='2(x-1)'
  run map -m matrix
  refused 1 'placectl map: SLURM_TASKS_PER_NODE=-1 0'
  SLURM_TASKS_PER_NODE='1(x2000000000)'
  run map -m matrix
  refused 1 'placectl map: SLURM_TASKS_PER_NODE=1(x2000000000 1048576'
  SLURM_TASKS_PER_NODE=1 SLURM_JOB_NODELIST=n1 SLURM_JOB_ID=x
  run map -m matrix
  refused 1 'placectl map: SLURM_JOB_ID=x 0'
  export SLURM_HET_SIZE=2
  run map -m matrix
  refused 1 'placectl map: --het-group=0 --het-group=1'
  unset SLURM_JOB_ID SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE SLURM_HET_SIZE
}

# shellcheck disable=SC1090
completes() {  # the words that are offered, then those behind placectl; the last one is completed
  local got wanted=$1
  shift
  checks=$((checks + 1))
  got=$(PATH=$(dirname "$placectl"):$PATH && . "$completion" && COMP_WORDS=(placectl "$@") COMP_CWORD=$# && _placectl &&
    echo "${COMPREPLY[*]}")
  [ "$got" = "$wanted" ] || fail "completion of '$*': '$got'"
}

# Options come from --help, so that the completion knows all of them.
completion() {
  completes 'map matrix' ma
  completes 'mtx' matrix convert --to m
  completes '' predict -p tree
  completes 'matrix' map -m matr
  completes 'ring' matrix make r
  completes 'ep=' matrix make e
  completes 'alltoall' map --pattern a
  completes 'random random=' report --pattern rand
  completes 'tree tp=' simulate --pattern t
  completes 'tp=8,layers=' map --pattern 'tp=8,l'
  completes '8,order=' map --pattern tp = '8,o'
  completes 'cp=' predict -m TREEMATCH = cp
  completes 'ring' predict -n4 -m TOFA = ri
  completes 'matrix' predict -m TOFA --mem = matr
  completes '--slurm-conf --seed' map --s
  # bash gives "grid=a" as three words, and "--to=e", too.
  completes 'auto auto2 auto3' matrix make grid = a
  completes 'auto auto2 auto3' map --pattern grid =
  completes 'auto auto2 auto3' predict -m TREEMATCH = grid = a
  completes '' matrix make tp = 2,order = t
  completes 'edges' matrix make ring --to = e
  completes 'ring' map --pattern = ri
  completes 'nla nla-paper' select -p nla
  completes 'TOFA TOFA-PAPER' map --policy = TO
  completes 'ring' map -p treematch = ri
  completes 'TREEMATCH TREEMATCH=' predict --placement = TR
  completes 'TOFA' predict --distribution = TO
  completes '--help --version' --
  completes 'edges' matrix make -t e
  completes 'mtx' matrix convert -t m
  completes 'matrix' matrix make -n 4 -o matr
  completes 'latency' pairs -b l
  completes 'cpu_load_1 cpu_load_5 cpu_load_15' nodes --sort cpu_l
  completes 'TM-A TM-I TM-Isub TM-Isub+' simulate -s TM
  completes 'GREEDY' report --strategies = G
  completes 'slurm' simulate --backfill s
  completes 'tasks' simulate --stock-request t
  completes 'scope=' predict -m TREEMATCH = sc
  completes 'worst-group' predict -m TREEMATCH = ring,objective = w
  completes 'matrix' predict -m TREEMATCH = matr
}

# Behind a job without a time limit Slurm plans centuries ahead. placectl uses the srun in its own directory.
predictions() {
  mkdir -p beside
  cp "$placectl" beside/placectl
  printf '#!/bin/sh\necho "srun: Job 8 to start at $PLANNED using 8 processors on nodes n[1-4] in partition all" >&2\n' >beside/srun
  chmod +x beside/srun
  local ours=$placectl
  placectl=$work/beside/placectl
  export SLURM_CONF=$work/slurm.conf PLANNED
  PLANNED=3047-09-04T20:07:40
  run predict -n8
  checks=$((checks + 1))
  [ $code = 0 ] && [[ $out != *3047* ]] || fail "$command: exit code $code; $out"
  has 'not foreseeable'
  if [ $have_python = yes ]; then
    run predict --json -n8
    json "['foreseeable']" False
    json "['waits']" True
  fi
  PLANNED=$(date -d 'now + 2 hours' +%Y-%m-%dT%H:%M:%S)
  run predict -n8
  has " $PLANNED on n[1-4]"
  if [ $have_python = yes ]; then
    run predict --json -n8
    json "['foreseeable']" True
  fi
  placectl=$ours
  unset SLURM_CONF PLANNED
}

# Hard cases that are no error.
extremes() {
  printf '1 0
' >one
  run map -m one -t tree -a even
  expect 0 '0 0'
  has 'cost      0 hop-bytes'
  printf '2 1
0 1 9223372036854775807
' >heavy
  run map -m heavy -t tree
  has 'cost      18446744073709551614 hop-bytes'
  printf '5040 1
0 5039 7
' >sparse
  printf 'tree 280 18
' >curie
  run map -m sparse -t curie -o mapping
  has 'cost      14 hop-bytes'
  run map -m sparse -t curie -p random -o mapping
  [ "$(cut -d' ' -f2 mapping | sort -n | uniq | wc -l)" = 5040 ] || fail 'a random mapping that is none'
  printf 'tree 1 1 8 1
' >thin
  run map -m matrix -t thin
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  printf '6 2
0 1 5
2 3 5
' >islands
  run map -m islands -t tree
  has 'cost      20 hop-bytes'
  # Equation 1 of TOFA follows the fixed route, which has two links of node 5.
  printf 'torus 8\nfaulty 101 5\n' >ring
  printf '2 1\n0 1 1\n' >pair
  printf '0 4\n1 6\n' >around
  run cost -m pair -t ring around
  has 'cost      2 hop-bytes'
  has 'routes    202 hop-bytes'
  run cost -m pair -t ring --json around
  has '"route_cost": 202'
}

run_parts 112 general matrices configuration allocations completion predictions extremes
