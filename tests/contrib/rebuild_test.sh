#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-placement-rebuild, as slurm-placement-source runs it after each upgrade of slurmctld and of itself. If it fails, it keeps the
# previous plugin, prints one line with the reason, and sets the metric to 0. slurmctld, Slurm's source and our source are
# stand-ins, and the plugin is a library with the sentence for which the script searches.
# shellcheck source=tests/tools/words_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/words_lib.sh"
set -u
source=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
rebuild=$source/contrib/packaging/slurm-placement-rebuild

# A small file system that can be filled needs a mount namespace.
if [ "${1:-}" != _inside ] && unshare --user --map-root-user --mount true 2>/dev/null; then
  rmdir "$work"
  exec unshare --user --map-root-user --mount "$0" _inside
fi

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
  sed 's/^/  | /' "$work/said"
}

mkdir -p "$work"/{bin,sources,plugins,metrics,temporary,ours/slurm-placement-1.0,theirs} && cd "$work" || exit 99
export PATH=$work/bin:$PATH TMPDIR=$work/temporary SP_REBUILD_SETTINGS=$work/settings SP_REBUILD_SOURCES=$work/sources \
  SP_REBUILD_METRICS=$work/metrics SP_REBUILD_PLUGINS=$work/plugins SP_REBUILD_LOG=$work/log SP_REBUILD_LOCK=$work/lock
printf '#!/bin/sh\necho "slurm-wlm $(cat %s/version)"\n' "$work" >bin/slurmctld
printf '#!/bin/sh\nshift 3\necho "$*" >>%s/system-log\n' "$work" >bin/logger
chmod +x bin/*
cat >ours/slurm-placement-1.0/configure <<'END'
#!/bin/sh
for option in "$@"; do case $option in --with-slurm-source=*) slurm=${option#*=} ;; esac; done
nice >"$STAND_IN/niceness-of-configure"
[ ! -e "$STAND_IN/refuse" ] || { echo "configure: error: lemon/matching.h is missing: install liblemon-dev" >&2; exit 1; }
sed -n 's/.*Version:[[:space:]]*/const char sentence[] = "slurm-placement OURS, built for Slurm /p' "$slurm/META" | sed "s/$/.\";/; s/OURS/${PWD##*-}/" >plugin.c
END
cat >ours/slurm-placement-1.0/Makefile <<'END'
controller-plugins:
	mkdir -p .libs
	nice >$(STAND_IN)/niceness
	if [ -e "$(STAND_IN)/fill" ]; then head -c 16384 /dev/zero | tr '\0' x; echo; head -c 2000000 /dev/zero >filled; fi
	if [ -e "$(STAND_IN)/wait" ]; then sleep 1; fi
	$(CC) -shared -fPIC -o .libs/select_cons_tres.so plugin.c
	if [ -e "$(STAND_IN)/break" ]; then echo 'plan_call.c:7:1: error: unknown type name "job_record_t"'; exit 1; fi
END
chmod +x ours/slurm-placement-1.0/configure
export STAND_IN=$work CC=${CC:-cc}
tar -C ours -cJf sources/slurm-placement-1.0.tar.xz slurm-placement-1.0

ours=1.0
upgrade_to() { echo "$1" >version; }
tree_of() { mkdir -p "sources/slurm-$1" && printf '  Version:\t%s\n' "$1" >"sources/slurm-$1/META"; }
runs() { : >system-log; "$rebuild" "$@" >said 2>&1; }
metric_is() { grep -qx "slurm_placement_plugin_fits{slurm=\"$1\"} $2" metrics/slurm_placement_plugin.prom; }
plugin_is_for() { grep -qaF "slurm-placement $ours, built for Slurm $1." plugins/select_cons_tres.so; }
nothing_is_left() { [ -z "$(find temporary plugins -mindepth 1 ! -name select_cons_tres.so)" ]; }

