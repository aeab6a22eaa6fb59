# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
# What a cluster test can use. tests/cluster/run starts "bash lib.sh FILE FUNCTION" on the cluster's login
# host: srun, sbatch, scontrol and so on are those of the private cluster. The shell stops at the first
# command that fails (set -e), so a plain command is an assertion.
#
#   SP_TOP       the source tree              SP_TEST_BIN  programs for every user: halo, mpi_where, placectl
#   SP_PREFIX    install prefix of ours       CLUSTER      the cluster's directory: slurm.conf, log/, ...
#   WORK         an empty directory of this test, readable by every user

CLUSTER=/run/placement-cluster
SP_TEST_BIN=$CLUSTER/programs  # not in the clone, which other users may be unable to enter
export PATH=$SP_TEST_BIN/bin:$PATH
export XDG_STATE_HOME=$CLUSTER/state-of-root  # srun records its steps there, for placectl explain
cluster() { "$SP_TOP/contrib/cluster" "$@"; }

# ---- what a test says
skip() {  # reason
  echo "# skip: $*"
  exit 77
}
shows() { echo "# shows: $*"; }  # one line of what was seen, printed with the result
fail() {
  echo "FAILED: $*"
  exit 1
}

# Whether a line of the input matches, as for "grep -q". It reads to the end, because SIGPIPE could otherwise end the writer, which
# "pipefail" takes for a failure.
found() { grep "$@" | cat >/dev/null; }

expect_eq() {  # what got expected
  [ "$2" = "$3" ] || fail "$1 is '$2' and should be '$3'"
}
expect_match() {  # what text regular-expression
  [[ $2 =~ $3 ]] || fail "$1 is '$2' and should match '$3'"
}
expect_fail() {  # command... must not succeed; its output goes to $WORK/output
  if "$@" >"$WORK/output" 2>&1; then fail "succeeded: $*"; fi
}

exec {nothing}<> <(:)  # read waits for it without a process
succeeds_within() {  # seconds command...: repeats the command until it succeeds; the other clusters need the processor, too
  local - end=$((SECONDS + $1)) tenths=1
  set +x
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    read -rt 0.$tenths -u "${nothing:-}" 2>/dev/null || [ $? -gt 128 ] || sleep 0.$tenths  # in a job, the descriptor is not open
    tenths=$((tenths < 5 ? tenths + 1 : 5))
  done
}
wait_for() {  # seconds command...: fails unless the command succeeds; a busy machine gets three times the seconds
  succeeds_within $((3 * $1)) "${@:2}" || fail "not within the time: ${*:2}"
}

# For what stock Slurm does in one way up to a version and in another way from then on: whether this Slurm is of this version,
# as 24.11, or of a later one.
slurm_since() {
  printf '%s\n' "$1" "$(slurmctld -V | sed 's/^[^0-9]*//')" | sort -CV
}

# ---- plugins
need_plugin() {  # select_cons_tres | loadmatrix
  [ -n "$(find "$CLUSTER/plugins" -name "$1.so")" ] || skip "$1.so is not installed in this cluster"
}
# Since 23.11 slurmctld restarts at a reconfigure, and a node is not available until it has answered. Waits until as many nodes
# answer as before.
reconfigure() {
  local before
  before=$(answering_nodes)
  scontrol reconfigure && wait_for 30 as_many_answer "$before"
}
answering_nodes() { sinfo -h -N -o '%N %T' 2>/dev/null | sort -u | grep -cv '[*]$\|unk' || true; }
as_many_answer() { [ "$(answering_nodes)" -ge "$1" ]; }
set_placement_conf() {  # the new text on standard input; then reconfigures
  cat >"$CLUSTER/placement.conf"
  reconfigure
}

# ---- daemons: DAEMON is slurmctld or nK, for the slurmd of a node
start_daemon() { cluster start "$1"; }
stop_daemon() { cluster stop "$1"; }
kill_daemon() { cluster kill "$1"; }
restart_daemon() { cluster restart "$1"; }
restart_slurmctld() {  # and waits until the nodes that answered before do so again, unless slurm.conf has lost nodes
  local before
  before=$(answering_nodes)
  cluster restart slurmctld || return
  succeeds_within 30 as_many_answer "$before" || true
}
slurmctld_log() { cat "$CLUSTER/log/slurmctld.log"; }
# Marks the present end of slurmctld's log; log_since prints what came after it.
log_mark() { wc -c <"$CLUSTER/log/slurmctld.log" >"$WORK/log-mark"; }
log_since() { tail -c "+$(($(cat "$WORK/log-mark") + 1))" "$CLUSTER/log/slurmctld.log"; }

