#!/usr/bin/env bash
# Sets up an example course, serves it, hands in the reference solution and prints the verdict.
#   tools/demo-service.sh BUILD_FOLDER
# With DEMO_STAYS=1 the server goes on until Ctrl-C.
set -euo pipefail
build=$(realpath "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
place=$build/demo-service
rm -rf "$place"
mkdir -p "$place"
export PATH=$build/bin:$PATH HOME=$place
unset OPGRADE_TOKEN XDG_CONFIG_HOME
cd "$place"
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true' EXIT

opgrade course init gpu
sed -i "s|config: self-check.*|config: $root/configs/demo.yaml|; s|deadline: 2026.*|deadline: 2099-01-01 12:00|" gpu/course.yaml
opgrade course tokens gpu | tr -d '\r' >tokens.csv
opgrade course tokens gpu --staff sam | tr -d '\r' | tail -n 1 >>tokens.csv
opgrade serve gpu --listen "127.0.0.1:${PORT:-0}" --interval 0 --plain-cookies >server.log 2>&1 &
server=$!
until grep -q 'is served at' server.log; do
  kill -0 "$server" || { cat server.log; exit 1; }
  sleep 0.1
done
cat server.log
url=http://127.0.0.1:$(sed -nE 's/.*:([0-9]+);.*/\1/p' server.log)
awk -F, '$1 == "ada" { print $4 }' tokens.csv | opgrade login --server "$url"
opgrade submit "$root/reference/solution/minidnn-3" --assignment m1
echo
echo "In a browser: $url with a token of $place/tokens.csv (sam is staff)"
if [[ ${DEMO_STAYS:-} == 1 ]]; then
  echo "Ctrl-C ends the server."
  wait "$server"
fi
