#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Drives "placectl select" as a person does: the published case, tables, snapshots, messages and exit codes.
set -u
# shellcheck source=tests/tools/words_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/words_lib.sh"
placectl=${PLACECTL:?} source=$(cd "${srcdir:-.}" && pwd -P)
data=$source/tests/data/nla work=$(mktemp -d) checks=0 failures=0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
unset SLURM_CONF SLURM_JOB_ID

fail() {
  failures=$((failures + 1))
  printf 'FAIL: %s\n' "$*"
}

run() {
  "$placectl" select "$@" >"$work/.out" 2>"$work/.err" </dev/null
  code=$? out=$(cat "$work/.out") err=$(cat "$work/.err") command="placectl select $*"
}

# The exit code, and the first line of the output.
chose() {
  checks=$((checks + 1))
  [ "$code" = 0 ] || fail "$command: exit code $code; $err"
  [ "${out%%$'\n'*}" = "$1" ] || fail "$command: chose '${out%%$'\n'*}' instead of '$1'"
}

# The run failed with this code, and its message has these words.
refused() {
  checks=$((checks + 1))
  [ "$code" = "$1" ] || fail "$command: exit code $code instead of $1; $err"
  has_words "$err" "placectl select: $2" || fail "$command: message '$err' instead of '$2'"
}

has() {
  checks=$((checks + 1))
  case "$out$err" in *"$1"*) ;; *) fail "$command: no '$1' in '$out$err'" ;; esac
}

says() {  # words of the output or the messages
  checks=$((checks + 1))
  has_words "$out $err" "$1" || fail "$command: no '$1' in '$out$err'"
}

json() {
  checks=$((checks + 1))
  local got
  got=$(printf '%s' "$out" | python3 -c "import json, sys; print(json.load(sys.stdin)$1)" 2>&1)
  [ "$got" = "$2" ] || fail "$command: $1 is $got instead of $2"
}

published() {
  local tables=(--nodes "$data/figure7_nodes.tsv" --pairs "$data/figure7_pairs.tsv" --tasks 32 --ntasks-per-node 4)
  local policy
  for policy in nla nla-paper NLA; do
    run --policy $policy --set alpha=0.3,beta=0.7 "${tables[@]}"
    chose 'csews[1,5,8-10,12,15-16]'
  done
  has 'runner-up'
  run --policy load-aware "${tables[@]}"
  chose 'csews[12,15-16,20,32,50-51,54]'
  run --policy sequential "${tables[@]}"
  chose 'csews[1,4-6,8-10,12]'
  run --policy sequential --seed 2 "${tables[@]}"
  [[ $out != 'csews[1,4-6,8-10,12]'* ]] || fail "--seed 2 starts at the first node"
  run --policy random --seed 3 "${tables[@]}"
  local first=${out%%$'\n'*}
  run --policy random --set seed=3 "${tables[@]}"
  chose "$first"
  run --json --runners-up 2 --set alpha=0.3 "${tables[@]}"
  if python3 -c 'import json' 2>/dev/null; then
    json '["nodes"]' "['csews1', 'csews5', 'csews8', 'csews9', 'csews10', 'csews12', 'csews15', 'csews16']"
    json '["hostlist"]' 'csews[1,5,8-10,12,15-16]'
    json '["total_load"]' 0.0358120296
    json '["compute_load"]' 0.0934153846
    json '["network_load"]' 0.349746155
    json '["weights"]["beta"]' 0.7
    json '["weights"]["cpu_load"]' 0.3
    json '["tasks_of_node"]' '[4, 4, 4, 4, 4, 4, 4, 4]'
    json '["runners_up"].__len__()' 2
  fi
}

# The slides' figure [NLA §5]: from v4, v1 and v2 with 18 processors for 16 processes. What it calls compute load
# is one attribute here.
worked_figure() {
  printf 'node flow_rate_Bps cores\nv1 52 6\nv2 47 8\nv3 74 5\nv4 50 4\n' >figure
  printf 'u v bandwidth_missing_Bps\nv4 v1 45\nv4 v2 70\nv4 v3 65\n' >links
  run --policy nla-paper --tasks 16 --set alpha=0.4,beta=0.6,cores=0 --nodes figure --pairs links
  chose 'v[1-2,4]'
}

