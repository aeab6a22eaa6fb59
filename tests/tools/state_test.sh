#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Drives the commands of placectl that show the live state and decisions. PLACECTL names the program.
set -u
# shellcheck source=tests/tools/words_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/words_lib.sh"
placectl=${PLACECTL:?} source=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) checks=0 failures=0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
export SLURM_CONF=$work/slurm.conf TZ=UTC
printf 'SnapshotFile=%s/current\nDecisionFile=%s/ring\nStateDirectory=%s\n' "$work" "$work" "$work" >placement.conf

fail() {
  failures=$((failures + 1))
  printf 'FAIL: %s\n' "$*"
}
run() {
  "$placectl" "$@" >.out 2>.err </dev/null
  code=$? out=$(cat .out) err=$(cat .err) command="placectl $*"
}
ends() {  # code
  checks=$((checks + 1))
  [ "$code" = "$1" ] || fail "$command: exit code $code instead of $1; $err"
}
expect() {  # output
  checks=$((checks + 1))
  [ "$out" = "$1" ] || fail "$command: output '$out' instead of '$1'"
}
has() {
  checks=$((checks + 1))
  case $out$err in *"$1"*) ;; *) fail "$command: no '$1' in '$out$err'" ;; esac
}
says() {  # words of the output or the messages
  checks=$((checks + 1))
  has_words "$out $err" "$1" || fail "$command: no '$1' in '$out$err'"
}
refused() {  # code, words of the message
  ends "$1"
  checks=$((checks + 1))
  has_words "$err" "$2" || fail "$command: message '$err' instead of '$2'"
}

cat >state <<'END'
{
  "slurm-placement-snapshot": 3,
  "published_at_s": 1700000000,
  "outage_horizon_s": 86400,
  "nodes": [
    {"name": "n1", "liveness": "up", "outages": 0, "observed_s": 864000, "age_s": 2, "cores": 16, "cpu_load_1": 0.5, "slurm_load_1": 0.25, "cpu_utilisation_1": 0.03125, "memory_available_MiB_1": 1000, "flow_rate_Bps_1": 125000, "users_1": 1, "outage_probability": 0.001},
    {"name": "n2", "liveness": "up", "outages": 3, "observed_s": 864000, "age_s": 3, "cores": 16, "cpu_load_1": 15.5, "slurm_load_1": 15, "cpu_utilisation_1": 0.96, "memory_available_MiB_1": 10, "flow_rate_Bps_1": 2.5e8, "users_1": 0, "outage_probability": 0.02},
    {"name": "n3", "liveness": "down", "outages": 1, "observed_s": 864000, "age_s": 500, "cores": 16, "cpu_load_1": null, "outage_probability": 0.01},
    {"name": "n4", "liveness": "suspect"}
  ],
  "groups": ["n1", "n2", "n[3-4]"],
  "pairs": [
    {"groups": [0, 1], "latency_us": 50, "bandwidth_Bps": 1e8, "peak_bandwidth_Bps": 1.25e8, "source": "measured", "age_s": 30},
    {"groups": [0, 2], "latency_us": 1500, "bandwidth_Bps": 5e7, "peak_bandwidth_Bps": 1.25e8, "source": "modelled", "age_s": 600},
    {"groups": [2, 2], "latency_us": 20, "source": "assumed"}
  ]
}
END

