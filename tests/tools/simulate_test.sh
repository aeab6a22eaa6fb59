#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Drives placectl simulate as a person does: output, files, messages, exit codes, Ctrl-C.
# PLACECTL names the program, EXAMPLE_LOG the made-up log.
set -u
# shellcheck source=tests/tools/words_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/words_lib.sh"
placectl_test=$(readlink -f "$0") placectl=${PLACECTL:?} log=${EXAMPLE_LOG:?} work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

fail() {
  failures=$((failures + 1))
  printf 'FAIL: %s\n' "$*"
}

# Runs the command; leaves $out, $err and $code.
run() {
  "$placectl" simulate "$@" >.out 2>.err </dev/null
  code=$? out=$(cat .out) err=$(cat .err) command="placectl simulate $*"
}

ends() { [ "$code" = "$1" ] || fail "$command: exit code $code instead of $1; $err"; }
has() { case "$out$err" in *"$1"*) ;; *) fail "$command: no '$1' in '$out$err'" ;; esac }
says() { has_words "$out $err" "$1" || fail "$command: no '$1' in '$out$err'"; }
refused() {  # code, words of the message
  ends "$1"
  has_words "$err" "placectl simulate: $2" || fail "$command: message '$err' instead of '$2'"
  [ -z "$out" ] || fail "$command: output '$out'"
}

# One of the notes on the log has the words.
noted() {
  local note
  while read -r note; do has_words "$note" "$1" && return; done < <(tr ';' '\n' <<<"$out$err")
  fail "$command: no note '$1' in '$out$err'"
}

machine=(-t 4:4 --node 2x4)
# A live state of this machine: every other node has load, and the second leaf switch has busy links.
node_state() { printf '{"name": "n%d", "liveness": "up", "age_s": 0, "cores": 8, "sockets": 2, "cpu_load_1": %d, "slurm_load_1": 0}' "$1" $(($1 % 2 * 4)); }
pair_state() { printf '{"groups": [%d, %d], "latency_us": %d, "bandwidth_Bps": %s, "peak_bandwidth_Bps": 1e10, "source": "measured"}' "$1" "$2" $((2 + $2 - $1)) "$([ "$1" = 1 ] || [ "$2" = 1 ] && echo 1e9 || echo 9e9)"; }
{
  printf '{"slurm-placement-snapshot": 3, "groups": ["n[0-3]", "n[4-7]", "n[8-11]", "n[12-15]"], "nodes": ['
  for node in {0..15}; do node_state "$node" && { [ "$node" = 15 ] || printf ','; }; done
  printf '], "pairs": ['
  for a in {0..3}; do for ((b = a; b < 4; ++b)); do pair_state "$a" "$b" && { [ "$a" = 3 ] || printf ','; }; done; done
  printf ']}'
} >state.json

run --help
ends 0
has '--strategies'
run "${machine[@]}" "$log"
ends 0
noted 'skipped 1: run time negative'
noted 'skipped 1: run time zero'
noted 'skipped 1: numbers 18 columns'
noted 'skipped 1: larger machine line'
noted 'repaired 1: allocated processors'
noted 'repaired 1: requested time'
noted 'repaired 3: submitted before'
has '122 jobs of'

# The same seed gives the same files, with one thread or several; another seed does not.
for name in one two; do
  run "${machine[@]}" -s 'SLURM TM-A TM-I TM-Isub TM-Isub+1 RANDOM' --threads "$([ $name = one ] && echo 1 || echo 3)" -o $name "$log"
  ends 0
done
for strategy in SLURM TM-A TM-I TM-Isub TM-Isub+1 RANDOM; do
  cmp -s "one/jobs-$strategy.csv" "two/jobs-$strategy.csv" || fail "jobs of $strategy differ between two runs"
  [ "$(wc -l <"one/jobs-$strategy.csv")" = 123 ] || fail "jobs of $strategy are not 122"
