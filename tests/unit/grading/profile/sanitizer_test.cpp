#include "grader/grading/profile/sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

using testing::HasSubstr;

// Written by hand in the tool's format.
constexpr const char* kInvalid =
    "========= COMPUTE-SANITIZER\n"
    "========= Invalid __global__ write of size 4 bytes\n"
    "=========     at conv(float *, const float *, int)+0x1a0 in /submission/new-forward.cu:23\n"
    "=========     by thread (16,0,0) in block (2,0,0)\n"
    "=========     Access to 0x7f00 is out of bounds\n"
    "=========     and is 1 bytes after the nearest allocation at 0x7e00 of size 256 bytes\n"
    "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
    "=========         Host Frame: run() in adapter.cu:40\n"
    "=========\n"
    "========= Invalid __global__ write of size 4 bytes\n"
    "=========     at conv(float *, const float *, int)+0x1a0 in /submission/new-forward.cu:23\n"
    "=========     by thread (17,0,0) in block (2,0,0)\n"
    "=========\n"
    "========= ERROR SUMMARY: 2 errors\n";

TEST(Sanitizer, InvalidAccessOnceALineWithItsPlace) {
  const auto out = read_sanitizer(kInvalid, "memcheck");
  EXPECT_EQ(out.problem, "");
  ASSERT_EQ(out.findings.size(), 1u);
  const Finding& f = out.findings[0];
  EXPECT_EQ(f.kind, "invalid_access");
  EXPECT_EQ(f.kernel, "conv(float *, const float *, int)");
  EXPECT_EQ(f.file, "new-forward.cu");
  EXPECT_EQ(f.line, 23);
  EXPECT_THAT(f.message, HasSubstr("Invalid __global__ write of size 4 bytes"));
  EXPECT_THAT(f.message, HasSubstr("by thread (16,0,0) in block (2,0,0)"));
  EXPECT_THAT(f.message, HasSubstr("nearest allocation"));
  EXPECT_THAT(f.message, HasSubstr("memcheck"));
  EXPECT_EQ(f.message.find("Host Frame"), std::string::npos);
}

TEST(Sanitizer, RacesWithBothPlaces) {
  const auto out = read_sanitizer(
      "========= COMPUTE-SANITIZER\n"
      "========= Error: Race reported between Write access at tile(float *)+0x90 in "
      "/submission/a.cu:12\n"
      "=========     and Read access at tile(float *)+0x120 in /submission/a.cu:15 [64 hazards]\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
      "racecheck");
  ASSERT_EQ(out.findings.size(), 1u);
  EXPECT_EQ(out.findings[0].kind, "data_race");
  EXPECT_EQ(out.findings[0].kernel, "tile(float *)");
  EXPECT_EQ(out.findings[0].file, "a.cu");
  EXPECT_EQ(out.findings[0].line, 12);
  EXPECT_THAT(out.findings[0].message, HasSubstr("a.cu:15"));
}

TEST(Sanitizer, TheOtherTools) {
  const auto out = read_sanitizer(
      "========= COMPUTE-SANITIZER\n"
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at conv(float*)+0x70 in /submission/a.cu:9\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "=========\n"
      "========= Barrier error detected. Divergent thread(s) in block\n"
      "=========     at conv(float*)+0x80 in /submission/a.cu:11\n"
      "=========\n"
      "========= Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA "
      "API call to cudaMemcpy.\n"
      "=========     Saved host backtrace up to driver entry point at error\n"
      "=========\n"
      "========= Leaked 4,096 bytes at 0x7f00\n"
      "=========\n"
      "========= ERROR SUMMARY: 4 errors\n",
      "initcheck");
  ASSERT_EQ(out.findings.size(), 4u);
  EXPECT_EQ(out.findings[0].kind, "uninitialized_read");
  EXPECT_EQ(out.findings[1].kind, "barrier_error");
  EXPECT_EQ(out.findings[1].line, 11);
  EXPECT_EQ(out.findings[2].kind, "api_error");
  EXPECT_EQ(out.findings[2].line, 0);
  EXPECT_EQ(out.findings[3].kind, "leak");
}

TEST(Sanitizer, PlacesOfOlderVersionsAndWithoutLines) {
  const auto out = read_sanitizer(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __shared__ read of size 4 bytes\n"
      "=========     at 0x70 in /submission/a.cu:31:conv(float*)\n"
      "=========\n"
      "========= Invalid __shared__ read of size 8 bytes\n"
      "=========     at other(float*)+0x70\n"
      "========= ERROR SUMMARY: 2 errors\n",
      "memcheck");
  ASSERT_EQ(out.findings.size(), 2u);
  EXPECT_EQ(out.findings[0].kernel, "conv(float*)");
  EXPECT_EQ(out.findings[0].file, "a.cu");
  EXPECT_EQ(out.findings[0].line, 31);
  EXPECT_EQ(out.findings[1].kernel, "other(float*)");
  EXPECT_EQ(out.findings[1].file, "");
}

TEST(Sanitizer, TheSubmissionsOwnLinesAreNoFindings) {
  const auto out = read_sanitizer(
      "Invalid is what I print\n"
      "========= COMPUTE-SANITIZER\n"
      "half a line========= Invalid __global__ read of size 4 bytes\n"
      "=========     at conv(float*)+0x70 in /submission/a.cu:5\n"
      "Leaked nothing\n"
      "========= ERROR SUMMARY: 1 error\n",
      "memcheck");
  ASSERT_EQ(out.findings.size(), 1u);
  EXPECT_EQ(out.findings[0].line, 5);
}

TEST(Sanitizer, ARunThatDidNotHappenIsSaid) {
  EXPECT_THAT(read_sanitizer("", "memcheck").problem, HasSubstr("did not start"));
  EXPECT_THAT(read_sanitizer("========= COMPUTE-SANITIZER\n", "memcheck").problem,
              HasSubstr("did not finish"));
  EXPECT_THAT(read_sanitizer("========= COMPUTE-SANITIZER\n"
                             "========= Error: Device not supported. Please refer to the manual.\n",
                             "memcheck")
                  .problem,
              HasSubstr("Device not supported"));
  EXPECT_EQ(
      read_sanitizer("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", "memcheck")
          .problem,
      "");
}

}  // namespace
}  // namespace opgrade
