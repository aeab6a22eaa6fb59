#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# placectl map --node-topology, on the nodes of tests/data/node_topologies.
# shellcheck source=tests/tools/placectl_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/placectl_lib.sh"
nodes=$source/tests/data/node_topologies
run map --node-topology "$nodes/lumi-g.xml" -p treematch
refused 2 'placectl map: --matrix --pattern TREEMATCH'
run map --node-topology "$nodes/lumi-g.xml"
case $err in *'without hwloc'*) echo 'SKIP: built without hwloc'; exit 77 ;; esac

# The GPUs of the ranks, in their order.
gpus() { cut -d ' ' -f 3 <<<"$out" | paste -sd ,; }
order() {  # what GPUs option...
  local what=$1 wanted=$2
  shift 2
  run map --node-topology "$@"
  checks=$((checks + 1))
  [ "$code/$(gpus)" = "0/$wanted" ] || fail "$what: GPUs $(gpus) instead of $wanted; $err"
}

# Without a matrix: the ranks in the order of the cores, each with the GPU there.
machines() {
  order LUMI-G 4,5,2,3,6,7,0,1 "$nodes/lumi-g.xml"
  run map --node-topology "$nodes/lumi-g.xml" --format srun
  expect 0 '--gpu-bind=map_gpu:4,5,2,3,6,7,0,1 --cpu-bind=mask_cpu:0xff,0xff00,0xff0000,0xff000000,0xff00000000,0xff0000000000,0xff000000000000,0xff00000000000000'
  order 'LUMI-G with seven cores each' 4,5,2,3,6,7,0,1 "$nodes/lumi-g.xml" -c 7
  order 'four ranks on LUMI-G, one for each interface' 4,2,6,0 "$nodes/lumi-g.xml" -n 4
  order 'two nodes of LUMI-G' 4,5,2,3,6,7,0,1,4,5,2,3,6,7,0,1 "$nodes/lumi-g.xml" -N 2
  says '16 ranks 16 16 leaves natural'
  order 'two nodes of LUMI-G with two ranks each' 4,2,4,2 "$nodes/lumi-g.xml" -N 2 --ntasks-per-node 2
  order 'DGX A100' 2,3,0,1,6,7,4,5 "$nodes/dgx-a100.xml"
  run map --node-topology "$nodes/dgx-a100.xml" -n 1 -f gpus
  expect 0 '0 node0 2 16-23 mlx5_2'
  order Summit 0,1,2,3,4,5 "$nodes/summit.xml"
  run map --node-topology "$nodes/summit.xml" -n 2 --threads-per-core 4 -c 2 -f srun
  expect 0 '--gpu-bind=map_gpu:0,3 --cpu-bind=mask_cpu:0xff,0xff0000000000000000000000'
  run map --node-topology "$nodes/juwels-booster.xml"
  expect 0 $'0 node0 1 6-11 mlx5_1\n1 node0 0 18-23 mlx5_0\n2 node0 3 30-35 mlx5_3\n3 node0 2 42-47 mlx5_2'
  run map --node-topology "$nodes/juwels-booster.xml" -c 1 -f srun
  expect 0 '--gpu-bind=map_gpu:1,0,3,2 --cpu-bind=map_cpu:6,18,30,42'
}

