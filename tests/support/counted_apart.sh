#!/usr/bin/env bash
# counted_apart.sh COMMAND...: runs a command whose sandboxes lack user namespaces of their own.
# RLIMIT_NPROC counts the processes of a user in one user namespace. In a fresh one, processes of tests beside this
# do not use up the limit, and the limit is as close as on a machine that does nothing else.
set -euo pipefail
if ! unshare --user true 2>/dev/null; then
  exec "$@"
fi
if (($(id -u) != 0)); then
  exec unshare --user --map-current-user "$@"
fi
# All users, as the sandbox's own is not root: only a process outside may write such maps.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/mapped"
unshare --user bash -c 'read -r < "$0" && exec "$@"' "$folder/mapped" "$@" &
inside=$!
trap 'kill "$inside"' TERM INT
while [[ $(readlink "/proc/$inside/ns/user") == "$(readlink /proc/self/ns/user)" ]]; do sleep 0.01; done
echo 0 0 65536 > "/proc/$inside/uid_map"
echo 0 0 65536 > "/proc/$inside/gid_map"
echo > "$folder/mapped"
wait "$inside"
