#!/usr/bin/env bash
# run.sh <build folder> <project root>: a class is graded over two virtual Slurm nodes. The collector is killed and
# resumed, Slurm's controller stops and returns, one slurmd is killed in the middle and one node is drained: the grades
# are those of a local grading, nothing is lost and nothing is graded twice. Then two rejudges run at once, and a
# third one is cancelled. 12 submissions; 1000 with OPGRADE_LONG_TESTS=1.
set -euo pipefail
build=$(realpath "${1:?usage: run.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: run.sh <build folder> <project root>}")
. "$root/tests/slurm/cluster.sh"
. "$root/tests/support/make_class.sh"

missing=$(cluster_lacks)
if [[ -n $missing ]]; then
  echo "SKIPPED: $missing"
  [[ ,${OPGRADE_MUST_RUN:-}, != *,slurm,* ]] || exit 1
  exit 77
fi

place=$(mktemp -d)
chmod 755 "$place"
stop() {
  stop_cluster
  rm -rf "$place"
}
trap stop EXIT
cd "$place"
export PATH=$build/bin:$PATH OPGRADE_DATA=$build/data
students=12 batch=1
if [[ ${OPGRADE_LONG_TESTS:-} == 1 ]]; then students=1000 batch=10; fi

fail() {
  echo "FAILED: $*"
  sinfo || true
  tail -n 30 "$place"/slurm*.log grading.txt 2>/dev/null || true
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
results() { find course/results -name report.json | wc -l; }
results_are() { (($(results) >= $1)); }

make_class "$root" course "$students" "$root/tests/configs/cli.yaml" >intake.txt || fail "intake: $(cat intake.txt)"
cp -r course local
opgrade course grade local m1 --quiet || fail "the local grading"

start_cluster || fail "the cluster"
sed -i "/^time_zone/a slurm: {shared: $place/shared, batch: $batch, cpus: 1, poll: 200 ms}" course/course.yaml
mkdir shared
grade() { exec opgrade course grade course m1 --executor slurm "$@" >>grading.txt 2>&1; }

# One half of the tasks is held until a node is to die with one of them: on a slow machine all would have ended by then.
scontrol update nodename=n1,n2 state=drain reason=test
grade & collector=$!
wait_for 600 "the array" grep -qs 'Slurm array' grading.txt
tasks=$((students / batch))
held=$(squeue --noheader --format=%F | head -n 1)_[$((tasks / 2))-$((tasks - 1))]
scontrol hold "$held"
scontrol update nodename=n1,n2 state=resume
wait_for 600 "the first results" results_are 2
kill -9 $collector
wait $collector || true
echo "collector killed after $(results) results"

grade --resume & collector=$!
wait_for 600 "results after the resume" results_are 4
# Drained, so that the dying node is the one to take the tasks that are held.
scontrol update nodename=n1,n2 state=drain reason=test
controller=$(cat slurmctld.pid)
kill "$controller"
wait_for 600 "word of the controller's silence" grep -q 'squeue does not answer' grading.txt
# A controller that ends may stop answering before it has saved that the nodes are drained.
has_ended() { [[ ! -e /proc/$1/exe ]]; }
wait_for 600 "the controller's end" has_ended "$controller"
slurmctld -f "$SLURM_CONF"
wait_for 600 "word of the controller's return" grep -q 'controller answers again' grading.txt
echo "slurmctld restarted after $(results) results"
# All on n1 dies with it, one task before its last result is there. Stopped first, so that it waits for the questions.
task_on_n1_is_stopped() {
  local index step
  mapfile -t dying < <(steps_of n1)
  for step in "${dying[@]}"; do dying+=($(pgrep -P "$step" || true)); done
  ((${#dying[@]} >= 2)) && kill -STOP "${dying[@]}" || return 1
  for index in $(squeue --noheader --states=R --nodelist=n1 --format=%K); do
    [[ -e $(echo shared/runs/*)/results/$((index * batch + batch - 1)).json ]] || return 0
  done
  kill -CONT "${dying[@]}" || true
  return 1
}
scontrol release "$held"
# A new controller that has not heard of the node yet reports an invalid state, but obeys.
resumes() {
  scontrol update nodename="$1" state=resume 2>/dev/null || true
  ! node_is "$1" '*DRAIN'
}
wait_for 600 "n1 with the new controller" resumes n1
wait_for 600 "a task on n1" task_on_n1_is_stopped
kill -9 "$(cat slurmd.n1.pid)" "${dying[@]}"
echo "slurmd of n1 killed after $(results) results"
wait_for 600 "n2 with the new controller" resumes n2
wait_for 600 "Slurm's notice of the dead node" node_is n1 DOWN
start_node n1
wait_for 600 "the node's return" node_is n1 '@(IDLE|MIXED|ALLOCATED)'
scontrol update nodename=n2 state=drain reason=test
echo "n2 drained after $(results) results"
code=0
wait $collector || code=$?
((code == 0)) || fail "exit code $code"

grep -q 'submitted again' grading.txt || fail "the dead node's task was not tried again"
[[ -z $(ls shared/runs) ]] || fail "left in the shared folder: $(ls shared/runs)"
opgrade course verify course || fail "database and files differ"
opgrade course gradebook local >local.csv
opgrade course gradebook course >course.csv
diff local.csv course.csv || fail "the grades differ"
[[ $(results) == "$(find local/results -name report.json | wc -l)" ]] || fail "$(results) results"
said=$(opgrade course grade course m1 --executor slurm 2>&1)
[[ $said == *"m1: 0 graded"* ]] || fail "graded again: $said"

rejudge() { exec opgrade course rejudge course m1 --executor slurm "$@"; }
rejudge --student s0000 --reason first >first.txt 2>&1 & collector=$!
wait_for 600 "the first rejudge's array" grep -q 'Slurm array' first.txt
kill -9 $collector
wait $collector || true
(rejudge --student s0001 --reason second) >second.txt 2>&1 || fail "the second rejudge: $(cat second.txt)"
(rejudge --number 1) >first.txt 2>&1 || fail "the first rejudge: $(cat first.txt)"
grep -q 'an earlier call submitted 1 of these' first.txt || fail "the second rejudge ended the first: $(cat first.txt)"
(($(results) == $(find local/results -name report.json | wc -l) + 2)) || fail "$(results) results after two rejudges"
# A cancelled rejudge leaves no task, whatever its collector's fate. No node takes its task before.
scontrol update nodename=n1,n2 state=drain reason=test
rejudge --student s0002 --reason third >third.txt 2>&1 & collector=$!
wait_for 600 "the third rejudge's array" grep -q 'Slurm array' third.txt
kill -9 $collector
wait $collector || true
[[ $(squeue --noheader --format=%j) == *m1.rejudge-3-* ]] || fail "the third rejudge has no task: $(squeue)"
opgrade course rejudge ./course/ m1 --number 3 --cancel >third.txt 2>&1 || fail "cancel: $(cat third.txt)"
[[ $(squeue --noheader --format=%j) != *m1.rejudge-3-* ]] || fail "a cancelled rejudge's task goes on: $(squeue)"
echo "$students students over two nodes: same grades, nothing lost, nothing twice"
