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
config() {
  echo >>configs
  printf 'Configuration data as of 2026-01-01T00:00:00\nClusterName             = c\nSelectTypeParameters    = CR_CORE\n%s\n\nSlurmctld(primary) at head is UP\n' "$(cat conf 2>/dev/null)"
}
case $* in
  ping) echo "Slurmctld(primary) at head is UP" ;;
  'show config') config ;;
  '-a -o show nodes')
    [ -z "${PRIVATE:-}" ] || denied
    for n in {1..8}; do
      echo "NodeName=n$n Arch=x86_64 CoresPerSocket=2  CPUAlloc=0 Gres=(null) NodeAddr=n$n OS=Linux 6.1 #1 SMP  Sockets=1 Boards=1" \
        "State=$([ $n = 3 ] && echo IDLE+DRAIN || echo IDLE) ThreadsPerCore=${THREADS:-1} Weight=1 Partitions=p"
    done
    ;;
  update*)
    [ -z "${PERMANENT:-}" ] || denied
    echo "$*${SLURM_JOBID:-}" >>"${0%/*}/../updates"
    echo "${3#*=}" >"${0%/*}/../now"
    ;;
  'show topology' | '--details --local')
    if [ "$1" != show ] && grep -q '^show config'; then config; fi
    if [ -n "${FLAT:-}" ]; then
      echo "No topology information available"
    else
      printf '%s\n' 'SwitchName=s0 Level=1 LinkSpeed=1 Nodes=n[1-8] Switches=s[1-2]' 'SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-4]' \
        'SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[5-8]'
    fi
    [ "$1" = show ] || printf '%s\n' 'JobId=7 JobName=Configuration data as of x' '   JobState=RUNNING Reason=None' '   Partition=p AllocNode:Sid=head:1' "   Nodes=$(cat "${0%/*}/../now") CPU_IDs=0-1 Mem=0 GRES="
    ;;
  '-a -o show partition p') echo 'PartitionName=p AllowGroups=ALL Nodes=n[1-8] State=UP' ;;
  *) echo "stand-in: scontrol $*" >&2; exit 1 ;;
esac
END
cat >bin/sinfo <<'END'
#!/bin/bash
[ -n "${BUSY:-}${SINFO_PARTITION:-}" ] || printf 'n%s p*\n' 1 2 4 5 6 7 8
[ -z "${OTHER:-}" ] || printf "n%s $OTHER\n" 1 2 4 5 6 7 8
END
cat >bin/squeue <<'END'
#!/bin/bash
echo "$*" >asked
[ -n "${SQUEUE_USERS:-}" ] || echo "${WAITS:-Dependency}"
END
cat >bin/mpirun <<'END'
#!/bin/bash
echo 'mpirun (Open MPI) 4.1.4'
END
cp bin/mpirun bin/app
cat >bin/sbatch <<'END'
#!/bin/bash
[ "$1" != --help ] || printf '%s\n' '  -a, --array=indexes  array' '  -b, --begin=time  begin' '  -w, --nodelist=hosts  nodes' \
  '  -n, --ntasks=n  tasks' '  -N, --nodes=n  nodes' '      --ntasks-per-node=n  tasks' '  -p, --partition=name  partition' '  -J, --job-name=name  name' '  -x, --exclude=hosts  not' '  -M, --clusters=names  clusters' '  -d, --dependency=type  after' \
  '      --export[=names]  variables' '      --wrap[=command string]  wrap'
year=2020
case $* in *--nodes=6*) year=${LATER:-2020} ;; esac
echo "sbatch: Job 8 to start at $year-01-01T00:00:00 using 8 processors on nodes n[1-2,4-5] in partition p" >&2
END
cat >bin/srun <<'END'
#!/bin/bash
if [ "$1" = --help ]; then
  printf '%s\n' '  -N, --nodes=N  nodes' '  -n, --ntasks=n  tasks' '      --ntasks-per-node=n  tasks' '      --spread-job  spread' '  -O, --overcommit  over' '  -c, --cpus-per-task=n  cpus' '      --overlap  overlap' '  -K, --kill-on-bad-exit  kill' '  -m, --distribution=type  layout' '      --mpi=type  MPI' \
    '  -l, --label  label' '      --cpu-bind=  bind' '      --bcast=  copy' '      --export=  variables'
elif [ "$1" = --test-only ]; then
  year=2020
  case $* in *--nodelist*) [ -z "${SLURM_TIMELIMIT:-}" ] || year=2099 ;; esac
  echo "srun: Job 8 to start at $year-01-01T00:00:00 using 8 processors on nodes n[1-2,4-5] in partition p" >&2
else
  env | grep ^SLURM_
fi
END
cp bin/sbatch bin/salloc
echo 'n[1-2,5-6]' >now
printf '#!/bin/sh\n' >job.sh
chmod +x bin/*
job=(SLURM_JOB_ID=7 SLURM_JOBID=7 SLURM_CLUSTER_NAME=c 'SLURM_JOB_NODELIST=n[1-2,5-6]' 'SLURM_TASKS_PER_NODE=2(x4)' SLURM_NTASKS=8 SLURM_JOB_NUM_NODES=4)
printf '%s\n' '8 6' '0 6 1000' '1 7 1000' '2 4 1000' '3 5 1000' '0 1 50' '4 5 50' >m

in_job() { out=$(env "${job[@]}" PATH="$work/bin:$PATH" "$placectl" "$@" 2>"$work/.err" </dev/null) code=$? err=$(cat "$work/.err") command="placectl $*"; }

allocation() {
  in_job map -m m
  checks=$((checks + 3))
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  [ "$(grep -cE '^[0-7] n[1256] ' <<<"$out")" = 8 ] || fail "$command: '$out'"
  # The four pairs that communicate most have a node each.
  [ "$(for pair in 0,6 1,7 2,4 3,5; do awk -v a="${pair%,*}" -v b="${pair#*,}" '$1 == a || $1 == b { print $2 }' <<<"$out" | uniq | wc -l; done | paste -sd ' ')" = "1 1 1 1" ] ||
    fail "$command: '$out'"
  # mpiexec takes each line for a separate node, so each node has one.
  in_job map -m m --format machinefile
  checks=$((checks + 1))
  [ "$(sort <<<"$out" | paste -sd ' ')" = 'n1:2 n2:2 n5:2 n6:2' ] || fail "$command: '$out'"
  in_job run --print -m m -- srun ./app
  says 'arbitrary'
  # Slurm 26.05 rejects an arbitrary layout next to -N, and in allocations by --spread-job.
  in_job run --strict --print -m m -- srun -N4 --nodes 4 --nodes=4 ./app
  checks=$((checks + 1))
  grep -q -- 'srun --distribution=arbitrary --ntasks=8 [^ ]*bin/placectl bind ./app$' <<<"$out" || fail "$command: exit code $code, '$out' $err"
  in_job run --print -m m -- srun --spread-job ./app
  expect 0 'srun --spread-job ./app' 'run: --spread-job'
  PRIVATE=1 in_job map -m m
  refused 1 'denied PrivateData=nodes'
  PRIVATE=1 in_job run --strict -m m -- true
  checks=$((checks + 1))
  [ $code = 1 ] || fail "$command: exit code $code; $err"
}

# The options of the launchers limit or replace the placement; the program's own options do not.
launchers() {
  local words all=("${job[@]}") job
  job=("${all[@]/SLURM_NTASKS=8/OTHER=1}")
  in_job run --print --pattern ring -- srun --ntasks-per-node=1 ./app
  says '--ntasks=4'
  job=("${all[@]}")
  in_job run --print -m m -- srun --ntasks-per-node=2 ./app
  says '--ntasks=8'
  in_job run --print -m m -- mpirun app -f input --host x
  says seq
  for words in '-npernode 1' '--launch-agent sh -npernode 1' '--map-by=node' -bynode '--mca plm_rsh_agent sh --host n1' '-launcher sh -ppn 1'; do
    # shellcheck disable=SC2086
    in_job run --print -m m -- mpirun $words app
    expect 0 "mpirun $words app" "run: places"
  done
  in_job run --print -m m -- srun --ntasks-per-node=1 --ntasks=8 ./app
  expect 0 'srun --ntasks-per-node=1 --ntasks=8 ./app' 'run: --ntasks-per-node=1'
  printf '%s\n' '4 3' '0 3 1000' '1 2 1000' '0 1 10' >four
  in_job run --print -m four -- srun torchrun train.py --rdzv-backend=c10d --nproc=9
  says '--nproc-per-node=1'
  in_job run --print -m four -- srun torchrun --master-port=29500 train.py
  has '--node-rank='
  for words in --node_rank=0 --rdzv-backend=c10d; do
    in_job run --print -m four -- srun torchrun $words train.py
    expect 0 "srun torchrun $words train.py" "run: torchrun's"
  done
}

# Options of srun, mpiexec and torchrun that a placement must keep, or with which there is none.
options_of_launchers() {
  local words torchrun
  in_job run --print -m m -- srun -lN4 ./app
  says 'bind'
  checks=$((checks + 1))
  grep -q -- '--ntasks=8 -l [^ ]*placectl bind ./app$' <<<"$out" || fail "$command: '$out' $err"
  for words in --cpu-bind=cores --bcast=/tmp/x --export=NONE; do
    in_job run --print -m m -- srun $words ./app
    checks=$((checks + 1))
    [[ ${out/ $placectl bind/} == *"--ntasks=8 $words ./app" && $err == *"${words%%=*}"* ]] || fail "$command: '$out' $err"
  done
  # With TaskPlugin=task/none, "srun --help" does not list these.
  for words in --hint=compute_bound '--mem-bind local'; do
    # shellcheck disable=SC2086
    in_job run --print -m m -- srun $words ./app
    has "--ntasks=8 $words $placectl bind ./app"
  done
  for words in '-F hosts' '--nodefile=hosts' '--no-such-option'; do
    # shellcheck disable=SC2086
    in_job run --print -m m -- srun $words ./app
    expect 0 "srun $words ./app" "run: $([ "$words" = --no-such-option ] && echo "$words" || echo --nodefile)"
  done
  in_job run --print -m m -- srun --open-mode append -n 2 ./app
  refused 1 '8 2'
  for torchrun in '--nnodes=3' '--nproc-per-node 5' '--nproc_per_node=5'; do
    # shellcheck disable=SC2086
    in_job run --print -m m -- srun torchrun $torchrun train.py
    expect 0 "srun torchrun $torchrun train.py" "run: torchrun's"
  done
  for words in '-n 2' --ntasks-per-node=2; do
    # shellcheck disable=SC2086
    in_job run --print -m m -- srun $words torchrun train.py
    expect 0 "srun $words torchrun train.py" 'run: each'
  done
  SLURM_NTASKS_PER_NODE=2 in_job run --print -m m -- srun torchrun train.py
  says '--ntasks=4'
  cp bin/app bin/mpirun_all.sh
  echo 'touch ran' >>bin/mpirun_all.sh
  in_job run --print -m m -- mpirun_all.sh
  checks=$((checks + 1))
  [ ! -e ran ] || fail "$command: the script ran"
  mkdir -p d && cp bin/app d/own
  for words in "-wdir $work/d -n 8 ./own -n 7" "--wdir=$work/d -n 8 ./own -n 7"; do
    # shellcheck disable=SC2086
    in_job run --print -m m -- mpirun $words
    says seq
  done
  in_job run --print -m m -- mpirun -wdir "$work/d" -npernode 1 ./own
  expect 0 "mpirun -wdir $work/d -npernode 1 ./own" 'run: places'
  in_job run --keep 2 -m four -- srun -N4 ./app
  says 'keeps all'
}

# The nodes of deepspeed's hostfile are in the order of the plan.
deepspeed_nodes() {
  cp bin/app bin/deepspeed
  in_job run --print -m m -- deepspeed --launcher openmpi train.py
  has 'n1 slots=2'
  says '--hostfile ./placement.order --master_addr n1 --launcher openmpi train.py'
  for words in '--num_nodes 2' '-H own' --launcher=slurm '--launcher slurm'; do
    # shellcheck disable=SC2086
    in_job run --print -m m -- deepspeed $words train.py
    expect 0 "deepspeed $words train.py" "run: deepspeed's"
  done
}

# Options of the user that bring another order, other numbers, or programs that placectl cannot start.
options_of_users() {
  local words variable
  for words in '--mca rmaps ppr' '--mca rmaps_base_mapping_policy slot' '--rank-by node'; do
    # shellcheck disable=SC2086
    in_job run --print -m m -- mpirun $words app
    expect 0 "mpirun $words app" 'run: places'
  done
  for words in 'mpirun -n=4 app' 'srun --bcast -n 4 ./app'; do
    # shellcheck disable=SC2086
    in_job run --print -m m -- $words
    refused 1 '4'
  done
  in_job run --print -m m -- srun torchrun --nnodes=1:4 train.py
  expect 0 'srun torchrun --nnodes=1:4 train.py' 'run: --nnodes'
  for words in 4-4 2-4; do
    in_job run --print -m m -- srun -N $words -n 8 ./app
    has '--distribution=arbitrary'
  done
  in_job run --print -m m -n 8 -- srun ./app
  has '--ntasks=8'
  in_job run --print -m m -n 4 -- srun ./app
  refused 1 '8 4'
  for words in 'TREEMATCH=foo=1 foo' 'TREEMATCH=effort=x effort=x' 'TREEMATCH=scope=bad scope=bad' 'TREEMATCH=objective=foo objective=foo' 'TOFA=x=1 x'; do
    in_job run --print -m m -p "${words% *}" -- srun ./app
    refused 2 "${words#* }"
  done
  for variable in SLURM_BCAST SLURM_CONTAINER SRUN_CONTAINER; do
    env "$variable=/x" "${job[@]}" PATH="$work/bin:$PATH" "$placectl" run --print -m m -- srun ./app >out 2>err
    checks=$((checks + 1))
    ! grep -q 'placectl bind' out && grep -q "$variable" err || fail "$variable: $(cat out err)"
  done
  SRUN_EXPORT_ENV=NONE in_job run --print -m m -- srun --mpi=cray_shasta ./app
  expect 0 'srun --mpi=cray_shasta ./app' 'run: --export'
  for variable in PET_RDZV_BACKEND=c10d PET_NODE_RANK=1 PET_NNODES=2; do
    job+=("$variable")
    in_job run --print -m four -- srun torchrun train.py
    unset "job[-1]"
    expect 0 'srun torchrun train.py' "run: ${variable%=*}"
  done
  PET_NNODES=4 PET_NPROC_PER_NODE=8 in_job run --print -m four -- srun torchrun train.py
  checks=$((checks + 1))
  [[ $out == *--node-rank=* && $out != *--nproc-per-node* ]] || fail "PET_NPROC_PER_NODE $command: '$out' $err"
  in_job run --print -m four -- srun --ntasks-per-node=1 python3 -mtorch.distributed.run train.py
  expect 0 'srun --ntasks-per-node=1 python3 -mtorch.distributed.run train.py' 'run: torch.distributed.run'
  in_job run --print -m four -- srun --ntasks-per-node=1 python3 -m torch.distributed.run --rdzv-backend=c10d train.py
  expect 0 'srun --ntasks-per-node=1 python3 -m torch.distributed.run --rdzv-backend=c10d train.py' 'run: torch.distributed.run'
  printf '#!/bin/sh\n' >torchrun && chmod +x torchrun
  in_job run --print -m four -- srun torchrun train.py
  has ' ./torchrun train.py'
  rm torchrun
  in_job run --print -m m -- mpirun --launch-agent orted -host n1 app
  expect 0 'mpirun --launch-agent orted -host n1 app' 'run: -host'
  echo 'TaskPlugin              = task/affinity' >conf
  in_job run --print -m m -- srun ./app
  has '--cpu-bind=cores'
  for variable in OMP_NUM_THREADS=2 OMP_NUM_THREADS=2,1 OMP_NUM_THREADS=x SLURM_HINT=nomultithread; do
    job+=("$variable")
    in_job run --print -m m -- srun ./app
    unset "job[-1]"
    checks=$((checks + 1))
    case $out in *--cpu-bind*) fail "$variable $command: $out" ;; esac
  done
  in_job run --print -m m -- srun --overlap ./app
  checks=$((checks + 1))
  case $out in *--cpu-bind*) fail "$command: $out" ;; esac
  rm conf
  in_job run --print -m m -- srun -O -c 2 ./app
  expect 0 'srun -O -c 2 ./app' '--cpus-per-task=2'
  SRUN_CPUS_PER_TASK=2 in_job run --print -m four -- srun -n 4 ./app
  has '--distribution=arbitrary'
  in_job run --print --pattern ring -n 8 -- srun torchrun -m pkg.train --rdzv-x
  has '--node-rank='
  in_job run --print -m m -- srun -K0 ./app
  has '--distribution=arbitrary'
  in_job run --print -m m -- mpirun --mca rmaps_base_oversubscribe 1 app
  says seq
}

# The profile of one run places the ranks of the next.
profiled_runs() {
  printf '%s\n' '#!/bin/bash' 'cp m "$2" && shift 2 && exec "$@"' >bin/placement-profile
  chmod +x bin/placement-profile
  cp bin/mpirun app && chmod +x app
  in_job run --auto --print -- srun ./app
  expect 0 'srun ./app' 'run: profile'
  XDG_DATA_HOME=$work/data in_job run --profile -- srun ./app
  checks=$((checks + 1))
  ls data/slurm-placement/profiles/app-*.8 >/dev/null || fail "$command: no profile; $err"
  XDG_DATA_HOME=$work/data in_job run --auto --print -- srun ./app
  has '--distribution=arbitrary'
  XDG_DATA_HOME=$work/data in_job run --auto --print -- mpirun ./app
  says seq
  in_job run --profile -m m -- srun ./app
  refused 2 --matrix
  in_job run --profile -- ./app
  refused 1 ./app
  rm -r data
}

# The variables of the launcher's file do not reach the ranks, or its directory cannot be written.
rank_order_of_cray() {
  in_job run --print -m m -- srun --mpi=cray_shasta ./app
  has MPICH_RANK_REORDER_FILE
  in_job run --print -m m -- srun --mpi=cray_shasta --export=A=1 ./app
  expect 0 'srun --mpi=cray_shasta --export=A=1 ./app' 'run: --export'
}

# slurmstepd searches PATH, then the working directory, and its exit code names the error.
programs_of_bind() {
  printf '#!/bin/sh\necho here\n' >own && chmod +x own
  in_job bind own
  expect 0 here ''
  printf '#!/bin/sh\necho path\n' >bin/own && chmod +x bin/own
  in_job bind own
  expect 0 path ''
  in_job bind no-such-program
  refused 2 ./no-such-program
  # A step that the program starts must not read the file of this step, which is on another host.
  job+=(SLURM_DISTRIBUTION=arbitrary SLURM_HOSTFILE=/proc/1/fd/9 SLURM_STEP_ID=0)
  in_job bind env
  unset 'job[-1]' 'job[-1]' 'job[-1]'
  checks=$((checks + 1))
  [ "$(grep -cE '^SLURM_(DISTRIBUTION|HOSTFILE|STEP_ID)=' <<<"$out")" = 1 ] || fail "$command: '$out'"
  : >plain
  in_job bind ./plain
  refused 13 ./plain
}

idle_machine() {
  local words
  run choose --print --pattern ring -n 8 -- sbatch job.sh
  checks=$((checks + 1))
  [ $code = 0 ] || fail "$command: exit code $code; $err"
  has --nodelist=
  case $out in *n3*) fail "$command: takes the drained node: $out" ;; esac
  # Variables of squeue, sinfo and salloc.
  SQUEUE_USERS=nobody SINFO_PARTITION=none WAITS=Resources run choose --print --pattern ring -n 8 -- sbatch job.sh
  expect 0 'sbatch --ntasks=8 --switches=1@0 job.sh' 'other jobs wait'
  SINFO_PARTITION=none run choose --print --pattern ring -n 8 -- salloc
  has --nodelist=
  SALLOC_TIMELIMIT=120 run choose --print --pattern ring -n 8 -- salloc
  expect 0 'salloc --ntasks=8 --switches=1@0' 'n5,n6,n7,n8 2099-01-01T00:00:00 2020-01-01T00:00:00'
  SLURM_TIMELIMIT=120 run choose --print --pattern ring -n 8 -- salloc
  has --nodelist=
  SALLOC_CLUSTERS=c2 run choose --print --pattern ring -n 8 -- salloc
  expect 0 'salloc --ntasks=8 --switches=1@0' 'SALLOC_CLUSTERS'
  # A job may submit another one, and already has its own nodes.
  in_job choose --print --pattern ring -n 8 -- sbatch job.sh
  has --nodelist=
  in_job choose --print --pattern ring -n 8 -- salloc
  refused 1 'run'
  mv bin/squeue squeue
  run choose --print --pattern ring -n 8 -- sbatch job.sh
  expect 0 'sbatch --ntasks=8 --switches=1@0 job.sh' 'wait: squeue'
  mv squeue bin/squeue
  for words in --array=1-4 '-a 1-4' --begin=now+3600 --nodelist=n4; do
    # shellcheck disable=SC2086
    run choose --print --pattern ring -n 8 -- sbatch $words job.sh
    expect 0 "sbatch --ntasks=8 --switches=1@0 $words job.sh" "nodes: $([ "$words" = '-a 1-4' ] && echo --array || echo "${words%%=*}")"
  done
  run choose --print --pattern ring -n 8 -- sbatch --wrap app --open-mode append -a 1-4
  says 'nodes: --array'
  SBATCH_ARRAY_INX=1-4 run choose --print --pattern ring -n 8 -- sbatch job.sh
  says SBATCH_ARRAY_INX
  printf '%s\n' '#!/bin/sh' '' '#SBATCH array.sh' '#SBATCH --nodelist n1' '#SBATCH -a 1-4' >array.sh
  run choose --print --pattern ring -n 8 -- sbatch array.sh
  expect 0 'sbatch --ntasks=8 --switches=1@0 array.sh' 'nodes: --array'
  for words in Priority Resources None; do
    WAITS=$words run choose --print --pattern ring -n 8 -- sbatch job.sh
    expect 0 'sbatch --ntasks=8 --switches=1@0 job.sh' 'wait p'
  done
  # Jobs that wait in another partition with these nodes.
  OTHER=q run choose --print --pattern ring -n 8 -- sbatch job.sh
  grep -q -- '--partition=p,q' asked || fail "$command: asks for $(cat asked)"
  printf '%s\n' '#!/bin/sh' '#SBATCH --job-name="my job" --array=1-4' >array.sh
  run choose --print --pattern ring -n 8 -- sbatch array.sh
  says 'nodes: --array'
  printf '#!/bin/sh\n#SBATCH\t--array=1-4\n' >array.sh
  run choose --print --pattern ring -n 8 -- sbatch --export NONE array.sh
  says 'nodes: --array'
  printf '%s\n' '#!/bin/sh' '#SBATCH hetjob' >array.sh
  for words in array.sh '-n8 : -n2 job.sh' '-N 2-4 job.sh'; do
    # shellcheck disable=SC2086
    run choose --print --pattern ring -n 8 -- sbatch $words
    expect 0 "sbatch --ntasks=8 --switches=1@0 $words" 'nodes:'
  done
  mkdir -p inpath && printf '%s\n' '#!/bin/sh' '#SBATCH --array=1-4' >inpath/there.sh && chmod +x inpath/there.sh
  PATH=$PATH:$work/inpath run choose --print --pattern ring -n 8 -- sbatch there.sh
  says 'nodes: --array'
  printf '%s\n' '#!/bin/sh' '#PBS -J 1-4' >pbs.sh
  run choose --print --pattern ring -n 8 -- sbatch pbs.sh
  says 'PBS'
  for words in SLURM_DEPENDENCY=afterok:1 SBATCH_CLUSTERS=other; do
    env "$words" PATH="$work/bin:$PATH" "$placectl" choose --print --pattern ring -n 8 -- sbatch job.sh >out 2>err
    checks=$((checks + 1))
    ! grep -q nodelist out && grep -q "${words%=*}" err || fail "$words: $(cat out err)"
  done
  run choose --print --pattern ring -n 8 -- sbatch /dev/null
  expect 0 'sbatch --ntasks=8 --switches=1@0 /dev/null' 'nodes: /dev/null'
  run choose --print --pattern ring -n 8 -N 4 -- sbatch -x 'n[5-6]' job.sh
  checks=$((checks + 1))
  [[ $out == *--nodelist=* && $out != *nodelist=*n5* ]] || fail "$command: $out"
  # With two hardware threads in each of two cores, four tasks fit on a node.
  rm -f configs
  THREADS=2 run choose --print --pattern ring -n 8 -- sbatch job.sh
  has '--nodes=2 --nodelist='
  checks=$((checks + 1))
  [ "$(wc -l <configs)" = 1 ] || fail "$command: reads the configuration $(wc -l <configs) times"
  echo 'SelectTypeParameters    = CR_CORE,CR_ONE_TASK_PER_CORE' >conf
  THREADS=2 run choose --print --pattern ring -n 8 -- sbatch job.sh
  has '--nodes=4 --nodelist='
  rm conf
  # The size of the job is also that of the command and of the script.
  printf '%s\n' '#!/bin/sh' '  # blanks before a comment' '#SBATCH -N4 --ntasks-per-node=2' '#SLURM -p q' >sized.sh
  OTHER=q BUSY=1 run choose --print --pattern ring -- sbatch sized.sh
  has '--ntasks=8 --nodes=4 --nodelist='
  run choose --print --pattern ring -- sbatch sized.sh
  says 'Slurm chooses'
  OTHER=q BUSY=1 SBATCH_PARTITION=q run choose --print --pattern ring -n 8 -- sbatch job.sh
  has '--nodelist='
  run choose --print --pattern ring -- sbatch -N 4 -n 8 job.sh
  has '--ntasks=8 --nodes=4 --nodelist='
  for words in --ntasks=4 --nodes=2 --partition=other; do
    run choose --print --pattern ring -n 8 -N 4 --partition p -- sbatch $words job.sh
    refused 2 "${words%=*} $words"
  done
}

# The user's own topology replaces one without switches, and gives the same answer.
own_topology() {
  export XDG_CACHE_HOME=$work/cache
  local of_slurm
  printf '%s\n' '8 6' '0 6 1000' '1 7 1000' '2 4 1000' '3 5 1000' '0 2 50' '1 3 50' >m
  printf '%s\n' top.s1.n{1,2,3,4} top.s2.n{5,6,7,8} >addresses
  in_job map -m m
  of_slurm=$out
  FLAT=1 in_job map -m m
  checks=$((checks + 2))
  [ "$out" != "$of_slurm" ] || fail "$command: the topology does not matter"
  run topology --save addresses
  expect 0 '' "$work/cache/slurm-placement/c.topology.conf 8"
  FLAT=1 in_job map -m m
  [ "$out" = "$of_slurm" ] || fail "$command: '$out' instead of '$of_slurm'"
  says "$work/cache/slurm-placement/c.topology.conf $(date +%F)"
  in_job map -m m
  case $err in *c.topology.conf*) fail "$command: replaces Slurm's switches" ;; esac
  FLAT=1 run choose --print --pattern ring -n 8 -- sbatch job.sh
  has c.topology.conf
  # Only one switch has four idle nodes, and they are not consecutive.
  printf '%s\n' top.s1.n{1,4,6,8} top.s2.n{2,3,5,7} >addresses
  run topology --save addresses
  FLAT=1 run choose --print --pattern ring -n 8 -N 4 -- sbatch job.sh
  says '--nodelist=n1,n4,n6,n8'
  echo 'SwitchName=s1 Nodes=n[1-' >cache/slurm-placement/c.topology.conf
  FLAT=1 in_job map -m m
  refused 1 "$work/cache/slurm-placement/c.topology.conf:1"
  FLAT=1 in_job run --print -m m -- srun ./app
  expect 0 'srun ./app' "$work/cache/slurm-placement/c.topology.conf:1"
  rm -r cache
  HOME='' XDG_CACHE_HOME='' run topology --save addresses
  refused 1 HOME
}

extra_nodes() {
  run choose --print --pattern ring -n 8 -N 4 --extra 2 -- sbatch job.sh
  checks=$((checks + 1))
  [[ $out == *--nodes=4*--nodelist=* ]] || fail "$command: '$out'"
  BUSY=1 run choose --print --pattern ring -n 8 -N 4 -- sbatch job.sh
  expect 0 'sbatch --ntasks=8 --switches=1@0 --nodes=4 job.sh' 'Slurm chooses'
  BUSY=1 run choose --print --pattern ring -n 8 -N 4 --extra 2 -- sbatch job.sh
  expect 0 'sbatch --ntasks=8 --switches=1@0 --nodes=6 --ntasks-per-node=2 --ntasks=12 job.sh' '2 --keep 4 --ntasks 8'
  BUSY=1 run choose --print -m m -N 4 --extra 2 -- sbatch job.sh
  expect 0 'sbatch --ntasks=8 --switches=1@0 --nodes=6 --ntasks-per-node=2 --ntasks=12 job.sh' '--keep 4'
  case $err in *--ntasks*) fail "$command: $err" ;; esac
  BUSY=1 LATER=2099 run choose --print --pattern ring -n 8 -N 4 --extra 2 -- sbatch job.sh
  expect 0 'sbatch --ntasks=8 --switches=1@0 --nodes=4 job.sh' 'no extra'
  BUSY=1 run choose --print --pattern ring -n 8 -N 4 --extra 2 -- sbatch -N 4 job.sh
  expect 0 'sbatch --ntasks=8 --switches=1@0 --nodes=4 -N 4 job.sh' 'no extra --nodes'
  run choose --print --pattern ring -n 8 --extra 2 -- sbatch job.sh
  refused 2 '--extra --nodes'
}

# The four ranks fit on two nodes of one switch. The node stays where the command itself runs.
returned_nodes() {
  local own variable names list words
  printf '%s\n' '4 3' '0 3 1000' '1 2 1000' '0 1 10' >four
  job+=('SLURM_JOB_CPUS_PER_NODE=2(x4)')
  for own in n6 n1; do
    rm -f updates
    echo 'n[1-2,5-6]' >now
    names='n[5-6]' list=n5,n6
    [ $own = n6 ] || names='n[1-2]' list=n1,n2
    SLURMD_NODENAME=$own in_job run --keep 2 -m four -- srun ./app
    checks=$((checks + 2))
    [ "$(cat updates)" = "update JobId=7 NodeList=$list" ] || fail "$command: $(cat updates)"
    for variable in "SLURM_JOB_NODELIST=$names" SLURM_NTASKS=4 SLURM_TASKS_PER_NODE=2,2 SLURM_JOB_NUM_NODES=2 SLURM_JOB_CPUS_PER_NODE=2,2; do
      grep -qxF "$variable" <<<"$out" || fail "$command: no $variable in '$out' $err"
    done
  done
  # Later commands know the nodes that the job still has, although the variables of the job name all.
  for words in "run --keep 2" run "run --print"; do
    # shellcheck disable=SC2086
    in_job $words -m four -- srun ./app
    checks=$((checks + 1))
    grep -qE "SLURM_JOB_NODELIST='?n\[1-2\]'?$" <<<"$out" && [ "$(wc -l <updates)" = 1 ] || fail "$command: $out $err"
  done
  in_job run -m four --print -- srun -N2 ./app
  says arbitrary
  in_job run --keep 3 -m four -- srun ./app
  refused 2 '--keep 3 2'
  in_job run --keep 2 --print -m four -- srun ./app
  refused 2 --print
  echo 'n[1-2,5-6]' >now
  # Nothing is returned where the ranks do not fit.
  rm updates
  in_job run --keep 2 -m four -- srun -n 8 ./app
  refused 2 '--keep 2 returned 4 8'
  printf '%s\n' '2 1' '0 1 1000' >two
  in_job run --keep 3 -m two -- srun ./app
  refused 2 '--keep 3 returned 2'
  in_job run --keep 3 -m four -- srun -n -1 ./app
  says 'out of range'
  # A command line that cannot be placed on fewer nodes starts with all of them.
  for words in 'torchrun --nnodes=4 train.py' 'torchrun --nproc-per-node=4 train.py' '--mpi=cray_shasta --export=SLURM_CONF ./app'; do
    # shellcheck disable=SC2086
    in_job run --keep 2 -m four -- srun $words
    has 'SLURM_JOB_NODELIST=n[1-2,5-6]'
    # shellcheck disable=SC2086
    in_job run --strict --keep 2 -m four -- srun $words
    refused 1 'placed'
  done
  cd /proc || return
  in_job run --strict --keep 2 -m "$work/four" -- srun --mpi=cray_shasta ./app
  cd "$work" || return
  refused 1 'placed written'
  checks=$((checks + 1))
  [ ! -e updates ] || fail "nodes were returned: $(cat updates)"
  # slurmctld refuses to take the nodes back.
  PERMANENT=1 in_job run --keep 2 -m four -- srun ./app
  has 'SLURM_JOB_NODELIST=n[1-2,5-6]'
  says 'keeps all nodes denied'
  has 'SLURM_HOSTFILE='
}

plugins_and_monitor() {
  run status
  says 'select_cons_tres.so'
}

run_parts 30 allocation launchers options_of_launchers deepspeed_nodes options_of_users profiled_runs rank_order_of_cray programs_of_bind idle_machine own_topology extra_nodes returned_nodes plugins_and_monitor