succeeds() {  # version
  runs || fail "with Slurm $1 it failed"
  plugin_is_for "$1" || fail "the plugin is not for Slurm $1"
  metric_is "$1" 1 || fail "the metric does not say that the plugin is for $1"
  nothing_is_left || fail "it left $(find temporary plugins)"
}
refuses() {  # what version of-the-plugin words [option]
  local fits=0
  [ "$2" != "$3" ] || fits=1
  ! runs ${5:+"$5"} || fail "$1: it succeeded"
  [ "$(grep -c . system-log)" = 1 ] || fail "$1: the system's log has $(grep -c . system-log) lines"
  [ "$(grep -cE '^slurm-placement-rebuild: no (new )?plugin for' said)" = 1 ] || fail "$1: it did not say once that there is no plugin"
  [ "$(grep -vc '^slurm-placement-rebuild: building the plugin for' said)" = 1 ] || fail "$1: it said more than that one line"
  has_words "$(cat said)" "$4" || fail "$1: it did not say \"$4\""
  plugin_is_for "$3" || fail "$1: the plugin that was there is gone"
  metric_is "$2" $fits || fail "$1: the metric is not $fits: $(cat metrics/* 2>&1)"
  nothing_is_left || fail "$1: it left $(find temporary plugins)"
}

echo DOWNLOAD=no >settings
upgrade_to 24.11.5
tree_of 24.11.5
succeeds 24.11.5
[ "$(cat niceness niceness-of-configure | uniq)" = 19 ] || fail "configure and make have the priorities $(cat niceness-of-configure niceness)"
grep -q 'restart slurmctld' system-log || fail "it does not say what is to be done"
runs && grep -q 'was built for Slurm 24.11.5$' said || fail "it builds what is there"

# an upgrade whose source is not there, then one whose tarball is
upgrade_to 24.11.6
refuses "no source" 24.11.6 24.11.5 "source $work/sources $work/settings DOWNLOAD=no."
echo "SLURM_SOURCE=$work/theirs" >>settings
refuses "a wrong SLURM_SOURCE" 24.11.6 24.11.5 "SLURM_SOURCE=$work/theirs $work/settings not"
upgrade_to 24.11.7
printf 'Version: 24.11.7\n' >theirs/META
succeeds 24.11.7
upgrade_to 24.11.8
mkdir slurm-24.11.8 && printf 'Version: 24.11.8\n' >slurm-24.11.8/META && tar -cjf sources/slurm-24.11.8.tar.bz2 slurm-24.11.8
succeeds 24.11.8

upgrade_to 24.11.9
tree_of 24.11.9
touch refuse
refuses "configure fails" 24.11.9 24.11.8 'failed: configure: error: lemon/matching.h liblemon-dev. stock'
rm refuse
touch break
refuses "the compiler fails" 24.11.9 24.11.8 'failed: plan_call.c:7:1: error: "job_record_t". stock'
rm break
truncate -s 100 sources/slurm-placement-1.0.tar.xz
refuses "our source is damaged" 24.11.9 24.11.8 "$work/sources/slurm-placement-1.0.tar.xz"
tar -C ours -cJf sources/slurm-placement-1.0.tar.xz slurm-placement-1.0
succeeds 24.11.9

# An upgrade of slurm-placement alone: a failure leaves the old plugin, which Slurm still takes.
cp -r ours/slurm-placement-1.0 ours/slurm-placement-2.0
tar -C ours -cJf sources/slurm-placement-2.0.tar.xz slurm-placement-2.0
! runs --check || fail "the plugin of the slurm-placement before is taken for the present one"
grep -q 'slurm-placement 2.0$' said || fail "it does not say that the plugin is not of slurm-placement 2.0"
metric_is 24.11.9 1 || fail "the metric says that slurmctld refuses the plugin of the slurm-placement before"
touch break
refuses "the compiler fails with a new slurm-placement" 24.11.9 24.11.9 'error: "job_record_t". stays'
rm break
ours=2.0
succeeds 24.11.9
touch break
refuses "the compiler fails with --force" 24.11.9 24.11.9 'fits stays' --force
rm break

