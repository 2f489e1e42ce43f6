#!/usr/bin/env bash
# Runs every fuzz target for some minutes, one after another, at low priority: with libFuzzer where
# Clang is installed, else with the driver of tests/fuzz.
#   tools/fuzz.sh [MINUTES]     10 unless told
# What was found lies in build-fuzz/<target>/; the corpus there is used again.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-10}
build=build-fuzz
compiler=$(command -v clang++ || command -v g++)
cmake -G Ninja -S . -B $build -DCMAKE_CXX_COMPILER="$compiler" -DOPGRADE_CUDA=OFF > $build.log 2>&1 ||
  { cat $build.log; exit 1; }
cmake --build $build --target opgrade-fuzz -- --quiet
root=$PWD
failed=0
for name in archive config documents http importers protocol sources; do
  mkdir -p $build/$name/corpus
  echo "fuzz_$name: $minutes minutes"
  (cd $build/$name &&
    nice -n 19 ../tests/fuzz_$name -max_total_time=$((minutes * 60)) -max_len=20000 \
      -timeout=30 -rss_limit_mb=3000 corpus "$root/tests/fuzz/seeds/$name" > log 2>&1) ||
    { tail -n 40 $build/$name/log; echo "fuzz_$name found something: see $build/$name"; failed=1; }
  tail -n 1 $build/$name/log
done
exit $failed
