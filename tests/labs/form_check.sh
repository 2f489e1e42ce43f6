#!/usr/bin/env bash
# form_check.sh <opgrade> <form>: a form of an exercise, the path of its yaml file, passes its own check on the emulated device.
# Of a program, whose samples are mostly those of the function with a main, the solution alone; OPGRADE_LONG_TESTS=1 takes
# all, and plants more mistakes.
set -euo pipefail
opgrade=${1:?usage: form_check.sh <opgrade> <form>}
form=${2:?}
mutants=0
[[ ${OPGRADE_LONG_TESTS:-} != 1 ]] || mutants=25
# A check writes its record into the folder.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$(dirname "$form")" "$work/task"
form=$work/task/$(basename "$form")
if [[ $form == *_program.yaml && $mutants == 0 ]]; then
  "$opgrade" grade "$work/task/solution" --config "$form" --unchecked --device emulated --out "$work/out" --quiet
else
  "$opgrade" task check "$form" --device emulated --mutants $mutants
fi
