// Faults of what the grader leans on: a compiler that hangs or dies, a sandbox that is killed from
// outside, a GPU that is gone. Each is an Error, which becomes the outcome grader_fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/compile.hpp"
#include "grader/grading/build/compiler_end.hpp"
#include "grader/platform/gpu/referee.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/registry.hpp"
#include "tests/support/fake_referee.hpp"
#include "tests/support/must_run.hpp"
#include "tests/unit/platform/sandbox/sandbox_fixture.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// What an Error says, or nothing where none was thrown.
template <class Call>
std::string fault_of(Call&& call) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_NE(e.hint, "");
    return e.what();
  }
  return {};
}

/// A compiler that is a shell script.
class CompilerFault : public testing::Test {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("sandbox", test::machine_support().tier != SandboxTier::none,
                        "no sandbox here");
    sandbox.emplace(test::machine_support());
    limits.wall = std::chrono::seconds(2);
  }

  BuildReport build_with(const std::string& script) {
    const TempDir folder("opgrade-test-");
    return build_with(script, folder.path());
  }

  BuildReport build_with(const std::string& script, const fs::path& folder) {
    const fs::path compiler = emulator.path() / "bin/opgrade-cucc";
    fs::create_directories(compiler.parent_path());
    std::ofstream(compiler) << "#!/bin/sh\n" << script << "\n";
    ::chmod(compiler.c_str(), 0755);
    sandbox->hand_over(emulator.path());
    Toolchain tools;
    tools.emulator = emulator.path();
    const TakenFiles files{".", {{"new-forward.cu", "honest"}}};
    return compile({find_interface("minidnn-3"),
                    Device::emulated,
                    {"new-forward.cu"},
                    {},
                    {},
                    files,
                    limits},
                   tools, *sandbox, folder)
        .report;
  }
  std::string fault_with(const std::string& script) {
    return fault_of([&] { build_with(script); });
  }

  TempDir emulator{"opgrade-test-"};
  LimitConfig limits = Config{}.build_limits;
  std::optional<Sandbox> sandbox;
};

TEST_F(CompilerFault, Hangs) {
  EXPECT_THAT(fault_with("exec sleep 100"),
              HasSubstr("grader's own as well: stopped at its limit"));
}

TEST_F(CompilerFault, DiesOrFindsNoRoom) {
  EXPECT_THAT(fault_with("kill -9 $$"), HasSubstr("fails on a source of the grader's own"));
  EXPECT_THAT(fault_with("echo 'a.o: No space left on device' >&2; exit 3"),
              HasSubstr("No space left on device"));
  EXPECT_THAT(fault_with("exit 0"), HasSubstr("fails on a source of the grader's own"));
}

TEST_F(CompilerFault, WhatOnlyTheSubmissionDoesIsItsOwn) {
  // Succeeds on the control alone.
  const std::string on_the_control =
      "for a; do case $a in control.cu) echo > /out/submission.so; exit 0;; esac; done; ";
  limits.wall = std::chrono::seconds(1);
  BuildReport report = build_with(on_the_control + "exec sleep 100");
  EXPECT_EQ(report.outcome, Outcome::build_failed);
  EXPECT_THAT(report::sentence_of(report.reason), HasSubstr("stopped at its limit: wall time"));
}

// A compiler prints what a source asks it to.
TEST_F(CompilerFault, WordsAreNone) {
  for (const char* words :
       {"Resource temporarily unavailable", "Cannot fork", "No space left on device",
        "Input/output error", "Killed", "internal compiler error", "virtual memory exhausted"}) {
    const TempDir folder("opgrade-test-");
    const BuildReport report = build_with(
        std::string("echo 'new-forward.cu:1:2: error: #error ") + words + "' >&2; exit 1",
        folder.path());
    EXPECT_EQ(report.outcome, Outcome::build_failed) << words;
    EXPECT_TRUE(report.reason.is<why::CompilerError>()) << words;
    EXPECT_FALSE(fs::exists(folder.path() / "attempt2")) << words;
    EXPECT_FALSE(fs::exists(folder.path() / "control")) << words;
  }
}

