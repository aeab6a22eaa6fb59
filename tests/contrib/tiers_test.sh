#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/cluster/run: which functions each tier has, and what tests/quarantine may contain. Each "# tier:" line of the real tests is at
# the top of its file or directly above a function, as is each "# system:" line. contrib/check --system has the unit test programs that use a
# library of the system.
# contrib/check accepts the options that .ci/run gives it.
set -u
top=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0
trap 'rm -rf "$work"' EXIT
fail() { failures=$((failures + 1)); echo "FAILED: $*"; }
expect() {  # what got expected
  [ "$2" = "$3" ] || fail "$1 is '$2' and should be '$3'"
}

mkdir -p "$work/tests/cluster" "$work/contrib/lib" || exit 99
cp "$top/tests/cluster/run" "$work/tests/cluster/" && cp "$top"/contrib/lib/{say,namespaces}.sh "$work/contrib/lib/" || exit 99
: >"$work/tests/quarantine"
cat >"$work/tests/cluster/slow.test" <<'END'
# cluster: --nodes 4
# tier: all

test_rare() {
}

# A comment.
# tier: first
test_promise() {
}
END
cat >"$work/tests/cluster/quick.test" <<'END'
# cluster: --nodes 4

test_core() {
}
# system: any
# tier: all
test_core_variant() {
}
# system: any
test_core_text() {
}
END
cat >"$work/tests/cluster/own.test" <<'END'
# cluster: --nodes 4
# system: any

test_own() {
}
END
listed() { "$work/tests/cluster/run" --list "$@" 2>/dev/null | paste -sd ' '; }
expect "the first tier" "$(listed --tier first)" "own/test_own quick/test_core quick/test_core_text slow/test_promise"
expect "the tests that depend on the system" "$(listed --tier system)" "quick/test_core slow/test_promise"
expect "every test" "$(listed --tier all)" "own/test_own quick/test_core quick/test_core_variant quick/test_core_text slow/test_rare slow/test_promise"
expect "a pattern in the first tier" "$(listed --tier first slow/)" "slow/test_promise"
expect "a pattern of three tests" "$(listed test_core)" "quick/test_core quick/test_core_variant quick/test_core_text"
if "$work/tests/cluster/run" --list nothing/here >/dev/null 2>&1; then fail "a pattern without a test is accepted"; fi

quarantine() { printf '%s\n' "$@" >"$work/tests/quarantine" && "$work/tests/cluster/run" --list >/dev/null 2>&1; }
entry="quick/test_core 2026-11-28 fails when the clock jumps"
quarantine "# a comment" "" "$entry" "$entry" "$entry" || fail "three functions cannot be in quarantine"
if quarantine "$entry" "$entry" "$entry" "$entry"; then fail "four functions are accepted in quarantine"; fi
if quarantine "quick/test_core 2026-11-28"; then fail "quarantine without a reason is accepted"; fi
if quarantine "quick/test_core fails when the clock jumps"; then fail "quarantine without a date is accepted"; fi

for file in "$top"/tests/cluster/*.test; do
  awk '/^$/ { below = 1 } /^# (tier|system):/ { if (!/^# (tier: (first|all)|system: (any|own))$/) print; else if (below) pending = $0 " in line " NR; next }
    pending && !/^test_/ { print pending } { pending = "" }' "$file" >"$work/stray"
  [ ! -s "$work/stray" ] || fail "${file##*/}: not above a function: $(paste -sd ';' "$work/stray")"
done
first=$("$top/tests/cluster/run" --list --tier first | wc -l) every=$("$top/tests/cluster/run" --list | wc -l)
if [ "$first" -eq 0 ] || [ "$first" -ge "$every" ]; then fail "the first tier has $first of $every functions"; fi

for file in $("$top/tests/cluster/run" --list | grep -vxFf <("$top/tests/cluster/run" --list --tier first) | cut -d / -f 1 | sort -u); do
  grep '^|' "$top/CONTRIBUTING.md" | grep -q "\`${file%%_*}_\*\`\|\`$file\`" || fail "$file has functions that only --all runs, and is in no row of CONTRIBUTING.md"
done

system=$(sed -n '/^system_tests=(/,/^)/s/^ *\(tests[^ ]*\).*/\1/p' "$top/contrib/check")
[ -n "$system" ] || fail "contrib/check has no system_tests"
for test in $system; do [ -e "$top/$test" ] || [ -e "$top/$test.cpp" ] || fail "system_tests of contrib/check: $test does not exist"; done
for file in $(cd "$top" && grep -lE '#include <(dlfcn|gcrypt|gelf|hwloc|json|lemon|munge|scotch|slurm/|sqlite3|yaml|zlib|zstd)' tests/*/*_test.cpp); do
  grep -qx "${file%.cpp}" <<<"$system" || fail "$file uses a library and is not in system_tests of contrib/check"
done
for option in $(grep -oE 'contrib/check --[a-z]+' "$top/.ci/run" | sed 's/.* //' | sort -u); do
  "$top/contrib/check" --help | grep -q "^  $option " || fail ".ci/run gives contrib/check the option $option, which it does not have"
done
echo "$first of $every functions are in the first tier; $failures failures"
[ $failures = 0 ]
