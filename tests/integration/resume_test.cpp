// A class run that was killed in the middle goes on where it stopped.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "grader/process/process.hpp"
#include "grader/sandbox/sandbox.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

Command grade_command(const test::Workplace& place, const fs::path& out) {
  std::vector<std::string> arguments{"grade"};
  for (const char* name :
       {"good", "wrong_nan", "not_compiling", "endless_sleep", "wrong_flipped_mask"}) {
    arguments.push_back(
        (fs::path(OPGRADE_SOURCE_DIR) / "tests/corpus/submissions" / name).string());
  }
  arguments.insert(arguments.end(), {"--config", OPGRADE_SOURCE_DIR "/tests/configs/corpus.yaml",
                                     "--out", out.string()});
  return place.command(arguments);
}

TEST(Resume, AKilledRunDoesNotRepeatFinishedWork) {
  OPGRADE_SKIP_UNLESS("sandbox", SandboxSupport::detect().tier != SandboxTier::none,
                      "no sandbox here");
  const test::Workplace place;
  const fs::path results = place.path() / "results";
  const auto report_of = [&](const char* name) { return results / name / "report.json"; };
  const WatchLimits patience{.wall = std::chrono::minutes(3)};
  {
    auto grading = ChildProcess::start(grade_command(place, results), patience);
    // The third is done while the fourth sleeps until its wall limit: the kill hits the middle.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!fs::exists(report_of("not_compiling")) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(grading.pid(), SIGKILL);
    grading.finish();
  }
  ASSERT_TRUE(fs::exists(report_of("good")));
  ASSERT_FALSE(fs::exists(report_of("wrong_flipped_mask")));
  const auto finished = fs::last_write_time(report_of("good"));

  const ProcessReport rest = run_command(grade_command(place, results), patience);
  const auto* const exited = std::get_if<Exited>(&rest.end);
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->code, 1) << rest.standard_error;
  EXPECT_TRUE(fs::exists(report_of("endless_sleep")));
  EXPECT_TRUE(fs::exists(report_of("wrong_flipped_mask")));
  EXPECT_EQ(fs::last_write_time(report_of("good")), finished);
  EXPECT_NE(rest.standard_error.find("good: passed"), std::string::npos) << rest.standard_error;
  EXPECT_NE(rest.standard_error.find("(kept from before)"), std::string::npos)
      << rest.standard_error;
}

TEST(Resume, AMendedGraderGradesAnew) {
  OPGRADE_SKIP_UNLESS("sandbox", SandboxSupport::detect().tier != SandboxTier::none,
                      "no sandbox here");
  const test::Workplace place;
  const fs::path share = place.path() / "share";
  fs::copy(OPGRADE_BINARY_DIR "/share/opgrade", share, fs::copy_options::recursive);
  const auto grade = [&] {
    auto command =
        place.command({"grade", OPGRADE_SOURCE_DIR "/tests/corpus/submissions/not_compiling",
                       "--config", OPGRADE_SOURCE_DIR "/tests/configs/corpus.yaml", "--out",
                       (place.path() / "results").string()},
                      {"OPGRADE_SHARE=" + share.string()});
    return run_command(command, {.wall = std::chrono::minutes(3)}).standard_error;
  };
  EXPECT_EQ(grade().find("kept from before"), std::string::npos);
  const std::string again = grade();
  EXPECT_NE(again.find("kept from before"), std::string::npos) << again;
  // The mend of an adapter: the program's own file is the same.
  std::ofstream(share / "adapters/minidnn-3/cpu.cpp", std::ios::app) << "// mended\n";
  const std::string mended = grade();
  EXPECT_EQ(mended.find("kept from before"), std::string::npos) << mended;
  EXPECT_NE(grade().find("kept from before"), std::string::npos);
}

}  // namespace
}  // namespace opgrade
