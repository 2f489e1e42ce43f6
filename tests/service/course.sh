# For the tests of this folder: a course of one assignment, graded by the quickest config, and a token each.

# skip_where <what is missing>: skips the test, visibly, unless that is nothing. OPGRADE_MUST_RUN=browser forbids it.
skip_where() {
  [[ -n $1 ]] || return 0
  [[ ,${OPGRADE_MUST_RUN:-}, == *,browser,* ]] && { echo "must run here: $1"; exit 1; }
  echo "[  SKIPPED ] $1"
  exit 0
}

# enter_place <build folder>: a folder of the test's own, `place`. At the test's end it goes, and so do `server`, the
# processes of `helpers` and the shell's own: ctest waits for the last one that has the test's output open.
enter_place() {
  place=$(mktemp -d)
  chmod 755 "$place"
  server=
  helpers=()
  trap leave_place EXIT
  cd "$place"
  export PATH=$1/bin:$PATH:/usr/sbin OPGRADE_DATA=$1/data HOME=$place
}
leave_place() {
  for pid in "${helpers[@]}" $server $(jobs -p); do kill "$pid" 2>/dev/null || true; done
  rm -rf "$place"
}

# require_browser: skips the test, visibly, without Chromium and its driver.
require_browser() {
  local missing=
  command -v chromedriver >/dev/null || missing="chromium-driver is not installed"
  /usr/bin/python3 -c 'import selenium' 2>/dev/null || missing="python3-selenium is not installed"
  skip_where "$missing"
}

# install_axe <project root>: sets `axe`, the script of axe-core, or `without_axe`, why there is none.
install_axe() {
  cp "$1"/tests/service/axe/package*.json .
  axe=$place/node_modules/axe-core/axe.min.js without_axe=
  npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1 ||
    { axe= without_axe="axe-core looked at no page, since npm could not install it: $(tail -n 1 npm.log)"; }
}

# make_course <project root> <students>
make_course() {
  opgrade course init course >/dev/null
  {
    echo "opgrade_course: 1"
    echo "title: Test course"
    echo "time_zone: UTC"
    echo "assignments:"
    echo "  - {name: m1, title: Milestone 1, config: ${config:-$1/tests/configs/cli.yaml}, deadline: 2099-01-01 12:00, counts: best}"
  } >course/course.yaml
  echo "id,login,name" >course/roster.csv
  for ((s = 1; s <= $2; ++s)); do echo "$s,s$s,Student $s"; done >>course/roster.csv
  opgrade course tokens course | tr -d '\r' >tokens.csv
  opgrade course tokens course --staff sam | tr -d '\r' | tail -n 1 >>tokens.csv
}

# token_of <login>
token_of() {
  awk -F, -v login="$1" '$1 == login { print $4 }' tokens.csv
}

# start_server <option...>: serves `course` in the background. Sets `server` (its process) and `url`.
start_server() {
  rm -f server.log  # else the words of the one before
  opgrade serve course "$@" >server.log 2>>server.err &
  server=$!
  until grep -q 'is served at' server.log 2>/dev/null; do
    kill -0 "$server" 2>/dev/null || { cat server.err; echo "the server ended"; exit 1; }
    sleep 0.05
  done
  url=http://127.0.0.1:$(sed -nE 's/.*:([0-9]+);.*/\1/p' server.log)
}
