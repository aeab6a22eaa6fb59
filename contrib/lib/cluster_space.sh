# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# The namespaces of a cluster. A keeper process on the host starts the first process inside (its "init").
# The keeper ends it when the time is up or the owner has ended. The kernel ends all others with the init.
# Later commands find both by their recorded pid, and check for our mark in their environment.

marked() {  # pid: alive and ours
  [ -n "$1" ] && grep -qzxF "SP_CLUSTER=$name:$D" "/proc/$1/environ" 2>/dev/null
}

read_space_pid() {  # sets $space_pid, which is empty if there is none
  space_pid=
  [ ! -e "$D/pid/init" ] || read -r space_pid <"$D/pid/init"
}

space_alive() { read_space_pid && marked "$space_pid"; }

need_up() {
  inside && return
  need_root
  space_alive || die "cluster $name is not up; contrib/cluster up -c $name starts it"
}

space_open() {
  local _
  env "SP_CLUSTER=$name:$D" SP_CLUSTER_TOP="$D" setsid "$here/cluster" _keep "$name" "$D" "$ttl" "$owner" \
    >"$D/log/space.log" 2>&1 </dev/null &
  echo $! >"$D/pid/keeper"
  for _ in {1..100}; do
    [ -e "$D/pid/ready" ] && return 0
    kill -0 "$(cat "$D/pid/keeper")" 2>/dev/null || return 1
    sleep 0.05
  done
  echo "no answer within 5 s" >>"$D/log/space.log"
  return 1
}

space_close() {
  local _
  space_alive && kill -KILL "$space_pid"
  for _ in {1..100}; do
    marked "$(cat "$D/pid/keeper" 2>/dev/null)" || break
    sleep 0.05
  done
  rm -f "$D/pid/init" "$D/pid/keeper" "$D/pid/ready"
}

# Host side, in the background: lives as long as the cluster.
space_keep() {  # name dir ttl owner
  local ttl=$3 owner=$4 end child nets
  name=$1 D=$2
  end=$((SECONDS + ttl))
  # The cluster has its own network if the kernel permits that, otherwise the host's loopback.
  nets=--net
  unshare --net true 2>/dev/null || nets=
  echo "${nets:-none}" >"$D/pid/network"
  unshare --mount --uts --ipc --pid $nets --fork --kill-child=KILL "$here/cluster" _init "$name" "$D" &
  child=$!
  while kill -0 "$child" 2>/dev/null && [ $SECONDS -lt "$end" ]; do
    [ "$owner" -gt 0 ] && ! kill -0 "$owner" 2>/dev/null && break
    sleep 0.5
  done
  read_space_pid
  kill -KILL "$space_pid" 2>/dev/null
  # If the folder with the pid was removed, this ends the first process by --kill-child.
  kill -KILL "$child" 2>/dev/null
  wait "$child" 2>/dev/null
  return 0
}

# The first process inside.
space_init() {  # name dir
  local pid
  name=$1 D=$2
  mount --make-rprivate / || exit 1
  # /proc is still the host's, so this is the pid by which the host knows us.
  read -r pid _ </proc/self/stat
  mount -t proc proc /proc || exit 1
  # A new /run hides the sockets of this machine's services. It also keeps our paths below the 108 bytes
  # of a socket's address if the clone has a long path.
  cd "$D" || exit 1
  mount -t tmpfs -o mode=755,size=64m placement-run /run || exit 1
  mkdir -p "$ROOT" /run/netns /run/lock || exit 1
  mount --bind . "$ROOT" || exit 1
  cd "$ROOT" || exit 1
  mount -t tmpfs -o mode=1777 placement-shm /dev/shm || exit 1
  hostname head
  if [ "$(cat pid/network)" = --net ]; then
    # The resolver's AI_ADDRCONFIG, which Slurm uses, requires an address other than 127.0.0.1.
    ip link set lo up && ip addr add 10.79.0.1/32 dev lo || exit 1
  fi
  echo "$pid" >pid/init
  : >pid/ready
  # bash reaps the orphans that it inherits while it waits.
  sleep infinity &
  while :; do wait; done
}

# Runs a command inside, in the same working directory, with a client's environment.
in_space() {
  if inside; then
    "$@"
    return
  fi
  local -a client
  mapfile -t client < <([ -e "$D/settings" ] && { read_settings; client_env; })
  [ ! -s "$D/commands" ] || client+=("PATH=$(cat "$D/commands"):$PATH")
  read_clock "$D"
  read_space_pid
  case ${2:-} in _boot | _node) clock=() ;; esac  # they give it to what they start
  # shellcheck disable=SC2016
  env "SP_CLUSTER=$name:$D" SP_CLUSTER_INSIDE=1 SP_CLUSTER_TOP="$D" "${client[@]}" \
    nsenter -t "$space_pid" -m -u -i -n -p -r -w \
    bash -c 'cd "$1" && shift && exec "$@"' bash "$PWD" "${clock[@]}" "$@"
}