# ---- jobs
job_field() {  # job field: its value in "scontrol show job", with spaces in it if there are
  scontrol -o show job "$1" | sed -n "/.* $2=/{s///; s/ [A-Za-z:/]*=.*//; p; :rest; n; b rest}"
}
job_state() { job_field "$1" JobState; }
job_is() { [ "$(job_state "$1")" = "$2" ]; }
wait_job() {  # job [state] [seconds]
  wait_for "${3:-30}" job_is "$1" "${2:-COMPLETED}"
}
# srun and salloc end while their job still leaves its nodes, and the next job is then given others: call this before a job
# whose nodes are to be as on an idle cluster.
wait_idle() { wait_for 30 all_idle; }
submit() { sbatch --parsable -o "$WORK/job-%j.out" "$@"; }  # prints the job id
hosts() { scontrol show hostnames "$1" | paste -sd ' '; }    # n[1-3] -> n1 n2 n3
# Cores that a job holds, one "node ids" line per node.
job_cores() {
  scontrol -d show job "$1" | sed -n 's/^ *Nodes=\([^ ]*\) CPU_IDs=\([^ ]*\).*/\1 \2/p'
}

# ---- MPI's own account. mpi_where prints one line per rank; these read its output.
MPI_WHERE=$SP_TEST_BIN/mpi_where
rank_nodes() {  # file with the output of mpi_where: the nodes of rank 0, 1, ... in one line
  sed -n 's/^rank \([0-9]*\) of [0-9]* on \([^ ]*\) .*/\1 \2/p' "$1" | sort -n | cut -d ' ' -f 2 | paste -sd ' '
}
rank_cpus() {  # the same for the affinity masks
  sed -n 's/^rank \([0-9]*\) .* cpus \([^ ]*\)$/\1 \2/p' "$1" | sort -n | cut -d ' ' -f 2 | paste -sd ' '
}
# The ranks of a job are on record on the nodes where mpi_where found them.
expect_ranks_on_record() {  # job, file with the output of mpi_where
  "$SP_PREFIX/bin/placectl" explain --json "$1" >explained
  python3 - "$(rank_nodes "$2")" <<'END' || fail "the ranks of job $1 are on $(rank_nodes "$2"), on record $(cat explained)"
import json, sys
node_of = sys.argv[1].split()
(decision,) = [one for one in json.load(open("explained"))["decisions"] if one["for_start"]]
(ranks,) = [term[len("ranks: "):] for term in decision["terms"] if term.startswith("ranks: ")]
shown = {}
for node, listed in zip(sorted(set(node_of)), ranks.split(";"), strict=True):
    for part in listed.split(","):
        first, _, last = part.partition("-")
        for rank in range(int(first), int(last or first) + 1):
            shown[rank] = node
assert [shown[rank] for rank in sorted(shown)] == node_of
END
}
ranks_sharing() {  # the same for the number of ranks that share memory
  sed -n 's/^rank \([0-9]*\) .* sharing \([0-9]*\) .*/\1 \2/p' "$1" | sort -n | cut -d ' ' -f 2 | paste -sd ' '
}

# ---- between two tests
all_idle() {
  local states
  [ -z "$(squeue -h)" ] || return
  states=$(sinfo -h -N -o %t) && [ -n "$states" ] && ! grep -qv '^idle' <<<"$states"  # without an answer of slurmctld there are none
}
settle() {
  local id ids
  ids=$(timeout 10 squeue -h -o %A) || { echo "no answer of slurmctld: it is restarted"; cluster restart slurmctld; ids=$(squeue -h -o %A); }
  for id in $ids; do scancel --full "$id" 2>/dev/null; done
  for id in $(scontrol -o show reservation 2>/dev/null | sed -n 's/^ReservationName=\([^ ]*\) .*/\1/p'); do
    scontrol delete reservation="$id"
  done
  succeeds_within 40 all_idle
}

# ---- entry
if [ "${1:-}" = --settle ]; then
  settle
  exit
fi
# The cluster has run another function before; tests/cluster/run makes a new one if it finds no line "# ready".
[ "${SP_SETTLE:-no}" = no ] || { timeout --foreground 60 bash "${BASH_SOURCE[0]}" --settle && echo "# ready"; } || exit 1
WORK=$CLUSTER/tmp/test
rm -rf "$WORK"
mkdir -p "$WORK" "$CLUSTER/tmp/mpirun"
chmod 1777 "$WORK" "$CLUSTER/tmp/mpirun"
cd "$WORK" || exit 1
# shellcheck disable=SC1090
. "$1"
set -eEuo pipefail
trap 'echo "line $LINENO of ${BASH_SOURCE[0]##*/}: failed: $BASH_COMMAND" >&2' ERR
set -x
"$2"
