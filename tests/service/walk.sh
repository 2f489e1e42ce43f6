#!/usr/bin/env bash
# walk.sh <build folder> <project root>: a student's way through the client, against a real server.
set -euo pipefail
build=$(realpath "${1:?usage: walk.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: walk.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
enter_place "$build"
unset OPGRADE_TOKEN XDG_CONFIG_HOME
make_course "$root" 3
mkdir opgrade
cp -r "$build/bin" "$build/share" "$build/lib" opgrade
PATH=$place/opgrade/bin:$PATH start_server --listen 127.0.0.1:0 --workers 1 --interval 0

failures=0
# run <expected exit code> <text that the output must have> <command...>
run() {
  local wanted=$1 text=$2 code=0 said
  shift 2
  said=$(timeout 120 "$@" 2>&1) || code=$?
  echo "\$ $*"
  echo "$said"
  [[ $code -eq $wanted ]] || { echo "exit code $code instead of $wanted"; failures=$((failures + 1)); }
  grep -qF -- "$text" <<<"$said" || { echo "the output lacks '$text'"; failures=$((failures + 1)); }
}

run 2 'no service is named' opgrade queue
run 2 'unknown or revoked' opgrade login --server "$url" < <(echo wrong)
run 2 'is not an address of a service' opgrade login --server http://127.0.0.1:abc < <(token_of s1)
# As a browser's address bar gives it.
run 0 'logged in to Test course as s1' opgrade login --server "$url/" < <(token_of s1)
[[ $(stat -c %a .config/opgrade/servers.json) == 600 ]] || { echo "others can read the tokens"; failures=$((failures + 1)); }
cp -r "$root/tests/corpus/submissions/good" good
touch good/notes.txt
mkdir misnamed
cp good/cpu-new-forward.cc misnamed/forward.txt
run 2 'no files to hand in; left out: forward.txt (the assignment does not name it)' opgrade submit misnamed
rm -r misnamed
run 0 'left out: expect.yaml (the assignment does not name it), notes.txt (the assignment does not name it)' opgrade submit good
run 0 'PASSED' opgrade submit good --quiet
# What the course hands out is checked by the course's config, without naming it.
run 0 'm1.zip: the statement and the files to start from' opgrade fetch --assignment m1
/usr/bin/python3 -m zipfile -e m1.zip handed-out
cp good/cpu-new-forward.cc handed-out/m1
run 0 'PASSED  5 of 5 points' opgrade check handed-out/m1
cp -r "$root/tests/corpus/submissions/wrong_constant" wrong
run 1 'again: opgrade check . --config' opgrade submit wrong --assignment m1
run 2 'its assignments' opgrade course grade course m9
run 2 "no assignment 'm9'" opgrade submit good --assignment m9
run 0 '0 waiting' opgrade queue
run 0 'passed  5 of 5' opgrade history
run 2 'no ranking' opgrade ranking
run 0 'fetched.tar: m1 of' opgrade fetch 1 --out fetched.tar
tar tf fetched.tar | grep -q . || failures=$((failures + 1))
run 2 'not in the queue any more' opgrade cancel 1

# The commands of docs/curl.md, as they stand there.
next=$(($(opgrade history | grep -c '^ *[0-9]') + 1))
token=$(token_of s1)
(cd good && TOKEN=$token URL=$url bash -e <(sed -n 's/^    //p' "$root/docs/curl.md" | grep -v '^export \|^cd ' |
  sed "s|/17|/$next|")) >curl.txt 2>&1 || failures=$((failures + 1))
for said in '"name":"m1"' '"state":"queued"' 'event: end' '"outcome": *"passed"' '"waiting":0' 'no ranking' 'not in the queue any more'; do
  grep -q "$said" curl.txt || { cat curl.txt; echo "docs/curl.md: the answers lack $said"; failures=$((failures + 1)); }
done

# Another student's submission looks like none; staff see it, and stop and start the workers.
run 2 'no such submission' env OPGRADE_TOKEN="$(token_of s2)" opgrade fetch 1
OPGRADE_TOKEN=$(token_of sam)
export OPGRADE_TOKEN
run 0 'passed  5 of 5' opgrade history --for s1
unset OPGRADE_TOKEN

# A token that was rotated ends at once.
opgrade course tokens course s1 >/dev/null
run 2 'unknown or revoked' opgrade queue

# An upgrade beside the running server: what it starts from now on is the new program, and its grades are of now.
run 0 'logged in to Test course as s3' opgrade login --server "$url" < <(token_of s3)
cp "$place/opgrade/bin/opgrade-course" new
echo "another build" >>new
mv new "$place/opgrade/bin/opgrade-course"
run 0 'PASSED' opgrade submit good --quiet
version=$("$place/opgrade/bin/opgrade-course" serve-version)
run 0 "$version" opgrade course why course s3
grades_as_new() { # the server looks at its files every few seconds
  for _ in {1..150}; do
    said=$(curl -fsS -H "Authorization: Bearer $(token_of sam)" "$url/staff")
    grep -qF "It grades as $version from now on" <<<"$said" && return
    sleep 0.2
  done
  return 1
}
grades_as_new || { echo "staff are not told of the upgrade"; failures=$((failures + 1)); }
kill -TERM "$server"
wait "$server" || { echo "the server did not end well"; failures=$((failures + 1)); }
server=
run 0 'database and files agree' opgrade course verify course
((failures == 0))
