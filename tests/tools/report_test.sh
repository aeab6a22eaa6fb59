#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Drives placectl report: what is in its page, what it prints about missing data, and its exit codes. PLACECTL names the program.
# shellcheck source=tests/tools/placectl_lib.sh
. "$(dirname "$0")/placectl_lib.sh"
export SLURM_CONF=$work/slurm.conf TZ=UTC
printf 'SnapshotFile=%s/current\nDecisionFile=%s/none\nStateDirectory=%s\n' "$work" "$work" "$work" >placement.conf

cat >state <<'END'
{"slurm-placement-snapshot": 3, "published_at_s": 1700000000, "outage_horizon_s": 86400,
 "nodes": [
  {"name": "n1", "liveness": "up", "observed_s": 864000, "age_s": 2, "cores": 16, "cpu_load_1": 4, "slurm_load_1": 0.25, "outage_probability": 0.001},
  {"name": "n2", "liveness": "up", "outages": 3, "observed_s": 864000, "age_s": 3, "cores": 16, "cpu_load_1": 15.5, "slurm_load_1": 15, "outage_probability": 0.02},
  {"name": "n3", "liveness": "down", "outages": 1, "observed_s": 864000, "age_s": 500, "cores": 16, "outage_probability": 0.01},
  {"name": "n4", "liveness": "suspect"}],
 "groups": ["n1", "n2", "n[3-4]"],
 "pairs": [
  {"groups": [0, 1], "latency_us": 50, "bandwidth_Bps": 1e8, "peak_bandwidth_Bps": 1.25e8, "source": "measured", "age_s": 30},
  {"groups": [0, 2], "latency_us": 1500, "bandwidth_Bps": 5e7, "peak_bandwidth_Bps": 1.25e8, "source": "modelled", "age_s": 600},
  {"groups": [2, 2], "latency_us": 20, "source": "assumed"}]}
END
mkdir machine
printf 'SwitchName=left Nodes=n[1-2]\nSwitchName=right Nodes=n[3-4]\nSwitchName=top Switches=left,right\n' >machine/topology.conf
printf 'NodeName=n[1-4] Sockets=2 CoresPerSocket=8\n' >machine/slurm.conf

# Text is in the page.
page_has() {  # file text
  checks=$((checks + 1))
  grep -qF -- "$2" "$1" || fail "$command: no '$2' in $1"
}
# The row of a switch has these cells.
expect_switch() {  # file switch cells
  local row="<tr><th scope=\"row\">$2</th><td>$3</td>" cell
  for cell in "${@:4}"; do row+="<td class=\"num\">$cell</td>"; done
  page_has "$1" "$row</tr>"
}
# The run names the page that it has written, and says nothing else.
written() {
  local said file
  expect 0 "$out" ''
  read -r said file said <<<"$out"
  checks=$((checks + 1))
  [ -s "$file" ] && [ "$(wc -l <<<"$out")" = 1 ] || fail "$command: output '$out' names no page that is there"
}
well_formed() {  # file
  [ $have_python = yes ] || return 0
  checks=$((checks + 1))
  local said
  said=$(python3 "$source/tests/tools/report_page.py" "$1") || fail "$command: $said"
}

pages() {
  run report --state state --ring "$source/tests/data/stable_formats/ring_1" -t machine/topology.conf --since 2000-01-01
  written
  well_formed report.html
  for text in 'id="cluster"' 'id="network"' 'id="decisions"' 'By policy'; do page_has report.html "$text"; done
  # Nodes, closed, up, down or suspect, mean load, outages.
  expect_switch report.html left top 2 0 2 0 61% 3
  expect_switch report.html right top 2 0 0 2 - 1
  expect_switch report.html top '' 4 0 2 2 61% 4
  run report --state state -o -
  expect 0 "$out" ''
  printf '%s\n' "$out" >standard.html
  well_formed standard.html
  page_has standard.html 'Missing:</strong> the switches'
  page_has standard.html 'Missing:</strong> decisions of slurmctld'
  run report -t machine/topology.conf -o machine.html
  written
  well_formed machine.html
  page_has machine.html 'Missing:</strong> whether nodes'
  page_has machine.html 'Missing:</strong> latency and bandwidth'
  # Nothing is known of its nodes, their outages neither.
  page_has machine.html '<th scope="row">n1</th><td>left</td><td>unknown</td><td></td><td class="num">-</td><td class="num">-</td><td class="num">-</td><td class="num">-</td><td class="num">-</td>'
  run report -t 2:3 --node 2x8 -o regular.html
  written
  well_formed regular.html
  expect_switch regular.html 'all nodes' '' 6 0
  page_has regular.html '<th scope="row">n5</th><td>all nodes</td>'
}