# Cores that Slurm reserves are in no mask: those of slurm.conf, or those of the option.
reserved() {
  run map --node-topology "$nodes/juwels-booster.xml" --reserved-cores 6,18-20
  expect 0 $'0 node0 1 9-11 mlx5_1\n1 node0 0 21-23 mlx5_0\n2 node0 3 30-32 mlx5_3\n3 node0 2 42-44 mlx5_2'
  printf 'NodeName=n[0-1] Sockets=2 CoresPerSocket=24 CoreSpecCount=2\nNodeName=n2 State=DOWN CPUs=48\n' >slurm.conf
  printf 'SwitchName=s Nodes=n[0-2]\n' >topology.conf
  run map --node-topology "$nodes/juwels-booster.xml" -t topology.conf -n 8 -f gpus
  [ $code = 0 ] || fail "$command: $err"
  checks=$((checks + 1))
  grep -Eq ' ([0-9-]+,)*([0-9]+-)?(23|47)[, ]' <<<"$out" && fail "$command: a reserved core: $out"
  run map --node-topology "$nodes/juwels-booster.xml" --reserved-cores 48
  [ $code = 2 ] || fail "$command: exit code $code"
  run map --node-topology "$nodes/juwels-booster.xml" --reserved-cores 0-47
  [ $code = 1 ] || fail "$command: exit code $code"
}

# The cores next to two GPUs alternate.
alternating() {
  printf 'Name=gpu File=/dev/nvidia%s Cores=%s\n' 0 0,2,4,6 1 1,3,5,7 >alternating.conf
  run map --node-topology 'package:1 core:8 pu:1' --gres-conf alternating.conf -f srun
  expect 0 '--gpu-bind=map_gpu:0,1 --cpu-bind=mask_cpu:0x55,0xaa'
}

# With traffic: neighbours share links.
linked() {
  local pattern
  for pattern in ring grid=4x2 tree; do
    run map --node-topology "$nodes/lumi-g.xml" -n 8 --pattern "$pattern"
    [ $code = 0 ] || fail "$command: $err"
    says 'links 100.0 %'
    has ', the minimum'
  done
  # Pairs with traffic are on one module, with any rank numbers.
  printf '8 4\n0 7 100\n1 6 100\n2 5 100\n3 4 100\n' >pairs
  order 'pairs on LUMI-G' 4,2,6,0,1,7,3,5 "$nodes/lumi-g.xml" -m pairs
  has 'GPU cost  404000, '
  # Two groups of three share a processor of Summit.
  printf '6 6\n0 2 9\n0 4 9\n2 4 9\n1 3 9\n1 5 9\n3 5 9\n' >groups
  order 'groups of three on Summit' 0,3,1,4,2,5 "$nodes/summit.xml" -m groups
  says 'links 100.0 % 33.3 %'
  # All A100 of a node are linked alike: pairs share a PCI switch.
  order 'pairs on a DGX' 2,0,6,4,5,7,1,3 "$nodes/dgx-a100.xml" -m pairs
  # Two ranks of four GPUs take those with a link.
  printf '2 1\n0 1 5\n' >two
  order 'two ranks with links' 0,2 'package:1 core:4 pu:1' --gres-conf gres.conf -m two
  order 'a ring by Links=' 0,1,3,2 'package:1 core:4 pu:1' --gres-conf gres.conf --pattern ring -n 4
}

