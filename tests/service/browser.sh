#!/usr/bin/env bash
# browser.sh <build folder> <project root>: the pages in a real headless Chromium, by their DOM and screenshots.
# OPGRADE_KEEP_SCREENSHOTS names a folder to keep the pictures in.
set -euo pipefail
build=$(realpath "${1:?usage: browser.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: browser.sh <build folder> <project root>}")
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [[ -z $chromium ]]; then
  [[ ,${OPGRADE_MUST_RUN:-}, == *,browser,* ]] && { echo "must run here: there is no Chromium"; exit 1; }
  echo "[  SKIPPED ] there is no Chromium here"
  exit 0
fi
place=$(mktemp -d)
chmod 755 "$place"
server=
finish() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  rm -rf "$place"
}
trap finish EXIT
cd "$place"
export PATH=$build/bin:$PATH OPGRADE_DATA=$build/data HOME=$place
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
make_course "$root" 3
start_server --listen 127.0.0.1:0 --interval 0 --plain-cookies
OPGRADE_TOKEN=$(token_of s1) opgrade submit "$root/tests/corpus/submissions/wrong_constant" --server "$url" --quiet >/dev/null || true
OPGRADE_TOKEN=$(token_of s1) opgrade submit "$root/tests/corpus/submissions/good" --server "$url" --quiet >/dev/null

failures=0
# browse <profile> <extra option> <address>
browse() {
  "$chromium" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --user-data-dir="$place/$1" --virtual-time-budget=3000 --host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE 127.0.0.1' \
    "${@:2}" 2>/dev/null
}
# log_in <profile> <login>: by the form, as a person would. A page of a file opens it and sends it.
log_in() {
  cat >"$1.html" <<PAGE
<form method="post" action="$url/login"><input name="token" value="$(token_of "$2")"></form>
<script>document.forms[0].submit()</script>
PAGE
  browse "$1" --dump-dom "file://$place/$1.html" >/dev/null
}
# see <profile> <path> <text that the page must show>
see() {
  browse "$1" --dump-dom "$url$2" >dom
  grep -qF -- "$3" dom || { echo "$2 as $1 lacks '$3':"; head -c 3000 dom; failures=$((failures + 1)); }
}
picture() {
  browse "$1" --window-size="$4" "${@:5}" --screenshot="$place/$3.png" "$url$2" >/dev/null
  [[ $(stat -c %s "$place/$3.png") -gt 5000 ]] || { echo "$3: an empty picture"; failures=$((failures + 1)); }
  [[ -z ${OPGRADE_KEEP_SCREENSHOTS:-} ]] || cp "$place/$3.png" "$OPGRADE_KEEP_SCREENSHOTS/"
}

see nobody / 'Log in'
log_in student s1
see student / 'Milestone 1'
see student /assignments/m1 'type="file"'
see student /assignments/m1 'Points: from'
see student /submissions/2 'PASSED'
see student /submissions/1 'wrong output'
see student /staff 'this is for staff'
log_in staff sam
see staff /staff 'Student 1 (s1)'
see staff /staff/students/s1 'As s1 sees it'
see staff /staff/audit 'submit'
picture student /assignments/m1 assignment 1000,1400
picture student /submissions/1 submission 1000,1600
picture staff /staff class 1000,1200
picture student /assignments/m1 phone 420,1400
picture student /assignments/m1 dark 1000,1400 --blink-settings=preferredColorScheme=0
((failures == 0))
