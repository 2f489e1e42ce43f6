// Faults of the machine while the real program grades an honest submission: whatever fails and
// whenever, the submission is never found wanting, and the next run grades it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "grader/platform/sandbox/sandbox.hpp"
#include "tests/support/long_tests.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::exit_code;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Fault : public testing::Test {
 protected:
  void SetUp() override { OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here"); }

  ProcessReport grade(std::vector<std::string> environment = {}) {
    return place.run({"grade", OPGRADE_SOURCE_DIR "/tests/corpus/submissions/good", "--config",
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
TEST_F(Fault, NoMoreProcesses) { expect_never_held_against("fork", {0, 1, 2, 3, 4, 5}); }
TEST_F(Fault, NoMoreThreads) { expect_never_held_against("thread", {0, 1, 2, 3, 4, 5}); }
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

/// The program in a mount namespace of its own, where a folder is a small disk.
class SmallDisk : public Fault {
 protected:
  void SetUp() override {
    Fault::SetUp();
    if (IsSkipped()) return;
    static const SandboxSupport support = SandboxSupport::detect_without({});
    OPGRADE_SKIP_UNLESS("sandbox",
                        !support.bubblewrap.empty() && support.tier <= SandboxTier::no_cgroup,
                        "no mount namespaces here");
    bubblewrap = support.bubblewrap;
    small = place.path() / "small";
    fs::create_directory(small);
    fs::permissions(small, fs::perms(0755));
  }

  /// What lies on the small disk is gone when this returns, but for the report of `good`.
  ProcessReport grade_on(int bytes, const fs::path& disk, const fs::path& temporary,
                         const fs::path& results) {
    Command command = place.command({});
    std::vector<std::string> arguments{"--dev-bind", "/", "/"};
    if (bytes > 0) arguments.insert(arguments.end(), {"--size", std::to_string(bytes)});
    arguments.insert(arguments.end(), {"--tmpfs", disk, "--setenv", "TMPDIR", temporary});
    const std::string kept = (place.path() / "kept.json").string();
    arguments.insert(arguments.end(),
                     {"sh", "-c",
                      "out=$1; kept=$2; shift 2; \"$@\" --out \"$out\"; code=$?; rm -f \"$kept\"; "
                      "test ! -f \"$out/good/report.json\" || cp \"$out/good/report.json\" "
                      "\"$kept\"; exit $code",
                      "sh", results.string(), kept, command.program.string(), "grade",
                      OPGRADE_SOURCE_DIR "/tests/corpus/submissions/good", "--config",
                      OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml"});
    command.program = bubblewrap;
    command.arguments = std::move(arguments);
    return run_command(command, test::kPatience);
  }
  std::string kept_outcome() const {
    std::ifstream file(place.path() / "kept.json");
    return file ? nlohmann::json::parse(file).at("outcome").get<std::string>() : "none";
  }
  ProcessReport grade_with_results_on(int bytes) {
    return grade_on(bytes, small, place.temporary(), small);
  }
  ProcessReport grade_with_temporary_files_on(int bytes) {
    return grade_on(bytes, small, small, place.path() / "results");
  }

  fs::path bubblewrap, small;
};

TEST_F(SmallDisk, TooSmallForTheResults) {
  // A page, and not enough for the table of the class.
  for (const int bytes : {4096, 5 * 4096}) {
    const auto report = grade_with_results_on(bytes);
    EXPECT_EQ(exit_code(report), 3) << bytes << report.standard_error;
    EXPECT_THAT(kept_outcome(), testing::AnyOf("none", "passed"));
    EXPECT_THAT(report.standard_error, HasSubstr("No space left on device"));
    EXPECT_THAT(report.standard_error, HasSubstr("-> check the free space"));
  }
  EXPECT_EQ(exit_code(grade_with_results_on(1 << 20)), 0);
  EXPECT_EQ(kept_outcome(), "passed");
}

// Between a disk that does not take the grader's own programs and one that suffices there is one
// that fills up in the middle of a grading: it is looked for by halves.
TEST_F(SmallDisk, FillsUpWhileItBuilds) {
  int fails = 4096, suffices = 64 << 20;
  std::set<std::string> seen;
  EXPECT_EQ(exit_code(grade_with_temporary_files_on(suffices)), 0);
  while (suffices - fails > 4096) {
    fs::remove_all(place.path() / "results");
    const int bytes = (fails + (suffices - fails) / 2) / 4096 * 4096;
    const auto report = grade_with_temporary_files_on(bytes);
    SCOPED_TRACE(std::to_string(bytes) + " bytes: " + report.standard_error);
    seen.insert(kept_outcome());
    EXPECT_THAT(kept_outcome(), testing::AnyOf("none", "grader_fault", "passed"));
    EXPECT_EQ(exit_code(report), kept_outcome() == "passed" ? 0 : 3);
    if (kept_outcome() == "none") {
      EXPECT_THAT(report.standard_error, HasSubstr("-> check the free space"));
    }
    (kept_outcome() == "passed" ? suffices : fails) = bytes;
  }
  EXPECT_THAT(seen, Contains("grader_fault")) << "no size filled up in the middle";
  // The report of the fault lies in the results; with room the submission is graded anew.
  EXPECT_EQ(exit_code(grade()), 0);
  EXPECT_EQ(outcome(), "passed");
}

TEST_F(SmallDisk, WithoutProcThereIsAnError) {
  // Without a config it looks for its own one, with one it first tries the sandbox.
  const std::string good = OPGRADE_SOURCE_DIR "/tests/corpus/submissions/good";
  for (std::vector<std::string> arguments :
       {std::vector<std::string>{"check", good},
        {"check", good, "--config", OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml"}}) {
    Command command = place.command({});
    command.arguments = {"--dev-bind", "/", "/", "--tmpfs", "/proc", command.program.string()};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.program = bubblewrap;
    const auto report = run_command(command, test::kPatience);
    EXPECT_EQ(exit_code(report), 3) << report.standard_error;
    EXPECT_THAT(report.standard_error, HasSubstr("/proc/"));
    EXPECT_THAT(report.standard_error, HasSubstr("         -> "));
    EXPECT_THAT(report.standard_error, Not(HasSubstr("fault of opgrade")));
  }
}

// The other way round: a submission cannot ask for a fault. The reference solution runs behind it,
// and stops when it is told to. Half a minute of page tables: session_failure_test has a shorter
// limit.
TEST_F(Fault, AProcessThatDoesNotStopIsNone) {
  if (!test::long_tests()) GTEST_SKIP() << "OPGRADE_LONG_TESTS=1 runs it: 30 s of processor time";
  const auto report =
      place.run({"grade", OPGRADE_SOURCE_DIR "/tests/corpus/hostile/h79_long_system_call",
                 "--config", OPGRADE_SOURCE_DIR "/tests/configs/patient.yaml"});
  EXPECT_EQ(exit_code(report), 1) << report.standard_error;
  std::ifstream file(place.path() / "results/h79_long_system_call/report.json");
  const auto graded = nlohmann::json::parse(file);
  EXPECT_EQ(graded.at("outcome"), "over_limit") << graded.at("reason");
  EXPECT_THAT(graded.at("reason").get<std::string>(), HasSubstr("time to stop 20 s"));
}

TEST_F(Fault, AClockThatJumpsChangesNothing) {
  const auto report = grade_with("clock", 0);
  EXPECT_EQ(exit_code(report), 0) << report.standard_error;
  EXPECT_EQ(outcome(), "passed");
}

}  // namespace
}  // namespace opgrade
