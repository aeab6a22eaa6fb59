#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# placectl enable and disable on the configuration files of sites. PLACECTL names the program.
# shellcheck source=tests/tools/words_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/words_lib.sh"
set -u
placectl=${PLACECTL:?} work=$(mktemp -d) checks=0 failures=0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
unset SLURM_CONF SLURM_JOB_ID
mkdir ours etc etc/plugstack.conf.d
plugins=$work/ours

fail() {
  failures=$((failures + 1))
  printf 'FAIL: %s\n' "$*"
}

run() {  # command option...
  out=$("$placectl" "$1" --slurm-conf "$work/etc/slurm.conf" --plugins "$plugins" "${@:2}" 2>&1 </dev/null)
  code=$?
}

expect() {  # code line...: whole lines of the output, in any order
  local line
  checks=$((checks + 1))
  [ "$code" = "$1" ] || fail "exit code $code instead of $1: $out"
  shift
  for line in "$@"; do grep -qxF -- "$line" <<<"$out" || fail "no line '$line' in: $out"; done
}

expect_words() {  # words...: each has these words, in this order, in one line of the output
  local line words
  for words in "$@"; do
    checks=$((checks + 1))
    while read -r line; do has_words "$line" "$words" && continue 2; done <<<"$out"
    fail "no line with '$words' in: $out"
  done
}

echo "no plugin" >ours/select_cons_tres.so
printf 'SelectType=select/cons_tres\n' >etc/slurm.conf
run enable
slurm=$(sed -n 's/^  replace .*select_cons_tres.so, .* \([0-9][0-9.]*\) [^0-9]*$/\1/p' <<<"$out")
replaces() { grep -qE "^  replace    $plugins/select_cons_tres.so, .*$1" <<<"$out" || fail "no line about '$1' in: $out"; }
replaces "plugin .* $slurm "
expect 1 "  in place   SelectType=select/cons_tres ($work/etc/slurm.conf:1)" \
  "  put in     optional $plugins/loadmatrix.so"
expect_words "put in TaskPlugin=task/affinity" "in place Mode=enforce Mode=observe"
# Where no Slurm is installed, a word stands for the directory of its plugins.
grep -qE "^  put in     PluginDir=$plugins:(/|DIRECTORY_OF_SLURMS_PLUGINS$)" <<<"$out" || fail "no PluginDir in: $out"

# Another version's plugin; ours behind the stock ones; a type that is not ours.
echo "x built for Slurm 1.02.3. y" >ours/select_cons_tres.so
printf '%s\n' '# a site' 'SelectType=select/linear' 'SelectTypeParameters=CR_Socket' "PluginDir=/usr/lib/slurm:$plugins/" 'TaskPlugin=task/none' >etc/slurm.conf
run enable
replaces " 1.02.3: .* $slurm "
expect 1 "  replace    SelectType=select/linear ($work/etc/slurm.conf:2) by SelectType=select/cons_tres" \
  "  replace    PluginDir=/usr/lib/slurm:$plugins/ ($work/etc/slurm.conf:4) by PluginDir=$plugins:/usr/lib/slurm"
expect_words "replace SelectTypeParameters=CR_Socket $work/etc/slurm.conf:3 CR_Core CR_CPU" \
  "replace TaskPlugin=task/none $work/etc/slurm.conf:5 TaskPlugin=task/affinity" "Then restart slurmctld"

# All in place, with an included slurm.conf and plugstack.conf.d.
printf 'x\0built for Slurm %s.\0y' $slurm >ours/select_cons_tres.so
printf 'include more.conf\nTaskPlugin=task/affinity\n' >etc/slurm.conf
printf 'SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nPluginDir=%s:/usr/lib/slurm\n' "$plugins" >etc/more.conf
echo "include $work/etc/plugstack.conf.d/*.conf" >etc/plugstack.conf
echo "optional $plugins/loadmatrix.so" >etc/plugstack.conf.d/placement.conf
printf '# first\nMode = observe # for a week\n' >etc/placement.conf
run enable
expect 0 "  in place   select_cons_tres.so, built for Slurm $slurm" \
  "  in place   PluginDir=$plugins:/usr/lib/slurm ($work/etc/more.conf:3)" \
  "  in place   optional $plugins/loadmatrix.so ($work/etc/plugstack.conf.d/placement.conf:1)" \
  "  in place   Mode=observe ($work/etc/placement.conf:2)"
