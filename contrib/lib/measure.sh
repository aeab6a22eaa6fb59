# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Functions for scripts with their own private cluster. The scripts set `cluster`, the path of
# contrib/cluster, and `keep`, yes or no.

# For trap EXIT: ends the cluster, unless `keep` is yes and the script succeeded.
take_down() {
  local code=$?
  trap - EXIT
  # shellcheck disable=SC2154
  if [ "$keep" = no ] || [ $code -ne 0 ]; then "$cluster" down >/dev/null 2>&1; fi
  exit $code
}

# Prints the middle one of the numbers in lines "WORD NUMBER ms" of the file; fails when there is none.
middle() {  # word file
  sed -n "s/^$1 \([0-9.]*\) ms.*/\1/p" "$2" | sort -n | awk '{ v[NR] = $1 } END { if (NR == 0) exit 1; print v[int((NR + 1) / 2)] }'
}
