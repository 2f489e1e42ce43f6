#!/usr/bin/env bash
# named_by_proxy.sh <build folder> <project root>: the header by which an authenticating proxy names its user. It counts
# from the configured address alone, and no client can send it through nginx with the example of tools/service.
set -euo pipefail
build=$(realpath "${1:?usage: named_by_proxy.sh <build folder> <project root>}")
root=$(realpath "${2:?usage: named_by_proxy.sh <build folder> <project root>}")
# shellcheck source=tests/service/course.sh
source "$root/tests/service/course.sh"
# shellcheck source=tests/service/nginx.sh
source "$root/tests/service/nginx.sh"
need_nginx
enter_place "$build"
make_course "$root" 2
make_certificate
failed=0
ask() { /usr/bin/python3 "$root/tests/service/named_by_proxy.py" "$@" || failed=1; }

# Without --proxy-header nobody is named.
start_server --listen 127.0.0.2:0 --workers 0 --proxy 127.0.0.1
ask off "${url##*:}"
kill "$server"
wait "$server" || true

start_server --listen 127.0.0.2:0 --workers 0 --proxy 127.0.0.1 --proxy-header X-Remote-User
port=${url##*:}
ask direct "$port"
start_nginx example "http://127.0.0.2:$port" "$root"
helpers+=("$nginx")
ask example "$tls_port"
# The same proxy, which now authenticates.
printf 's1:{PLAIN}secret\n' >users
start_nginx names "http://127.0.0.2:$port" "$root" \
  "s|X-Remote-User \"\"|X-Remote-User \$remote_user|; s|location / {|&\n auth_basic course; auth_basic_user_file $place/users;|"
helpers+=("$nginx")
ask names "$tls_port"
((failed == 0))
