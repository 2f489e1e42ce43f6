#!/usr/bin/env bash
# hidden_races.sh <opgrade> <task>: a data race earns nothing, whatever a program does about the run that looks for races: tell
# it by a macro, end it early in any way, or print a wrong output. Right programs that look alike earn all.
set -euo pipefail
opgrade=${1:?usage: hidden_races.sh <opgrade> <task>}
task=${2:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# write NAME HEAD BEGIN LOCK <<MORE: a histogram, its threads one after another by luck; LOCK stands before their sums.
write() {
  mkdir -p "$work/$1"
  cat >"$work/$1/openmp_histogram.cc" <<END
#include "openmp_histogram.h"
#include <omp.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>
$2
static inline bool is_watched() { return std::getenv("TSAN_OPTIONS") != nullptr; }
void histogram(const unsigned char* x, unsigned int* counts, int n) {
  if (is_watched()) { $3; }
#pragma omp parallel
  {
    unsigned mine[256] = {};
#pragma omp for
    for (int i = 0; i < n; ++i) ++mine[x[i]];
    if (omp_get_thread_num() > 0) usleep(3000 * omp_get_thread_num());
$4
    for (int b = 0; b < 256; ++b) counts[b] += mine[b];
  }
}
END
}
# graded NAME: the report's line of the case
graded() {
  "$opgrade" grade "$work/$1" --config "$task" --only cpu/random --unchecked --out "$work/out/$1" --quiet >/dev/null 2>&1 || true
  tr -s ' \n' ' ' <"$work/out/$1/$1/report.txt" >"$work/report"
}
fails() {  # fails NAME TEXT
  graded "$1"
  if ! grep -qF -- "$2" "$work/report" || grep -q 'PASSED' "$work/report"; then
    echo "FAILED: $1: '$2' is missing, or it passes"
    cat "$work/out/$1/$1/report.txt"
    failures=$((failures + 1))
  fi
}
passes() {
  graded "$1"
  grep -q 'PASSED' "$work/report" && ! grep -q 'not checked for data races' "$work/report" || {
    echo "FAILED: $1 is right"
    cat "$work/out/$1/$1/report.txt"
    failures=$((failures + 1))
  }
}

write plain "" "" ""
graded plain
if grep -q 'not checked for data races' "$work/report"; then
  echo "g++ has no thread sanitizer here"
  exit 77
fi
fails plain "data_race"

# Told apart by what a build defines.
write macro "" "" $'#ifdef __SANITIZE_THREAD__\n#pragma omp critical\n#endif'
fails macro "data_race"
write feature "" "" $'#if __has_include(<sanitizer/tsan_interface.h>) && defined(__SANITIZE_THREAD__)\n#pragma omp critical\n#endif'
fails feature "data_race"
write clock "static constexpr bool odd = (__TIME__[7] + __TIMESTAMP__[17]) % 2;" "" ""
fails clock "data_race"
write attribute "#define UNSEEN __attribute__((no_sanitize(\"thread\")))
UNSEEN static void add(unsigned* to, unsigned n) { *to += n; }" "" "for (int b = 0; b < 256; ++b) add(counts + b, mine[b]);
for (unsigned& n : mine) n = 0;"
fails attribute "no_sanitize"
write weak 'extern "C" void __tsan_init() __attribute__((weak));' "" ""
fails weak "the name __tsan_init"
write runtime 'extern "C" void GOMP_barrier() {}' "" ""
fails runtime "the name GOMP_barrier"

# Ended early.
n=0
for end in "_exit(0)" "std::exit(0)" "std::quick_exit(0)" "std::_Exit(0)" "std::abort()" "raise(SIGKILL)" \
  "kill(getpid(), SIGTERM)" "*(volatile int*)0 = 1" "execl(\"/proc/self/exe\", \"x\", (char*)0), _exit(0)" \
  "for (int d = 0; d < 64; ++d) close(d)" "if (fork() > 0) _exit(0)" "pthread_exit(nullptr)" \
  "throw 1"; do
  n=$((n + 1))
  write "end$n" "" "$end" ""
  fails "end$n" "a run that watches each access failed"
done
write silent "" "close(2)" ""
fails silent "a run that watches each access failed"
write wrong "" "counts[0] = 1; return" ""
fails wrong "a run that watches each access failed"

# Honest.
write critical "" "" "#pragma omp critical"
passes critical
write talks "" "std::fprintf(stderr, \"watched\\n\")" "#pragma omp critical"
passes talks
write words "[[maybe_unused]] static int weak = 0;
__attribute__((always_inline)) static inline void wait() { asm volatile(\"pause\" ::: \"memory\"); }
#pragma GCC optimize(\"O3\")" "wait()" "#pragma omp critical"
passes words
write guarded "#if defined(__SANITIZE_THREAD__)
#error \"told apart\"
#endif
#include <memory>
static std::shared_ptr<int> shared = std::make_shared<int>(1);" "" "const std::shared_ptr<int> own = shared;
#pragma omp critical"
passes guarded
exit $((failures > 0))
