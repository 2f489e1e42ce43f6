// The clock that nothing in a process bends.
#pragma once
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

inline long long true_now(clockid_t id = CLOCK_MONOTONIC) {
  timespec time{};
  syscall(SYS_clock_gettime, id, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}
