# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the tests share that drive placectl as a person does: output, values in messages, and exit codes. PLACECTL names the program.
# shellcheck source=tests/tools/words_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/words_lib.sh"
set -u
placectl=${PLACECTL:?} source=$(cd "${srcdir:-.}" && pwd -P)
completion=$source/contrib/completion/placectl work=$(mktemp -d) checks=0 failures=0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
unset SLURM_CONF SLURM_JOB_ID

fail() {
  failures=$((failures + 1))
  printf 'FAIL: %s\n' "$*"
}

# Runs placectl with the arguments; leaves $out, $err and $code.
run() {
  "$placectl" "$@" >"$work/.out" 2>"$work/.err" </dev/null
  code=$? out=$(cat "$work/.out") err=$(cat "$work/.err") command="placectl $*"
}

# expected code and exact output; a third argument has words of standard error, or is empty if that has to be empty.
expect() {
  checks=$((checks + 1))
  [ "$code" = "$1" ] || fail "$command: exit code $code instead of $1; $err"
  [ "$out" = "$2" ] || fail "$command: output '$out' instead of '$2'"
  [ $# -lt 3 ] || { [ -n "$3" ] && has_words "$err" "$3"; } || [ "$err" = "$3" ] || fail "$command: message '$err' instead of '$3'"
}

# The run failed with this code, printed no output, and its message has these words in this order.
refused() { expect "$1" '' "$2"; }

# Text is in the output or the messages.
has() {
  checks=$((checks + 1))
  case "$out$err" in *"$1"*) ;; *) fail "$command: no '$1' in '$out$err'" ;; esac
}

# The output or the messages have these words in this order.
says() {
  checks=$((checks + 1))
  has_words "$out $err" "$1" || fail "$command: no '$1' in '$out$err'"
}

# A value of the JSON in $out.
json() {
  checks=$((checks + 1))
  local got
  got=$(printf '%s' "$out" | python3 -c "import json, sys; print(json.load(sys.stdin)$1)" 2>&1)
  [ "$got" = "$2" ] || fail "$command: $1 is $got instead of $2"
}
have_python=no
python3 -c 'import json' 2>/dev/null && have_python=yes

# ---- the worked figure of TreeMatch: 360, and 660 on the even leaves
printf 'tree 2 2 2\n' >tree
printf '0 5 10 100\n5 0 20 5\n10 20 0 10\n100 5 10 0\n' >matrix
printf '0\n2\n4\n6\n' >even

run_parts() {  # the least number of checks, then functions
  local least=$1 part
  shift
  for part in "$@"; do $part; done
  echo "$checks checks, $failures failures"
  [ $checks -ge "$least" ] || { echo "FAIL: only $checks checks ran"; exit 1; }
  [ $failures = 0 ]
}