# The owner of the metric's directory puts a FIFO there when root has removed a file; a link is in place of the log. Root neither waits
# nor follows the link.
mkdir open
echo mine >victim
ln -s "$work/victim" open/log
cat >bin/rm <<'END'
#!/bin/sh
/bin/rm "$@"
{ cut -d ' ' -f 6 /proc/$$/stat; env; readlink /proc/$$/fd/*; } >seen
[ "$*" != "-f slurm_placement_plugin.prom.new" ] || mkfifo slurm_placement_plugin.prom.new
END
chmod +x bin/rm
touch break
SP_REBUILD_LOG=$work/open/log timeout 60 "$rebuild" --force >said 2>&1 7>said
[ $? = 1 ] || fail "a FIFO of another user: it did not end by itself"
[ "$(cat victim)" = mine ] || fail "the log went through a link of another user"
{ [ ! -L open/log ] && grep -q 'job_record_t' open/log; } || fail "the log is not in its place"
{ [ -s metrics/seen ] && ! grep -qE "^(SP_REBUILD|$(cut -d ' ' -f 6 /proc/$$/stat)\$)|/(lock|log|said)\$|^/dev/(pts|tty)" metrics/seen; } ||
  fail "the owner of the metric's directory gets a terminal, an open file or the environment of root: $(cat metrics/seen)"
rm -f bin/rm break metrics/*.new metrics/seen

# Two upgrades. The second comes while the plugin of the first is built.
tree_of 24.11.10
tree_of 24.11.11
upgrade_to 24.11.10
touch wait
"$rebuild" >first 2>&1 &
for _ in {1..200}; do [ -z "$(find temporary -name plugin.c)" ] || break; sleep 0.05; done
upgrade_to 24.11.11
succeeds 24.11.11
wait $! || fail "the first of two failed: $(cat first)"
rm wait

if [ "${1:-}" = _inside ] && mkdir small && mount -t tmpfs -o size=1m small small 2>/dev/null; then
  upgrade_to 24.11.12
  tree_of 24.11.12
  mkdir small/temporary
  touch fill
  TMPDIR=$work/small/temporary refuses "no room to build" 24.11.12 24.11.11 "No space left"
  rm fill
  mkdir small/plugins && mv plugins/* small/plugins/ && rmdir plugins && ln -s small/plugins plugins
  head -c 2000000 /dev/zero >small/filled 2>/dev/null
  SP_REBUILD_PLUGINS=$work/small/plugins refuses "no room for the plugin" 24.11.12 24.11.11 "$work/small/plugins/select_cons_tres.so.new"
  rm small/filled
  SP_REBUILD_PLUGINS=$work/small/plugins succeeds 24.11.12
  # A metric that cannot be written goes: what it said last is not true any more.
  mkdir small/metrics && cp metrics/* small/metrics/ && head -c 2000000 /dev/zero >small/filled 2>/dev/null
  upgrade_to 24.11.13
  ! SP_REBUILD_METRICS=$work/small/metrics runs || fail "there is no source of 24.11.13"
  [ ! -e small/metrics/slurm_placement_plugin.prom ] || [ -n "$(grep -x 'slurm_placement_plugin_fits{slurm="24.11.13"} 0' small/metrics/*)" ] || fail "the metric is the old one"
  cd / && umount "$work/small"
  cd "$work" || exit 99
  rm -f plugins
else
  echo "a full disk is not tried: no file system can be mounted here"
  rm -r plugins
fi

# The package has to go from a host where nothing of this is left.
unset SP_REBUILD_PLUGINS
[ -n "$(find /usr/lib* -maxdepth 3 -path '*slurm-placement/loadmatrix.so' 2>/dev/null)" ] || runs --remove || fail "without loadmatrix.so --remove fails"
echo "$failures failures"
[ $failures = 0 ]
