#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# mpirun for the cluster tests, first in PATH, under the names mpirun and mpirun.openmpi. tests/cluster/run puts the path of the real
# one into it.
# - Every test cluster has a process namespace of its own, so two mpirun can have the same process id and host name. Open MPI names its
#   files by these: they are kept below the cluster's own directory.
# - Open MPI 5's mpirun sometimes does not end after its ranks have (openpmix/prrte issue 1839; one in seven here, with stock Slurm,
#   too). Tests look at what the ranks printed. After 40 s mpirun is ended, which counts as success.
export TMPDIR=/run/placement-cluster/tmp/mpirun
timeout --foreground -k 5 40 @MPIRUN@ "$@"
code=$?
[ $code -ne 124 ] || { echo "mpirun did not end after 40 s" >&2; exit 0; }
exit $code