tables() {
  printf 'node cores cpu_load\na 4 0\nb 4 4\nc 4 1.5\nd 4 0\n' >nodes
  printf 'u v latency_us bandwidth_Bps\na b 10 100\na c 10 100\na d 900 1\nb c 10 100\nb d 900 1\nc d 900 1\n' >pairs
  run --nodes nodes --pairs pairs --tasks 6
  chose 'a,c'  # 4 and 2 processors on good links
  run --nodes nodes --pairs pairs --tasks 6 --set beta=0
  chose 'a,d'
  run --nodes nodes --tasks 8  # no network: the least load alone
  chose 'a,d'
  run --nodes nodes --pairs pairs --tasks 40
  chose 'a,b,c,d'
  has 'round robin'
  says 'overloaded 10.5 16 processors 40'
  says 'placectl select: warning 40 processes 16 cores'
  run --nodes nodes --pairs pairs --tasks 16
  has 'round robin'
  case $err in *warning*) fail "$command: $err" ;; esac
  run --nodes nodes --tasks 8 --set beta=0,cores=0,cpu_load=0
  chose 'a,b,c,d'
  run --nodes nodes --tasks 8 --set beta=0,cores=0,cpu_load=0,processors=printed
  chose 'a,b'  # as printed, b is idle
  printf 'node cpu_load\nx 1\n' >one
  run --nodes nodes --pairs pairs --tasks 40 --set wait=90
  says '40 wait=90 90 s'
  run --nodes nodes --pairs pairs --tasks 40 --policy nla=wait=90 --json
  has '"would_wait": true'
  run --nodes nodes --pairs pairs --tasks 4 --set wait=90 --json
  has '"would_wait": false'
  has '"measured_pairs": 6'
  run --nodes one --tasks 3 --ntasks-per-node 3
  chose 'x'
  printf 'node\nx\ny\n' >bare
  run --nodes bare --tasks 2 --ntasks-per-node 2
  chose 'x'
  run --nodes bare --tasks 2 --ntasks-per-node 2 --set wait=1
  has 'both its cores'
}

# What people's tables look like: tabs or blanks, lines of Windows, one number of a pair, both directions, gaps.
forms() {
  printf 'node cores\na 4\nb 4\nc 4\n' >three
  printf 'node\tcores\r\na\t4\r\nb\t4\r\nc\t4' >three.tabs
  local pairs
  for pairs in 'u v latency_us\na b 100\na c 10\nb c 100\n' 'v u latency_us\r\nb a 100\r\nc a 10\r\nb c 100\r\n' \
    'u\tv\tlatency_us\na\tb\t\na\tc\t10\nb\tc\t100\n' 'u v bandwidth_Bps\na c 100\na b 5\n' \
    'u v bandwidth_missing_Bps\na c 0\na b 5\nb c 5\n' 'u v latency_us\na c 10\na b 11\nb c 11\n' \
    'u v latency_us\na b 10\nb a 30\na c 19\n' 'u v latency_us bandwidth_Bps\na b - -\na c 10 -\nb c 11 -\n' \
    'u v latency_us\na b 1e30\nb c 1e30\na c 1\n'; do
    # shellcheck disable=SC2059
    printf "$pairs" >forms
    run --nodes three --pairs forms --tasks 8
    chose 'a,c'
    run --nodes three.tabs --pairs forms --tasks 8
    chose 'a,c'
  done
  printf 'u v latency_us\na b -\n' >forms
  run --nodes three --pairs forms --tasks 8 --json  # nothing is known of the network
  has '"measured_pairs": 0'
}

