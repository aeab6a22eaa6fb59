# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# The daemons of a cluster; all of this runs inside its namespaces.

# Shows the cluster's hosts as /etc/hosts. A new Debian root may have no /etc/hosts; then an overlay over /etc has the file.
mount_hosts() {
  if [ -e /etc/hosts ]; then
    mount --bind "$ROOT/hosts" /etc/hosts
  else
    mkdir -p "$ROOT/etc" && cp "$ROOT/hosts" "$ROOT/etc/hosts" &&
      mount -t overlay placement-etc -o "lowerdir=$ROOT/etc:/etc" /etc
  fi
}

boot() {
  mount_hosts || return 1
  if [ "$cgroup" = hide ]; then
    mount -t tmpfs -o mode=755 placement-cgroup /sys/fs/cgroup || return 1
  fi
  if [ "$mode" = netns ]; then
    net_up || return 1
  fi
  ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)"
  [ "$speed" = 1 ] || start_clock || return 1
  start_munged || return 1
  daemon_control start slurmctld
  if [ "$live" = yes ]; then
    install -d -o nobody -m 755 "$ROOT/live" || return 1
    : >"$ROOT/log/agents.log"
    daemon_control start monitor
  fi
  local k
  for ((k = 1; k <= nodes; k++)); do daemon_control start "n$k"; done
  wait_idle $((60 + nodes / 4))
}

# The shared clock: memory in which libfaketime keeps its start. The file clock has the variables that a program
# needs to use it, one NAME=VALUE per line.
start_clock() {
  local _
  # shellcheck disable=SC2016
  run_daemon faketime faketime -m -f "+0 x$speed" bash -c '
    env | grep -E "^(LD_PRELOAD|FAKETIME|FAKETIME_SHARED)=" >"$1.new" && mv "$1.new" "$1" && exec sleep infinity' \
    bash "$ROOT/clock"
  for _ in {1..100}; do
    [ -s "$ROOT/clock" ] && return
    sleep 0.05
  done
  echo "faketime does not start" >&2
  return 1
}

