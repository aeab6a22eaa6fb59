#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# "placectl topology": the topology.conf of each kind of input. The fabric of the samples has two leaf switches with two nodes each, and
# two spines. A storage host and an aggregation node of the fabric hang on a spine.
# shellcheck source=tests/tools/placectl_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/placectl_lib.sh"

tree=$'SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\nSwitchName=s3 Switches=s[1-2]'
made() {  # file, expected text
  run topology -w 'n[1-4]' "$1"
  expect 0 "$2" "${3:-}"
}

cat >ibnetdiscover <<'END_OF_OUTPUT'
#
# Topology file: generated on Sun Nov 29 10:00:00 2026
#
# Initiated from node 0000000000000011 port 0000000000000111

vendid=0x2c9
devid=0xd2f0
sysimgguid=0xa1
switchguid=0xa1(a1)
Switch	41 "S-00000000000000a1"		# "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 11 lmc 0
[1]	"H-0000000000000011"[1](111) 		# "n1 mlx5_0" lid 21 4xHDR
[2]	"H-0000000000000012"[1](112) 		# "n2.cluster HCA-1" lid 22 4xHDR
[39]	"S-00000000000000b1"[1]		# "MF0;spine1:MQM8700/U1" lid 13 4xHDR
[40]	"S-00000000000000b2"[1]		# "MF0;spine2:MQM8700/U1" lid 14 4xHDR

vendid=0x2c9
switchguid=0xa2(a2)
Switch	41 "S-00000000000000a2"		# "MF0;leaf2:MQM8700/U1" enhanced port 0 lid 12 lmc 0
[1]	"H-0000000000000013"[1](113) 		# "n3 mlx5_0" lid 23 4xHDR
[2]	"H-0000000000000014"[1](114) 		# "n4 mlx5_0" lid 24 4xHDR
[39]	"S-00000000000000b1"[2]		# "MF0;spine1:MQM8700/U1" lid 13 4xHDR
[40]	"S-00000000000000b2"[2]		# "MF0;spine2:MQM8700/U1" lid 14 4xHDR

switchguid=0xb1(b1)
Switch	41 "S-00000000000000b1"		# "MF0;spine1:MQM8700/U1" enhanced port 0 lid 13 lmc 0
[1]	"S-00000000000000a1"[39]		# "MF0;leaf1:MQM8700/U1" lid 11 4xHDR
[2]	"S-00000000000000a2"[39]		# "MF0;leaf2:MQM8700/U1" lid 12 4xHDR
[3]	"H-0000000000000019"[1](119) 		# "storage1 mlx5_0" lid 29 4xHDR
[41]	"H-00000000000000f1"[1](f1) 		# "Mellanox Technologies Aggregation Node" lid 30 4xHDR

switchguid=0xb2(b2)
Switch	41 "S-00000000000000b2"		# "MF0;spine2:MQM8700/U1" enhanced port 0 lid 14 lmc 0
[1]	"S-00000000000000a1"[40]		# "MF0;leaf1:MQM8700/U1" lid 11 4xHDR
[2]	"S-00000000000000a2"[40]		# "MF0;leaf2:MQM8700/U1" lid 12 4xHDR

caguid=0x11
Ca	1 "H-0000000000000011"		# "n1 mlx5_0"
[1](111) 	"S-00000000000000a1"[1]		# lid 21 lmc 0 "MF0;leaf1:MQM8700/U1" lid 11 4xHDR
END_OF_OUTPUT

cat >iblinkinfo <<'END_OF_OUTPUT'
CA: n1 mlx5_0:
      0x0000000000000111     21    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      11    1[  ] "MF0;leaf1:MQM8700/U1" ( )
