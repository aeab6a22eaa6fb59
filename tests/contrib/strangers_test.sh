#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A user other than root tries to disturb commands that root runs: he locks each file and directory that he can open, and puts
# symbolic links into directories that he can write.
set -u
[ "$(id -u)" = 0 ] && setpriv --reuid games --regid games --clear-groups true || { echo "only root can become another user"; exit 77; }
top=$(cd "${srcdir:-.}" && pwd -P) work=$(mktemp -d) failures=0 stranger=
rebuild=$top/contrib/packaging/slurm-placement-rebuild
trap 'kill $stranger 2>/dev/null; rm -rf "$work"' EXIT
fail() { failures=$((failures + 1)); echo "FAILED: $*"; }
as_stranger() { setpriv --reuid games --regid games --clear-groups "$@"; }
locks() {  # path...: until the test ends, each that the second user can open
  local path
  for path in "$@"; do
    as_stranger flock -n "$path" sleep 60 2>/dev/null &
    stranger+=" $!"
  done
  sleep 0.5
}

chmod 755 "$work" && cd "$work" || exit 99
mkdir bin plugins sources metrics writable logs
printf '#!/bin/sh\necho slurm-wlm 24.11.5\n' >bin/slurmctld
printf '#!/bin/sh\n' >bin/logger
chmod +x bin/*
touch plugins/loadmatrix.so
export PATH=$work/bin:$PATH SP_REBUILD_SETTINGS=$work/none SP_REBUILD_SOURCES=$work/sources SP_REBUILD_METRICS=$work/metrics \
  SP_REBUILD_PLUGINS=$work/plugins SP_REBUILD_LOG=$work/logs/log SP_REBUILD_LOCK=$work/lock
precious() { echo precious >precious && chmod 600 precious; }
is_precious() { [ "$(cat precious)" = precious ] || fail "$1: root wrote through the link of another user"; }

# The build fails because there is no source, and waits for nobody before.
timeout 20 "$rebuild" >said 2>&1  # makes the lock
locks plugins lock
timeout 20 "$rebuild" >said 2>&1
[ $? = 1 ] || fail "another user's lock delays the rebuild: $(cat said)"

# The directory of metrics belongs to a service's user, who writes the file himself.
chown games:games metrics
precious
as_stranger ln -s "$work/precious" metrics/slurm_placement_plugin.prom.new
"$rebuild" --check >said 2>&1
is_precious "a link in the directory of metrics"
grep -q '^slurm_placement_plugin_fits{slurm="24.11.5"} 0' metrics/slurm_placement_plugin.prom || fail "there is no metric: $(cat said)"
[ "$(stat -c %U:%a metrics/slurm_placement_plugin.prom)" = games:644 ] || fail "the metric is $(stat -c %U:%a metrics/*)"

# The owner can read the environment of processes with his user ID, so root's environment ends before the change of the user.
printf '#!/bin/sh\nenv >%s/environment\nexec %s "$@"\n' "$work" "$(type -P setpriv)" >bin/setpriv
chmod +x bin/setpriv
SECRET=of-root "$rebuild" --check >said 2>&1
rm bin/setpriv
grep -q '^PATH=' environment || fail "setpriv was not run: $(cat said)"
! grep -q SECRET environment || fail "another user can read root's environment"

# A writer that does not end is killed. The message is the script's, not one of the shell.
# shellcheck disable=SC2016
printf '#!/bin/sh\nkill -KILL $$\n' >bin/timeout
chmod +x bin/timeout
"$rebuild" --check >said 2>&1
rm bin/timeout
! grep -v '^slurm-placement-rebuild: ' said || fail "the shell reports the killed writer"

# The directory is a link to one of root, made by the owner of its parent.
mkdir service private
chown games:games service
as_stranger ln -s "$work/private" service/metrics
SP_REBUILD_METRICS=$work/service/metrics "$rebuild" --check >said 2>&1
[ -z "$(ls private)" ] || fail "root wrote into a directory that another user chose"

# A directory of root that others can write.
chmod 777 writable
as_stranger ln -s "$work/precious" writable/slurm_placement_plugin.prom.new
SP_REBUILD_METRICS=$work/writable "$rebuild" --check >said 2>&1
is_precious "a link in a directory that everybody can write"
[ ! -e writable/slurm_placement_plugin.prom ] || fail "a metric was written where everybody can write"

# The log, on distributions where a service's user can write its directory. The source is a stand-in that cannot be unpacked.
chown games:games logs
rm -f logs/log
as_stranger ln -s "$work/precious" logs/log
echo damaged >sources/slurm-placement-1.0.tar.xz
"$rebuild" >said 2>&1
is_precious "a link in place of the log"

# One run per clone, and one installation of packages on this host.
(
  # shellcheck disable=SC1091
  . "$top/contrib/lib/say.sh"
  mkdir clone
  (one_at_a_time "$work/clone")
  locks clone clone/*
  (one_at_a_time "$work/clone") || exit 1
) >said 2>&1 || fail "another user's lock keeps a clone from being used: $(cat said)"
! grep -nE 'exec [0-9]<"' "$top"/contrib/{root,check*,try,cluster} "$top"/contrib/lib/*.sh "$rebuild" || fail "a lock on what others can open"

echo "$failures failures"
[ $failures = 0 ]
