#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154  # settings.sh is written beside this file
# autograde-Makefile runs this in the folder of the handin. Autolab reads the scores from the last
# line of stdout; where that line is none, it leaves them as they were.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/settings.sh"
case $package in
  *.deb) dpkg -x "$here/$package" "$here/opgrade" >&2 ;;
  ?*)
    mkdir -p "$here/opgrade"
    tar -xf "$here/$package" -C "$here/opgrade" >&2
    ;;
esac
export PATH=$here/opgrade/usr/bin:$here/opgrade/bin:$here/opgrade/opgrade/bin:$PATH
if ! command -v opgrade > /dev/null; then
  echo "opgrade is not in this image. Make the bundle with --package FILE."
  exit 3
fi
export OPGRADE_DATA=${OPGRADE_DATA:-$here/data}
mkdir -p "$OPGRADE_DATA"
for size in $data_sizes; do
  data=$OPGRADE_DATA/fmnist-$size.h5
  [[ -e $data ]] || opgrade data --size "$size" --out "$data" >&2
done
opgrade grade "$handin" --config "$here/config.yaml" --out "$here/results" --quiet >&2
for result in "$here"/results/*/; do
  [[ -d $result ]] || exit 3
  opgrade show "$result" --format autolab
done
