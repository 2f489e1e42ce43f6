#include "grader/base/core/limit.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

TEST(Limit, IsShownWithItsUnit) {
  EXPECT_EQ(text_of({Limit::Kind::wall_time, 0.2}), "wall time 0.2 s");
  EXPECT_EQ(text_of({Limit::Kind::cpu_time, 60}), "CPU time 60 s");
  EXPECT_EQ(text_of({Limit::Kind::stopping_time, 0.5}), "time to stop 0.5 s");
  EXPECT_EQ(text_of({Limit::Kind::memory, 1.5 * (1 << 30)}), "memory 1.5 GiB");
  EXPECT_EQ(text_of({Limit::Kind::output, 64 << 10}), "output 64 KiB");
  EXPECT_EQ(text_of({Limit::Kind::file_size, 2 << 20}), "file size 2 MiB");
  EXPECT_EQ(text_of({Limit::Kind::processes, 64}), "threads and processes 64");
  EXPECT_EQ(text_of({Limit::Kind::processes}), "threads and processes");
}

TEST(Limit, IsReadBack) {
  for (const Limit& limit :
       {Limit{Limit::Kind::wall_time, 0.2}, Limit{Limit::Kind::cpu_time, 60},
        Limit{Limit::Kind::stopping_time, 0.5}, Limit{Limit::Kind::memory, 1.5 * (1 << 30)},
        Limit{Limit::Kind::output, 64 << 10}, Limit{Limit::Kind::file_size, 2 << 20},
        Limit{Limit::Kind::processes, 64}, Limit{Limit::Kind::processes}})
    EXPECT_EQ(limit_of(text_of(limit)), limit) << text_of(limit);
  for (const char* none : {"", "wall", "wall time x s", "memories"})
    EXPECT_FALSE(limit_of(none)) << none;
}

TEST(Limit, GivesTheOutcome) {
  EXPECT_EQ(outcome_of(Limit::Kind::wall_time), Outcome::out_of_time);
  EXPECT_EQ(outcome_of(Limit::Kind::cpu_time), Outcome::out_of_time);
  EXPECT_EQ(outcome_of(Limit::Kind::memory), Outcome::out_of_memory);
  EXPECT_EQ(outcome_of(Limit::Kind::stopping_time), Outcome::over_limit);
  EXPECT_EQ(outcome_of(Limit::Kind::output), Outcome::over_limit);
  EXPECT_EQ(outcome_of(Limit::Kind::file_size), Outcome::over_limit);
  EXPECT_EQ(outcome_of(Limit::Kind::processes), Outcome::over_limit);
}

}  // namespace
}  // namespace opgrade
