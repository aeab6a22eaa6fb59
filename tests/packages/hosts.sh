# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Hosts with systemd, made by systemd-nspawn on one machine. Each has its own root directory (an overlay over the tree of a Debian root), network
# interface and control groups. The caller must have its own namespaces for mounts, network and processes, so that nothing remains when it
# ends. $base is the tree below all of them, $place an empty directory.

declare -A first_process_of=() nspawn_of=()

# The address of a host, by its number.
address() { echo "10.68.28.$1"; }

make_network() { ip link set lo up && ip link add br0 type bridge && ip link set br0 up; }

# nspawn shares the control groups of its caller among all of its hosts, and each systemd would take the others' processes for its own.
cgroup_roots() {
  if [ -e /sys/fs/cgroup/cgroup.procs ]; then echo /sys/fs/cgroup; return; fi
  find /sys/fs/cgroup -mindepth 1 -maxdepth 1 -type d '(' -name systemd -o -name unified ')'
}

# Mounts the root directory of a host, so that files can be put there before it starts; prints it.
mount_host() {  # name number
  local root=$place/$1/root
  mkdir -p "$root" "$place/$1/upper" "$place/$1/work" && mount -t overlay -o "lowerdir=$base,upperdir=$place/$1/upper,workdir=$place/$1/work" overlay "$root" &&
    echo "$1" >"$root/etc/hostname" && echo "$(address "$2")/24" >"$root/etc/host-address" && rm -f "$root/etc/machine-id" "$root/usr/sbin/policy-rc.d" || return 1
  cat >"$root/etc/systemd/system/host-address.service" <<'END'
[Unit]
Before=network.target
DefaultDependencies=no
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'ip address add $(cat /etc/host-address) dev host0; ip link set host0 up; ip link set lo up'
[Install]
WantedBy=multi-user.target
END
  # systemd-networkd, which Debian 13 starts in a container, would give the interface another address.
  mkdir -p "$root/etc/systemd/network" && ln -sf /dev/null "$root/etc/systemd/network/80-container-host0.network" &&
    mkdir -p "$root/etc/systemd/system/multi-user.target.wants" &&
    ln -sf ../host-address.service "$root/etc/systemd/system/multi-user.target.wants/" && echo "$root"
}

boot_host() {  # name
  # shellcheck disable=SC2016,SC2046
  bash -c 'for cgroup in "${@:4}"; do mkdir "$cgroup/sp-$1" && echo $$ >"$cgroup/sp-$1/cgroup.procs" || exit; done
    exec systemd-nspawn --quiet --register=no --keep-unit --boot --machine="$1" --hostname="$1" --directory="$2" --network-bridge=br0 --resolv-conf=off \
      --link-journal=no --timezone=off --console=pipe "--bind-ro=$3:/packages"' \
    bash "$1" "$place/$1/root" "$packages" $(cgroup_roots) >"$place/$1/console" 2>&1 </dev/null &
  nspawn_of[$1]=$!
}

# Waits until systemd of the host has started what it starts.
host_is_up() {  # name
  local tenth child
  for ((tenth = 0; tenth < 1200; tenth++)); do
    for child in $(pgrep -P "${nspawn_of[$1]}" -x systemd); do first_process_of[$1]=$child; done
    [ -z "${first_process_of[$1]:-}" ] || case $(on "$1" systemctl is-system-running 2>/dev/null) in running | degraded) return 0 ;; esac
    sleep 0.1
  done
  tail -n 5 "$place/$1/console"
  return 1
}

on() {  # name command...
  nsenter --target "${first_process_of[$1]}" --mount --uts --ipc --net --pid --root --wd env -C /root -i HOME=/root TERM=dumb \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "${@:2}" </dev/null
}

end_hosts() {
  local name cgroup tenth
  for name in "${!nspawn_of[@]}"; do kill -TERM "${nspawn_of[$name]}" 2>/dev/null; done
  for ((tenth = 0; tenth < 300; tenth++)); do
    [ -n "$(jobs -r)" ] || break
    sleep 0.1
  done
  for name in "${!nspawn_of[@]}"; do
    kill -KILL "${nspawn_of[$name]}" 2>/dev/null
    wait "${nspawn_of[$name]}" 2>/dev/null
    umount -l "$place/$name/root"
    for cgroup in $(cgroup_roots); do find "$cgroup/sp-$name" -depth -type d -exec rmdir {} + 2>/dev/null; done
  done
}
