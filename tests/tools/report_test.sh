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
  run report -t 4:4:4 --node 2x8 -o order.html
  written
  checks=$((checks + 1))
  [ "$(grep -o 'section id="[a-z]*"' order.html | cut -d '"' -f 2 | paste -sd ' ')" = 'advice cluster network decisions gains room' ] ||
    fail "$command: the sections are $(grep -o 'section id="[a-z]*"' order.html)"
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

run_parts 30 pages large_machine hostile_names refusals