# Sections with data come first, and a machine without live data is one row for each switch.
large_machine() {
  mkdir wide
  printf 'NodeName=n[0-5039] Sockets=2 CoresPerSocket=8\n' >wide/slurm.conf
  {
    for ((leaf = 0; leaf < 280; ++leaf)); do echo "SwitchName=l$leaf Nodes=n[$((leaf * 18))-$((leaf * 18 + 17))]"; done
    for ((pod = 0; pod < 4; ++pod)); do echo "SwitchName=s$pod Switches=l[$((pod * 70))-$((pod * 70 + 69))]"; done
    echo 'SwitchName=root Switches=s[0-3]'
  } >wide/topology.conf
  run report -t wide/topology.conf -o large.html
  written
  well_formed large.html
  checks=$((checks + 1))
  [ "$(sed -n '/id="cluster"/,/<\/section>/p' large.html | grep -c '<th scope="row">')" = 285 ] || fail "$command: not one row for each of 285 switches"
  expect_switch large.html s1 root 1260 0
  run report -t 4:4:4 --node 2x8 --sacct "${EXAMPLE_LOG:?}" --replay-jobs 40 -o order.html
  written
  checks=$((checks + 1))
  [ "$(grep -o 'section id="[a-z]*"' order.html | cut -d '"' -f 2 | paste -sd ' ')" = 'advice room replay cluster network decisions gains' ] ||
    fail "$command: the sections are $(grep -o 'section id="[a-z]*"' order.html)"
}

# The nodes of jobs by sacct: 8 of 16 cores of n1 and n3 for the middle half of two days.
past() {
  {
    echo 'JobID|Submit|Eligible|ElapsedRaw|AllocCPUS|TimelimitRaw|Partition|State|Start|NodeList'
    echo '1|1700000000|1700000000|60|1|10|all|COMPLETED|1700000000|n2'
    echo '2|1700000000|1700000000|86400|16|9999|all|COMPLETED|1700043200|n[1,3]'
    echo '3|1700000000|1700000000|60|1|10|all|COMPLETED|Unknown|None assigned'
    echo '4|1700000000|1700000000|60|1|10|all|COMPLETED|1700172800|<b>n1'
    echo '5|1700172800|1700172800|60|1|10|all|COMPLETED|1700172800|n4'
  } >sacct.txt
  run report -t machine/topology.conf --sacct sacct.txt -o past.html
  written
  well_formed past.html
  for text in '<h3>Over time</h3>' ' 3 jobs of sacct.txt' ' 2 more jobs' '>TREEMATCH<' 'NLA is not replayed: ' 'TOFA is not replayed: '; do
    page_has past.html "$text"
  done
  # The first day of the log: half of it with all 64 cores free, and half with 48, 24 of them below each of the switches.
  page_has past.html '<th scope="row">11-14 22:13</th><td class="num">87.5</td><td class="num">43.8</td><td class="num">43.8</td>'
  sed 's/n\([[1-4]\)/m\1/g' sacct.txt >others.txt
  run report -t 4:4:4 --node 2x8 --sacct others.txt -o other.html
  written
  page_has other.html 'others.txt'
}

replays() {
  run report -t 4:4:4 --node 2x8 --sacct "${EXAMPLE_LOG:?}" --replay-jobs 40 --seed 3 -o replay.html
  written
  well_formed replay.html
  for text in 'id="advice"' 'id="room"' 'id="replay"' 'Missing:</strong> free cores over time' '40 jobs of ' '<th scope="row">TREEMATCH</th><td class="num">40</td>'; do
    page_has replay.html "$text"
  done
  cp replay.html first.html
  run report -t 4:4:4 --node 2x8 --sacct "${EXAMPLE_LOG:?}" --replay-jobs 40 --seed 3 -o replay.html
  checks=$((checks + 1))
  [ "$(grep -c '>TREEMATCH</th>' replay.html)" = 1 ] && [ "$(grep '>TREEMATCH</th>' replay.html)" = "$(grep '>TREEMATCH</th>' first.html)" ] ||
    fail "$command: two runs differ"
  run report --sacct "$EXAMPLE_LOG"
  refused 2 'placectl report: --sacct --topology'
  run report -t 4:4:4 --node 2x8 --sacct none
  checks=$((checks + 1))
  [ "$code" = 1 ] || fail "$command: exit code $code"
}

# A pattern that fits few jobs or none: the page counts those with a matrix, and concludes nothing from the others.
few_matrices() {
  run report -t 4:4 --node 2x4 --sacct "${EXAMPLE_LOG:?}" --pattern tp=3 -o few.html
  written
  page_has few.html '<th scope="row">TREEMATCH</th><td class="num">122</td><td class="num">20</td>'
  run report -t 4:4 --node 2x4 --sacct "$EXAMPLE_LOG" --pattern grid=7x11 -o none.html
  written
  well_formed none.html
  page_has none.html '<th scope="row">TREEMATCH</th><td class="num">122</td><td class="num">0</td>'
  checks=$((checks + 1))
  ! grep -q '1.00 to 1.00' none.html || fail "$command: an interval of jobs without matrices"
}

# A log without a job that can be replayed is reported in its sections. The report fails only if the file cannot be read.
logs_without_jobs() {
  : >empty
  printf 'JobID|Submit|ElapsedRaw|AllocCPUS\n7|1714521610|0|8\n' >unusable
  printf 'JobID|Submit|ElapsedRaw|AllocCPUS\n7|1714521610|9|4096\n' >large
  local name why
  while IFS=: read -r name why; do
    run report -t 4:4 --node 2x8 --sacct "$name" -o without.html
    written
    well_formed without.html
    expect_switch without.html 'all nodes' '' 16 0
    page_has without.html "Why: $name: $why"
  done <<'END'
empty:no job in it can be replayed
unusable:no job in it can be replayed: skipped 1: run time zero
large:all its jobs are larger than the machine, which has 256 cores
END
  echo 'neither this nor that' >letter
  run report -t 4:4 --node 2x8 --sacct letter -o without.html
  checks=$((checks + 1))
  [ "$code" = 1 ] || fail "$command: exit code $code"
  says 'letter:1: log JobID|Submit|ElapsedRaw|AllocCPUS'
}

# The options of the replay are checked first, even if there is no replay.
wrong_replay() {
  run report --state state --pattern foo
  checks=$((checks + 1))
  [ "$code" = 2 ] || fail "$command: exit code $code; $err"
  says 'placectl report: --pattern unknown foo'
  run report --state state --pattern ./none
  refused 1 'placectl report: ./none No such file or directory'
  run report --state state -a 101
  refused 2 'placectl report: --communication 101 0 100'
}

# NLA and TOFA by the state that the monitor published.
by_state() {
  {
    echo 'JobID|Submit|Eligible|ElapsedRaw|AllocCPUS|TimelimitRaw|Partition|State|Start|NodeList'
    for job in {1..60}; do echo "$job|$((1700000000 + job * 20))|$((1700000000 + job * 20))|$((400 + job))|$((2 + job % 23))|60|all|COMPLETED|Unknown|None assigned"; done
  } >sacct.txt
  run report -t machine/topology.conf --sacct sacct.txt --state state -o by_state.html
  written
  well_formed by_state.html
  for text in 'load and network of state, ' 'NLA left 60 jobs to stock Slurm' \
    'outage probabilities of state, ' '<th scope="row">TOFA</th><td class="num">60</td>'; do
    page_has by_state.html "$text"
  done
  local idle='"age_s": 2, "cores": 16, "cpu_load_1": 0, "slurm_load_1": 0'
  sed -e 's/"down"/"up"/' -e "s/\"age_s\": 500, \"cores\": 16/$idle/" -e "s/\"suspect\"/\"up\", \"observed_s\": 864000, $idle, \"outage_probability\": 0/" \
    -e 's/"source": "assumed"/"bandwidth_Bps": 1e8, "peak_bandwidth_Bps": 1.25e8, "source": "measured"/' \
    -e 's/^ "pairs": \[/&{"groups": [1, 2], "latency_us": 50, "bandwidth_Bps": 1e8, "peak_bandwidth_Bps": 1.25e8, "source": "measured", "age_s": 30},/' state >alive
  run report -t machine/topology.conf --sacct sacct.txt --state alive -o by_state.html
  written
  page_has by_state.html '<th scope="row">NLA</th><td class="num">60</td>'
  page_has by_state.html ' of alive, '
  checks=$((checks + 1))
  ! grep -q 'NLA left' by_state.html || fail "$command: jobs were left to stock: $(grep -o 'NLA left[^<]*' by_state.html)"
  echo 'torus 4 1' >torus
  for node in 1 2 3; do echo "n$node $((node - 1)) 0"; done >>torus
  printf 'TorusFile=%s/torus\n' "$work" >>placement.conf
  run report -t machine/topology.conf --sacct sacct.txt --state alive -o by_state.html
  written
  page_has by_state.html "TOFA is not replayed: $work/torus "
  echo 'n4 3 0' >>torus
  run report -t machine/topology.conf --sacct sacct.txt --state alive -o by_state.html
  written
  page_has by_state.html ", torus of $work/torus"
  sed -i /TorusFile/d placement.conf
}

hostile_names() {
  printf 'SwitchName=<script>alert(1)</script> Nodes=n[1-2]\nSwitchName=b"onload="x Nodes=n[3-4]\nSwitchName=top Switches=<script>alert(1)</script>,b"onload="x\n' \
    >machine/hostile.conf
  run report -t machine/hostile.conf -o hostile.html
  [ "$code" = 0 ] || { has hostile.conf; return; }
  well_formed hostile.html
}

refusals() {
  run report --sinse 2026-01-01
  checks=$((checks + 1))
  [ "$code" = 2 ] || fail "$command: exit code $code"
  run report --since yesterday
  refused 2 'placectl report: --since yesterday YYYY-MM-DD[THH:MM[:SS]] 1970'
  run report --since 2999-01-01
  refused 2 'placectl report: --since 2999-01-01 past'
  run report --slurm-conf machine/slurm.conf
  refused 2 'placectl report: --slurm-conf --topology'
  run report --state none
  checks=$((checks + 1))
  [ "$code" = 1 ] || fail "$command: exit code $code"
  has none
  run report --state state -o none/report.html
  refused 1 'placectl report: none/report.html No such file or directory'
  run report
  checks=$((checks + 1))
  [ "$code" = 1 ] || fail "$command: exit code $code"
  has 'to report: '
}

run_parts 95 pages large_machine past replays few_matrices logs_without_jobs wrong_replay by_state hostile_names refusals
