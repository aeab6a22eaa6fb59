#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# placectl with a stand-in for scontrol, which prints what Slurm 22.05 prints for a job on n1, n2, n5 and n6 of two switches.
# placectl asks scontrol and reads the job's variables: it needs no libslurm. Commands that need the plugins or the monitor say so.
# shellcheck source=tests/tools/placectl_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/placectl_lib.sh"
mkdir bin && cp -L "$placectl" bin/placectl && placectl=$work/bin/placectl || exit 99
printf 'SlurmctldHost=head\nNodeName=n[1-8] CPUs=2 CoresPerSocket=2\n' >slurm.conf
export SLURM_CONF=$work/slurm.conf
cat >bin/scontrol <<'END'
#!/bin/bash
denied() { echo "slurm_load_node error: Access/permission denied" >&2; exit 1; }
case $* in
  ping) echo "Slurmctld(primary) at head is UP" ;;
  'show config') printf 'ClusterName             = c\nSelectTypeParameters    = CR_CORE\n\nSlurmctld(primary) at head is UP\n' ;;
  '-a -o show nodes')
    [ -z "${PRIVATE:-}" ] || denied
    for n in {1..8}; do
      echo "NodeName=n$n Arch=x86_64 CoresPerSocket=2  CPUAlloc=0 Gres=(null) NodeAddr=n$n OS=Linux 6.1 #1 SMP  Sockets=1 Boards=1" \
        "State=$([ $n = 3 ] && echo IDLE+DRAIN || echo IDLE) ThreadsPerCore=1 Weight=1 Partitions=p"
    done
    ;;
  'show topology' | '--details --local')
    printf '%s\n' 'SwitchName=s0 Level=1 LinkSpeed=1 Nodes=n[1-8] Switches=s[1-2]' 'SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-4]' \
      'SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[5-8]'
    [ "$1" = show ] || printf '%s\n' 'JobId=7 JobName=x' '   JobState=RUNNING Reason=None' '   Partition=p AllocNode:Sid=head:1' '   Nodes=n[1-2,5-6] CPU_IDs=0-1 Mem=0 GRES='
    ;;
  '-a -o show partition p') echo 'PartitionName=p AllowGroups=ALL Nodes=n[1-8] State=UP' ;;
  *) echo "stand-in: scontrol $*" >&2; exit 1 ;;
esac
END
cat >bin/sinfo <<'END'
#!/bin/bash
printf 'n%s p*\n' 1 2 4 5 6 7 8
END
cat >bin/sbatch <<'END'
#!/bin/bash
echo "sbatch: Job 8 to start at 2020-01-01T00:00:00 using 8 processors on nodes n[1-2,4-5] in partition p" >&2
END
printf '#!/bin/bash\n' >bin/srun
chmod +x bin/*
job=(SLURM_JOB_ID=7 'SLURM_JOB_NODELIST=n[1-2,5-6]' 'SLURM_TASKS_PER_NODE=2(x4)' SLURM_NTASKS=8)
printf '%s\n' '8 6' '0 6 1000' '1 7 1000' '2 4 1000' '3 5 1000' '0 1 50' '4 5 50' >m

in_job() { out=$(env "${job[@]}" "$placectl" "$@" 2>"$work/.err" </dev/null) code=$? err=$(cat "$work/.err") command="placectl $*"; }

allocation() {
  in_job map -m m
  checks=$((checks + 3))
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  [ "$(grep -cE '^[0-7] n[1256] ' <<<"$out")" = 8 ] || fail "$command: '$out'"
  # The four pairs that communicate most have a node each.
  [ "$(for pair in 0,6 1,7 2,4 3,5; do awk -v a="${pair%,*}" -v b="${pair#*,}" '$1 == a || $1 == b { print $2 }' <<<"$out" | uniq | wc -l; done | paste -sd ' ')" = "1 1 1 1" ] ||
    fail "$command: '$out'"
  in_job run --print -m m -- srun ./app
  says 'arbitrary'
  PRIVATE=1 in_job map -m m
  refused 1 'denied PrivateData=nodes'
  PRIVATE=1 in_job run --strict -m m -- true
  checks=$((checks + 1))
  [ $code = 1 ] || fail "$command: exit code $code; $err"
}

idle_machine() {
  run choose --print --pattern ring -n 8 -- sbatch job.sh
  checks=$((checks + 1))
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  case $out in *n3*) fail "$command: takes the drained node: $out" ;; esac
}

plugins_and_monitor() {
  run status
  says 'select_cons_tres.so'
}

run_parts 8 allocation idle_machine plugins_and_monitor
