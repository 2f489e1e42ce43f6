#!/usr/bin/env bash
# practice.sh <build folder> <project root>: practice runs under tools, graded by two virtual Slurm nodes. What a tool wrote on a
# node comes back to the student; without a GPU, with counters restricted, without the tool, and for a tool that does not end,
# the report of the run has a sentence. A server that is killed while its run waits finds the file all the same.
set -euo pipefail
build=$(realpath "${1:?usage: practice.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: practice.sh <build folder> <project root>}")
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
unset http_proxy https_proxy HTTPS_PROXY OPGRADE_TOKEN

fail() {
  echo "FAILED: $*"
  sinfo || true
  tail -n 30 "$place"/slurm*.log server.log server.err report said 2>/dev/null || true
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

config=$root/tests/configs/cli-gpu.yaml make_course "$root" 2
mkdir shared
# The nodes emulate the device, because the server does: `device: cuda` sends practice runs where hand-ins run.
sed -i "/^time_zone/a executor: slurm\nslurm: {shared: $place/shared, cpus: 1, poll: 200 ms}" course/course.yaml
sed -i "s|, counts: best}|, counts: best, practice: {config: $root/tests/configs/cli-gpu.yaml, device: cuda, a_day: 100, \
tools: [profile, sanitizer, ncu, nsys], tool_file: 1 MiB, tool_time: 5 s}}|" course/course.yaml
cp -r "$root/tests/service/tool" tool
chmod -R a+rX tool
export OPGRADE_NCU=$place/tool/stand_in OPGRADE_NSYS=$place/tool/stand_in
start_cluster || fail "the cluster"
start() { start_server --listen "127.0.0.1:${port:-0}" --workers 2 --interval 0 --again-after 1 --device emulated; }
port=
start
port=${url##*:}

student() { OPGRADE_TOKEN=$(token_of "$1") opgrade "$2" --server "$url" "${@:3}"; }
good=$root/reference/solution/minidnn-3
run=0
# practice <option...>: a run of s1. Its text report is `report`, what the run left lies in run-<run>.
practice() {
  run=$((run + 1))
  student s1 submit --quiet "$good" --assignment m1 --practice "$@" >report 2>said || fail "run $run did not pass"
  student s1 fetch --run "$run" >/dev/null
}
says() { grep -q "$1" <(tr -s ' \n' ' ' <report) || fail "run $run does not say '$1'"; }
has() { [[ -s run-$run/$1 ]] || fail "run $run has no $1"; }
lacks() { [[ ! -e run-$run/$1 ]] || fail "run $run has $1"; }
only_on() {  # only_on <node>: the next task begins there
  local node
  for node in n1 n2; do
    if [[ $node == "$1" ]]; then scontrol update nodename=$node state=resume 2>/dev/null || true
    else scontrol update nodename=$node state=drain reason=test; fi
  done
}

only_on n1
practice --ncu conv_forward_kernel
has profile.ncu-rep
"$OPGRADE_NCU" --import "run-$run/profile.ncu-rep" | grep -q conv_forward_kernel || fail "the file does not open"
says 'Nsight Compute watched one call'
says 'never ranked'
only_on n2
practice --nsys
has profile.nsys-rep
"$OPGRADE_NSYS" stats "run-$run/profile.nsys-rep" >/dev/null || fail "the file does not open"
scontrol update nodename=n1 state=resume
echo "files came back from both nodes"
practice --profile
grep -q '"profile"' "run-$run/report.json" || fail "the report has no profile"

practice --sanitize
says 'compute-sanitizer needs a GPU'
echo restricted >tool/mode
practice --ncu conv_forward_kernel
says 'NVreg_RestrictProfilingToAdminUsers=0'
lacks profile.ncu-rep
# The tool alone has its time: the cases before it stand.
echo endless >tool/mode
practice --nsys
says 'Nsight Systems was stopped at its limit of 5 s'
says 'PASSED'
lacks profile.nsys-rep
rm tool/mode
mv tool/stand_in tool/away
practice --ncu conv_forward_kernel
says "the program that OPGRADE_NCU names, $place/tool/stand_in, is not there"
lacks profile.ncu-rep
mv tool/away tool/stand_in
echo "each reason has its sentence"

# The run of a killed server goes on, and the next server has its file.
scontrol update nodename=n1,n2 state=drain reason=test
run=$((run + 1))
student s2 submit --quiet "$good" --assignment m1 --practice --ncu conv_forward_kernel --detach >/dev/null 2>said || fail "not taken"
task_waits() { [[ -n $(squeue --noheader --states=PD --format=%A) ]]; }
wait_for 600 "a task" task_waits
kill -9 "$server"
wait "$server" 2>/dev/null || true
scontrol update nodename=n1,n2 state=resume
start
is_done() { student s2 fetch --run "$run" >/dev/null 2>&1; }
wait_for 600 "the end of run $run" is_done
has profile.ncu-rep
student s1 fetch --run "$run" --out theirs 2>said && fail "a student has another one's run"

student s1 submit --quiet "$good" --assignment m1 >report 2>said || fail "a hand-in beside practice runs"
grep -q 'never ranked' report && fail "a hand-in ran under a tool"
# A worker removes it when the result is stored, which clients see before.
nothing_is_left() { [[ -z $(ls shared/runs) ]]; }
wait_for 600 "an empty shared folder, in which $(ls shared/runs) is left" nothing_is_left
kill -TERM "$server"
wait "$server" || fail "the server did not end well"
server=
opgrade course verify course || fail "database and files differ"