expect_words 'Then "scontrol reconfigure" plugstack.conf' 'Now slurmctld --slurm-conf'
# Slurm looks for a bare name in PluginDir, and a directory may end in a slash.
echo "optional loadmatrix.so" >etc/plugstack.conf.d/placement.conf
plugins=$work/ours/ run enable
expect 0 "  in place   PluginDir=$plugins:/usr/lib/slurm ($work/etc/more.conf:3)" \
  "  in place   optional loadmatrix.so ($work/etc/plugstack.conf.d/placement.conf:1)"
echo "optional $plugins/loadmatrix.so" >etc/plugstack.conf.d/placement.conf
# A placement.conf with a mistake is wrong, and not in place.
mv etc/placement.conf right.conf
echo Mod=enforce >etc/placement.conf
run enable
expect 1
expect_words "mend $work/etc/placement.conf:1: key Mod"
if grep -q "in place   Mode=" <<<"$out"; then fail "a mode is in place: $out"; fi
mv right.conf etc/placement.conf
# The daemons are optional. Their user and directory are those of placement.conf.
cp etc/placement.conf right.conf
printf 'MonitorUser=root\nStateDirectory=%s\n' "$work/etc" >>etc/placement.conf
run enable
expect 0 "  in place   user root" "  in place   directory $work/etc"
sed -i 's/=root/=nobody-here/; s|^StateD.*|&/none|' etc/placement.conf
run enable
expect 0 "  make       user nobody-here: useradd --system --uid 6828 --user-group nobody-here" \
  "  make       directory $work/etc/none: install -d -m 0750 -o nobody-here -g nobody-here $work/etc/none"
mv right.conf etc/placement.conf
run disable
expect 0 "  stop       systemctl disable --now placement-monitor placement-agent"
run disable
expect 0 "  replace    Mode=observe ($work/etc/placement.conf:2) by Mode=off" \
  "  take out   optional $plugins/loadmatrix.so ($work/etc/plugstack.conf.d/placement.conf:1)" \
  "  take out   $plugins of PluginDir ($work/etc/more.conf:3)"

# A login node needs no file of the controllers.
rm ours/select_cons_tres.so
printf 'include more.conf\nTaskPlugin=task/affinity\nSlurmctldHost=elsewhere(192.0.2.1)\nNodeName=n1\n' >etc/slurm.conf
run enable
expect 0
expect_words "in place no select_cons_tres.so: controller $work/etc/slurm.conf elsewhere" "in place no file controller $work/etc/slurm.conf elsewhere" \
  'Then "scontrol reconfigure" plugstack.conf'
printf 'include more.conf\nTaskPlugin=task/affinity\n' >etc/slurm.conf
printf 'x\0built for Slurm %s.\0y' $slurm >ours/select_cons_tres.so

# Files that include each other end; a plugin directory that is not there; no slurm.conf.
echo "include $work/etc/plugstack.conf" >>etc/plugstack.conf.d/placement.conf
run enable
expect 0
plugins=$work/none
run enable
expect 1
expect_words "missing $work/none: PluginDir"
rm etc/placement.conf
run disable
expect 0 "  put in     Mode=off"
rm etc/slurm.conf
run enable
expect 1
[ "$out" = "placectl enable: $work/etc/slurm.conf: cannot be opened: No such file or directory" ] || fail "message '$out'"

echo "$checks checks, $failures failures"
[ $failures = 0 ]
