# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Functions for the tests of a record's costs; each record_costs*.test sources this file.
. "$SP_TOP/tests/cluster/select_lib.sh"

costs_setup() {
  need_plugin select_cons_tres
  need_plugin loadmatrix
  rm -f "$CLUSTER/placement.conf"
  reconfigure
  # Rings of even and of odd ranks, and little between the two: bad in natural order.
  { echo "8 9"; for r in 0 1 2 3 4 5 6 7; do echo "$r $(((r + 2) % 8)) 10000"; done; echo "0 1 30"; } >m
}
# The record's cost and in-order equal those that srun -v prints for the first step. The last argument matches more of the record.
same_costs() {  # what record-pattern option...
  local what=$1 pattern=$2 said job
  shift 2
  # shellcheck disable=SC2016
  salloc "$@" -m TREEMATCH=m bash -c 'srun -v true 2>err; scontrol -o show job $SLURM_JOB_ID >shown' 2>notice
  said=$(sed -n 's/.*placement: step .* by TREEMATCH: \([0-9]*\) hop-bytes[^0-9]*\([0-9]*\)$/cost=\1 in-order=\2/p' err)
  [ -n "$said" ] || fail "$what: srun says nothing: $(cat err)"
  job=$(grep -o 'placement: [^;]*;' shown)
  expect_match "record of $what" "$job" "$pattern"
  expect_match "costs of $what" "$job" " $said[ ;]"
}
