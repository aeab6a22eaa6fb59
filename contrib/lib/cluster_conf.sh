# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# A cluster's options, and the files that follow from them.

nodes=8 leaves='' pods='' topology='' sockets=1 cores=4 threads=1 memory=2000 params=CR_Core
mode=auto uplink=200mbit link=1gbit plugins=none placement_conf='' cpus='' live=no cgroup=hide speed=1 ttl=3600 owner=0 bind=auto
conf_lines=() partitions=() environment=()
kept_settings=(nodes leaves pods topology sockets cores threads memory params mode uplink link
  plugins placement_conf cpus live cgroup speed ttl bind conf_lines partitions)

parse_up_options() {
  local option
  while [ $# -gt 0 ]; do
    option=$1
    case $option in
      -c | --name | -n | --nodes | --leaves | --pods | --topology | --sockets | --cores | --threads | \
        --memory | --params | --mode | --uplink | --link | --plugins | --placement-conf | --conf | --cpus | \
        --partition | --cgroup | --live | --speed | --ttl | --owner | --state | --bind | --env)
        [ $# -ge 2 ] || die "$option requires a value"
        ;;
      *) die "unknown option '$option'; contrib/cluster help lists them" ;;
    esac
    case $option in
      -c | --name) name=$2 ;;
      -n | --nodes) nodes=$2 ;;
      --conf) conf_lines+=("$2") ;;
      --partition) partitions+=("$2") ;;
      --placement-conf) placement_conf=$2 ;;
      --env) environment+=("$2") ;;
      --cpus) if [ "$2" = all ]; then cpus=''; else cpus=$2; fi ;;
      *) printf -v "${option#--}" %s "$2" ;;
    esac
    shift 2
  done
}

is_number() {  # value least most
  [[ $1 =~ ^[0-9]{1,7}$ ]] && ((10#$1 >= $2 && 10#$1 <= $3))
}

number() {  # what value least most
  is_number "$2" "$3" "$4" || die "--$1 is '$2': a number from $3 to $4"
}

numbers() {  # what list: comma-separated positive numbers
  [[ $2 =~ ^[1-9][0-9]{0,3}(,[1-9][0-9]{0,3})*$ ]] || die "--$1 is '$2': numbers with commas between them"
}

sum() {
  local total=0 item
  for item in ${1//,/ }; do total=$((total + item)); done
  echo $total
}

most_processors() { echo $((sockets * threads * $(tr : '\n' <<<"$cores" | sort -n | tail -n 1))); }  # of a node

# Every node has the processors of this machine. Ranks can be bound if the machine has all processors of a node in slurm.conf.
check_binding() {
  local most
  most=$(most_processors)
  case $bind in
    yes) [ "$(nproc)" -ge $most ] || die "--bind yes: a node has $most processors, and this machine has $(nproc); fewer --cores would do" ;;
    no) ;;
    auto) if [ "$(nproc)" -ge $most ] && [ -z "$cpus" ]; then bind=yes; else bind=no; fi ;;
    *) die "--bind is '$bind': yes, no or auto" ;;
  esac
}

# Prints whether a rank runs on its own cores alone, by the slurm.conf in force.
tell_binding() {
  local plugin
  plugin=$(sed -n 's/^TaskPlugin=//p' "$D/slurm.conf" | tail -n 1)
  case $plugin in
    *affinity*) echo "each rank is bound to its cores (TaskPlugin=$plugin)" ;;
    *) echo "no rank is bound to its cores (TaskPlugin=${plugin:-task/none}); a node has $(most_processors) processors, and this machine $(nproc)" ;;
  esac
}

# Prints the mode in force in slurmctld, or why it is off, by the last line about it in the log. Prints nothing without the select plugin.
tell_mode() {
  sed -n 's/.*placement: \(Mode=.*\)/\1/p; s/.*error: placement: \(.*placement is off until.*\)/Mode=off: \1/p' "$D/log/slurmctld.log" |
    tail -n 1 | sed 's/^/slurm-placement: /'
}

