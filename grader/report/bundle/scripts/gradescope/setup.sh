#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154  # settings.sh is written beside this file
# Gradescope runs this once, as root, when it builds the image of the autograder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source ./settings.sh
export DEBIAN_FRONTEND=noninteractive
apt-get update
needed=(g++ bubblewrap dataset-fashion-mnist xz-utils)
[[ -z $server ]] || needed=(ca-certificates xz-utils)
apt-get install -y --no-install-recommends "${needed[@]}"
case $package in
  *.deb) apt-get install -y "./$package" ;;
  ?*)
    mkdir -p /opt/opgrade
    tar -xf "$package" -C /opt/opgrade
    ;;
esac
export PATH=/opt/opgrade/bin:/opt/opgrade/opgrade/bin:$PATH
if ! command -v opgrade > /dev/null; then
  echo "opgrade is not in this image. Make the bundle with --package FILE." >&2
  exit 1
fi
mkdir -p data
for size in $data_sizes; do
  opgrade data --size "$size" --out "data/fmnist-$size.h5"
done
opgrade check-config ./config.yaml > /dev/null