done
run "${machine[@]}" --seed 2 -s TM-A -o other "$log"
cmp -s one/jobs-TM-A.csv other/jobs-TM-A.csv && fail 'another seed changes nothing'
for file in summary.csv summary.json; do
  [ -s "one/$file" ] || fail "no $file"
done

# The free cores at every half hour: placectl map reads them, and the comment has their number.
run "${machine[@]}" -s SLURM --free-cores 0.5 -o free "$log"
ends 0
printf 'tree 4 4 2 4\n' >tree.txt
printf '0 5 0\n5 0 5\n0 5 0\n' >pairs.txt
mapped=0
for file in free/free-SLURM-*.leaves; do
  [ "$(grep -vc '^#' "$file")" = "$(sed -n '1s/.* start, \([0-9]*\) of 128 cores are free$/\1/p' "$file")" ] || fail "$file: $(head -1 "$file")"
  [ "$(grep -vc '^#' "$file")" -ge 3 ] || continue
  "$placectl" map --matrix pairs.txt --topology tree.txt --available "$file" >map.out 2>&1 || {
    fail "placectl map refuses $file: $(cat map.out)"
    continue
  }
  mapped=$((mapped + 1))
done
[ $mapped -gt 1 ] || fail "only $mapped states of --free-cores have three free cores"
[ -e free/free-SLURM-0001.leaves ] && [ ! -e one/free-SLURM-0001.leaves ] || fail 'free cores are written with --free-cores only'
run "${machine[@]}" --free-cores 2 "$log"
refused 2 '--free-cores --output'
run "${machine[@]}" --free-cores 0 -o free "$log"
refused 2 "--free-cores 0 0.001 1e+06"

run "${machine[@]}" --json -s 'SLURM TM-A' "$log"
ends 0
has '"backfill": "easy"'
has '"stock_request": "nodes"'
if command -v python3 >/dev/null; then python3 -m json.tool <.out >/dev/null || fail 'the JSON is none'; fi

# The matrices of a folder by bytes, and by messages, which the ranks of a profile here exchange with others.
mkdir profiles
printf 'np 4\n0 1 1000 1\n0 2 10 50\n1 3 10 50\n2 3 1000 1\n' >profiles/four
echo '1 0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 -1 -1 -1' >four.swf
for weight in bytes=4080 messages=208; do
  run -t 2:2 --node 1x1 -q --pattern ./profiles --weight "${weight%=*}" -s 'SLURM TM-A' -o "by-$weight" four.swf
  ends 0
  [ "$(tail -n 1 "by-$weight/jobs-TM-A.csv" | sed 's/.*,//')" = "${weight#*=}" ] || fail "$command: $(cat "by-$weight/jobs-TM-A.csv")"
done
# Jobs to whose number of tasks a pattern does not fit have no matrix: they are counted, and R of none of them is not known.
run "${machine[@]}" -q --pattern grid=7x11 -o nomatrix -s 'SLURM TM-A' "$log"
ends 0
says '0 of 122 jobs'
has_words "$out $err" 'warning: --pattern grid=7x11 --share 100 no' || fail "$command: no warning in '$out$err'"
has '    3.38      -      -      0.00'
case $out in *1.000*0.0%*) fail "$command: R of no job is printed: $out" ;; esac
awk -F , 'NR == 1 { for (k = 1; k <= NF; ++k) at[$k] = k; next }
  $at["with_matrix"] != 0 || $at["ratio"] != "" || $at["gain"] != "" { exit 1 }' nomatrix/summary.csv || fail "$command: $(cat nomatrix/summary.csv)"
