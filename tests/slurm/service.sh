#!/usr/bin/env bash
# service.sh <build folder> <project root>: opgrade serve grades hand-ins over two virtual Slurm nodes. One slurmd dies
# with its task, and the server with its workers: each client gets its verdict, nothing is lost, nothing is graded
# twice. 4 students; 40 with OPGRADE_LONG_TESTS=1.
set -euo pipefail
build=$(realpath "${1:?usage: service.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: service.sh <build folder> <project root>}")
. "$root/tests/slurm/cluster.sh"
. "$root/tests/service/course.sh"

missing=$(cluster_lacks)
if [[ -n $missing ]]; then
  echo "SKIPPED: $missing"
  [[ ,${OPGRADE_MUST_RUN:-}, != *,slurm,* ]] || exit 1
  exit 77
fi

place=$(mktemp -d)
chmod 755 "$place"
server=
stop() {
  [[ -z $server ]] || kill -9 "$server" 2>/dev/null || true
  stop_cluster
  rm -rf "$place"
}
trap stop EXIT
cd "$place"
export PATH=$build/bin:$PATH OPGRADE_DATA=$build/data HOME=$place
students=4
[[ ${OPGRADE_LONG_TESTS:-} == 1 ]] && students=40

fail() {
  echo "FAILED: $*"
  sinfo || true
  tail -n 30 "$place"/slurm*.log server.log server.err out.* err.* 2>/dev/null || true
  exit 1
}
# wait_for <seconds> <what> <command>: a limit for a hang, no measurement.
wait_for() {
  local seconds=$1 what=$2 i
  shift 2
  for ((i = 0; i < seconds * 10; i++)); do
    "$@" && return
    sleep 0.1
  done
  fail "$what: not within $seconds s"
}

make_course "$root" "$students"
mkdir shared
sed -i "/^time_zone/a executor: slurm\nslurm: {shared: $place/shared, cpus: 1, poll: 200 ms}" course/course.yaml
start_cluster || fail "the cluster"
start() { start_server --listen "127.0.0.1:${port:-0}" --workers 4 --interval 0 --again-after 1; }
port=
start
port=${url##*:}
# All tasks go to n1, where one can be caught, and those after its death wait for the server's: on a busy machine this
# script would miss tasks that last a second.
scontrol update nodename=n2 state=drain reason=test

# Each student hands in again and again, until both kills are over.
hand_in() {
  local number=0 code
  mkdir -p "work/$1"
  cp "$root/tests/corpus/submissions/good/cpu-new-forward.cc" "work/$1/"
  while [[ ! -e over || $number -eq 0 ]]; do
    number=$((number + 1))
    echo "// $1 $number" >"work/$1/number.h"
    code=0
    OPGRADE_TOKEN=$(token_of "$1") opgrade submit "work/$1" --server "$url" >"out.$1" 2>>"err.$1" || code=$?
    if ((code != 0)) || ! grep -q '^PASSED' "out.$1"; then echo "$1: exit code $code" >>"err.$1"; return 1; fi
  done
  echo "$number" >"count.$1"
}
clients=()
for ((s = 1; s <= students; ++s)); do
  hand_in "s$s" &
  clients+=($!)
done

# A task on n1 stops before its result is there, then dies with all on its node.
task_on_n1_is_stopped() {
  local job step
  read -r job < <(squeue --noheader --states=R --nodelist=n1 --format=%j | head -n 1) || return 1
  mapfile -t dying < <(steps_of n1)
  for step in "${dying[@]}"; do dying+=($(pgrep -P "$step" || true)); done
  ((${#dying[@]} >= 2)) && kill -STOP "${dying[@]}" || return 1
  job=${job#opgrade.}  # opgrade.<run>.<batch>
  [[ -e shared/runs/${job%.*}/results/0.json ]] || return 0
  kill -CONT "${dying[@]}" || true
  return 1
}
wait_for 600 "a task on n1" task_on_n1_is_stopped
kill -9 "$(cat slurmd.n1.pid)" "${dying[@]}"
echo "slurmd of n1 killed"
wait_for 600 "Slurm's notice of the dead node" node_is n1 DOWN
wait_for 600 "a student's word of the failed machine" grep -hqs 'its machine failed; waiting for another one' err.*

# Jobs of a killed server go on; the next server takes their results.
task_is_alive() { [[ -n $(squeue --noheader --states=R,PD --format=%A) ]]; }
wait_for 600 "a task" task_is_alive
kill -9 "$server"
wait "$server" 2>/dev/null || true
echo "server killed"
start_node n1
scontrol update nodename=n2 state=resume
start

touch over
for client in "${clients[@]}"; do wait "$client" || fail "a client ended with an error"; done
handed_in=0
for ((s = 1; s <= students; ++s)); do handed_in=$((handed_in + $(<"count.s$s"))); done
# A worker removes it when the result is stored, which clients see before.
nothing_is_left() { [[ -z $(ls shared/runs) ]]; }
wait_for 600 "an empty shared folder, in which $(ls shared/runs) is left" nothing_is_left
kill -TERM "$server"
wait "$server" || fail "the server did not end well"
server=
said=$(opgrade course verify course) || fail "$said"
[[ $said == "$handed_in submissions and $handed_in results; database and files agree" ]] || fail "$said"
echo "$handed_in hand-ins over two nodes: nothing lost, nothing twice"
