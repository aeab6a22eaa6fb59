# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Functions for the tests of the select plugin. Each select_*.test sources this file.

# From now on INJECT_NAME=VALUE in a client's environment gives the job NAME=VALUE for plugins.
inject_on() {
  [ -e "$CLUSTER/inject.so" ] ||
    gcc -shared -fPIC -O1 -Wall -Wextra -I "${SP_SLURM_PREFIX:-/usr}/include" -o "$CLUSTER/inject.so" "$SP_TOP/tests/cluster/inject.c"
  grep -q inject.so "$CLUSTER/plugstack.conf" || echo "required $CLUSTER/inject.so" >>"$CLUSTER/plugstack.conf"
}

# Runs a client as one that asks for a policy without a matrix.
policy() {
  INJECT_PLACEMENT_VERSION=1 INJECT_PLACEMENT_POLICY=${POLICY:-TREEMATCH} "$@"
}

select_setup() {
  need_plugin select_cons_tres
  inject_on
}

# What our plugin wrote into the job's system comment.
record() { scontrol -o show job "$1" | grep -o 'placement: [^;]*;' || true; }
expect_record() { expect_match "record of job $1" "$(record "$1")" "$2"; }

cpus_of() { scontrol -o show job "$1" | sed -n 's/.* NumCPUs=\([0-9]*\) .*/\1/p'; }
nodes_of() { scontrol -o show job "$1" | sed -n 's/.* NodeList=\([^ ]*\) BatchHost.*/\1/p; s/.* NodeList=\([^ ]*\) NumNodes.*/\1/p' | head -n 1; }

# "n1:0-3 n2:5", and with the memory "n1:0-3/100"
cores_of() {
  scontrol -d -o show job "$1" | grep -o 'Nodes=[^ ]* CPU_IDs=[^ ]* Mem=[0-9]*' |
    sed 's/Nodes=\([^ ]*\) CPU_IDs=\([^ ]*\) Mem=.*/\1:\2/' | paste -sd ' '
}

# salloc --no-shell answers once the job has its nodes; prints the job id.
allocate() {
  local output
  output=$(salloc --no-shell "$@" 2>&1) || { echo "$output" >&2; return 1; }
  sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$output"
}

gone() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
release() {
  scancel "$1"
  wait_for 20 gone "$1"
}