nodes() {
  run nodes --state state
  ends 0
  expect "NODE  STATE    AGE  CORES   LOAD  OF_SLURM  BUSY  MEM_FREE  TRAFFIC/s  USERS  OUTAGES  OBSERVED  P(OUTAGE)
n1    up        2s     16   0.50      0.25    3%      1.0G       125k      1        0     10.0d    0.00100
n2    up        3s     16  15.50     15.00   96%       10M       250M      0        3     10.0d    0.02000
n3    down      8m     16      -         -     -         -          -      -        1     10.0d    0.01000
n4    suspect    -      -      -         -     -         -          -      -        0        0s          -
# P(OUTAGE): probability of an outage in the next 24.0h
$(tail -n 1 .out)"
  has '(SnapshotMaxAgeS=60)'
  run nodes --state state --nodes 'n[2,4]' --sort cpu_load_1 --json
  ends 0
  has '"name": "n2", "liveness": "up", "outages": 3,'
  has '"cpu_load_1": 15.5'
  has '"name": "n4", "liveness": "suspect", "outages": 0, "age_s": null,'
  run nodes --state state --nodes 'n[4-6]'
  refused 1 'placectl nodes: --nodes n[5-6]'
  run nodes --state state --nodes 'n[1'
  refused 2 "placectl nodes: 'n[1' brackets"
  run nodes --state state --sort cpu_laod_1
  refused 2 'placectl nodes: --sort cpu_laod_1 cpu_load_1?'
  run nodes
  refused 1 "placectl nodes: $work/current No such file or directory"
  run nodes --state state --sort outage_probability
  ends 0
  [ "$(awk 'NR > 1 && NR < 6 { print $1 }' .out | tr -d '\n')" = n2n3n1n4 ] || fail "$command: the nodes are not in order: $out"
}

# Whose forecasts of pairs there are; in JSON, and in the file.
forecasts() {
  run import "$source/tests/fuzz/corpus/snapshot_json/forecasts" two.snapshot
  ends 0
  run pairs --state two.snapshot
  ends 0
  has 'SOURCE    LATENCY_BY    BANDWIDTH_BY'
  has 'measured  median 0.2us  ewma 100k'
  run pairs --state two.snapshot --json
  has '"latency_predictor": "median", "latency_error_us": 0.25, "bandwidth_predictor": "ewma", "bandwidth_error_Bps": 100000'
  run export --state two.snapshot
  ends 0
  cp .out three
  run export --state three
  cmp -s .out three || fail "the JSON is not the same again"
  run pairs --state state
  has 'NODE  NODE'
  case $out in *LATENCY_BY*) fail "$command: forecasts where there are none" ;; esac
}

pairs() {
  run pairs --state state
  ends 0
  has 'n1    n3      1.5ms          50M    125M  10m  modelled
n1    n4      1.5ms          50M    125M  10m  modelled
n1    n2       50us         100M    125M  30s  measured
n2    n3          -            -       -    -  none'
  has '6 pairs: 1 measured, 2 modelled, 1 assumed, 2 not known
bandwidth: least 50M, median 50M, most 100M'
  run pairs --state state --by latency --most 1 --nodes 'n[1-3]' --heatmap p.svg
  ends 0
  has 'latency: least 50us, median 1.5ms, most 1.5ms'
  grep -q '<svg' p.svg || fail "p.svg is no picture"
  run pairs --state state --json
  has '"a": "n1", "b": "n2", "latency_us": 50, "bandwidth_Bps": 100000000,'
  run pairs --state state --by luck
  refused 2 'placectl pairs: --by luck bandwidth missing latency age'
  run pairs --state state -n n1
  refused 2 'placectl pairs: --nodes n1'
  run pairs --state state --heatmap p.gif
  ends 2
}