# On this cluster, pairs of fast links are a local optimum of single exchanges: the first nodes are better. The file also
# has members that are no longer written.
local_optimum() {
  local weights policy loads
  for weights in beta=0.9,alpha=0.1 beta=0.7,alpha=0.3; do
    loads=
    for policy in nla sequential; do
      run --state "$data/local_optimum.json" --policy $policy --tasks 8 --ntasks-per-node 2 --set $weights
      loads+=" $(awk '$1 == "chosen" { print $4 }' <<<"$out")"
    done
    checks=$((checks + 1))
    awk '{ exit !(NF == 2 && $1 > 0 && $1 <= $2) }' <<<"$loads" || fail "$weights: T of nla and sequential:$loads; $err"
  done
}

errors() {
  # One pair was measured to be fast, by no more than the error: its busy node is not worth it.
  cat >errors <<'END'
{"slurm-placement-snapshot": 3, "published_at_s": 1700000000,
 "nodes": [
  {"name": "n1", "liveness": "up", "cores": 4, "cpu_load_1": 2},
  {"name": "n2", "liveness": "up", "cores": 4, "cpu_load_1": 1},
  {"name": "n3", "liveness": "up", "cores": 4, "cpu_load_1": 1},
  {"name": "n4", "liveness": "up", "cores": 4, "cpu_load_1": 1}],
 "groups": ["n1", "n2", "n3", "n4"],
 "pairs": [
  {"groups": [0, 1], "latency_us": 50, "bandwidth_Bps": 1.5e8, "peak_bandwidth_Bps": 1.5e8, "source": "measured", "age_s": 1,
   "latency_predictor": "last", "latency_error_us": 1, "bandwidth_predictor": "last", "bandwidth_error_Bps": 3e7},
  {"groups": [0, 2], "latency_us": 50, "bandwidth_Bps": 1.0e8, "peak_bandwidth_Bps": 1.5e8, "source": "measured", "age_s": 1,
   "latency_predictor": "last", "latency_error_us": 1, "bandwidth_predictor": "last", "bandwidth_error_Bps": 2e7},
  {"groups": [0, 3], "latency_us": 50, "bandwidth_Bps": 1.1e8, "peak_bandwidth_Bps": 1.5e8, "source": "measured", "age_s": 1,
   "latency_predictor": "last", "latency_error_us": 1, "bandwidth_predictor": "last", "bandwidth_error_Bps": 3e7},
  {"groups": [1, 2], "latency_us": 50, "bandwidth_Bps": 1.2e8, "peak_bandwidth_Bps": 1.5e8, "source": "measured", "age_s": 1,
   "latency_predictor": "last", "latency_error_us": 1, "bandwidth_predictor": "last", "bandwidth_error_Bps": 2e7},
  {"groups": [1, 3], "latency_us": 50, "bandwidth_Bps": 1.1e8, "peak_bandwidth_Bps": 1.5e8, "source": "measured", "age_s": 1,
   "latency_predictor": "last", "latency_error_us": 1, "bandwidth_predictor": "last", "bandwidth_error_Bps": 2e7},
  {"groups": [2, 3], "latency_us": 50, "bandwidth_Bps": 1.2e8, "peak_bandwidth_Bps": 1.5e8, "source": "measured", "age_s": 1,
   "latency_predictor": "last", "latency_error_us": 1, "bandwidth_predictor": "last", "bandwidth_error_Bps": null}]}
END
  run --state errors --tasks 2 --ntasks-per-node 1
  chose 'n[2-3]'
  run --state errors --tasks 2 --ntasks-per-node 1 --policy nla-paper
  chose 'n[1-2]'
  sed 's/: [23]e7}/: 1e6}/' errors >precise
  run --state precise --tasks 2 --ntasks-per-node 1
  chose 'n[1-2]'
}

