#include <gtest/gtest.h>

#include "grader/grading/profile/events.hpp"

namespace opgrade {
namespace {

constexpr const char* kAll =
    "opgrade-profile 1\n"
    "device 132 64 32 233472 65536 9 0 NVIDIA H200\n"
    "step prolog 0 100 200 77\n"
    "kernel 120 150 5 10 11 12 16 8 2 40 1024 2048 16 void conv<4, 7>(float*, int)\n"
    "call 110 119 77 5 runtime cudaLaunchKernel_v7000\n"
    "copy 130 140 6 4096 pageable device\n"
    "fill 141 142 7 64\n"
    "count 3 conv 1 1 2 3 4 5 6 7 8 my kernel\n"
    "lost 9\n"
    "end\n";

TEST(ReadEvents, EveryKind) {
  const ProfileEvents e = read_events(kAll);
  EXPECT_EQ(e.problem, "");
  EXPECT_EQ(e.device.name, "NVIDIA H200");
  EXPECT_EQ(e.device.multiprocessors, 132);
  EXPECT_EQ(e.device.warps, 64);
  EXPECT_EQ(e.device.blocks, 32);
  EXPECT_EQ(e.device.shared_bytes, 233472);
  EXPECT_EQ(e.device.registers, 65536);
  EXPECT_EQ(e.device.major, 9);
  ASSERT_EQ(e.steps.size(), 1u);
  EXPECT_EQ(e.steps[0].step, ProfileStep::prolog);
  EXPECT_EQ(e.steps[0].begin, 100);
  EXPECT_EQ(e.steps[0].end, 200);
  EXPECT_EQ(e.steps[0].thread, 77u);
  ASSERT_EQ(e.kernels.size(), 1u);
  EXPECT_EQ(e.kernels[0].name, "void conv<4, 7>(float*, int)");
  EXPECT_EQ(e.kernels[0].grid[2], 12);
  EXPECT_EQ(e.kernels[0].block[0], 16);
  EXPECT_EQ(e.kernels[0].registers, 40);
  EXPECT_EQ(e.kernels[0].static_shared, 1024);
  EXPECT_EQ(e.kernels[0].dynamic_shared, 2048);
  EXPECT_EQ(e.kernels[0].local, 16);
  ASSERT_EQ(e.calls.size(), 1u);
  EXPECT_EQ(e.calls[0].correlation, 5u);
  EXPECT_FALSE(e.calls[0].driver);
  ASSERT_EQ(e.memory.size(), 2u);
  EXPECT_EQ(e.memory[0].from, "pageable");
  EXPECT_EQ(e.memory[0].bytes, 4096);
  EXPECT_EQ(e.memory[1].from, "");
  ASSERT_EQ(e.counts.size(), 1u);
  EXPECT_EQ(e.counts[0].count, 3);
  EXPECT_TRUE(e.counts[0].in_step);
  EXPECT_EQ(e.counts[0].name, "my kernel");
  EXPECT_EQ(e.lost, 9);
}

/// What reading `line` between a good first and last line says.
std::string problem_of(const std::string& line) {
  return read_events("opgrade-profile 1\n" + line + "\nend\n").problem;
}

TEST(ReadEvents, WhatASubmissionMayHaveWrittenIsAProblemAndNotACrash) {
  EXPECT_NE(read_events("").problem, "");
  EXPECT_NE(read_events("opgrade-profile 2\nend\n").problem, "");
  EXPECT_NE(read_events("opgrade-profile 1\n").problem, "");  // breaks off
  EXPECT_EQ(read_events("opgrade-profile 1\nend\n").problem, "");
  for (const char* line :
       {"", "unknown 1", "step forward 0 1 2 3", "step conv 0 2 1 3", "step conv 0 1 2",
        "step conv 0 1 2 3 4", "step conv -1 1 2 3", "step conv 0 1 99999999999999999999 3",
        "kernel 1 2 3 1 1 1 1 1 1 1 1 1 1", "kernel 1 2 3 1 1 1 1 1 1 1 1 1 1 ",
        "call 1 2 3 4 other name", "copy 1 2 3 4 pageable", "fill 0 1 2 -5",
        "fill 0 1 2 9999999999999999", "fill 0 9999999999999999 2 1", "fill 0x1 2 3 4",
        "lost many"}) {
    EXPECT_NE(problem_of(line), "") << line;
  }
  EXPECT_EQ(problem_of("fill 0 1 2 5"), "");
}

TEST(ReadEvents, KeepsWhatCameBeforeTheProblem) {
  const auto e = read_events("opgrade-profile 1\nfill 0 1 2 5\nnonsense\nfill 0 1 2 5\nend\n");
  EXPECT_EQ(e.memory.size(), 1u);
  EXPECT_NE(e.problem.find("line 3"), std::string::npos);
}

TEST(ReadEvents, NamesAreMadePrintable) {
  const auto e = read_events("opgrade-profile 1\ncall 1 2 3 4 runtime \x1b[31mred\xff\nend\n");
  ASSERT_EQ(e.calls.size(), 1u);
  EXPECT_EQ(e.calls[0].name.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace opgrade