carry() {
  run import state current
  ends 0
  run export
  ends 0
  printf '%s\n' "$out" >again
  run import again second
  cmp -s current second || fail "a second import differs"
  run export --state second -o third
  cmp -s again third || fail "a second export differs"
  [ "$(head -n 2 third)" = $'{\n  "slurm-placement-snapshot": 3,' ] || fail "the JSON begins with $(head -n 2 third)"
  [ "$(grep -c '^    {"name": "n[1-4]", "liveness": ' third)" = 4 ] || fail "not one line for each node"
  [ "$(grep -c '^    {"groups": \[[02], [012]\], "latency_us": ' third)" = 3 ] || fail "not one line for each pair"
  run import --now state current
  # A controller that does not answer. Without a slurm.conf libslurm looks for one in the DNS, for 15 s.
  printf 'ClusterName=c\nSlurmctldHost=%s(127.0.0.1)\nSlurmctldPort=1\nNodeName=n[1-4]\n' "$(uname -n)" >slurm.conf
  run status
  ends 0
  has 'mode       not known: '  # there is no slurmctld here
  has 'up         2 nodes: n[1-2]'
  has 'down       1 nodes: n3'
  has 'suspect    1 nodes: n4'
  has 'pairs      3 groups of nodes: 1 measured, 1 modelled, 1 not known'
  sed 's/"measured"/"mpi"/' state >by_mpi
  run status --state by_mpi
  has 'pairs      3 groups of nodes: 1 modelled, 1 mpi, 1 not known'
  has 'the oldest measurement was 30s old'
  has "decisions  $work/ring: "
  cp placement.conf before.conf
  echo PartitionPolicies=all:TREEMATCH=ring >>placement.conf
  run status
  ends 1
  has "$work/placement.conf:"
  says 'PartitionPolicies=all:TREEMATCH=ring: ring'
  mv before.conf placement.conf
  # Without a trace of the monitor nothing is wrong. Its history without a snapshot is an error.
  mv current before.snapshot
  run status
  ends 0
  has 'live state'
  run status --json
  ends 0
  has '"set_up": false'
  run status --state current
  ends 1
  : >history.sqlite
  run status
  ends 1
  has "live state $work/current: "
  rm history.sqlite
  mv before.snapshot current
  run import --age 61 state current
  run status --json
  ends 1
  has '"usable": false'
  run import --now --age 5 state current
  refused 2 'placectl import: --now --age'
  run import state
  ends 2
  sed 's/15.5/-15.5/' state >bad
  run import bad current
  refused 1 "placectl import: bad: nodes[1].cpu_load_1 -15.5 0 1000000000"
  head -c 300 current >./cut
  run export --state cut
  ends 1
  says 'cut: snapshot'
  run import /nowhere current
  ends 1
}

standard_input() {
  run import state current
  ends 0
  [ -z "$err" ] || fail "$command: $err"
  "$placectl" import - from-stdin <state
  cmp -s current from-stdin || fail "import from standard input differs"
}

# What is wrong is said with its place, and nothing is written.
wrong_json() {
  local good deep
  good=$(cat state)
  refuses() {  # content, line with a colon if the text is not JSON, words of the message
    printf '%s' "$1" >bad
    rm -f none
    run import bad none
    ends 1
    has "placectl import: bad:$2"
    case $out$err in *"$3"*) ;; *) says "$3" ;; esac
    [ ! -e none ] || fail "$command: a snapshot of what was refused"
  }
  refuses '' '' 'empty'
  refuses ' []' '' '[]: '
  refuses 'n1 up' 1: "'1 up'"
  refuses '{}' '' 'slurm-placement-snapshot missing'
  refuses "${good/: 3/: 4}" '' 'slurm-placement-snapshot 4: '
  refuses "${good:0:910}" 13: 'not complete'
  refuses "$good}" 17: ''
  refuses "${good/\"cores\": 16/\"coers\": 16}" '' "nodes[0]: 'coers' cores?"
  refuses "${good/\"cores\": 16/\"cores\": \"16\"}" '' 'nodes[0].cores "16": '
  refuses "${good/\"cores\": 16/\"cores\": NaN}" '' 'nodes[0].cores NaN: '
  refuses "${good/\"cores\": 16/\"cores\": 1e999}" '' 'nodes[0].cores 1e999: '
  refuses "${good/\"n2\"/\"n1\"}" '' 'nodes[1].name "n1": '
  refuses "${good/\"n3\"/\"n\\u001b[31m\"}" '' 'nodes[2].name "n\u001b[31m": '
  refuses "${good/\[2, 2\]/[2, 3]}" '' 'pairs[2].groups [2,3]: '
  refuses "${good/assumed/guessed}" '' 'pairs[2].source "guessed": '
  deep=$(printf '[%.0s' {1..5000})
  refuses "${good/1700000000/$deep}" 3: 'nesting'
  printf '%s' "${good/\"n3\"/$'"n\xff"'}" >bad
  run import bad none
  ends 1
  has 'placectl import: bad:'
  { printf '{'; head -c 100000 /dev/zero; } >bad
  run import bad none
  ends 1
  has 'placectl import: bad: '
  head -c 1000 "$placectl" >bad
  run import bad none
  ends 1
  has 'placectl import: bad'
}

