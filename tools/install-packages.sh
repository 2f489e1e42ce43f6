#!/usr/bin/env bash
# Installs what opgrade is built, tested and run with, on Debian 12 and 13. The one list of packages: used
# by `make`, by CI and by the Dockerfile. Does nothing when everything is there.
#   tools/install-packages.sh          build, test and run
#   tools/install-packages.sh --list   print the packages
#   tools/install-packages.sh --packaging   also what packages opgrade and tests the packages
#   tools/install-packages.sh --browser     also what tests the service's pages, its TLS and its proxies
set -euo pipefail

# Names with a version in them. The layout of sources is checked on Debian 12 alone: another clang-format would lay them
# out otherwise.
case $(. /etc/os-release && echo "${VERSION_ID:-}") in
  13*) versioned=(libclang-19-dev llvm-19-dev libboost1.83-dev binutils-gold) ;;
  *) versioned=(libclang-14-dev llvm-14-dev libboost1.81-dev clang-format-14) ;;
esac
packages=(
  # building
  cmake g++ make ninja-build pkg-config
  "${versioned[@]}"
  libarchive-dev libcli11-dev libcmark-gfm-dev libcmark-gfm-extensions-dev libexpected-dev libfmt-dev libhdf5-dev libpugixml-dev libseccomp-dev
  libhowardhinnant-date-dev libsqlite3-dev libsqlitecpp-dev libssl-dev libyaml-cpp-dev nlohmann-json3-dev zlib1g-dev
  # testing
  libgmock-dev libgtest-dev
  munge slurm-client slurmctld slurmd
  python3-jsonschema python3-yaml
  # grading: the sandbox and the images
  bubblewrap dataset-fashion-mnist
  # courses: clones of submissions, time zones; pages of reports
  git tzdata
  cmark-gfm netpbm poppler-utils
)

if [[ ${1:-} == --packaging ]]; then
  packages+=(dpkg-dev file mmdebstrap patchelf podman runc xz-utils)
fi
if [[ ${1:-} == --browser ]]; then
  packages+=(chromium chromium-driver nginx-light openssl pngquant python3-selenium)
fi
if [[ ${1:-} == --list ]]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "error: these packages are missing and there is no sudo to install them; as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
if ! command -v apt-get >/dev/null; then
  echo "error: no apt-get here; opgrade is built on Debian 12 or 13. Needed: ${missing[*]}" >&2
  exit 1
fi
echo "installing ${#missing[@]} packages: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update -qq &&
       "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
         apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 15 "$log" >&2
  echo "error: apt-get could not install: ${missing[*]}" >&2
  exit 1
fi
