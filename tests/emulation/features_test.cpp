// Self-checking programs, one for each part of CUDA: each is built with and without the checks, and
// its run() counts what is not as it should be.
#include <gtest/gtest.h>

#include "grader/core/temp_dir.hpp"
#include "tests/emulation/build_and_run.hpp"

namespace opgrade::emulation_test {
namespace {

std::filesystem::path source(const std::string& name) {
  return std::filesystem::path(OPGRADE_SOURCE_DIR) / "tests/emulation/features" / (name + ".cu");
}

class Feature : public testing::TestWithParam<const char*> {
 protected:
  Ran build_and_run(const std::vector<std::string>& flags, const std::string& environment = "") {
    std::vector<std::string> all = flags;
    all.push_back("-I" OPGRADE_SOURCE_DIR "/grader/harness/adapters");
    const Built built = build(source(GetParam()), folder_.path(), all);
    EXPECT_TRUE(built.ok) << built.messages;
    return built.ok ? run(built.object, environment) : Ran{};
  }
  TempDir folder_{"opgrade-features"};
};

TEST_P(Feature, works) {
  const Ran ran = build_and_run({});
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
}

TEST_P(Feature, works_unoptimised) {
  const Ran ran = build_and_run({"-O0"});
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
}

// What right programs do not depend on.
TEST_P(Feature, works_in_reverse_order_and_with_other_memory) {
  const Ran ran = build_and_run({}, "OPGRADE_EMULATION_ORDER=reversed OPGRADE_EMULATION_FILL=75");
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
}

TEST_P(Feature, works_under_the_checks) {
  const Ran ran = build_and_run({"--check"});
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
  for (const auto& finding : ran.report["findings"]) {
    const bool meant = std::string(GetParam()) == "errors" || std::string(GetParam()) == "barriers";
    EXPECT_TRUE(meant) << finding.dump(1);
  }
}

TEST_P(Feature, works_in_the_counting_build) {
  // Millions of accesses without a barrier take minutes there.
  if (std::string(GetParam()) == "heap") GTEST_SKIP() << "too long for a build that counts";
  const Ran ran = build_and_run({"--count"});
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
}

INSTANTIATE_TEST_SUITE_P(Cuda, Feature,
                         testing::Values("launches", "barriers", "warps", "atomics", "groups",
                                         "wmma", "memory", "heap", "ptx", "pipelines", "graphs",
                                         "errors", "libraries", "compiler"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Order, is_the_same_on_any_number_of_host_threads) {
  const TempDir folder("opgrade-order");
  const Built built = build(source("order"), folder.path(), {});
  ASSERT_TRUE(built.ok) << built.messages;
  const Ran one = run(built.object, "OPGRADE_EMULATION_THREADS=1");
  ASSERT_EQ(one.report["result"], 0) << one.output;
  for (const char* threads : {"2", "3", "8"}) {
    const Ran many = run(built.object, std::string("OPGRADE_EMULATION_THREADS=") + threads);
    EXPECT_EQ(many.output, one.output) << threads << " threads";
  }
}

/// Where nothing else limits memory, RLIMIT_DATA does: it counts private memory that nobody has
/// touched.
TEST(Stacks, of_many_host_threads_are_no_data_of_the_process) {
  const TempDir folder("opgrade-stacks");
  const Built built = build(source("stacks"), folder.path(), {});
  ASSERT_TRUE(built.ok) << built.messages;
  const Ran ran = run(built.object, "OPGRADE_EMULATION_THREADS=16 prlimit --data=1073741824");
  ASSERT_TRUE(ran.report.is_object()) << ran.exit_status << ": " << ran.output;
  EXPECT_EQ(ran.report["result"], 0) << ran.output;
}

}  // namespace
}  // namespace opgrade::emulation_test
