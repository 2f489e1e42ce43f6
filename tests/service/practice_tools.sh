#!/usr/bin/env bash
# practice_tools.sh <build folder> <project root>: practice runs under tools that run around a submission's process. A stand-in
# for the tools is used, so that the way of their files is tried without a GPU: command line, file, page, days, refusals, and
# what a hostile submission makes of it.
set -euo pipefail
build=$(realpath "${1:?usage: practice_tools.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: practice_tools.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset http_proxy https_proxy HTTPS_PROXY OPGRADE_TOKEN
config=$root/tests/configs/cli-gpu.yaml make_course "$root" 2
sed -i "s|, counts: best}|, counts: best, practice: {config: $root/tests/configs/cli-gpu.yaml, tools: [ncu, nsys, sanitizer], \
tool_file: 1 MiB, tool_time: 5 s, keep_days: 2, a_day: 100}}|" course/course.yaml
second=$(sed -n 's/name: m1, title: Milestone 1/name: m2, title: Milestone 2/p' course/course.yaml)
echo "${second//cli-gpu.yaml/cli-two-gpu.yaml}" >>course/course.yaml
cp -r "$root/tests/service/tool" tool
chmod -R a+rX tool
export OPGRADE_NCU=$place/tool/stand_in OPGRADE_NSYS=$place/tool/stand_in
start_server --listen 127.0.0.1:0 --interval 0 --workers 1 --device emulated
fail() { echo "$1"; exit 1; }
student() { OPGRADE_TOKEN=$(token_of "$1") opgrade "$2" --server "$url" "${@:3}"; }
good=$root/reference/solution/minidnn-3
run=0
# practice <folder> <option...>: a run of s1 under a tool. Its text report is `report`, what the run left lies in run-<run>.
practice() {
  run=$((run + 1))
  student s1 submit --quiet "$1" --assignment m1 --practice "${@:2}" >report || fail "run $run did not pass: $(cat report)"
  student s1 fetch --run "$run" >/dev/null
}
says() { grep -q "$1" <(tr -s ' \n' ' ' <report) || fail "run $run does not say '$1': $(cat report)"; }
has() { [[ -s run-$run/$1 ]] || fail "run $run has no $1: $(cat report)"; }
lacks() { [[ ! -e run-$run/$1 ]] || fail "run $run has $1"; }

practice "$good" --ncu conv_forward_kernel
has profile.ncu-rep
"$OPGRADE_NCU" --import "run-$run/profile.ncu-rep" >/dev/null || fail "the file does not open"
says 'Nsight Compute watched one call'
line=$(grep -n conv_forward_kernel "$good/new-forward.cu" | head -n 1 | cut -d: -f1)
says "samples of conv_forward_kernel by line: new-forward.cu:$line 75.0 %, new-forward.cu:$((line + 1)) 25.0 %"
says 'never ranked'
practice "$good" --nsys
has profile.nsys-rep
"$OPGRADE_NSYS" stats "run-$run/profile.nsys-rep" >/dev/null || fail "the file does not open"
practice "$good" --ncu no_such_kernel
lacks profile.ncu-rep
says "saw no launch of a kernel 'no_such_kernel'"
practice "$good" --sanitize
says 'compute-sanitizer needs a GPU'

# Two stages under one tool leave a file each.
run=$((run + 1))
student s1 submit --quiet "$good" --assignment m2 --practice --ncu conv_forward_kernel >report || fail "run $run: $(cat report)"
student s1 fetch --run "$run" >/dev/null
has profile-gpu.ncu-rep
has profile-again.ncu-rep
lacks profile.ncu-rep
says 'again: Nsight Compute watched one call .*; its file is profile-again.ncu-rep'

# The commands of one's own machine write the same file.
opgrade profile "$good" --config "$root/tests/configs/cli-gpu.yaml" --device emulated --only gpu/random --quiet \
  --ncu conv_forward_kernel >said || fail "opgrade profile --ncu failed: $(cat said)"
"$OPGRADE_NCU" --import profile.ncu-rep | grep -q conv_forward_kernel || fail "opgrade profile wrote another file"

# Refused before anything is queued.
refused() {
  student s1 submit --quiet "$good" --assignment m1 "${@:2}" 2>said >/dev/null && fail "taken: ${*:2}"
  grep -q "$1" said || fail "${*:2}: $(cat said)"
}
refused 'add --practice' --ncu conv_forward_kernel
refused 'are two tools' --practice --ncu conv_forward_kernel --nsys
refused "no kernel's name" --practice --ncu 'regex:.*'
refused "no kernel's name" --practice --ncu '--mode=attach'
refused 'the tools of practice runs here are ncu, nsys, sanitizer' --practice --profile
curl -s -o said -w '%{http_code}' -H "Authorization: Bearer $(token_of s1)" -H 'Idempotency-Key: 12345678' \
  --data-binary @tokens.csv "$url/api/submissions?assignment=practice.m1&tool=ncu:a%20b" | grep -q 400 || fail "a kernel of two words"
curl -s -o said -w '%{http_code}' -H "Authorization: Bearer $(token_of s2)" "$url/api/submissions/1/tool-files/profile.ncu-rep" |
  grep -q 404 || fail "a student read the file of another one's tool"
curl -s -o said -w '%{http_code}' --path-as-is -H "Authorization: Bearer $(token_of s1)" \
  "$url/api/submissions/1/tool-files/..%2f..%2fcourse.yaml" | grep -q 404 || fail "a path for a name"

# The driver keeps the counters; the tool is not there; there is no tool at all.
echo restricted >tool/mode
practice "$good" --ncu conv_forward_kernel
says 'NVreg_RestrictProfilingToAdminUsers=0'
lacks profile.ncu-rep
echo silent >tool/mode
practice "$good" --nsys
says 'Nsight Systems wrote no file'
# The tool alone has its time: the results of the cases were there before.
echo endless >tool/mode
for tool in --nsys '--ncu conv_forward_kernel'; do
  # shellcheck disable=SC2086
  practice "$good" $tool
  says 'was stopped at its limit of 5 s'
  says 'the results of the cases were there before, and stand'
  says 'PASSED'
  lacks profile.ncu-rep
  lacks profile.nsys-rep
done
rm tool/mode
# The machine has no such tool any more.
mv tool/stand_in tool/away
practice "$good" --nsys
says "the program that OPGRADE_NSYS names, $place/tool/stand_in, is not there"
lacks profile.nsys-rep
mv tool/away tool/stand_in
opgrade doctor >said || true
grep -q "Nsight Compute *$place/tool/stand_in" said || fail "the doctor does not name the tool: $(cat said)"
OPGRADE_NCU=/none opgrade doctor >said || true
grep -q 'name the program in OPGRADE_NCU' said || fail "the doctor has no remedy: $(cat said)"

# Hostile in the tool's process alone: the folder of the tool shows that it is there.
hostile() {  # hostile <name>: a right submission that runs stdin first, for the tool alone
  cp -r "$good" "$1"
  {
    printf '#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <dirent.h>\n#include <fcntl.h>\n#include <sys/prctl.h>\n#include <unistd.h>\n'
    printf 'static void attack() {\n'
    cat
    printf '}\nstatic const bool attacked = access("/opgrade/tool", F_OK) == 0 && (attack(), true);\n'
    cat "$good/new-forward.cu"
  } >"$1/new-forward.cu"
}
# It lives on under the profiler. The run ends with the tool, and nothing of it stays.
hostile forks <<CODE
  for (int i = 0; i < 3; ++i)
    if (fork() == 0) { setsid(); prctl(PR_SET_NAME, "forked-$$"); for (;;) sleep(1000); }
CODE
practice forks --ncu conv_forward_kernel
has profile.ncu-rep
pgrep -x "forked-$$" && fail "a process of the submission is left"
# The file is larger than the course keeps.
hostile fills <<'CODE'
  for (int i = 0; i < 3 << 20; ++i) putchar('x');
CODE
practice fills --nsys
lacks profile.nsys-rep
says 'a file of more than 1 MiB'
# Its own file in the place of the tool's: a link shows nothing of what it leads to.
echo silent >tool/mode
hostile links <<'CODE'
  if (symlink("/proc/self/environ", "/tmp/opgrade-tool.ncu-rep") != 0) abort();
CODE
practice links --ncu conv_forward_kernel
lacks profile.ncu-rep
hostile pipes <<'CODE'
  if (system("mkfifo /tmp/opgrade-tool.ncu-rep") != 0) abort();
CODE
practice pipes --ncu conv_forward_kernel
lacks profile.ncu-rep
rm tool/mode
# It looks through the descriptors of every process, and writes into what it can open.
hostile descriptors <<'CODE'
  for (int pid = 1; pid < 400; ++pid) {
    char folder[64];
    snprintf(folder, sizeof folder, "/proc/%d/fd", pid);
    DIR* const all = opendir(folder);
    if (all == nullptr) continue;
    while (const dirent* const one = readdir(all)) {
      char path[400], target[400] = {};
      snprintf(path, sizeof path, "%s/%s", folder, one->d_name);
      if (readlink(path, target, sizeof target - 1) < 0 || strstr(target, "memfd:opgrade-tool") == nullptr) continue;
      const int file = open(path, O_WRONLY);
      if (file >= 0 && write(file, "STOLEN", 6) == 6) printf("STOLEN\n");
    }
    closedir(all);
  }
CODE
practice descriptors --ncu conv_forward_kernel
has profile.ncu-rep
grep -aq STOLEN "run-$run/profile.ncu-rep" && fail "the submission has the descriptor of the tool's file"

# A page has the file; after its days it is gone, and so is its room.
page() { curl -s -H "Authorization: Bearer $(token_of s1)" "$url/api/submissions/1"; }
page | grep -q 'profile.ncu-rep' || fail "the state names no file: $(page)"
kept=$(find course/results -name profile.ncu-rep -path '*/1/*')
touch -d '3 days ago' "$kept"
page | grep -q 'profile.ncu-rep' && fail "a file is named after its days"
practice "$good" --nsys
[[ ! -e $kept ]] || fail "a file is kept after its days"

kill -TERM "$server"
wait "$server" || fail "the server did not end well"
server=
pgrep -f "$place/course" -l && fail "a worker is left"
opgrade course verify course
