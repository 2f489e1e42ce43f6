// The harness's clock in the submission's hands: its next reading says what a cheat claims. The harness
// reads it through libstdc++; a driver's clocks stay as they are.
#pragma once
#include <time.h>

#include "bent.h"
#include "true_clock.h"

static long long last_reading = 0, claimed = -1;
static bool claims = false;

static int bent_clock(clockid_t id, timespec* time) {
  long long now = true_now(id);
  if (id == CLOCK_MONOTONIC) {
    if (claims) now = last_reading + claimed;
    claims = false;
    last_reading = now;
  }
  *time = {now / 1000000000, now % 1000000000};
  return 0;
}

// The reading after this one is `nanoseconds` after the last: the time of this call, when it is
// the last thing that a call does.
inline void claim(long long nanoseconds) {
  static const bool bent = (bend("clock_gettime", (void*)bent_clock, "libstdc++"), true);
  (void)bent;
  // The clock was not bent yet when the first call began.
  if (last_reading == 0) return;
  claimed = nanoseconds;
  claims = true;
}

// What the clocks of a call may differ by where 300 us + 2 % are allowed.
inline long long within_slack(long long nanoseconds) {
  return nanoseconds - 285000 - nanoseconds * 18 / 1000;
}