# On a login host with the cluster's slurm.conf, the files of the controllers are elsewhere.
on_another_host() {
  printf 'SlurmctldHost=ctl1(10.0.0.1)\nSlurmctldHost=ctl2\nNodeName=n[1-4]\n' >slurm.conf
  mkdir -p none
  printf 'SnapshotFile=%s/none/current\nDecisionFile=%s/none/ring\nStateDirectory=%s/none\nMonitorUser=nobody-at-all\n' "$work" "$work" "$work" >placement.conf
  local elsewhere="$work/slurm.conf ctl1 ctl2"
  for command_name in nodes pairs; do
    run $command_name
    refused 1 "placectl $command_name: $work/none/current No such file or directory $elsewhere MonitorUser=nobody-at-all placement-monitor"
  done
  run nodes --state none/current
  refused 1 'placectl nodes: none/current No such file or directory'
  run decisions
  ends 0
  says "# not read: $elsewhere"
  printf 'SlurmctldHost=%s\nNodeName=n[1-4]\n' "$(uname -n)" >slurm.conf
  run nodes
  refused 1 "placectl nodes: $work/none/current No such file or directory"
  rm slurm.conf
  run nodes
  refused 1 "placectl nodes: $work/none/current No such file or directory"
}

decisions() {
  run decisions
  ends 0
  has 'no decision'
  has "# not read: $work/history.sqlite: "
  run decisions --ring state
  ends 1
  says 'state: decision file'
  run explain 7
  ends 1
  says 'decision job 7'
  for bad in 0 x -1 7.5 99999999999 7_ _7 7_x 7_-1 7_2_3; do
    run explain -- "$bad"
    refused 2 "placectl explain: JOBID $bad JOBID_TASK JOBID+OFFSET"
  done
  python3 -c 'import sqlite3' 2>/dev/null || return
  python3 - <<'END'
import sqlite3
db = sqlite3.connect("history.sqlite")
db.execute("CREATE TABLE decision (id INTEGER PRIMARY KEY, at REAL, job INTEGER, record TEXT)")
def add(job, at, **fields):
    lines = {"at_s": at, "job": job, **fields}
    text = "".join(f"{k}\t{v}\n" for k, v in lines.items())
    db.execute("INSERT INTO decision (at, job, record) VALUES (?, ?, ?)", (at, job, text))
add(7, 1700000000, submitted_s=1699999999, outcome="nodes+cores", for_start=1, policy="NLA", parameters="alpha=0.5", candidates=60, candidate_nodes="n[1-60]",
    choice="n[5-6]", tasks_per_node="2(x2)", given="n[5-6]", stock_choice="n[1-2]", cost=360, natural_cost=660,
    live_age_s=3.5, time_us=1500, term="the group has the least total load")
add(7, 1700000100, submitted_s=1700000090, outcome="stock", for_start=1, restarts=1, policy="NLA", given="n[1-2]", stock_choice="n[1-2]", reason="the live data are 90 s old", time_us=12)
add(8, 1700000200, outcome="stock", for_start=1, policy="NLA", reason="the live data are 90 s old")
add(9, 1700000300, outcome="nodes", for_start=0, policy="TREEMATCH\x1b[31m", time_us=800)
add(7, 1600000000, submitted_s=1600000000, restarts=1, outcome="nodes", for_start=1, policy="TOFA", given="n9")
add(7, 1700000050, submitted_s=1700000049, predicted=1, for_start=0, outcome="nodes", policy="TOFA", choice="n8")
db.commit()
END
  # A mistake in this host's placement.conf does not hide what was decided.
  mkdir -p mistaken && : >mistaken/slurm.conf && printf 'Mood=off\n' >mistaken/placement.conf
  SLURM_CONF=$work/mistaken/slurm.conf run explain --history history.sqlite 7
  ends 0
  has 'the live data are 90 s old'
  has "mistaken/placement.conf:1: unknown key Mood"
  has 'default settings'
  run explain 7
  "$placectl" check-config >/dev/null || return
  ends 0
  expect "job 7, 2023-11-14 22:13:20
  outcome     the policy's nodes and cores
  policy      NLA alpha=0.5
  candidates  60 nodes: n[1-60]
  choice      n[5-6], tasks 2(x2)
  allocated   n[5-6]
  stock       n[1-2]
  cost        360 hop-bytes, in natural order 660
  describes   the plan; srun may place the ranks better, which srun -v prints
  live data   4s old
  time        1.5ms

job 7, restart 1, 2023-11-14 22:15:00
  outcome     stock: the live data are 90 s old
  policy      NLA
  allocated   n[1-2]
  time        12us"
  run explain -v 7
  ends 0
  has '  terms       the group has the least total load'
  run decisions --list 2
  ends 0
  has 'NLA             nodes+cores            1   1.5ms  1.5ms'
  has 'NLA             stock                  2    12us   12us'
  has 'TREEMATCH?[31m  nodes (ahead)          1   800us  800us'
  has 'the live data are 90 s old          2'
  has 'TOFA            nodes                  1'
  has '8    2023-11-14 22:16:40  NLA             stock'
  run explain --json 7
  has '"choice": "n[5-6]", "tasks_per_node": "2(x2)"'
  run explain 10
  ends 1
  # Records that cannot be read hide no other one.
  python3 - <<'END'
import sqlite3
db = sqlite3.connect("history.sqlite")
db.execute("UPDATE decision SET record = 'rubbish' WHERE id = 1")
db.execute("UPDATE decision SET record = NULL WHERE id = 3")
db.commit()
END
  run explain 7
  ends 0
  has 'job 7, restart 1'
  run decisions
  ends 0
  says "# not read: $work/history.sqlite: 2 records row 1:"
  has 'the live data are 90 s old          1'
}