snapshots() {
  cat >state <<'END'
{"slurm-placement-snapshot": 3,
 "published_at_s": 1700000000,
 "nodes": [
  {"name": "n1", "liveness": "up", "cores": 4, "cpu_load_1": 4, "slurm_load_1": 4},
  {"name": "n2", "liveness": "up", "cores": 4, "cpu_load_1": 4, "slurm_load_1": 0},
  {"name": "n3", "liveness": "down", "cores": 4, "cpu_load_1": 0, "slurm_load_1": 0},
  {"name": "n4", "liveness": "up", "cores": 4, "cpu_load_1": 0, "slurm_load_1": 0}],
 "groups": ["n1", "n2", "n3", "n4"],
 "pairs": [
  {"groups": [0, 1], "latency_us": 50, "bandwidth_Bps": 1e8, "peak_bandwidth_Bps": 1e8, "source": "measured", "age_s": 1},
  {"groups": [0, 3], "latency_us": 50, "bandwidth_Bps": 1e8, "peak_bandwidth_Bps": 1e8, "source": "measured", "age_s": 1},
  {"groups": [1, 3], "latency_us": 50, "bandwidth_Bps": 1e8, "peak_bandwidth_Bps": 1e8, "source": "measured", "age_s": 1}]}
END
  run --state state --tasks 8
  chose 'n[1,4]'  # n1 is loaded by Slurm's own jobs alone, n2 by others, n3 is down
  run --state state --tasks 8 --json
  has '"idle_processors": 8.2'
  echo "SnapshotFile=$work/state" >placement.conf
  : >slurm.conf
  SLURM_CONF=$work/slurm.conf run --tasks 4
  says 'SnapshotMaxAgeS=60 --state'
  sed -i "s/_at_s\": .*/_at_s\": $(date +%s),/" state
  SLURM_CONF=$work/slurm.conf run --tasks 4
  chose 'n4'
  # What a node said too long ago, or one that is suspect, counts as not known.
  sed -e '/"name": "n4"/s/{/{"age_s": 200, /' -e '/"name": "n[123]"/s/{/{"age_s": 1, /' state >aged
  run --state aged --tasks 4
  chose 'n1'
  run --state aged --tasks 4 --set max-age=300
  chose 'n4'
  sed '/"name": "n4"/s/up/suspect/' state >suspect
  run --state suspect --tasks 4
  chose 'n1'
  # An attribute that no node has adds nothing, like a missing column of a table.
  cat >few <<'END'
{"slurm-placement-snapshot": 3, "nodes": [
 {"name": "a", "cores": 4, "cpu_load_1": 1},
 {"name": "b", "cores": 4, "cpu_load_1": 3}]}
END
  printf 'node cores cpu_load\na 4 1\nb 4 3\n' >few.table
  local form
  for form in '--state few' '--nodes few.table'; do
    # shellcheck disable=SC2086
    run $form -n 1 --ntasks-per-node 1 --json
    has '"compute_load": 0.075'
    has '"compute_load": 0.225'
  done
  sed 's/, "cpu_load_1": [0-9]//' few >fewer
  run --state fewer -n 1 --ntasks-per-node 1 --json
  has '"compute_load": 0,'
}

