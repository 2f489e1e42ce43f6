# A Slurm of two virtual nodes on this machine, with ports, state and key of its own. Sourced; needs $place, an empty
# folder, and sets SLURM_CONF. start_cluster, stop_cluster; start_node n1; $place/slurmd.n1.pid tells a node's process.

# What is missing for a cluster; empty where nothing is.
cluster_lacks() {
  local program
  for program in munged slurmctld slurmd sbatch squeue scontrol; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || { echo "$program is not installed"; return; }
  done
  ((EUID == 0)) || echo "only root starts slurmd"
}

start_node() {
  slurmd -f "$place/slurm.conf" -N "$1" >>"$place/slurmd.$1.out" 2>&1
}

# node_is <node> <pattern of states>. sinfo would show a dead node as "completing" for minutes, where a task was about to
# start on it.
node_is() { [[ $(scontrol show node "$1" --oneliner) == *" State="$2* ]]; }

# steps_of <node>: processes that run the node's tasks; they outlive its slurmd.
steps_of() {
  local job step
  for job in $(squeue --noheader --states=R --nodelist="$1" --format=%A); do
    for step in $(pgrep -x slurmstepd); do
      [[ $(tr '\0' ' ' <"/proc/$step/cmdline") == *"[$job.batch]"* ]] || continue
      ! grep -qz "^SLURM_CONF=$SLURM_CONF$" "/proc/$step/environ" || echo "$step"
    done
  done 2>/dev/null
}

start_cluster() {
  PATH=$PATH:/usr/sbin
  export SLURM_CONF=$place/slurm.conf
  local port=$((20000 + ($$ % 2000) * 5)) cores
  cores=$(nproc)
  mkdir -m 755 "$place/munge" "$place/state"
  head -c 64 /dev/urandom >"$place/munge/key"
  chmod 400 "$place/munge/key"
  cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$place/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool.%n
SlurmdPidFile=$place/slurmd.%n.pid
SlurmctldPidFile=$place/slurmctld.pid
SlurmdLogFile=$place/slurmd.%n.log
SlurmctldLogFile=$place/slurmctld.log
SlurmctldPort=$port
SlurmdTimeout=5
MinJobAge=300
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SchedulerParameters=sched_interval=1,sched_min_interval=0
DefMemPerCPU=100
ReturnToService=2
NodeName=n[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))] CPUs=$cores RealMemory=1000
PartitionName=class Nodes=n[1-2] Default=YES MaxTime=60 State=UP OverSubscribe=NO
CONF
  munged --force --key-file="$place/munge/key" --socket="$place/munge/socket" --pid-file="$place/munge/pid" \
    --log-file="$place/munge/log" --seed-file="$place/munge/seed"
  slurmctld -f "$SLURM_CONF"
  start_node n1
  start_node n2
  local i
  for ((i = 0; i < 300; i++)); do
    [[ $(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l) == 2 ]] && return 0
    sleep 0.1
  done
  echo "the two nodes did not become idle:"
  sinfo
  tail -n 20 "$place"/slurm*.log
  return 1
}

stop_cluster() {
  local file pid i
  # ctest waits for the last process that has the test's output open.
  for pid in $(jobs -p); do kill "$pid" 2>/dev/null || true; done
  scancel --quiet --user=root 2>/dev/null || true
  for file in "$place"/slurmd.n?.pid "$place/slurmctld.pid" "$place/munge/pid"; do
    [[ -s $file ]] && pid=$(cat "$file") && kill "$pid" 2>/dev/null || continue
    for ((i = 0; i < 100; i++)); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
  done
}