# Bytes that a terminal obeys, in what other users chose, do not reach it: ESC, the byte 0x9b alone and in UTF-8, BEL, DEL.
raw_bytes_of_other_users_reach_no_terminal() {
  python3 -c 'import sqlite3' 2>/dev/null || return
  rm -f history.sqlite
  python3 - <<'END'
import sqlite3
db = sqlite3.connect("history.sqlite")
db.execute("CREATE TABLE decision (id INTEGER PRIMARY KEY, at REAL, job INTEGER, record TEXT)")
raw = b"A\x1b[2J\x9b2J\xc2\x9b2J\x07\x7f\x80\xffZ"
names = ("array_task mode policy parameters candidate_nodes choice tasks_per_node given stock_choice cost natural_cost first_nodes_cost "
         "reason why_not_live term")
for row, outcome in enumerate((b"stock", b"nodes", b"wait")):
    record = b"at_s\t1700000000\njob\t7\ncandidates\t3\ntime_us\t5\noutcome\t" + outcome + b"\n"
    record += b"".join(name.encode() + b"\t" + raw + b"\n" for name in names.split())
    db.execute("INSERT INTO decision (at, job, record) VALUES (?, 7, CAST(? AS TEXT))", (1700000000 + row, record))
db.execute("INSERT INTO decision (at, job, record) VALUES (1700000009, 7, CAST(? AS TEXT))", (b"job\t7\noutcome\t" + raw,))
db.commit()
END
  local words
  for words in decisions "decisions --list 9" "explain 7" "decisions --list 9 --json" "explain 7 --json"; do
    # shellcheck disable=SC2086
    run $words
    ends 0
    has 'A?[2J?2J??2J????Z'
    checks=$((checks + 1))
    ! cat .out .err | LC_ALL=C grep -q '[^ -~]' || fail "$command: a byte that is not printable"
  done
}

nodes
pairs
forecasts
carry
standard_input
wrong_json
decisions
raw_bytes_of_other_users_reach_no_terminal
on_another_host
echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
