# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Functions for the tests of jobs with GPUs; each select_gpus*.test sources this file. Any character device stands for a GPU.
. "$SP_TOP/tests/cluster/select_lib.sh"

all_idle_and_answering() { [ "$(sinfo -h -N -o %t | sort -u)" = idle ]; }

# n1 to n4 have two each, n5 and n6 four.
give_gpus() {
  select_setup
  ! grep -q 'Gres=gpu' "$CLUSTER/slurm.conf" || return 0
  local gpu node
  for gpu in 0 1 2 3; do [ -e "$CLUSTER/gpu$gpu" ] || mknod "$CLUSTER/gpu$gpu" c 1 3; done
  printf 'NodeName=n[1-4] Name=gpu File=%s/gpu[0-1]\nNodeName=n[5-6] Name=gpu File=%s/gpu[0-3]\n' "$CLUSTER" "$CLUSTER" >"$CLUSTER/gres.conf"
  sed -i '/^NodeName=n[1234] /s/$/ Gres=gpu:2/; /^NodeName=n[56] /s/$/ Gres=gpu:4/' "$CLUSTER/slurm.conf"
  for node in n1 n2 n3 n4 n5 n6 slurmctld; do restart_daemon $node; done
  wait_for 30 all_idle_and_answering
}
gpus_of() {
  local nodes gpus sum=0
  while read -r nodes gpus; do sum=$((sum + gpus * $(hosts "$nodes" | wc -w))); done < <(scontrol -d show job "$1" |
    sed -n 's/^ *Nodes=\([^ ]*\) .*GRES=gpu:\([0-9]*\).*/\1 \2/p')
  echo $sum
}

placed() {  # what nodes gpus option...
  local what=$1 nodes=$2 gpus=$3 job
  shift 3
  job=$(policy allocate "$@" 2>err) || fail "$what: $(cat err)"
  expect_record "$job" "chose=nodes tasks=[0-9]* nodes=$nodes "
  expect_eq "GPUs of $what" "$(gpus_of "$job")" "$gpus"
  release "$job"
}
