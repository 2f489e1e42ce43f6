#!/usr/bin/env bash
# The portable bundle in a clean Debian 11, 12 or 13, Ubuntu 24.04 or 22.04 that has a compiler and xz alone, as an ordinary user,
# in two folders.
#   portable.sh BUILD SOURCE [bullseye|trixie|noble|jammy]
# OPGRADE_BUNDLE names a bundle to try instead of packing one.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
long_test
need patchelf patchelf
need bwrap bubblewrap
[[ -e /usr/share/datasets/fashion-mnist ]] || skip "no images here: apt-get install dataset-fashion-mnist"
tree=$work/tree
clean_tree "$tree"
# Debian 11's g++ 10 is too old to watch accesses.
compilers=(g++)
[[ $suite != bullseye ]] || compilers+=(clang)
apt_in "$tree" --no-install-recommends "${compilers[@]}" xz-utils
home=$tree/home/student
start_lap
if [[ -n ${OPGRADE_BUNDLE:-} ]]; then
  cp "$OPGRADE_BUNDLE" "$home/opgrade.tar.xz"
else
  (cd "$cache" && rm -f ./*.tar.xz && "$source/packaging/portable.sh" "$build")
  cp "$cache"/opgrade-*.tar.xz "$home/opgrade.tar.xz"
  lap "packaging/portable.sh"
fi
size=$(stat -c %s "$home/opgrade.tar.xz")
((size <= 40000000)) || complain "the bundle has $size bytes, above 40 MB"

submissions "$home"
chown -R 1000:1000 "$home"
start_lap
in_tree "$tree" student tar -xf opgrade.tar.xz
verdicts in_tree "$tree" student opgrade/bin/opgrade
expect 0 'sandbox' in_tree "$tree" student opgrade/bin/opgrade doctor
! grep -qE 'MISSING|not found \(required' "$work/output" || complain "$(cat "$work/output")"
tier=$(tier_of)
# In a platform's bundle.
in_tree "$tree" student sh -c 'opgrade/bin/opgrade bundle autolab --config self-check --package opgrade.tar.xz \
  --handin good --out lab && mkdir lab/autograde && tar -xf lab/autograde.tar -C lab/autograde && cp -r good lab/'
expect 0 '^{"scores":{"cpu":100.0,"gpu":100.0}}$' in_tree "$tree" student \
  sh -c 'cd lab && bash autograde/run.sh'
apt_in "$tree" --no-install-recommends python3
what_walks_need "$home/source"
walks /home/student/opgrade /home/student/source in_tree "$tree" student
# From any folder, also by a link, and where the program may not write.
in_tree "$tree" root sh -c 'mkdir -p "/srv/a folder" /opt/bin && mv /home/student/opgrade "/srv/a folder/" &&
  chmod -R go-w "/srv/a folder" && ln -s "/srv/a folder/opgrade/bin/opgrade" /opt/bin/opgrade'
expect 0 '^PASSED' in_tree "$tree" student /opt/bin/opgrade check good --quiet
# shellcheck disable=SC2016
row "$(system_of "$tree")" "bundle, ${compilers[*]}" "$tier" \
  '`doctor`; a right, a wrong, a crashing and a racing submission; the bundle of a platform; the tutorial with a hand-in; a lab; from any folder'
finish