# Sets $clock to the words before a command that runs with the cluster's clock and environment (--env).
read_clock() {  # directory
  local file
  clock=()
  for file in "$1/environment" "$1/clock"; do
    [ ! -s "$file" ] || mapfile -t -O ${#clock[@]} clock <"$file"
  done
  [ ${#clock[@]} -eq 0 ] || clock=(env "${clock[@]}")
}

# A shell waits for each daemon, and writes label, pid and exit code into the file ends. The exit code is 128 plus the number
# of the signal if a signal ended the daemon.
run_daemon() {  # label command...
  local label=$1 pid
  shift
  read -r pid < <(
    exec 2>>"$ROOT/log/$label.out"
    setsid "$@" >&2 </dev/null &
    pid=$!
    trap '' HUP INT TERM
    echo $pid
    exec >>"$ROOT/log/ends" </dev/null
    wait $pid
    echo "$label $pid $?"
  )
  echo "$pid" >"$ROOT/pid/$label"
}

daemon_pid() { cat "$ROOT/pid/$1" 2>/dev/null; }

# Reads the state of the process, because kill -0 also succeeds for a zombie. Starts no process, because loops call it.
daemon_alive() {
  local pid word state _
  read -r pid 2>/dev/null <"$ROOT/pid/$1" || return
  while read -r word state _; do
    [ "$word" != State: ] || { [[ $state != [ZX] ]]; return; }
  done 2>/dev/null <"/proc/$pid/status"
  return 1
}

start_munged() {
  local _
  [ -s "$ROOT/munge.key" ] || (umask 077 && head -c 1024 /dev/urandom >"$ROOT/munge.key")
  read_clock "$ROOT"
  run_daemon munged "${clock[@]}" munged --foreground --force --num-threads=4 --key-file="$ROOT/munge.key" \
    --socket="$ROOT/munge.sock" --pid-file="$ROOT/pid/munged.own" \
    --log-file="$ROOT/log/munged.log" --seed-file="$ROOT/munge.seed"
  for _ in {1..100}; do
    munge -S "$ROOT/munge.sock" -n >/dev/null 2>&1 && return
    sleep 0.05
  done
  cat "$ROOT/log/munged.out" >&2
  return 1
}

# Each slurmd has its own host name (Open MPI names its shared-memory files by it) and its own /dev/shm.
on_node() {  # K command...
  local k=$1 enter=()
  shift
  [ "$mode" = netns ] && enter=(nsenter --net="/run/netns/n$k")
  if [ -n "$cpus" ]; then
    local -a lists
    IFS=: read -ra lists <<<"$cpus"
    enter=(taskset -c "${lists[(k - 1) % ${#lists[@]}]}" "${enter[@]}")
  fi
  read_clock "$ROOT"
  # The clock is in /dev/shm.
  if [ "$speed" != 1 ]; then
    # shellcheck disable=SC2016
    exec "${enter[@]}" unshare --uts bash -c 'hostname "n$1" && shift && exec "$@"' bash "$k" "${clock[@]}" "$@"
  fi
  # shellcheck disable=SC2016
  exec "${enter[@]}" unshare --uts --mount bash -c '
    hostname "n$1" && mount -t tmpfs -o mode=1777 placement-shm /dev/shm && shift && exec "$@"' bash "$k" "${clock[@]}" "$@"
}

daemon_control() {  # action daemon
  local action=$1 daemon=$2
  [[ $daemon = slurmctld || $daemon = munged ]] || [[ $daemon = monitor && $live = yes ]] || { [[ $daemon =~ ^n([0-9]+)$ ]] && ((BASH_REMATCH[1] >= 1 && BASH_REMATCH[1] <= nodes)); } ||
    die "unknown daemon '$daemon': expected slurmctld, munged, monitor (with --live), or n1 to n$nodes for a slurmd"
  case $action in
    start)
      daemon_alive "$daemon" && die "$daemon runs already"
      read_clock "$ROOT"
      if [ "$daemon" = munged ]; then
        start_munged
      elif [ "$daemon" = monitor ]; then
        run_daemon monitor "${clock[@]}" setpriv --reuid nobody --regid nogroup --clear-groups "$ROOT/bin/placement-monitor" -f "$SLURM_CONF"
      elif [ "$daemon" = slurmctld ]; then
        run_daemon slurmctld "${clock[@]}" slurmctld -D -f "$SLURM_CONF"
      else
        run_daemon "$daemon" "$top/contrib/cluster" _node "${daemon#n}" slurmd -D -N "$daemon" -f "$SLURM_CONF"
      fi
      ;;
    stop) end_daemon "$daemon" TERM ;;
    kill) end_daemon "$daemon" KILL ;;
    restart)
      end_daemon "$daemon" TERM
      daemon_control start "$daemon"
      wait_answer
      ;;
    reconfigure) scontrol reconfigure ;;
  esac
}

# Up to 24.11.5, a daemon of Slurm 24.11 can miss an event on its sockets, and sleeps until a signal comes.
wake() {  # daemon
  [[ $(slurmctld -V) = *' 24.11.'[0-5] ]] || return 0
  echo "$1 is slow: sending SIGUSR2, which only makes it open its log again" >&2
  kill -USR2 "$(daemon_pid "$1")"
}

end_daemon() {  # daemon signal
  local tenths
  daemon_alive "$1" || return 0
  kill "-$2" "$(daemon_pid "$1")"
  for tenths in {1..600}; do
    daemon_alive "$1" || return 0
    [ "$1:$tenths" != slurmctld:100 ] || wake slurmctld
    sleep 0.1
  done
  die "$1 does not end"
}

wait_answer() {
  local start=$SECONDS woken=no
  while [ $SECONDS -lt $((start + 60)) ]; do
    timeout 10 scontrol ping 2>/dev/null | grep -q 'is UP' && return
    daemon_alive slurmctld || break
    if [ $woken = no ] && [ $SECONDS -ge $((start + 15)) ]; then
      woken=yes
      wake slurmctld
    fi
    sleep 0.1
  done
  echo "slurmctld does not answer:" >&2
  tail -n 5 "$ROOT/log/slurmctld.log" "$ROOT/log/slurmctld.out" >&2
  return 1
}

wait_idle() {  # seconds
  local idle=0 end=$((SECONDS + $1))
  wait_answer || return 1
  while [ $SECONDS -lt $end ]; do
    idle=$(timeout 10 sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | grep -cx "n[0-9]*")
    [ "$idle" = "$nodes" ] && return
    daemon_alive slurmctld || break
    sleep 0.1
  done
  echo "$idle of $nodes nodes are idle:" >&2
  timeout 10 sinfo -N -l >&2
  tail -n 5 "$ROOT/log/slurmctld.log" "$ROOT/log/n1.out" "$ROOT/log/n1.log" >&2
  return 1
}
