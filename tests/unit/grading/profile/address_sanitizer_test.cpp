#include "grader/grading/profile/address_sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/finding_kind.hpp"

namespace opgrade {
namespace {

bool is_own(const std::string& path) {
  return path.find("/adapters/") != path.npos || path.find("libsanitizer/") != path.npos;
}

// As g++ 12 prints it.
constexpr const char* kHeap = R"(
=================================================================
==2==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60200000001c at pc 0x7f5a bp 0x7ffd sp 0x7ffd
WRITE of size 4 at 0x60200000001c thread T0
    #0 0x7f5a52a0161d in conv_forward_cpu(float*, float const*, float const*, int) /submission/cpu.cc:13
    #1 0x7f5a52a01c15 in (anonymous namespace)::forward(opgrade_call*) /opgrade/adapters/minidnn-3/cpu.cc:21
    #2 0x55d8a39d3d52 in main (/opgrade/opgrade-harness+0x2d52)

0x60200000001c is located 0 bytes to the right of 12-byte region [0x602000000010,0x60200000001c)
allocated by thread T0 here:
    #0 0x7f5a534b9a08 in operator new[](unsigned long) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:98
    #1 0x7f5a52a015f4 in conv_forward_cpu(float*, float const*, float const*, int) /submission/cpu.cc:12

SUMMARY: AddressSanitizer: heap-buffer-overflow /submission/cpu.cc:13 in conv_forward_cpu(float*)
Shadow bytes around the buggy address:
)";

TEST(AddressSanitizer, AnOverflowHasItsLineAndTheAllocations) {
  const auto found = read_address_sanitizer(kHeap, is_own);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "out_of_bounds");
  EXPECT_EQ(found[0].file, "cpu.cc");
  EXPECT_EQ(found[0].line, 13);
  EXPECT_EQ(found[0].kernel, "conv_forward_cpu");
  EXPECT_EQ(found[0].message, "The code writes outside memory that it allocated in cpu.cc:12.");
}

TEST(ThreadSanitizer, ARaceHasBothPlaces) {
  const std::string text =
      "WARNING: ThreadSanitizer: data race (pid=2)\n"
      "  Read of size 4 at 0x7ff by thread T1:\n"
      "    #0 memcpy ../../src/libsanitizer/tsan/x.cpp:9 (libtsan.so+0x5e)\n"
      "    #1 sum._omp_fn.0 /submission/sum.cc:5 (submission.so+0x12)\n"
      "    #2 run_member /opgrade/adapters/openmp_races.cc:50 (submission.so+0x14)\n\n"
      "  Previous write of size 4 at 0x7ff by thread T3:\n"
      "    #0 sum._omp_fn.0 /submission/sum.cc:7 (submission.so+0x12)\n\n"
      "  Location is stack of main thread.\n\n"
      "  Thread T1 (tid=21, running) created by main thread at:\n"
      "    #0 other /submission/other.cc:3 (submission.so+0x5e)\n\n"
      "SUMMARY: ThreadSanitizer: data race sum.cc:5 in sum._omp_fn.0\n";
  const auto found = read_thread_sanitizer(text + text, is_own);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "data_race");
  EXPECT_EQ(found[0].kernel, "sum");
  EXPECT_EQ(text_of(found[0]),
            "sum.cc:5: Two threads use the same memory at once: one reads it in this line, the "
            "other writes it in line 7.");
}

/// Its second access is not known: the stack of the allocation is none.
TEST(ThreadSanitizer, AnAllocationIsNoAccess) {
  EXPECT_THAT(read_thread_sanitizer(
                  "WARNING: ThreadSanitizer: data race (pid=2)\n"
                  "  Read of size 4 at 0x7ff by thread T1:\n"
                  "    #0 sum._omp_fn.0 /submission/sum.cc:5 (submission.so+0x12)\n"
                  "  Previous write of size 4 at 0x7ff by thread T3:\n"
                  "    [failed to restore the stack]\n\n"
                  "  Location is heap block of size 40 at 0x7ff allocated by main thread:\n"
                  "    #0 sum /submission/sum.cc:3 (submission.so+0x12)\n\n"
                  "SUMMARY: ThreadSanitizer: data race sum.cc:5 in sum._omp_fn.0\n",
                  is_own),
              testing::IsEmpty());
}

TEST(ThreadSanitizer, ALineThatRacesWithItselfIsNamedOnce) {
  const auto found = read_thread_sanitizer(
      "WARNING: ThreadSanitizer: data race (pid=2)\n"
      "  Write of size 4 at 0x7ff by thread T1:\n"
      "    #0 sum._omp_fn.0 /submission/sum.cc:5 (submission.so+0x12)\n"
      "  Previous atomic read of size 4 at 0x7ff by main thread:\n"
      "    #0 sum._omp_fn.0 /submission/sum.cc:5 (submission.so+0x12)\n"
      "SUMMARY: ThreadSanitizer: data race sum.cc:5 in sum._omp_fn.0\n",
      is_own);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(text_of(found[0]),
            "sum.cc:5: Two threads use the same memory at once: one writes it and the other reads "
            "it, both in this line.");
  EXPECT_EQ(read_thread_sanitizer("WARNING: ThreadSanitizer: data race (pid=2)\n"
                                  "  Write of size 4 at 0x7ff by thread T1:\n"
                                  "    #0 f /submission/sum.cc:5 (submission.so+0x12)\n"
                                  "  Previous write of size 4 at 0x7ff by main thread:\n"
                                  "    #0 f /submission/sum.cc:5 (submission.so+0x12)\n",
                                  is_own)
                .at(0)
                .message,
            "Two threads write the same memory at once, both in this line.");
}

