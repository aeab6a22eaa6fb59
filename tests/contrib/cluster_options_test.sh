#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What contrib/cluster refuses before it has started or removed anything, and what it takes.
set -u
top=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/tools/words_lib.sh
. "$top/tests/tools/words_lib.sh"
# shellcheck source=contrib/lib/say.sh
. "$top/contrib/lib/say.sh"
# shellcheck source=contrib/lib/cluster_conf.sh
. "$top/contrib/lib/cluster_conf.sh"
slurmctld() { echo "slurm-wlm 22.05.8"; }
command() { :; }  # Slurm need not be installed here

settings() {  # option...
  (parse_up_options "$@" && check_settings) 2>&1
}
expect() {  # what, expected, found
  [ "$2" = "$3" ] || { failures=$((failures + 1)); echo "FAILED: $1: '$3', not '$2'"; }
}
expect_words() {  # what, words that the message must have, found
  has_words "$3" "$2" || { failures=$((failures + 1)); echo "FAILED: $1: no '$2' in '$3'"; }
}

expect_words "a prefix without slurm-placement" "${0##*/}: --plugins $work: $work/lib/slurm-placement" "$(settings --plugins "$work")"
expect "a week" "" "$(settings --ttl 604800)"
expect_words "more than a week" "${0##*/}: --ttl '604801': 1 604800" "$(settings --ttl 604801)"

D=$work/cluster
mkdir -p "$D/plugins" && touch "$D/plugins/select_cons_tres.so"
expect_words "other plugins from there" "${0##*/}: plugins $work: $work/lib/slurm-placement" "$(install_plugins "$work" 2>&1)"
[ -e "$D/plugins/select_cons_tres.so" ] || { failures=$((failures + 1)); echo "FAILED: the cluster's plugins are removed first"; }
mkdir -p "$work/lib/slurm-placement"
expect "a prefix with slurm-placement" "" "$(settings --plugins "$work")"
echo "$failures failures"
[ $failures = 0 ]