# The lines of gres.conf contain as much as the description: the GPUs of ranks are the same by either.
gres_lines() {
  local node cores wanted gpu
  local by_nvml="placectl gres-conf: NVML's --driver /proc/driver/nvidia/gpus"
  run gres-conf "$nodes/lumi-g.xml"
  refused 1 "placectl gres-conf: $nodes/lumi-g.xml GPU 0000:c1:00.0 --file --file /dev/dri/renderD[128-135] --file /dev/nvidia[0-7]"
  run gres-conf -n 'lumi[1-2]' --type mi250x --file '/dev/dri/renderD[128-135]' "$nodes/lumi-g.xml" -o lumi-g.conf
  expect 0 '' ''
  run gres-conf "$nodes/summit.xml"
  expect 0 'Name=gpu File=/dev/nvidia0 Cores=0-21 Links=-1,1,1,0,0,0
Name=gpu File=/dev/nvidia1 Cores=0-21 Links=1,-1,1,0,0,0
Name=gpu File=/dev/nvidia2 Cores=0-21 Links=1,1,-1,0,0,0
Name=gpu File=/dev/nvidia3 Cores=22-43 Links=0,0,0,-1,1,1
Name=gpu File=/dev/nvidia4 Cores=22-43 Links=0,0,0,1,-1,1
Name=gpu File=/dev/nvidia5 Cores=22-43 Links=0,0,0,1,1,-1' "$by_nvml"
  for node in summit dgx-a100 juwels-booster; do
    run gres-conf -n 'lumi[1-2]' "$nodes/$node.xml" -o "$node.conf"
    expect 0 '' "$by_nvml"
  done
  printf '8 4\n0 7 100\n1 6 100\n2 5 100\n3 4 100\n' >pairs
  printf '6 6\n0 2 9\n0 4 9\n2 4 9\n1 3 9\n1 5 9\n3 5 9\n' >groups
  while read -r node cores wanted; do
    order "$node by gres.conf" "$wanted" "${cores//_/ }" --gres-conf "$node.conf" --gres-node lumi2 -m "$([ "$node" = summit ] && echo groups || echo pairs)"
  done <<'END'
lumi-g package:1_core:64_pu:1 4,2,6,0,1,7,3,5
summit package:2_core:22_pu:1 0,3,1,4,2,5
dgx-a100 package:2_core:64_pu:1 2,0,6,4,5,7,1,3
END
  # Without links the numbers show how near the GPUs are: here two of one memory, and the others of the package.
  sed '/<distances2 /,/<\/distances2>/d' "$nodes/lumi-g.xml" >unlinked.xml
  run gres-conf --file '/dev/dri/renderD[128-135]' unlinked.xml
  out=$(sed -n '1,3s/.*Links=//p' <<<"$out")
  expect 0 $'-1,6,4,4,4,4,4,4\n6,-1,4,4,4,4,4,4\n4,4,-1,6,4,4,4,4' ''
  # A line of the node trumps AutoDetect= of the whole file.
  { echo 'AutoDetect=nvml'; sed 's/Name=gpu/AutoDetect=off Name=gpu/' summit.conf; } >off.conf
  order 'a node with AutoDetect=off' 0,3,1,4,2,5 'package:2 core:22 pu:1' --gres-conf off.conf --gres-node lumi2 -m groups
  printf 'no text' >bad.xml
  run gres-conf bad.xml
  refused 1 "placectl gres-conf: bad.xml XML \"lstopo node.xml\""
  run gres-conf 'package:2 core:4 pu:1'
  [ "$code" = 1 ] || fail "$command: exit code $code"
  has 'no GPU'
  run gres-conf --file '/dev/nvidia[0-4]' "$nodes/summit.xml"
  refused 2 "placectl gres-conf: --file /dev/nvidia[0-4] 5 $nodes/summit.xml 6 GPUs"
  # The driver's numbers in /proc/driver/nvidia/gpus, here from the last GPU to the first.
  cores=6
  for gpu in 0004:04:00.0 0004:05:00.0 0004:06:00.0 0035:03:00.0 0035:04:00.0 0035:05:00.0; do
    mkdir -p "driver/$gpu"
    printf 'Model: \t\t Some GPU\nDevice Minor: \t %d\n' $((--cores)) >"driver/$gpu/information"
  done
  run gres-conf --driver driver "$nodes/summit.xml"
  expect 0 'Name=gpu File=/dev/nvidia5 Cores=0-21 Links=-1,1,1,0,0,0
Name=gpu File=/dev/nvidia4 Cores=0-21 Links=1,-1,1,0,0,0
Name=gpu File=/dev/nvidia3 Cores=0-21 Links=1,1,-1,0,0,0
Name=gpu File=/dev/nvidia2 Cores=22-43 Links=0,0,0,-1,1,1
Name=gpu File=/dev/nvidia1 Cores=22-43 Links=0,0,0,1,-1,1
Name=gpu File=/dev/nvidia0 Cores=22-43 Links=0,0,0,1,1,-1' ''
  echo 'Device Minor: x' >driver/0035:04:00.0/information
  run gres-conf --driver driver "$nodes/summit.xml"
  refused 2 'placectl gres-conf: --driver driver 0035:04:00.0/information "Device Minor"'
  run gres-conf --type 'a b' "$nodes/summit.xml"
  refused 2 'placectl gres-conf: --type a b'
  run gres-conf -n 'n[1' "$nodes/summit.xml"
  [ "$code" = 2 ] || fail "$command: exit code $code"
}

