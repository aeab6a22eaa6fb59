#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each command in contrib prints its usage on standard output with --help, does nothing else, and ends with 0.
set -u
top=$(cd "${srcdir:-.}" && pwd -P) failures=0 commands=0
said=$(mktemp) && errors=$(mktemp) || exit 99
trap 'rm -f "$said" "$errors"' EXIT

fail() {
  failures=$((failures + 1))
  echo "FAILED: ${command#"$top/"} --help: $*"
}

for command in "$top"/contrib/* "$top"/contrib/evaluation/* "$top"/contrib/evaluation/simulate/*; do
  [ -f "$command" ] && [ -x "$command" ] || continue
  commands=$((commands + 1))
  timeout 60 "$command" --help >"$said" 2>"$errors" </dev/null || fail "ends with $?"
  grep -qi "^usage: .*${command##*/}" "$said" || fail "there is no line with its usage"
  [ ! -s "$errors" ] || fail "it says on standard error: $(head -n 1 "$errors")"
done
[ $commands -gt 0 ] || { failures=1; echo "FAILED: there are no commands in $top/contrib"; }
echo "$commands commands, $failures failures"
[ $failures = 0 ]
