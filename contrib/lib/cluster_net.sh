# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# The networks of a cluster. All switches are bridges in the cluster's own network namespace; each node
# has a namespace of its own in it, with two links:
#   mgmt0, unshaped, to the bridge "mgmt", which is the login host's own interface: Slurm's messages
#   data0, shaped, to its leaf switch "leafL"; the leaf's uplink to "spine" is shaped too: MPI's messages
# Nothing of this is visible in the machine's own network.

most_netns_nodes=20  # the neighbour tables of all namespaces together must fit this kernel's default limit

settle_mode() {
  local why=
  if [ "$mode" = loopback ]; then return; fi
  if [ "$nodes" -gt $most_netns_nodes ]; then
    why="$nodes nodes are more than $most_netns_nodes"
  elif [ "$(cat "$D/pid/network")" != --net ]; then
    why="this kernel or container gives no network namespace"
  elif ! command -v tc >/dev/null; then
    why="tc is not installed"
  elif ! in_space bash -c 'ip link add probe type bridge && ip link add probe0 type veth peer name probe1 &&
      tc qdisc add dev probe0 root tbf rate 100mbit burst 32kb latency 20ms &&
      ip link del probe0 && ip link del probe' 2>>"$D/log/space.log"; then
    why="bridge, veth or tbf is missing in this kernel"
  fi
  if [ -z "$why" ]; then
    mode=netns
  elif [ "$mode" = netns ]; then
    space_close
    die "--mode netns is impossible: $why"
  else
    echo "no shaped network ($why): all nodes use the loopback device"
    mode=loopback
  fi
}

shape() {  # device rate
  echo "qdisc add dev $1 root tbf rate $2 burst 32kb latency 200ms"
}

leaf_of_node() {  # -> ${leaf_of[K]}, and the number of leaves in $leaf_count
  local i j k=1
  local -a leaf
  IFS=, read -ra leaf <<<"$leaves"
  leaf_count=${#leaf[@]}
  for i in "${!leaf[@]}"; do
    for ((j = 0; j < leaf[i]; j++)); do leaf_of[k++]=$((i + 1)); done
  done
}

net_up() {
  local k l file
  local -a leaf_of=() rates
  local leaf_count
  leaf_of_node
  IFS=, read -ra rates <<<"$uplink"
  # Frames between bridge ports do not go through iptables.
  for file in /proc/sys/net/bridge/bridge-nf-call-*; do
    [ ! -w "$file" ] || echo 0 >"$file"
  done
  {
    bridge mgmt
    echo "addr add $(head_address)/16 dev mgmt"
    bridge spine
    for ((l = 1; l <= leaf_count; l++)); do
      bridge "leaf$l"
      echo "link add up$l type veth peer name down$l"
      echo "link set up$l master leaf$l up"
      echo "link set down$l master spine up"
    done
    for ((k = 1; k <= nodes; k++)); do
      echo "netns add n$k"
      echo "link add m$k type veth peer name mgmt0 netns n$k"
      echo "link set m$k master mgmt up"
      echo "link add d$k type veth peer name data0 netns n$k"
      echo "link set d$k master leaf${leaf_of[k]} up"
    done
  } | ip -batch - || return 1
  {
    for ((k = 1; k <= nodes; k++)); do shape "d$k" "$link"; done
    for ((l = 1; l <= leaf_count; l++)); do
      shape "up$l" "${rates[l - 1]:-${rates[0]}}"
      shape "down$l" "${rates[l - 1]:-${rates[0]}}"
    done
  } | tc -batch - || return 1
  for ((k = 1; k <= nodes; k++)); do
    {
      echo "link set lo up"
      echo "addr add $(node_address $k)/16 dev mgmt0"
      echo "addr add $(data_address $k)/16 dev data0"
      echo "link set mgmt0 up"
      echo "link set data0 up"
    } | ip -n "n$k" -batch - || return 1
    shape data0 "$link" | tc -n "n$k" -batch - || return 1
  done
}

bridge() {
  echo "link add $1 type bridge forward_delay 0 mcast_snooping 0"
  echo "link set $1 up"
}

# Without a network namespace, the cluster uses ports of the machine. Prints the first port of a range in which no program listens.
free_port_base() {
  local base from to
  for base in {16800..30000..1200}; do
    printf -v from %04X "$base"
    printf -v to %04X $((base + 1199))
    # All numbers have four digits, so that a comparison of texts compares the numbers.
    awk -v from="$from" -v to="$to" '$4 == "0A" { split($2, part, ":"); if (part[2] "" >= from "" && part[2] "" <= to "") used = 1 }
      END { exit used }' /proc/net/tcp /proc/net/tcp6 2>/dev/null && echo "$base" && return
  done
  die "no free range of TCP ports from 16800 to 30000"
}
