#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A script that installs packages still runs its trap, with the right exit code. The program that keeps services from starting is removed
# by then. apt is a stand-in.
set -u
source=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT

runs() {  # what apt does, lines of a script
  # shellcheck disable=SC2016
  (work=$work bash -c '. "$1/contrib/lib/say.sh"; . "$1/contrib/lib/packages.sh"
    mkdir -p "$work/log" && policy=$work/policy
    missing_packages() { echo one; }
    id() { echo 0; }
    apt_quiet() { [ "$1" = update ] || '"$1"'; }
    apt-get() { :; }
    '"$2" bash "$source" 2>&1 | tail -n 1)
}
expect() {  # what, expected, found
  [ "$2" = "$3" ] || { failures=$((failures + 1)); echo "FAILED: $1: '$3', not '$2'"; }
  [ ! -e "$work/policy" ] || { failures=$((failures + 1)); echo "FAILED: $1: services are still kept from starting"; }
}

expect "after an installation" "closing with 3" "$(runs true 'trap '\''echo "closing with $?"'\'' EXIT; install_packages one; exit 3')"
expect "when apt fails" "closing with 1" "$(runs false 'trap '\''echo "closing with $?"'\'' EXIT; install_packages one; exit 3')"
expect "without a trap" "ended" "$(runs true 'install_packages one; echo ended')"

# Two at once: the second one still has the program when the first one has removed it.
runs '{ sleep 0.5; [ -e "$policy" ]; }' 'install_packages one; echo "the first ended"' >"$work/first" &
for _ in {1..100}; do [ ! -e "$work/policy" ] || break; sleep 0.02; done
expect "the second of two" "the second ended" "$(runs '{ sleep 0.5; [ -e "$policy" ]; }' 'install_packages one; echo "the second ended"')"
wait
expect "the first of two" "the first ended" "$(cat "$work/first")"
echo "$failures failures"
[ $failures = 0 ]