# hwloc 2 writes one bandwidth and one hop for all pairs of AMD's GPUs: then the module decides, and Links= of gres.conf has more detail.
alike_links() {
  awk '/name="XGMI/ { most = /Bandwidth/ ? 100000 : 1 }
    /<u64values/ {
      gsub(/.*">|<.*/, "")
      count = split($0, value, " ")
      text = ""
      for (i = 1; i <= count; ++i) text = text ((i - 1) % 9 == 0 ? value[i] : most) " "
      $0 = "<u64values length=\"" length(text) "\">" text "</u64values>"
    }
    { print }' "$nodes/lumi-g.xml" >alike.xml
  order 'LUMI-G with alike links' 4,5,2,3,6,7,0,1 alike.xml
  order 'pairs with alike links' 4,2,6,0,1,7,3,5 alike.xml -m pairs
  says 'links 100.0 % 100.0 %'
  local gpu links=('-1,4,1,0,0,0,2,0' '4,-1,0,1,0,1,0,0' '1,0,-1,4,2,0,0,0' '0,1,4,-1,0,0,0,1' '0,0,2,0,-1,4,1,0' '0,1,0,0,4,-1,0,1' '2,0,0,0,1,0,-1,4' '0,0,0,1,0,1,4,-1')
  for gpu in 0 1 2 3 4 5 6 7; do echo "Name=gpu File=/dev/dri/card$gpu Links=${links[gpu]}"; done >lumi.conf
  run map --node-topology "$nodes/lumi-g.xml" --pattern ring
  local by_file
  by_file=$(gpus)
  order 'a ring by Links=' "$by_file" alike.xml --gres-conf lumi.conf --pattern ring
  says 'links 100.0 % 50.0 %'
}

links() {
  printf '%s\n' 'Name=gpu File=/dev/g0 Links=-1,0,4,0' 'Name=gpu File=/dev/g1 Links=0,-1,0,4' 'Name=gpu File=/dev/g2 Links=4,0,-1,0' \
    'Name=gpu File=/dev/g3 Links=0,4,0,-1' >gres.conf
}

# Nodes and ranks by the topology and the policy, GPUs by the node: one order for all nodes.
with_a_cluster() {
  printf 'SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\nSwitchName=top Switches=s[0-1]\n' >topology.conf
  printf 'NodeName=n[0-3] CPUs=64 Sockets=1 CoresPerSocket=64\n' >slurm.conf
  printf '16 8\n' >far
  local rank
  for rank in 0 1 2 3 4 5 6 7; do echo "$rank $((15 - rank)) 100"; done >>far
  run map --node-topology "$nodes/lumi-g.xml" -t topology.conf -m far -N 2 --ntasks-per-node 8
  [ $code = 0 ] || fail "$command: $err"
  [ "$(cut -d ' ' -f 2 <<<"$out" | sort | uniq -c | paste -sd ' ' | tr -s ' ')" = ' 8 n0 8 n1' ] || fail "$command: nodes in $out"
  says 'links 100.0 %'
  run map --node-topology "$nodes/lumi-g.xml" -t topology.conf -n 4 -f nodes
  expect 0 $'0 n0 0,1,2,3,4,5,6,7\n1 n0 16,17,18,19,20,21,22,23\n2 n0 32,33,34,35,36,37,38,39\n3 n0 48,49,50,51,52,53,54,55'
  printf 'NodeName=n[0-3] Name=gpu File=/dev/g[0-1]\n' >gres2.conf
  run map --node-topology 'package:1 core:64 pu:1' --gres-conf gres2.conf -t topology.conf -n 4 -c 1
  expect 0 $'0 n0 0 0 -\n1 n0 1 1 -\n2 n1 0 0 -\n3 n1 1 1 -'
  run map --node-topology "$nodes/summit.xml" -t topology.conf
  [ $code = 0 ] || fail "$command: nodes with more cores are allowed"
  printf 'NodeName=n[0-3] CPUs=8 Sockets=1 CoresPerSocket=8\n' >slurm.conf
  run map --node-topology "$nodes/lumi-g.xml" -t topology.conf
  refused 1 "placectl map: n0 8 $nodes/lumi-g.xml 64"
}

report_in_json() {
  [ $have_python = yes ] || return
  run map --node-topology "$nodes/lumi-g.xml" -m pairs --json
  json "['gpus']['gpu_bind']" map_gpu:4,2,6,0,1,7,3,5
  json "['gpus']['linked']" 1
  json "['gpus']['exact']" True
  json "['gpus']['places'][1]['nic']" hsn1
  json "['gpus']['places'][1]['name']" 0000:c9:00.0
  json "['places'][1]['cores'][0]" 16
  local same=$work/same
  mkdir -p "$same"
  python3 "$nodes/make_nodes" "$same"
  checks=$((checks + 1))
  for file in "$same"/*.xml; do cmp -s "$file" "$nodes/${file##*/}" || fail "${file##*/} is not what make_nodes writes"; done
}

errors() {
  local lumi=$nodes/lumi-g.xml
  run map --node-topology 'package:100000 core:8 pu:1'
  refused 1 'placectl map: package:100000 core:8 pu:1: 65536'
  run map --node-topology 'package:1 core:4 pu:1'
  refused 1 'placectl map: package:1 core:4 pu:1 GPU --gres-conf'
  head -c 20000 "$lumi" >cut.xml
  run map --node-topology cut.xml
  refused 1 'placectl map: cut.xml XML "lstopo node.xml"'
  run map --node-topology /no/such.xml
  refused 1 'placectl map: /no/such.xml No such file or directory'
  run map --node-topology "$lumi" -n 9 -N 1
  refused 1 'placectl map: --nodes 1 9 GPU 2 8'
  run map --node-topology "$lumi" -c 9
  refused 1 "placectl map: $lumi 64 8 9 72"
  run map --node-topology "$lumi" --gres-conf gres.conf
  refused 1 "placectl map: gres.conf 4 GPUs $lumi 8"
  run map --node-topology "$lumi" --gres-conf gres2.conf
  refused 1 'placectl map: gres2.conf Name=gpu node0 --gres-node'
  run map --node-topology 'package:1 core:4 pu:1' --gres-conf gres2.conf --gres-node n3
  [ "$code/$(gpus)" = 0/0,1 ] || fail "$command: $err"
  printf 'AutoDetect=nvml\n' >auto.conf
  run map --node-topology "$lumi" --gres-conf auto.conf
  has AutoDetect
  run map --node-topology "$lumi" --gres-node n3
  refused 2 "placectl map: --gres-node --gres-conf"
  run map -t tree --gres-conf gres.conf
  refused 2 "placectl map: --gres-conf --node-topology"
  run map -t tree --node-topology "$lumi"
  refused 2 "placectl map: --node-topology topology.conf --slurm-conf"
  run map -t tree -f gpus
  refused 2 "placectl map: --format --node-topology"
  run map --node-topology "$lumi" --threads-per-core 3
  has 'placectl map: --threads-per-core 3: a core of '
  has '2 hardware threads'
  run map --node-topology "$lumi" --threads-per-core 0
  [ $code = 2 ] || fail "$command: exit code $code"
  run map --node-topology "$lumi" --nodelist n1
  refused 2 "placectl map: --nodelist --topology"
}

links
run_parts 60 machines reserved alternating linked gres_lines alike_links with_a_cluster report_in_json errors
