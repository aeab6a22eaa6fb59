# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The part of contrib/root inside its namespaces. It mounts the file systems of the root, makes it the root directory, and
# runs the command. All mounts belong to this namespace and end with it.

devices() {  # directory for /dev
  local device
  mount -t tmpfs -o mode=755,size=1m root-dev "$1" || return 1
  for device in null zero full random urandom tty; do
    : >"$1/$device" && mount --bind "/dev/$device" "$1/$device" || return 1
  done
  mkdir "$1/pts" "$1/shm" &&
    mount -t devpts -o newinstance,ptmxmode=666,mode=620 root-pts "$1/pts" &&
    mount -t tmpfs -o mode=1777 root-shm "$1/shm" &&
    ln -s pts/ptmx "$1/ptmx" && ln -s /proc/self/fd "$1/fd" && ln -s fd/0 "$1/stdin" && ln -s fd/1 "$1/stdout" && ln -s fd/2 "$1/stderr"
}

# The clone, with a .work that belongs to this root alone.
clone_in() {  # directory tree clone
  mkdir -p "$2$3" "$1/work" && mount --bind "$3" "$2$3" && mkdir -p "$2$3/.work" && mount --bind "$1/work" "$2$3/.work"
}

network_files() {  # tree: mpirun would wait for the resolver without its own name
  printf '%s\n' "127.0.0.1 localhost" "127.0.1.1 $(uname -n)" "::1 localhost ip6-localhost" >"$1/etc/hosts" &&
    uname -n >"$1/etc/hostname" && { [ ! -r /etc/resolv.conf ] || cat /etc/resolv.conf >"$1/etc/resolv.conf"; }
}

enter_root() {  # directory clone working-directory command...
  local R=$1 top=$2 at=$3 tree=$1/tree
  shift 3
  mount --make-rprivate / || return 1
  # pivot_root requires a mount point, so the tree is mounted over itself.
  mount --bind "$tree" "$tree" && mount -t proc proc "$tree/proc" && mount --rbind /sys "$tree/sys" && devices "$tree/dev" &&
    mount -t tmpfs -o mode=755 root-run "$tree/run" && mkdir -m 1777 "$tree/run/lock" &&
    network_files "$tree" && clone_in "$R" "$tree" "$top" || die "the file systems of the root $R cannot be mounted"
  cd "$tree" && pivot_root . . && umount -l . || die "the root $R cannot be entered"
  cd "$at" 2>/dev/null || cd "$top" || cd /
  first_process_of_root "$@"
}

# Process 1: runs the command, passes signals on to it, and reaps orphans. The kernel ends all other processes with it.
first_process_of_root() {  # command...
  local variable command_pid code
  local -a environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root)
  for variable in TERM CI http_proxy https_proxy no_proxy; do
    [ -z "${!variable:-}" ] || environment+=("$variable=${!variable}")
  done
  trap 'kill -TERM "$command_pid" 2>/dev/null' TERM HUP
  trap 'kill -INT "$command_pid" 2>/dev/null' INT
  env -i --default-signal=INT,QUIT "${environment[@]}" "$@" <&0 &
  command_pid=$!
  while :; do
    wait "$command_pid"
    code=$?
    kill -0 "$command_pid" 2>/dev/null || exit "$code"
  done
}
