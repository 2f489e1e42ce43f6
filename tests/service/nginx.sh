# For the tests of this folder: nginx with the example of tools/service, and an authority of its own.

# need_nginx: skips the test where nginx or Python is missing.
need_nginx() {
  local missing=
  PATH=$PATH:/usr/sbin command -v nginx >/dev/null || missing="nginx is not installed"
  /usr/bin/python3 -c '' 2>/dev/null || missing="python3 is not installed"
  skip_where "$missing"
}

# make_certificate: ca.pem, and site.pem for gpu.example.edu and localhost
make_certificate() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=Test authority' -keyout ca.key -out ca.pem 2>/dev/null
  openssl req -newkey rsa:2048 -nodes -subj '/CN=gpu.example.edu' -keyout site.key -out site.csr 2>/dev/null
  openssl x509 -req -in site.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out site.pem \
    -extfile <(echo 'subjectAltName=DNS:gpu.example.edu,DNS:localhost') 2>/dev/null
}

# start_nginx <name> <url of the service> <project root> [sed program]: in front of the service with the example's
# settings, changed by the program. Sets `tls_port` and `nginx` (its process).
start_nginx() {
  local here=$PWD
  tls_port=$((20000 + RANDOM % 10000))
  sed -e "s|listen 443 ssl|listen 127.0.0.1:$tls_port ssl|; s|/etc/ssl/certs/gpu.example.edu.pem|$here/site.pem|" \
    -e "s|/etc/ssl/private/gpu.example.edu.key|$here/site.key|; s|http://127.0.0.1:8080|$2|" -e "${4:-}" \
    "$3/tools/service/nginx.conf" >"$1.site.conf"
  {
    echo "daemon off; master_process off; pid $here/$1.pid; error_log $here/$1.err;"
    echo "events {} http { access_log off; include $here/$1.site.conf;"
    for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $here/$1.$kind;"; done
    echo "}"
  } >"$1.conf"
  nginx -e "$here/$1.err" -c "$here/$1.conf" 2>"$1.out" &
  nginx=$!
  for ((i = 0; i < 600; ++i)); do
    [[ ! -s $1.pid ]] || return 0
    kill -0 "$nginx" 2>/dev/null || break
    sleep 0.1
  done
  cat "$1.err" "$1.out"
  echo "nginx did not start"
  exit 1
}