mistakes() {
  run
  refused 2 '--tasks missing'
  run --tasks 0
  refused 2 '--tasks 0 1 2147483647'
  run --tasks 1 --policy treematch
  refused 2 '--policy treematch nla nla-paper load-aware sequential random'
  run --tasks 1 --state x --nodes y
  refused 2 '--state --nodes --pairs'
  run --tasks 1 --pairs y
  refused 2 '--pairs --nodes'
  run --tasks 1 --nodes nodes --set alpha=0.5,beta=0.6
  refused 2 'alpha=0.5 beta=0.6 1.1 1'
  run --tasks 1 --nodes nodes --set alpha=0.3,beta=0.6
  refused 2 'alpha=0.3 beta=0.6 0.9 1'
  run --tasks 1 --nodes nodes --set alpha
  refused 2 '--set alpha KEY=VALUE,.. matrix'
  run --tasks 1 --nodes nodes --policy nla=m.mat
  refused 2 '--policy nla=matrix=m.mat'
  run --tasks 1 --nodes nodes --policy nla=alpha=0.3,matrix=m.mat
  refused 2 '--policy nla=matrix=m.mat'
  run --tasks 1 --nodes nodes --set wait=x
  refused 2 'wait=x 0 86400'
  run --tasks 1 --nodes nodes --ntasks-per-node 0
  refused 2 '--ntasks-per-node 0 1 2147483647'
  local value
  for value in -1 inf 1e400; do
    printf 'u v latency_us\na b %s\n' "$value" >bad
    run --tasks 1 --nodes nodes --pairs bad
    refused 1 "bad:2: latency_us '$value' 0 -"
  done
  printf 'u v latency_us\na b 1e31\n' >bad
  run --tasks 1 --nodes nodes --pairs bad
  refused 1 "bad:2: latency_us '1e31' 1e+30"
  : >bad
  run --tasks 1 --nodes nodes --pairs bad
  refused 1 'bad empty columns'
  run --tasks 1 --nodes bad
  refused 1 'bad empty columns'
  printf 'node cores\na 4\na 4\n' >bad
  run --tasks 1 --nodes bad
  refused 1 'bad:3: a twice'
  printf 'node cores\nn[1-4] 4\n' >bad
  run --tasks 1 --nodes bad
  refused 1 "bad:2: 'n[1-4]'"
  run --tasks 1 --nodes nodes --set alpha=x
  refused 2 'alpha=x 0 1'
  run --tasks 1 --nodes nodes --set processors=some
  refused 2 'processors=some loaded printed'
  run --tasks 1 --nodes nodes --set gamma=1
  refused 2 'gamma NLA profile network-use alpha beta latency bandwidth cpu_load cpu_utilisation flow_rate_Bps memory_used_MiB cores frequency_MHz memory_MiB memory_available_MiB users processors max-age wait seed'
  run --tasks 1 --nodes nodes --set alpha=2
  refused 2 'alpha=2 0 1'
  run --tasks 1 --nodes nodes --set ''
  refused 2 "'NLA=' key=value"
  run --tasks 1 --nodes nodes --policy ''
  refused 2 "policy ''"
  run --tasks 1 --nodes nodes --set profile=gone
  [ "$code" = 1 ] || fail "$command: exit code $code"
  run --tasks 6 --nodes nodes --pairs pairs --set flow_rate_bps=0,Memory_Used_MiB=0
  chose 'a,c'
  run --tasks 1 --nodes bare
  refused 1 'cores --ntasks-per-node'
  printf 'node cores\na x\n' >bad
  run --tasks 1 --nodes bad
  refused 1 "bad:2: 'x' 1 -"
  printf 'u v latency_us\na b 1\na a 5\n' >bad
  run --tasks 1 --nodes nodes --pairs bad
  refused 1 'bad:3: pair a a'
  printf '\357\273\277' | cat - few >bom
  run --state bom -n 1 --ntasks-per-node 1
  chose 'a'
  : >bad
  run --tasks 1 --state bad
  has 'empty'
  local wrong
  for wrong in 'cpu_utilisation_1 3' 'outage_probability 1.5'; do
    printf '{"slurm-placement-snapshot": 3, "nodes": [\n{"name": "a", "%s": %s}]}\n' "${wrong% *}" "${wrong#* }" >bad
    run --tasks 1 --state bad
    has "bad: nodes[0].${wrong% *} ${wrong#* }: "
  done
  echo '{"slurm-placement-snapshot": 3, "nodes": [{"name": "n[1-3]"}]}' >bad
  run --tasks 1 --state bad
  has 'bad: nodes[0].name "n[1-3]"'
  printf 'u v\na e\n' >bad
  run --tasks 1 --nodes nodes --pairs bad
  refused 1 "bad:2: 'e'"
  run --tasks 1 --state bad
  [ "$code" = 1 ] || fail "$command: exit code $code"
}

for part in published worked_figure tables forms local_optimum errors snapshots mistakes; do $part; done
echo "$checks checks, $failures failures"
[ $checks -gt 35 ] || { echo "FAIL: only $checks checks ran"; exit 1; }
[ $failures = 0 ]
