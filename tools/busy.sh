#!/usr/bin/env bash
# Runs a command on a busy machine: beside programs that only compute.
#   tools/busy.sh PROGRAMS COMMAND...
# Each is a session of its own, because the kernel may share the cores out by sessions.
set -euo pipefail
count=$1
shift
spinners=()
trap 'kill "${spinners[@]}" 2> /dev/null' EXIT
for ((i = 0; i < count; ++i)); do
  setsid bash -c 'while kill -0 "$0" 2> /dev/null; do for ((n = 0; n < 100000; ++n)); do :; done; done' $$ &
  spinners+=($!)
done
"$@"