check_settings() {
  number nodes "$nodes" 1 1024
  number sockets "$sockets" 1 8
  [[ $cores =~ ^[0-9]+(:[0-9]+)*$ ]] || die "--cores is '$cores': a number from 1 to 256, or several with colons between them"
  local count
  for count in ${cores//:/ }; do number cores "$count" 1 256; done
  number threads "$threads" 1 8
  number memory "$memory" 1 9999999
  number speed "$speed" 1 100
  number ttl "$ttl" 1 604800
  [[ $owner =~ ^[0-9]+$ ]] || die "--owner is '$owner': a process id"
  local variable
  for variable in "${environment[@]}"; do
    [[ $variable =~ ^[A-Za-z_][A-Za-z_0-9]*=[^$'\n']*$ ]] || die "--env is '$variable': a line NAME=VALUE"
    [ "$speed" = 1 ] || [[ $variable != LD_PRELOAD=* ]] || die "--env LD_PRELOAD and --speed exclude each other: faketime is preloaded"
  done
  case $mode in netns | loopback | auto) ;; *) die "--mode is '$mode': netns, loopback or auto" ;; esac
  case $live in yes | no) ;; *) die "--live is '$live': yes or no" ;; esac
  [ "$live" = no ] || [ -x "$plugins/sbin/placement-monitor" ] || die "--live: $plugins/sbin/placement-monitor is not installed"
  check_binding
  case $cgroup in hide | keep) ;; *) die "--cgroup is '$cgroup': hide or keep" ;; esac
  if [ -z "$leaves" ]; then
    local left=$nodes
    while [ "$left" -gt 0 ]; do
      leaves+=${leaves:+,}$((left > 4 ? 4 : left))
      left=$((left - 4))
    done
  fi
  numbers leaves "$leaves"
  [ "$(sum "$leaves")" = "$nodes" ] || die "--leaves $leaves has $(sum "$leaves") nodes and --nodes is $nodes"
  local -a leaf
  IFS=, read -ra leaf <<<"$leaves"
  if [ -n "$pods" ]; then
    numbers pods "$pods"
    [ "$(sum "$pods")" = ${#leaf[@]} ] || die "--pods $pods has $(sum "$pods") leaves and there are ${#leaf[@]}"
  fi
  local list
  for list in ${cpus//:/ }; do
    [[ $list =~ ^[0-9]+([-,][0-9]+)*$ ]] && taskset -c "$list" true 2>/dev/null ||
      die "--cpus $cpus: '$list' are no processors of this machine ($(nproc) may be used), as 0 or 0-3,8"
  done
  [ -z "$topology" ] || [ "$topology" = none ] || [ -r "$topology" ] || die "--topology $topology: cannot be read"
  [ -z "$placement_conf" ] || [ -r "$placement_conf" ] || die "--placement-conf $placement_conf: cannot be read"
  check_prefix --plugins "$plugins"
  case $top/ in /run/*) die "a clone below /run cannot be used: clusters cover that directory" ;; esac
  [ "$speed" = 1 ] || command -v faketime >/dev/null || die "--speed needs faketime, which is not installed"
  local tool
  for tool in slurmctld slurmd munged srun unshare nsenter ip; do
    command -v $tool >/dev/null || die "$tool is not installed (contrib/check and contrib/try install what is needed)"
  done
  slurmctld -V | grep -q '^slurm-wlm\|^slurm ' || die "slurmctld -V says '$(slurmctld -V)': not understood"
}

check_prefix() {  # what prefix or none
  [ "$2" = none ] || [ -d "$2/lib/slurm-placement" ] || die "$1 $2: slurm-placement is not installed there; $2/lib/slurm-placement is missing"
}

# declare -g makes the saved settings global; without -g they would be local to read_settings.
write_settings() { declare -p "${kept_settings[@]}" | sed 's/^declare /declare -g /' >"$D/settings"; }

read_settings() {
  [ -e "$D/settings" ] || die "no cluster has been started in $D"
  # shellcheck disable=SC1091
  . "$D/settings"
}

slurm_release() { slurmd -V | sed 's/^[^ ]* \([0-9]*\)\..*/\1/'; }

# Slurm's plugins are in the directory of the library that slurmctld is linked with.
stock_plugin_dir() {
  local directory
  directory=$(dirname "$(ldd "$(command -v slurmctld)" | awk '$1 == "libslurmfull.so" { print $3 }')")
  [ -e "$directory/select_cons_tres.so" ] || die "$directory has no select_cons_tres.so of Slurm: install slurm-wlm-basic-plugins"
  echo "$directory"
}

node_address() { [ "$mode" = netns ] && echo "10.77.0.$1" || echo 127.0.0.1; }
data_address() { echo "10.78.0.$1"; }
head_address() { [ "$mode" = netns ] && echo 10.77.255.254 || echo 127.0.0.1; }
node_port() { [ "$mode" = netns ] && echo 6818 || echo $((port + 100 + $1)); }

write_conf() {
  local k key line
  local -A value
  local -a order=()
  port=6800
  [ "$(cat "$D/pid/network")" = --net ] || port=$(free_port_base)
  while read -r line; do
    key=${line%%=*}
    order+=("$key")
    value[$key]=${line#*=}
  done < <(conf_defaults)
  local -a more=()
  for line in "${conf_lines[@]}"; do
    key=${line%%=*}
    case $key in
      NodeName | PartitionName | DownNodes | NodeSet | Include*) more+=("$line") ;;
      *)
        [ -n "${value[$key]+set}" ] || order+=("$key")
        value[$key]=${line#*=}
        ;;
    esac
  done
  local -a cores_of
  IFS=: read -ra cores_of <<<"$cores"
  {
    for key in "${order[@]}"; do echo "$key=${value[$key]}"; done
    for ((k = 1; k <= nodes; k++)); do
      echo "NodeName=n$k NodeAddr=$(node_address $k) NodeHostname=n$k Port=$(node_port $k)" \
        "Sockets=$sockets CoresPerSocket=${cores_of[(k - 1) % ${#cores_of[@]}]} ThreadsPerCore=$threads RealMemory=$memory State=UNKNOWN"
    done
    if [ ${#partitions[@]} -gt 0 ]; then
      printf '%s\n' "${partitions[@]}"
    else
      echo "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
    fi
    [ ${#more[@]} -eq 0 ] || printf '%s\n' "${more[@]}"
  } >"$D/slurm.conf"
  # Slurm takes the empty tmpfs over /sys/fs/cgroup for cgroup version 1, and creates nothing in it.
  case $(slurm_release) in
    22 | 23) printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' ;;
    *) echo CgroupPlugin=disabled ;;
  esac >"$D/cgroup.conf"
  {
    echo "127.0.0.1 localhost"
    echo "$(head_address) head"
    for ((k = 1; k <= nodes; k++)); do echo "$(node_address $k) n$k"; done
  } >"$D/hosts"
  for ((k = 1; k <= nodes; k++)); do mkdir -p "$D/tmp/n$k"; done
  [ "$topology" = none ] || write_topology >"$D/topology.conf"
  [ -z "$placement_conf" ] || cp "$placement_conf" "$D/placement.conf"
  [ "$live" = no ] || live_conf >>"$D/placement.conf"
  : >"$D/plugstack.conf"
  [ "$plugins" = none ] || install_plugins "$plugins"
}

conf_defaults() {
  cat <<END
ClusterName=$name
SlurmctldHost=head($(head_address))
SlurmctldPort=$((port + 17))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$ROOT/munge.sock
StateSaveLocation=$ROOT/state
SlurmdSpoolDir=$ROOT/spool/%n
TmpFS=$ROOT/tmp/%n
SlurmctldPidFile=$ROOT/pid/slurmctld.slurm
SlurmdPidFile=$ROOT/pid/%n.slurm
SlurmctldLogFile=$ROOT/log/slurmctld.log
SlurmdLogFile=$ROOT/log/%n.log
SlurmctldDebug=info
SlurmdDebug=info
PluginDir=$ROOT/plugins:$(stock_plugin_dir)
PlugStackConfig=$ROOT/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=$([ $bind = yes ] && echo task/affinity || echo task/none)
SwitchType=switch/none
MpiDefault=pmix
SelectType=select/cons_tres
SelectTypeParameters=$params
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=2,sched_interval=5
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldTimeout=$((60 * speed))
SlurmdTimeout=$((300 * speed))
InactiveLimit=0
KillWait=$((2 * speed))
MessageTimeout=$((30 * speed))
TCPTimeout=$((10 * speed))
TreeWidth=64
END
  [ "$topology" = none ] || echo TopologyPlugin=topology/tree
}

# Leaf switches s1.. in order of the nodes, middle switches m1.. if there are pods, one root.
write_topology() {
  if [ -n "$topology" ]; then
    cat "$topology"
    return
  fi
  local -a leaf pod
  local i first=1 below=s last
  IFS=, read -ra leaf <<<"$leaves"
  for i in "${!leaf[@]}"; do
    last=$((first + leaf[i] - 1))
    echo "SwitchName=s$((i + 1)) Nodes=n[$first-$last]"
    first=$((last + 1))
  done
  local count=${#leaf[@]}
  if [ -n "$pods" ]; then
    IFS=, read -ra pod <<<"$pods"
    first=1
    for i in "${!pod[@]}"; do
      last=$((first + pod[i] - 1))
      echo "SwitchName=m$((i + 1)) Switches=s[$first-$last]"
      first=$((last + 1))
    done
    below=m count=${#pod[@]}
  fi
  [ "$count" -eq 1 ] || echo "SwitchName=root Switches=${below}[1-$count]"
}

# Replaces a file under its name, because a running program may have the old file mapped.
put_file() {  # file directory
  local name=$2/${1##*/}
  cp "$1" "$name.new" && mv -f "$name.new" "$name"
}

# Copies the plugins, so that a test can remove or replace them without a change of the install prefix.
install_plugins() {  # prefix or none
  local from=$1/lib/slurm-placement select other
  check_prefix plugins "$1"
  rm -f "$D"/plugins/*.so
  : >"$D/plugstack.conf"
  : >"$D/commands"
  [ "$1" = none ] && return
  for select in "$from/select_cons_tres.so" "$from/select/select_cons_tres.so"; do
    [ ! -e "$select" ] || put_file "$select" "$D/plugins"
  done
  for other in "$from/mpi_placement.so" "$from/topology_fatt.so"; do
    [ ! -e "$other" ] || put_file "$other" "$D/plugins"
  done
  if [ -e "$from/loadmatrix.so" ]; then
    mkdir -p "$D/plugins/spank"
    put_file "$from/loadmatrix.so" "$D/plugins/spank"
    echo "optional $ROOT/plugins/spank/loadmatrix.so" >"$D/plugstack.conf"
  fi
  (cd "$1/bin" 2>/dev/null && pwd) >"$D/commands"
  if [ "$live" = yes ]; then
    # The user of the monitor may have no access to the clone.
    mkdir -p "$D/bin"
    put_file "$1/sbin/placement-agent" "$D/bin"
    put_file "$1/sbin/placement-monitor" "$D/bin"
    put_file "$from/nodestate.so" "$D/plugins/spank"
    echo "optional $ROOT/plugins/spank/nodestate.so agent=$ROOT/bin/placement-agent log=$ROOT/log/agents.log" >>"$D/plugstack.conf"
  fi
}

# Prints the settings that live data require, unless the user's placement.conf has them.
live_conf() {
  local line
  for line in MonitorUser=nobody ProbeInterface=data0 "StateDirectory=$ROOT/live" "SnapshotFile=$ROOT/live/snapshot"; do
    grep -qi "^ *${line%%=*} *=" "$D/placement.conf" 2>/dev/null || echo "$line"
  done
}

# Prints the environment of clients and daemons, one NAME=VALUE per line. Without hwloc's plugins, a slurmstepd or rank loads
# no libraries of X11 and OpenCL, which takes a sixth of the processor time of a small job.
client_env() {
  local interface=lo
  [ "$mode" = netns ] && interface=data0
  cat <<END
SLURM_CONF=$ROOT/slurm.conf
SP_CLUSTER_NAME=$name
HWLOC_PLUGINS_PATH=/nonexistent
OMPI_MCA_btl=self,vader,tcp
OMPI_MCA_btl_tcp_if_include=$interface
OMPI_MCA_btl_base_warn_component_unused=0
OMPI_MCA_pml=ob1
OMPI_MCA_mpi_yield_when_idle=1
SLURM_PMIX_FENCE=ring
END
}
