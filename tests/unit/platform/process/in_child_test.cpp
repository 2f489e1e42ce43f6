#include "grader/platform/process/in_child.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace opgrade {
namespace {

TEST(InChild, WhatTheChildChangesEndsWithIt) {
  int value = 1;
  const pid_t own = ::getpid();
  EXPECT_TRUE(succeeds_in_child([&] {
    value = 2;
    return ::getpid() != own;
  }));
  EXPECT_EQ(value, 1);
}

TEST(InChild, AChildThatFailsOrIsKilledDoesNotSucceed) {
  EXPECT_FALSE(succeeds_in_child([] { return false; }));
  EXPECT_FALSE(succeeds_in_child([] { return ::raise(SIGKILL) == 0; }));
}

}  // namespace
}  // namespace opgrade