grep -q 'nan' nomatrix/*.csv nomatrix/*.json && fail "$command: nan in its files"
run "${machine[@]}" -q --pattern tp=3 -s 'SLURM TM-A' "$log"
ends 0
says '20 of 122 jobs'
case $out in *warning*) fail "$command: a warning, and there are matrices" ;; esac

# One job has no interval.
run "${machine[@]}" --jobs 1 -s 'SLURM TM-A' -o single "$log"
ends 0
has '-0.05  - open  '
if command -v python3 >/dev/null; then
  python3 - single/summary.json nomatrix/summary.json <<'END' || fail 'the JSON has unknown values'
import json, sys
single, none = (json.load(open(name)) for name in sys.argv[1:])
intervals = [c[what] for c in single["comparisons"] for what in ("difference", "ratio")] + [s["flow_s"] for s in single["strategies"]]
assert intervals and all(i["low90"] is None and i["high90"] is None for i in intervals), intervals
assert all(c["difference"]["mean"] is not None for c in single["comparisons"])
assert all(s["ratio"] is None and s["gain"] is None and s["with_matrix"] == 0 for s in none["strategies"]), none["strategies"]
END
fi

# summary.json has all that it takes to do the same again.
if command -v python3 >/dev/null; then
  printf 'n1 0.5\n' >again.outages
  run "${machine[@]}" -s 'SLURM TREEMATCH=scope=whole,effort=3 NLA' --state state.json --outages again.outages \
    --full --share 50 -a 50 --pattern grid=auto3 --charge 1,0.01 --stock-charge 2 --repair 1 --whole-nodes \
    --backfill slurm,10,20 --backfill-depth 10 --release 5 --scale-run-times 50 --partition small,large --from 60 --hours 2.5 \
    --jobs 50 --effort 2,32 --stock-request tasks --seed 7 --threads-per-core 2 -o again "$log"
  ends 0
  python3 - again/summary.json >again.words <<'END' || fail 'the options of summary.json cannot be read'
import json, sys
report = json.load(open(sys.argv[1]))
o, words = report["options"], []
def option(name, *values):
    words.extend(["--" + name.replace("_", "-"), *[",".join(f"{v:g}" if isinstance(v, float) else str(v) for v in values)][:bool(values)]])
option("strategies", ";".join(s["strategy"] for s in report["strategies"]))
for name in "communication", "share", "scale_run_times":
    option(name, 100 * o[name])
for name in "pattern", "stock_request", "backfill_depth", "seed":
    option(name, o[name])
for name in "whole_nodes", "full_start":
    if o[name]:
        option(name.split("_start")[0])
option("backfill", o["backfill"], o["backfill_interval_s"], o["plan_margin_s"])
option("release", o["release_s"])
option("charge", o["charge_policy_s"], o["charge_policy_task_s"])
option("stock_charge", o["charge_stock_s"])
option("effort", o["effort"], o["effort_tasks"])
option("repair", o["repair_hours"])
for name, value in o["machine"].items():
    option(name, value)
for name, value in o["selection"].items():
    if not name.startswith("processors"):
        option(name, *(value if isinstance(value, list) else [value]))
option("threads_per_core", o["selection"]["processors_per_core_of_swf"])
print("\n".join(words + [report["log"]]))
END
  mapfile -t words <again.words
  run "${words[@]}" -o again.again
  ends 0
  for file in again/jobs-*.csv; do
    [ "$(wc -l <"$file")" -gt 5 ] || fail "$file: hardly any jobs"
    cmp -s "$file" "again.$file" || fail "$file: another replay by its summary.json"
  done
fi

# The totals are those of the jobs, in each of the files.
if command -v python3 >/dev/null; then
  run "${machine[@]}" -s 'SLURM TM-A TM-Isub' --share 50 -a 50 -o totals "$log"
  python3 "$(dirname "$placectl_test")/simulate_totals.py" totals 128 || fail 'totals are not those of the jobs'
fi

# All options at once.
run "${machine[@]}" -s 'SLURM;TREEMATCH=scope=subtree,levels-up=1' --full --share 50 -a 50 --pattern grid=auto3 --charge 1,0.01 \
  --stock-charge 2 --node-failures 20 --repair 1 --whole-nodes --backfill-depth 10 \
  --scale-run-times 50 --partition small,large --hours 2 --jobs 50 "$log"
ends 0
has '50 jobs of'
gzip -c "$log" >log.gz
run "${machine[@]}" --stock-request tasks --charge measured -s SLURM log.gz
ends 0
# From a pipe, plain or packed: read once.
for packer in cat 'gzip -c'; do
  "$placectl" simulate "${machine[@]}" -s SLURM /dev/stdin < <($packer "$log") >.out 2>.err
  code=$? out=$(cat .out) err=$(cat .err) command="$packer | placectl simulate"
  ends 0
  has '122 jobs of /dev/stdin'
done
head -c 300 log.gz >cut.gz
run "${machine[@]}" cut.gz
  refused 1 'cut.gz 14'
run "${machine[@]}" .
refused 1 '. Is a directory'
printf 'JobID|Submit|ElapsedRaw|AllocCPUS|TimelimitRaw|Partition\n7|1714521610|90|8|60|a\n' >sacct.txt
run "${machine[@]}" -s SLURM sacct.txt
ends 0
has '1 jobs of sacct.txt'
run "${machine[@]}" -s SLURM <(cat sacct.txt)
ends 0
has '1 jobs of /dev/fd/'

# Tasks of an array have one number, and each its line of the log.
printf 'JobID|Submit|ElapsedRaw|AllocCPUS\n12_1|5|90|4\n\n12_2|5|90|4\n' >array
run "${machine[@]}" -s SLURM -o array.out array
ends 0
[ "$(awk -F , '{ print $1, $14 }' array.out/jobs-SLURM.csv | tr '\n' ';')" = 'job line;12 2;12 4;' ] || fail "$command: $(cat array.out/jobs-SLURM.csv)"

# A tree file: its leaves are cores or nodes, and the machine is the same as by the arities.
printf 'tree 4 4 2 4\n' >cores.tree
printf 'tree 4 4\n' >nodes.tree
printf 'tleaf 4 4 2 4 2 2 2 4 2\n' >cores.tleaf
run "${machine[@]}" -s 'SLURM TM-A' -o by-arities "$log"
for file in cores.tree nodes.tree cores.tleaf; do
  run -t $file --node 2x4 -s 'SLURM TM-A' -o by-tree "$log"
  ends 0
  has '16 nodes, 128 cores, 4 leaf switches'
  cmp -s by-arities/jobs-SLURM.csv by-tree/jobs-SLURM.csv || fail "$file is another machine than 4:4"
done
# Four switches of eight nodes with eight cores each: the arities have no cores.
run -t 4:8 --node 2x4 -s SLURM "$log"
ends 0
has '32 nodes, 256 cores, 4 leaf switches'
run -t cores.tree "$log"
refused 2 '--topology cores.tree --node --slurm-conf'
printf 'SwitchName=s0 Nodes=a[1-16]\n' >topology.conf
printf 'NodeName=a[1-16] Sockets=2 CoresPerSocket=4\n' >slurm.conf
run -t topology.conf -s SLURM "$log"
ends 0
run -t topology.conf --node 1x1 "$log"
refused 2 '--node topology.conf slurm.conf'

# Cores that Slurm reserves, and nodes that are down or do not exist yet, take no jobs.
mkdir offered
printf 'SwitchName=s1 Nodes=a[1-8]\nSwitchName=s2 Nodes=a[9-16]\nSwitchName=t Switches=s[1-2]\n' >offered/topology.conf
printf 'NodeName=DEFAULT CPUs=4 State=UNKNOWN\nNodeName=a[1-4] CoreSpecCount=1\nNodeName=a[5-16] State=FUTURE\nDownNodes=a2\n' >offered/slurm.conf
printf 'JobID|Submit|ElapsedRaw|AllocCPUS\n1|5|90|9\n2|5|90|10\n' >offered/log
run -t offered/topology.conf -s SLURM offered/log
ends 0
has '16 nodes, 9 cores'
noted 'skipped 1: larger machine line 3'

# Where slurm.conf counts threads so does sacct: a job on all of them has all cores.
mkdir threads
printf 'SwitchName=s0 Nodes=n[0-3]\n' >threads/topology.conf
printf 'NodeName=n[0-3] CPUs=16 CoresPerSocket=8 ThreadsPerCore=2\n' >threads/slurm.conf
printf 'JobID|Submit|ElapsedRaw|AllocCPUS\n1|5|90|64\n2|5|90|15\n' >threads/log
run -t threads/topology.conf -s SLURM -o threads/out threads/log
ends 0
noted 'repaired 2: threads 2 core line 2'
noted 'repaired 1: threads last core line 3'
[ "$(cut -d , -f 3 threads/out/jobs-SLURM.csv | tr '\n' ' ')" = 'tasks 32 8 ' ] || fail "$command: other numbers of cores"
printf 'NodeName=n[0-3] CPUs=8 CoresPerSocket=8 ThreadsPerCore=2\n' >threads/slurm.conf
run -t threads/topology.conf -s SLURM threads/log
noted 'skipped 1: larger machine line 2'
run -t 1:4 --node 1x8 --threads-per-core 2 -s SLURM threads/log
ends 0
says 'repaired 2: threads 2 core'
printf 'NodeName=n[0-2] CoresPerSocket=8 ThreadsPerCore=2\nNodeName=n3 CoresPerSocket=8\n' >threads/slurm.conf
run -t threads/topology.conf -s SLURM threads/log
ends 1
has '--threads-per-core'
run -t threads/topology.conf -s SLURM --threads-per-core 0 threads/log
ends 2

# A torus, failures, a state that policies know.
run -t 4x4x4 --node 1x4 -s 'SLURM RANDOM' --share 50 -o torus "$log"
ends 0
has 'torus 4x4x4'
run -t 4x4x4 --node 1x4 -s 'SLURM TM-A' "$log"
refused 2 '--strategies TM-A TOFA'
printf '[0-9] 0.2\n' >faulty
awk '!/^ *[0-9]/ || $5 <= 40' "$log" >small.swf
run -t 4x4x4 --node 1x4 -s 'SLURM TOFA TOFA-PAPER GREEDY' --outages faulty --outage-hours 1 small.swf
ends 0
has 'TOFA: '
case $out in *'stock choice'*) fail 'TOFA refuses jobs' ;; esac
printf 'mesh 4 4\na[1-8] 0-3 0-1\nb[1-8] 0-3 2-3\n' >torus.txt
printf 'a[1-3] 0.6\nb8 0.9\n' >outages
run -t torus.txt --node 1x8 -s SLURM --outages outages --outage-hours 1 --repair 0.1 "$log"
ends 0
has 'SLURM: '
has ' node failures, '
has 'torus and mesh 4x4'
printf 'NodeName=a[1-8] CPUs=8 Sockets=2 CoresPerSocket=4\nNodeName=b[1-8],c1 CPUs=4\n' >slurm.conf
run -t torus.txt --slurm-conf slurm.conf -s 'SLURM GREEDY' "$log"
ends 0
has '16 nodes, 96 cores, torus and mesh 4x4'
run -t torus.txt --slurm-conf slurm.conf --node 1x4 "$log"
refused 2 '--node --slurm-conf'
run "${machine[@]}" --slurm-conf slurm.conf "$log"
refused 2 '--node --slurm-conf'
run -t 4x4 --slurm-conf slurm.conf "$log"
refused 1 '4x4 names no nodes'
# Failures that let no job end, or no machine come up again: it ends, and says what became of the jobs.
printf 'n[0-15] 1\n' >certain
for more in '--node-failures 1000 --repair 100000' '--outages certain --outage-hours 0.001 --repair 100000' '--outages certain --outage-hours 0.1'; do
  # shellcheck disable=SC2086
  timeout 300 "$placectl" simulate -q "${machine[@]}" -s SLURM $more -o hopeless "$log" >.out 2>.err
  code=$? out=$(cat .out) err=$(cat .err) command="placectl simulate $more"
  ends 0
  has ' given up '
  awk -F , 'NR == 1 { for (k = 1; k <= NF; ++k) at[$k] = k }
    NR == 2 { exit !($at["given_up"] > 0 && $at["ended"] + $at["given_up"] == $at["jobs"] && $at["utilisation"] <= 1) }' hopeless/summary.csv ||
    fail "$command: jobs are lost"
done
run "${machine[@]}" -s 'SLURM NLA LOAD-AWARE' --state state.json --backfill slurm "$log"
ends 0
case $out in *'stock choice'*) fail 'a state is given, and jobs are refused' ;; esac
echo '{"slurm-placement-snapshot": 3, "nodes": [{"name": "n0", "liveness": "up", "age_s": 2, "cores": 16, "cpu_load_1": 0}]}' >few
run "${machine[@]}" -s 'SLURM NLA' --state few "$log"
ends 0
has ' stock choice '
has ' 15 of 16 nodes '
for strategy in NLA NLA-PAPER LOAD-AWARE nla=alpha=0.5; do
  run "${machine[@]}" -s "SLURM $strategy" "$log"
  refused 2 "--strategies $strategy --state FILE"
done
run "${machine[@]}" -s TOFA-PAPER "$log"
refused 2 '--strategies TOFA-PAPER torus --topology'
run "${machine[@]}" --state none "$log"
refused 1 'none No such file or directory'
run "${machine[@]}" --outages outages "$log"
refused 1 'outages:1: a1 n0'
run "${machine[@]}" --outage-hours 5 "$log"
refused 2 '--outage-hours --outages'
run -t 4x0 --node 1x4 "$log"
refused 1 '4x0 8x8x8'
run -t 4x4 "$log"
refused 2 '--topology 4x4 --node --slurm-conf'

refused_option() { run "${machine[@]}" "$@" "$log"; }
run "$log"
refused 2 'machine --topology'
run "${machine[@]}" none.swf
refused 1 'none.swf No such file or directory'
: >empty
run "${machine[@]}" empty
refused 1 'empty job'
printf '; a comment\n1 0 0 -1 4\n2 0 0 10 0\n3 9 0 -1 4\n' >unusable
run "${machine[@]}" unusable
refused 1 'unusable skipped 2 negative line 2 skipped 1 processors line 3'
refused_option --partition none
refused 1 "$log 123 small 1 large 2"
refused_option --from 99999999
refused 1 "$log: 123 submitted from to"
for time in x -1 2026-02-30 ''; do
  refused_option --from "$time"
  refused 2 "--from $time YYYY-MM-DD[THH:MM[:SS]]"
done
{
  echo 'JobID|Submit|ElapsedRaw|AllocCPUS'
  for day in 2025-12-31T23:59:59 2026-01-01T00:00:00 2026-01-31T23:59:59 2026-02-01T00:00:00; do echo "1|$day|90|4"; done
} >winter
run "${machine[@]}" -s SLURM --from 2026-01-01 --hours 744 -o month winter
ends 0
has '2 jobs of winter; 2 usable '
[ "$(cut -d , -f 2 month/jobs-SLURM.csv | tr '\n' ' ')" = 'submit_s 0 2678399 ' ] || fail "$command: other times"
printf '1 0 0 90 129\n' >large.swf
run "${machine[@]}" large.swf
refused 1 "large.swf: 1 larger 128 cores line"
refused_option -s TM-X
refused 2 '--strategies TM-X SLURM TM-A TM-I TM-Isub TM-Isub+K TREEMATCH NLA NLA-PAPER LOAD-AWARE TOFA TOFA-PAPER GREEDY MATCHING MATCHING-PAPER SEQUENTIAL RANDOM'
for strategy in TM-Isub+x TREEMATCH=objective=foo TREEMATCH=nonsense=1; do
  refused_option -s "SLURM $strategy"
  ends 2
  has "--strategies: strategy $strategy: "
done
refused_option -s 'SLURM slurm'
refused 2 '--strategies slurm twice'
refused_option -a 101
refused 2 '--communication 101 0 100'
refused_option --share nan
refused 2 '--share nan 0 100'
refused_option --charge fast
refused 2 '--charge fast none measured SECONDS[,SECONDS PER TASK]'
for effort in 0 1001 x 3,0 3,x 3,4,5 ''; do
  refused_option --effort "$effort"
  ends 2
done
refused 2 '--effort N N,TASKS N 1 1000'
run "${machine[@]}" -s 'TM-A SLURM' --effort 3,64 -o effort "$log"
ends 0
refused_option --backfill none
refused 2 '--backfill none easy slurm[,INTERVAL[,MARGIN]] INTERVAL 0 1'
for word in 'slurm,' slurm,x slurm,0.000001 slurm,0.9 slurm,1,2,3 slurm,-1 easy,30 slurm,nan ''; do
  refused_option --backfill "$word"
  ends 2
done
for more in slurm slurm,0 slurm,1 slurm,30 slurm,30,0; do
  run "${machine[@]}" -s SLURM --backfill $more -o "bf-$more" "$log"
  ends 0
done
for more in slurm,30 slurm,30,0; do
  cmp -s bf-slurm/jobs-SLURM.csv bf-$more/jobs-SLURM.csv || fail 'the defaults of --backfill slurm are not 30 and 0'
done
refused_option --release -1
refused 2 '--release -1 0 1e+06'
refused_option --stock-request once
refused 2 '--stock-request once nodes tasks'
refused_option --pattern random=1e9
has ' 1e6'
refused_option --pattern hexagon
ends 2
has ' hexagon'
refused_option -o /proc/none
ends 1
# A folder that cannot be written is reported before the replays; an error that comes later leaves their tables.
[ -z "$out" ] || fail "$command: output '$out'"
mkdir -p spoilt/summary.csv
run "${machine[@]}" -s SLURM -o spoilt "$log"
ends 1
says 'spoilt/summary.csv Is a directory'
has 'makespan s'
for switches in 0:4 x '' 4:-1 1024:1024:1024; do
  run -t "$switches" --node 2x4 "$log"
  ends 1
done
run -t 4:4 --node 8 "$log"
refused 2 '--node 8 SOCKETSxCORES 2x8'

# A log in which nobody requested a time: the run time stands in, and is said to.
awk '/^[^;]/ && NF == 18 { $9 = -1 } 1' "$log" >unlimited.swf
run "${machine[@]}" -s SLURM unlimited.swf
ends 0
noted 'repaired 123: requested time'

for _ in $(seq 200); do tail -n +8 "$log"; done >long.swf
# On a terminal a bar shows how far it is and how long it will take.
if command -v script >/dev/null; then
  script -qec "'$placectl' simulate ${machine[*]} --jobs 6000 -s TM-I long.swf" /dev/null >.out 2>&1 </dev/null
  code=$? out=$(cat .out) err='' command='on a terminal'
  ends 0
  has ' s left'
  has '6000 jobs of'
fi

# Ctrl-C ends it with what there is.
"$placectl" simulate "${machine[@]}" -s 'TM-I' long.swf >.out 2>.err &
pid=$!
# Once it is the program and has a handler of its own for the signal.
caught() { case $(cat /proc/$pid/comm) in *placectl*) ;; *) return 1 ;; esac && [ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$pid/status) & 2)) != 0 ]; }
for _ in $(seq 600); do caught 2>/dev/null && break; sleep 0.1; done
kill -INT $pid
wait $pid
code=$? out=$(cat .out) err=$(cat .err) command='interrupted'
ends 0
has '  interrupted'

# The scripts that run the replays of doc/simulate.md take an option for no folder.
for script in torus curie; do
  "${log%/*}/$script" --help >.out 2>.err
  code=$? out=$(cat .out) err=$(cat .err) command="$script --help"
  ends 0
  has "usage: contrib/evaluation/simulate/$script "
  "${log%/*}/$script" --frobnicate >.out 2>.err
  code=$? out=$(cat .out) err=$(cat .err) command="$script --frobnicate"
  ends 2
  [ ! -e ./--frobnicate ] || fail "$command: made a folder of that name"
done

[ $failures = 0 ] || exit 1
echo 'all as it should be'
