// Faults of the machine while the real program grades an honest submission: whatever fails and
// whenever, the submission is never found wanting, and the next run grades it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "grader/sandbox/sandbox.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::exit_code;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Fault : public testing::Test {
 protected:
  void SetUp() override {
    static const bool works = SandboxSupport::detect().tier != SandboxTier::none;
    OPGRADE_SKIP_UNLESS("sandbox", works, "no sandbox here");
  }

  ProcessReport grade(std::vector<std::string> environment = {}) {
    return place.run({"grade", OPGRADE_SOURCE_DIR "/tests/submissions/good", "--config",
                      OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml"},
                     std::move(environment));
  }
  ProcessReport grade_with(const std::string& fault, int after) {
    return grade({"LD_PRELOAD=" OPGRADE_FAULTS, "OPGRADE_FAULT=" + fault,
                  "OPGRADE_FAULT_AFTER=" + std::to_string(after)});
  }
  /// "none" where there is no report.
  std::string outcome() const {
    std::ifstream file(place.path() / "results/good/report.json");
    return file ? nlohmann::json::parse(file).at("outcome").get<std::string>() : "none";
  }
  /// Grades with this fault at each of these moments, and once more without.
  void expect_never_held_against(const std::string& fault, const std::vector<int>& moments) {
    std::set<std::string> seen;
    for (const int after : moments) {
      const auto report = grade_with(fault, after);
      EXPECT_EQ(exit_code(report), 3) << fault << " after " << after << report.standard_error;
      EXPECT_THAT(outcome(), testing::AnyOf("none", "grader_fault")) << fault << " " << after;
      EXPECT_THAT(report.standard_error + report.standard_output, Not(HasSubstr("terminate")));
      EXPECT_TRUE(place.processes().empty()) << fault << " after " << after;
      seen.insert(outcome());
    }
    EXPECT_THAT(seen, Contains("grader_fault")) << "no moment was in the middle of a grading";
    const auto again = grade();
    EXPECT_EQ(exit_code(again), 0) << again.standard_error;
    EXPECT_EQ(outcome(), "passed");
    EXPECT_THAT(again.standard_error, Not(HasSubstr("kept from before")));
  }

  test::Workplace place;
};

// The first processes and threads find out what the machine can do, the next ones compile and run.
TEST_F(Fault, NoMoreProcesses) { expect_never_held_against("fork", {0, 1, 2}); }
TEST_F(Fault, NoMoreThreads) { expect_never_held_against("thread", {0, 1, 2}); }
TEST_F(Fault, NoMoreDescriptors) { expect_never_held_against("memfd", {0, 1, 2}); }
TEST_F(Fault, NoMoreMemory) { expect_never_held_against("mmap", {0, 1, 2}); }
TEST_F(Fault, TheDiskIsFullForAMoment) { expect_never_held_against("write-once", {0, 1}); }

TEST_F(Fault, TheDiskIsFull) {
  for (const int after : {0, 1, 4}) {
    const auto report = grade_with("write", after);
    EXPECT_EQ(exit_code(report), 3) << report.standard_error;
    EXPECT_EQ(outcome(), "none") << "a report that cannot be written whole is not there at all";
    EXPECT_THAT(report.standard_error, HasSubstr("No space left on device"));
  }
  EXPECT_EQ(exit_code(grade()), 0);
  EXPECT_EQ(outcome(), "passed");
}

TEST_F(Fault, AClockThatJumpsChangesNothing) {
  const auto report = grade_with("clock", 0);
  EXPECT_EQ(exit_code(report), 0) << report.standard_error;
  EXPECT_EQ(outcome(), "passed");
}

}  // namespace
}  // namespace opgrade
