# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# What the tests of policy NLA share; read in by each nla*.test. The state of the cluster is JSON of the test's,
# published as a snapshot.

. "$SP_TOP/tests/cluster/select_lib.sh"

LIVE=$CLUSTER/tmp/nla

# Publishes a snapshot from its input, one line for each item; "-" for a load or latency means unknown.
#   node NAME LOAD SLURM_LOAD [CORES [MHZ]]   default: no load, 4 cores, 3000 MHz
#   pair A B LATENCY_US BANDWIDTH             default: 50 us, 1e8 of 1.25e8 bytes/s
#   links LATENCY_US BANDWIDTH                the default of pairs, on an idle network; "links -": other pairs are unknown
#   published SECONDS                         the age of the snapshot
publish() {
  awk -v now="$(date +%s)" '
  function told(value) { return value == "-" ? "null" : value }
  BEGIN {
    usual_us = 50; usual_Bps = "1e8"; peak_Bps = "1.25e8"
    for (n = 1; n <= 8; n++) { load["n" n] = slurm["n" n] = 0; cores["n" n] = 4; MHz["n" n] = 3000 }
  }
  $1 == "node" { load[$2] = $3; slurm[$2] = $4; if (NF > 4) cores[$2] = $5; if (NF > 5) MHz[$2] = $6 }
  $1 == "links" { usual_us = $2; usual_Bps = peak_Bps = $3 }
  $1 == "published" { published = $2 }
  $1 == "pair" { us[$2, $3] = us[$3, $2] = $4; Bps[$2, $3] = Bps[$3, $2] = $5 }
  END {
    printf "{\"slurm-placement-snapshot\": 3, \"published_at_s\": %d, \"nodes\": [\n", now - published
    for (n = 1; n <= 8; n++)
      printf "{\"name\": \"n%d\", \"liveness\": \"up\", \"age_s\": 1, \"cores\": %s, \"cpu_load_1\": %s, \"slurm_load_1\": %s, \"frequency_MHz\": %s}%s\n",
        n, cores["n" n], told(load["n" n]), told(slurm["n" n]), MHz["n" n], (n < 8 ? "," : "]")
    print ", \"groups\": [\"n1\", \"n2\", \"n3\", \"n4\", \"n5\", \"n6\", \"n7\", \"n8\"], \"pairs\": ["
    for (a = 1; a <= 8; a++)
      for (b = a + 1; b <= 8; b++) {
        known = ("n" a, "n" b) in us
        latency = known ? us["n" a, "n" b] : usual_us
        rate = known ? Bps["n" a, "n" b] : usual_Bps
        if (latency == "-") continue
        printf "%s{\"groups\": [%d, %d], \"latency_us\": %s, \"bandwidth_Bps\": %s, \"peak_bandwidth_Bps\": %s, \"source\": \"measured\", \"age_s\": 30}\n",
          (pairs++ ? "," : ""), a - 1, b - 1, latency, rate, (rate + 0 > peak_Bps + 0 ? rate : peak_Bps)
      }
    print "]}"
  }' >state
  "$SP_PREFIX/bin/placectl" import state "$LIVE/snapshot"
  reconfigure
}

setup() {  # more lines for placement.conf
  need_plugin select_cons_tres
  need_plugin loadmatrix
  rm -rf "$LIVE"
  mkdir -p "$LIVE"
  chmod 755 "$LIVE"
  printf 'SnapshotFile=%s\nMonitorUser=nobody\n%s\n' "$LIVE/snapshot" "${1:-}" | set_placement_conf
}

run_job() {  # options of sbatch; leaves $job and $nodes
  job=$(submit "$@" --wrap true)
  wait_job "$job"
  nodes=$(job_field "$job" NodeList)
}

waits() { record "$1" | found 'chose=nothing wait'; }

overloaded() {  # publishes more load on each node than it has cores
  local all='' n
  for n in 1 2 3 4 5 6 7 8; do all+="node n$n 4.5 0"$'\n'; done
  publish <<<"$all"
}

as_second_user() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }

# A second user's job without a policy, which runs longer than any pause of the waiting one; it must start while
# the first job waits.
expect_start_beside() {  # waiting job, options of sbatch
  local waiting=$1 plain
  shift
  plain=$(as_second_user sbatch --parsable -o /dev/null -t 60 "$@" --wrap 'sleep 300')
  wait_for 40 job_is "$plain" RUNNING
  expect_eq "the job that waits" "$(job_state "$waiting")" PENDING
  shows "$(job_field "$plain" NodeList) for the second user"
  scancel "$plain"
}
