/// Skips that are visible, and that OPGRADE_MUST_RUN=gpu,sandbox,... turns into failures.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace opgrade::test {

/// True when the environment variable OPGRADE_MUST_RUN (a comma-separated list) names `feature`.
inline bool must_run(const std::string& feature) {
  const char* list = std::getenv("OPGRADE_MUST_RUN");
  return list != nullptr &&
         (',' + std::string(list) + ',').find(',' + feature + ',') != std::string::npos;
}

}  // namespace opgrade::test

/// Goes on when `condition` holds; otherwise skips, or fails where `feature` must run.
#define OPGRADE_SKIP_UNLESS(feature, condition, why)                              \
  do {                                                                            \
    if (!(condition)) {                                                           \
      if (opgrade::test::must_run(feature)) FAIL() << "must run here: " << (why); \
      GTEST_SKIP() << (why);                                                      \
    }                                                                             \
  } while (false)