Switch: 0x00000000000000a1 MF0;leaf1:MQM8700/U1:
          11    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      21    1[  ] "n1 mlx5_0" ( )
          11    2[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      22    1[  ] "n2 mlx5_0" ( )
          11    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )
          11   39[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      13    1[  ] "MF0;spine1:MQM8700/U1" ( )
Switch: 0x00000000000000a2 MF0;leaf2:MQM8700/U1:
          12    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      23    1[  ] "n3 mlx5_0" ( )
          12    2[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      24    1[  ] "n4 mlx5_0" ( )
          12   39[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      13    2[  ] "MF0;spine1:MQM8700/U1" ( )
Switch: 0x00000000000000b1 MF0;spine1:MQM8700/U1:
          13    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      11   39[  ] "MF0;leaf1:MQM8700/U1" ( )
          13    2[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      12   39[  ] "MF0;leaf2:MQM8700/U1" ( )
          13    3[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      29    1[  ] "storage1 mlx5_0" ( )
END_OF_OUTPUT

infiniband() {
  made ibnetdiscover "$tree"
  made iblinkinfo "$tree"
  run topology -w 'n[1-6]' ibnetdiscover
  expect 0 $'SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\nSwitchName=s3 Nodes=n5\nSwitchName=s4 Nodes=n6\nSwitchName=s5 Switches=s[1-2]\nSwitchName=s6 Switches=s3\nSwitchName=s7 Switches=s4\nSwitchName=s8 Switches=s[5-7]' \
    'n[5-6]'
  # A node with two adapters hangs on one switch, and the other switch is still a leaf.
  sed 's/"n3 mlx5_0" lid 23/"n1 mlx5_1" lid 23/' ibnetdiscover >rails
  run topology -w 'n[1-2,4]' rails
  expect 0 $'SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n4\nSwitchName=s3 Switches=s[1-2]' ''
}

# Three levels: two pairs of leaf switches with a spine for each pair, and a core switch.
three_levels() {
  local leaf
  {
    for leaf in 1 2 3 4; do
      printf 'Switch 8 "S-l%d"\n[1] "H-%d"[1](1) # "n%d HCA-1"\n[8] "S-s%d"[1]\n' $leaf $leaf $leaf $(((leaf + 1) / 2))
    done
    printf 'Switch 8 "S-s1"\n[1] "S-l1"[8]\n[2] "S-l2"[8]\n[8] "S-c"[1]\nSwitch 8 "S-s2"\n[1] "S-l3"[8]\n[2] "S-l4"[8]\n[8] "S-c"[2]\n'
    printf 'Switch 8 "S-c"\n[1] "S-s1"[8]\n[2] "S-s2"[8]\n'
  } >three
  made three "$(printf 'SwitchName=s%d Nodes=n%d\n' 1 1 2 2 3 3 4 4; printf 'SwitchName=s%d Switches=s[%s]\n' 5 1-2 6 3-4 7 5-6)"
}

pairs() { printf '%s\n' 'u v latency_us bandwidth_Bps measured_at_s' 'n1 n2 1.00 1e10 1700000000' 'n3 n4 1.12 1e10 1700000000' "$@"; }

measured() {
  pairs 'n1 n3 1.40 1e10 1700000000' 'n1 n4 1.45 1e10 1700000000' 'n2 n4 9.00 1e10 1700000000' >measured
  made measured "$tree"
  # Pairs that were not measured in time: the node hangs where its nearest known neighbour is.
  pairs 'n2 n3 1.38 1e10 1700000000' >few
  made few "$tree"
  pairs 'n1 n3 1.2 1e10 1700000000' >even
  run topology -w 'n[1-4]' even
  refused 1 'even latencies 15 %'
  checks=$((checks + 1))
  [ "$("$placectl" topology -w 'n[1-4]' - <measured)" = "$tree" ] || fail "standard input is not read"
}

addresses() {
  printf '%s\n' core.rack1.n1 core.rack1.n2 core.rack2.n3 core.rack2.n4 >addresses
  made addresses "$tree"
  printf '%s\n' 'n1 x1000c0s1b0n0' 'n2 x1000c0s2b1n1' 'n3 x1000c1s1b0n0' 'n4 x1001c0s1b0n0' >xnames
  made xnames $'SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n3\nSwitchName=s3 Nodes=n4\nSwitchName=s4 Switches=s[1-2]\nSwitchName=s5 Switches=s3\nSwitchName=s6 Switches=s[4-5]'
  run topology -w x1000c0s1b0n0,x1001c0s1b0n0 <(printf '%s\n' x1000c0s1b0n0 x1001c0s1b0n0)
  expect 0 $'SwitchName=s1 Nodes=x1000c0s1b0n0\nSwitchName=s2 Nodes=x1001c0s1b0n0\nSwitchName=s3 Switches=s[1-2]' ''
  # Group 3, switches 8 and 9; group 259, switch 8.
  printf '%s\n' 'n1 02:00:00:00:1a:03' 'n2 02:00:00:00:1a:04' 'n3 02:00:00:00:1a:43' 'n4 02:00:00:08:1a:03' >macs
  made macs $'SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n3\nSwitchName=s3 Nodes=n4\nSwitchName=s4 Switches=s[1-2]\nSwitchName=s5 Switches=s3\nSwitchName=s6 Switches=s[4-5]'
}

bad_input() {
  run topology
  refused 2 'placectl topology'
  run topology -w 'n[1' ibnetdiscover
  refused 2 --nodelist
  run topology -w 'x[1-4]' ibnetdiscover
  refused 1 'ibnetdiscover 4 nodes x1'
  run topology -w n1 none
  refused 1 none
  for line in 'n1' 'n1 rack1' 'core.rack1.n1 x y' 'n1 02:00:00:00:1a' 'n1 x1000c0s1b0n0extra' '.n1'; do
    printf '# a comment\n%s\n' "$line" >wrong
    run topology -w n1 wrong
    refused 1 'wrong:2'
  done
  printf 'n1 a%s\n' "$(printf '.a%.0s' {1..65})" >wrong
  run topology -w n1 wrong
  refused 1 'wrong:1 levels'
  awk 'BEGIN { for (n = 1; n <= 100000; ++n) print "core.n" n }' >many
  run topology -w 'n[1-100000]' many
  refused 1 'many one switch'
}

# "placectl map" reads what the command prints.
is_read() {
  "$placectl" topology -w 'n[1-4]' ibnetdiscover >topology.conf 2>/dev/null
  printf 'NodeName=n[1-4] CPUs=2 CoresPerSocket=2\n' >slurm.conf
  run map -t topology.conf --pattern ring -n 8
  checks=$((checks + 1))
  [ "$code" = 0 ] || fail "$command: exit code $code: $err"
}

run_parts 20 infiniband three_levels measured addresses bad_input is_read