// As Ubuntu's linker makes them by default.
TEST(ThreadSanitizer, AFrameMayEndWithABuildId) {
  const auto found = read_thread_sanitizer(
      "WARNING: ThreadSanitizer: data race (pid=2)\n"
      "  Write of size 4 at 0x7ff by thread T1:\n"
      "    #0 sum(float*) [clone ._omp_fn.0] /submission/sum.cc:5 (submission.so+0x12) (BuildId: "
      "f6)\n"
      "  Previous write of size 4 at 0x7ff by main thread:\n"
      "    #0 sum._omp_fn.0 /submission/sum.cc:7 (submission.so+0x12) (BuildId: f6)\n"
      "SUMMARY: ThreadSanitizer: data race sum.cc:5 in sum._omp_fn.0\n",
      is_own);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kernel, "sum");
  EXPECT_EQ(found[0].line, 5);
}

TEST(ThreadSanitizer, ALostUpdateHasTheLineOfItsWrite) {
  const auto found = read_thread_sanitizer(
      "WARNING: ThreadSanitizer: lost update\n"
      "    #0 sum(float*) [clone ._omp_fn.0] /submission/sum.cc:11\n",
      is_own);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "lost_update");
  EXPECT_EQ(found[0].kernel, "sum");
  EXPECT_EQ(found[0].line, 11);
}

TEST(AddressSanitizer, AFrameMayEndWithABuildId) {
  const auto found = read_address_sanitizer(
      "==2==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60 at pc 0x7f\n"
      "WRITE of size 4 at 0x60 thread T0\n"
      "    #0 0x55aa in conv_forward_cpu(float*) /submission/cpu.cc:13:5 (submission.so+0x12) "
      "(BuildId: f6)\n",
      is_own);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line, 13);
}

TEST(AddressSanitizer, ASignalHasTheLineOfTheSubmission) {
  const auto found = read_address_sanitizer(
      "AddressSanitizer:DEADLYSIGNAL\n"
      "==2==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000008 (pc 0x7f T0)\n"
      "==2==The signal is caused by a READ memory access.\n"
      "    #0 0x7f1 in __asan_memcpy ../../src/libsanitizer/asan/x.cpp:9\n"
      "    #1 0x7f2 in sum(float const*) /tmp/run/src/deep/sum.h:7:3\n"
      "SUMMARY: AddressSanitizer: SEGV sum.h:7 in sum(float const*)\n",
      is_own);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].file, "sum.h");
  EXPECT_EQ(found[0].line, 7);
  EXPECT_NE(found[0].message.find("The code reads memory that is not its own"), std::string::npos);
}

TEST(AddressSanitizer, UndefinedBehaviourHasOneFindingALine) {
  const std::string overflow =
      "cpu.cc:12:20: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented "
      "in type 'int'\n";
  const auto found = read_address_sanitizer(
      overflow + overflow +
          "cpu.cc:14:9: runtime error: index 5 out of bounds for type 'float [4]'\n" +
          "cpu.cc:15:9: runtime error: division by zero\n",
      is_own);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].kind, "undefined_behavior");
  EXPECT_EQ(found[0].line, 12);
  EXPECT_EQ(found[1].kind, "index_out_of_range");
  EXPECT_EQ(found[2].kind, "division_by_zero");
}

// The text is what a submission printed: lines may come in any order.
TEST(AddressSanitizer, AReportThatAnotherOneInterruptsKeepsItsLine) {
  const auto found = read_address_sanitizer(
      "==2==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000008 (pc 0x7f T0)\n"
      "cpu.cc:15:9: runtime error: division by zero\n"
      "==2==The signal is caused by a READ memory access.\n"
      "    #0 0x7f2 in sum(float const*) /tmp/run/src/deep/sum.h:7:3\n",
      is_own);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].file, "sum.h");
  EXPECT_EQ(found[1].kind, "division_by_zero");
}

TEST(AddressSanitizer, WhatNamesNoLineOfTheSubmissionIsNoFinding) {
  EXPECT_TRUE(read_address_sanitizer("", is_own).empty());
  EXPECT_TRUE(read_address_sanitizer("==2==ERROR: AddressSanitizer: SEGV on unknown address\n"
                                     "    #0 0x7f in f() /opgrade/adapters/conv_x.h:3\n",
                                     is_own)
                  .empty());
  EXPECT_TRUE(
      read_address_sanitizer("/opgrade/adapters/a.h:3:1: runtime error: x\n", is_own).empty());
  for (std::size_t cut = 0; cut < std::string(kHeap).size(); ++cut)
    EXPECT_LE(read_address_sanitizer(std::string(kHeap, cut), is_own).size(), 1U);
}

}  // namespace
}  // namespace opgrade