TEST(FreeSpace, IsShortWhereALargeSubmissionWouldNotFit) {
  EXPECT_FALSE(is_short({.bytes = 1 << 30, .files = 100'000}));
  EXPECT_TRUE(is_short({.bytes = 4096, .files = 100'000}));
  EXPECT_TRUE(is_short({.bytes = 1 << 30, .files = 3}));
}

// Where processes are counted by user, others of the class have their part.
TEST_F(CompilerFault, IsRunAgainWhereProcessesWereShort) {
  const auto& by_user = test::support_for(SandboxTier::no_userns);
  OPGRADE_SKIP_UNLESS("landlock", by_user.tier == SandboxTier::no_userns, "no such tier here");
  sandbox.emplace(by_user);
  limits.processes = 8;
  limits.wall = std::chrono::seconds(60);
  const TempDir folder("opgrade-test-");
  const fs::path begins = folder.path() / "out/begins", go = emulator.path() / "bin/go";
  std::optional<SandboxedProcess> neighbour;
  std::jthread shortage([&](const std::stop_token& stop) {
    const auto await = [&](const auto& done) {
      while (!stop.stop_requested() && !done())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    await([&] { return fs::exists(begins); });
    SandboxPolicy many = test::probe_policy();
    many.processes = 200;
    neighbour.emplace(sandbox->start(many, test::probe({"fork-and-wait", "150"})));
    await([&] {
      const int there = neighbour->freeze().processes;
      neighbour->thaw();
      return there >= 150;
    });
    std::ofstream(go) << "now\n";
  });
  // Paths of the sandbox are mapped in arguments alone.
  const BuildReport report = build_with(
      "for a; do case $a in */submission.so) out=${a%/*};; esac; done\n"
      ": > $out/begins\n"
      "while ! [ -e \"${0%/*}/go\" ]; do :; done\n"
      "(exit 0) || exit 1\n"
      "echo > $out/submission.so",
      folder.path());
  shortage.request_stop();
  EXPECT_EQ(report.outcome, Outcome::passed)
      << report::sentence_of(report.reason) << report.compiler_output;
  EXPECT_TRUE(fs::exists(folder.path() / "attempt2")) << "nothing was short";
}

class SandboxFault : public test::SandboxTest {};
// Without namespaces there is no bubblewrap between the grader and what it runs.
INSTANTIATE_TEST_SUITE_P(Tier, SandboxFault,
                         testing::Values(SandboxTier::full, SandboxTier::no_cgroup),
                         test::tier_name);

TEST_P(SandboxFault, KilledFromOutside) {
  // What an earlier test left becomes this process's child, too, and may take its time to go.
  const auto own_children = [] {
    std::set<pid_t> all;
    for (const auto& task : fs::directory_iterator("/proc/self/task")) {
      std::ifstream children(task.path() / "children");
      for (pid_t child; children >> child;) all.insert(child);
    }
    return all;
  };
  const std::set<pid_t> before = own_children();
  auto run = sandbox->start(policy, test::probe({"wait"}));
  // bubblewrap's own process is this process's child; what is inside is not.
  std::set<pid_t> outside = own_children();
  for (const pid_t child : before) outside.erase(child);
  ASSERT_EQ(outside.size(), 1u);
  ::kill(*outside.begin(), SIGKILL);
  EXPECT_THAT(fault_of([&] { run.finish(); }), HasSubstr("killed from outside by signal 9"));
}

TEST_P(SandboxFault, KilledFromInsideIsTheSubmissionsOwn) {
  const SandboxReport report = run({"raise", "9"});
  const auto* const exited = std::get_if<Exited>(&report.process.end);
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->code, 128 + SIGKILL);
}

TEST(DeviceFault, ADeviceThatVanishedIsNotTheSubmissionsDoing) {
  test::FakeReferee there("GPU-there"), gone("GPU-gone");
  gone.there = false;
  EXPECT_EQ(fault_of([&] { check_device(&there); }), "");
  EXPECT_EQ(fault_of([&] { check_device(nullptr); }), "");
  EXPECT_THAT(fault_of([&] { check_device(&gone); }), HasSubstr("GPU answers the grader no more"));
}

}  // namespace
}  // namespace opgrade
