#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154  # settings.sh is written beside this file
# The workflow opgrade.yml runs this on a hosted runner.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source ./settings.sh
sudo apt-get update
sudo apt-get install -y --no-install-recommends g++ bubblewrap dataset-fashion-mnist xz-utils
case $package in
  *.deb) sudo apt-get install -y "./$package" ;;
  ?*)
    sudo mkdir -p /opt/opgrade
    sudo tar -xf "$package" -C /opt/opgrade
    printf '%s\n' /opt/opgrade/bin /opt/opgrade/opgrade/bin >> "$GITHUB_PATH"
    ;;
esac
