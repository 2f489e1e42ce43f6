#!/usr/bin/env bash
# The image of the Dockerfile, on a base made from a Debian tree: grades as its ordinary user with the flags that the
# Dockerfile's header names, and with podman's defaults.
#   container.sh BUILD SOURCE
# OPGRADE_IMAGE names an image to try instead of building one.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
long_test
need podman podman
clean_tar
podman=(podman --root "$cache/containers" --runroot "$cache/containers-run")
# podman's own limits may be above the machine's; crun refuses control groups of both versions at once.
limits=(--ulimit "nofile=$(ulimit -Hn):$(ulimit -Hn)" --ulimit "nproc=4096:4096")
[[ ! -d /sys/fs/cgroup/unified ]] || podman+=(--runtime runc)
"${podman[@]}" image exists localhost/opgrade-debian:12 ||
  "${podman[@]}" import "$clean" localhost/opgrade-debian:12 > "$work/import.log" 2>&1 ||
  skip "podman does not work here: $(tail -n 1 "$work/import.log")"
"${podman[@]}" run --rm "${limits[@]}" localhost/opgrade-debian:12 true > "$work/run.log" 2>&1 ||
  skip "podman does not work here: $(tail -n 1 "$work/run.log")"

image=${OPGRADE_IMAGE:-localhost/opgrade}
start_lap
[[ -n ${OPGRADE_IMAGE:-} ]] || "${podman[@]}" build "${limits[@]}" --build-arg BASE=localhost/opgrade-debian:12 -t "$image" "$source" \
  > "$work/build.log" 2>&1 || {
  tail -n 40 "$work/build.log"
  exit 1
}
lap "podman build"

submissions "$work/in"
mapfile -t flags < <(sed -n '/^# .*docker run --rm/,/^#.*-v /p' "$source/Dockerfile" |
  grep -oE -- '--(security-opt|cgroupns)[ =][^ ]+' | tr ' ' '\n')
((${#flags[@]} > 0)) || complain "no flags in the header of the Dockerfile"
# grades NAME TIER FLAG...: what a course would run.
grades() {
  local name=$1 tier=$2 code=0 kind
  shift 2
  mkdir -p "$work/$name"
  chmod 777 "$work/$name"
  "${podman[@]}" run --rm "${limits[@]}" "$@" "$image" doctor > "$work/doctor" 2>&1 || true
  grep -qE "sandbox +tier '($tier)'" "$work/doctor" || complain "$name: the tier is not $tier"$'\n'"$(cat "$work/doctor")"
  [[ $("${podman[@]}" run --rm "${limits[@]}" "$@" --entrypoint id "$image" -un) == grader ]] ||
    complain "$name: not the ordinary user"
  "${podman[@]}" run --rm "${limits[@]}" "$@" -v "$work/in:/in:ro" -v "$work/$name:/out" --entrypoint sh "$image" \
    -c 'opgrade grade /in/* --config self-check --out /out --quiet' > "$work/grade" 2>&1 || code=$?
  [[ $code == 1 ]] || complain "$name: exit code $code"$'\n'"$(cat "$work/grade")"
  for kind in good:PASSED wrong:'wrong output' crashing:crashed; do
    grep -q "${kind#*:}" "$work/$name/${kind%%:*}/report.txt" ||
      complain "$name: ${kind%%:*} is not '${kind#*:}'"$'\n'"$(cat "$work/$name/${kind%%:*}/report.txt")"
  done
  lap "three submissions, $name"
}
grades header 'full|no cgroup' "${flags[@]}"
grades defaults 'no user namespaces'
finish
