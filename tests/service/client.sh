#!/usr/bin/env bash
# client.sh <build folder> <project root>: the client where the network is not plain: large uploads, the interval of the
# server, kills, proxies, TLS behind nginx with the example of tools/service. nginx and Python come from Debian.
set -euo pipefail
build=$(realpath "${1:?usage: client.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: client.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
# shellcheck source=tests/service/nginx.sh
source "$root/tests/service/nginx.sh"
need_nginx
enter_place "$build"
unset OPGRADE_TOKEN XDG_CONFIG_HOME http_proxy https_proxy HTTPS_PROXY no_proxy NO_PROXY SSL_CERT_FILE
make_course "$root" 4
interval=8  # seconds; on a busy machine a program takes one or two to start
start_server --listen 127.0.0.2:0 --workers 2 --interval "$interval" --proxy 127.0.0.1
port=${url##*:}
url=http://127.0.0.2:$port
OPGRADE_TOKEN=$(token_of s1)
export OPGRADE_TOKEN

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
# run <expected exit code> <text that the output must have> <command...>
run() {
  local wanted=$1 text=$2 code=0 said
  shift 2
  said=$(timeout 3000 "$@" 2>&1) || code=$?
  echo "\$ $*"
  echo "$said"
  [[ $code -eq $wanted ]] || fail "exit code $code instead of $wanted"
  grep -qF -- "$text" <<<"$said" || fail "the output lacks '$text'"
}
# wait_for <what> <command>: a limit for a hang, no measurement.
wait_for() {
  local what=$1 i
  shift
  for ((i = 0; i < 30000; i++)); do
    "$@" && return
    sleep 0.1
  done
  fail "$what: not within 50 minutes"
}
# start_proxy <name> <option...>: sets `proxy`, host and port. The proxy logs to <name>.log.
start_proxy() {
  touch "$1.log"
  /usr/bin/python3 "$root/tests/service/proxy.py" "$1.port" "$1.log" "${@:2}" 2>"$1.err" &
  helpers+=($!)
  wait_for "the proxy" test -s "$1.port"
  proxy=127.0.0.1:$(<"$1.port")
}

# An upload above the limit: told at once, not sent.
mkdir good large
cp "$root/tests/corpus/submissions/good/cpu-new-forward.cc" good/
head -c 17000000 /dev/urandom >large/large.zip
run 2 'the service takes at most 16777216' opgrade submit large/large.zip --server "$url"
head -c 2000000 /dev/zero >good/notes.h
run 0 'left out: notes.h (1953 KiB)' opgrade submit good --server "$url"
rm good/notes.h

# --watch within the interval of the server, and for a save.
mkdir saved
cp good/* saved/
opgrade submit saved --server "$url" --watch >watch.out 2>watch.err &
watch=$!
helpers+=($watch)
wait_for "a verdict of --watch" grep -q '^PASSED' watch.out
echo '// saved' >>saved/cpu-new-forward.cc
verdicts() { (($(grep -c '^PASSED' watch.out) >= $1)); }
wait_for "a verdict of the saved file" verdicts 2
kill -TERM "$watch"
code=0
wait "$watch" || code=$?
[[ $code -eq 0 ]] || fail "--watch ended with $code: $(cat watch.err)"
OPGRADE_TOKEN=$(token_of s4) opgrade submit good --server "$url" --detach >/dev/null
run 2 'not taken: ' env OPGRADE_TOKEN="$(token_of s4)" opgrade submit good --server "$url" --detach
OPGRADE_TOKEN=$(token_of s2) opgrade submit good --server "$url" --detach >/dev/null
OPGRADE_TOKEN=$(token_of s2) opgrade submit good --server "$url" --watch >watch2.out 2>watch2.err &
watch=$!
helpers+=($watch)
wait_for "a verdict after the interval" grep -q '^PASSED' watch2.out
grep -q -- '--watch waits' watch2.err || fail "--watch did not wait: $(cat watch2.err)"
kill -TERM "$watch"
wait "$watch" || fail "--watch ended with an error: $(cat watch2.err)"

# The server stores an upload and the client is killed before it has the answer: the repeated command is no second one.
touch swallow
start_proxy lossy --swallow "$place/swallow"
OPGRADE_TOKEN=$(token_of s3)
http_proxy=http://$proxy opgrade submit good --server "$url" >killed.out 2>killed.err &
client=$!
wait_for "a swallowed answer" test -e swallow.swallowed
kill -9 "$client"
wait "$client" 2>/dev/null || true
rm swallow
run 0 'repeating an upload that had no answer' opgrade submit good --server "$url"
[[ $(opgrade history --server "$url" | grep -c "^ *[0-9]") -eq 1 ]] || fail "handed in twice: $(opgrade history --server "$url")"
[[ -z $(ls "$HOME/.config/opgrade/uploads") ]] || fail "a key is left"
grep -q "^POST http://127.0.0.2:$port/api/submissions" lossy.log || fail "the proxy saw no upload: $(cat lossy.log)"

# TLS by nginx, with the example's settings: an unknown authority and a wrong name are refused, a given one is taken.
make_certificate
start_nginx nginx "$url" "$root"
helpers+=("$nginx")
run 2 'the TLS certificate is refused' opgrade history --server "https://localhost:$tls_port"
export SSL_CERT_FILE=$place/ca.pem
run 0 'passed  5 of 5' opgrade history --server "https://localhost:$tls_port"
run 2 'the TLS certificate is refused' opgrade history --server "https://127.0.0.1:$tls_port"
sleep "$interval"
echo '// by TLS' >>good/cpu-new-forward.cc  # a copy would have the first one's grade, without a build
run 0 'cpu: building' opgrade submit good --server "https://localhost:$tls_port"

# The same by a proxy that knows the name, which this machine does not, and that wants a password.
start_proxy guarded --user 'ada:secret word'
export https_proxy=http://$proxy
run 2 'status 407' opgrade history --server "https://gpu.example.edu:$tls_port"
export https_proxy="http://ada:secret word@$proxy"
run 0 'passed  5 of 5' opgrade history --server "https://gpu.example.edu:$tls_port"
grep -q "^CONNECT gpu.example.edu:$tls_port " guarded.log || fail "no tunnel: $(cat guarded.log)"
grep -qv '^CONNECT ' guarded.log && fail "the proxy saw more than tunnels: $(cat guarded.log)"
((failures == 0))
