// EXPECT(condition): says which one failed; run() returns how many did.
#pragma once
#include <cstdio>

static int failures = 0;
#define EXPECT(condition)                                         \
  do {                                                            \
    if (!(condition)) {                                           \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                 \
    }                                                             \
  } while (0)
