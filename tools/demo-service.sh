#!/usr/bin/env bash
# Sets up an example course, serves it, hands in the reference solution, and says how to go on by hand.
#   tools/demo-service.sh BUILD_FOLDER
set -euo pipefail
build=$1
root=$(cd "$(dirname "$0")/.." && pwd)
place=$build/demo-service
rm -rf "$place"
mkdir -p "$place"
PATH=$(realpath "$build")/bin:$PATH
OPGRADE_DATA=$(realpath "$build")/data
export PATH OPGRADE_DATA
unset OPGRADE_TOKEN XDG_CONFIG_HOME
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true' EXIT

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 ]] || say() { printf '\n%s\n' "$*"; }

say "A course: $place/gpu"
opgrade course init "$place/gpu" >/dev/null
cat >"$place/gpu/m1.yaml" <<YAML
# The demonstration's config, with a ranking by Op Time.
opgrade: 1
extends: $root/configs/demo.yaml
name: m1
title: Milestone 1
ranking: {stage: cpu, model: high, batch: 1000, rule: deviations, points: 10}
YAML
sed -i "s|config: self-check.*|config: m1.yaml|; s|deadline: 2026.*|deadline: 2099-01-01 12:00|" "$place/gpu/course.yaml"
opgrade course check "$place/gpu"

say "A token for each student of its roster and for sam, of the staff: $place/*.token"
umask 077
{
  opgrade course tokens "$place/gpu"
  opgrade course tokens "$place/gpu" --staff sam
} | tr -d '\r' | while IFS=, read -r login _ _ token; do
  [[ $login == login ]] || { echo "$token" >"$place/$login.token"; echo "$login"; }
done

say "The server"
opgrade serve "$place/gpu" --listen "127.0.0.1:0" --plain-cookies >"$place/server.log" 2>&1 &
server=$!
until grep -q 'is served at' "$place/server.log"; do
  kill -0 "$server" || { cat "$place/server.log"; exit 1; }
  sleep 0.1
done
cat "$place/server.log"
url=http://127.0.0.1:$(sed -nE 's/.*:([0-9]+);.*/\1/p' "$place/server.log")

say "A student, ada, hands in the reference solution"
OPGRADE_TOKEN=$(<"$place/ada.token") opgrade submit "$root/reference/solution/minidnn-3" --server "$url" --assignment m1 ||
  { echo "the server's log:"; tail -n 20 "$place/server.log"; exit 1; }
kill "$server"
wait "$server"
server=

say "Now by hand. In two terminals, from this folder:"
cat <<TEXT
    export PATH=\$(realpath $build)/bin:\$PATH OPGRADE_DATA=\$(realpath $build)/data
  the first one:
    opgrade serve $place/gpu --plain-cookies
  the second one:
    opgrade login --server http://127.0.0.1:8080 --token-file $place/ada.token
    opgrade submit reference/solution/minidnn-3 --assignment m1
    opgrade submit tests/corpus/submissions/wrong_flipped_mask --assignment m1 --watch
    opgrade history    # after Ctrl-C
  a browser, with the token in $place/ada.token, or as staff in $place/sam.token:
    http://127.0.0.1:8080
TEXT
