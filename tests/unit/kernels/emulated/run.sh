#!/bin/sh
# run.sh <opgrade-cucc> <main object> <reference library> <rung> <fp32|half> [<sed expression>]
# Exports a rung, compiles it for the emulated device with every access watched, runs it on odd
# shapes. With a sed expression that plants a mistake, success is that the run calls it wrong.
set -eu
cucc=$1 main=$2 reference=$3 rung=$4 accuracy=$5 mistake=${6-}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$here/../../../../kernels/submission/export.sh" "$rung" "$folder/new-forward.cu"
if [ -n "$mistake" ]; then
  cp "$folder/new-forward.cu" "$folder/sound.cu"
  sed -i "$mistake" "$folder/new-forward.cu"
  if cmp -s "$folder/sound.cu" "$folder/new-forward.cu"; then
    echo "the mistake '$mistake' changes nothing in rung $rung"
    exit 1
  fi
fi
"$cucc" --check -O1 -DOPGRADE_RUNG_ALONE -I"$here" "$folder/new-forward.cu" "$main" "$reference" -lpthread \
  -o "$folder/rung"
status=0
"$folder/rung" "$accuracy" || status=$?
if [ -z "$mistake" ]; then exit $status; fi
echo "with the planted mistake: exit code $status"
test "$status" -ne 0
