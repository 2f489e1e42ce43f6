// The limits of a run, and the words in which a report says which one was hit.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "grader/base/core/fd.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "tests/unit/platform/sandbox/sandbox_fixture.hpp"

namespace opgrade {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

using SandboxLimit = test::SandboxTest;
OPGRADE_IN_EVERY_TIER(SandboxLimit);

TEST_P(SandboxLimit, NoneIsHitByAProgramThatEnds) {
  const SandboxReport report = run({"exit", "3"});
  const auto* const exited = std::get_if<Exited>(&report.process.end);
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->code, 3);
  EXPECT_FALSE(report.limit);
}

TEST_P(SandboxLimit, GivesWayWhereThePolicySaysSo) {
  const int own = ::getpriority(PRIO_PROCESS, 0);
  EXPECT_EQ(output({"niceness"}), std::to_string(own));
  policy.niceness = 3;
  EXPECT_EQ(output({"niceness"}), std::to_string(own + 3));
}

TEST_P(SandboxLimit, WallTime) {
  policy.wall = milliseconds(200);
  EXPECT_EQ(run({"wait"}).limit, (Limit{Limit::Kind::wall_time, 0.2}));
}

/// /bin/sh, with what it needs.
void mount_shell(SandboxPolicy& policy) {
  policy.mounts.push_back({"/bin", "/bin"});
  policy.mounts.push_back({"/usr", "/usr"});
  policy.mounts.push_back({"/lib", "/lib", Mount::Access::read, true});
  policy.mounts.push_back({"/lib64", "/lib64", Mount::Access::read, true});
}

TEST_P(SandboxLimit, WallTimeLeavesOutWhatARunWaitsForACore) {
  const test::CrowdedCore crowded;
  policy.wall = milliseconds(500);
  const SandboxReport report = run({"spin"});
  EXPECT_EQ(report.limit, (Limit{Limit::Kind::wall_time, 0.5}));
  EXPECT_GE(report.process.user + report.process.system, milliseconds(400));
}

// Later, never other: what other programs take of a core changes no limit, however much it is.
TEST_P(SandboxLimit, NoWaitForACoreIsTooLong) {
  const test::CrowdedCore crowded(12);
  policy.wall = milliseconds(300);
  SandboxReport report;
  ASSERT_NO_THROW(report = run({"spin"}));
  EXPECT_EQ(report.limit, (Limit{Limit::Kind::wall_time, 0.3}));
}

// The kernel forgets what a process waited for when it has ended: a compiler is a row of processes.
TEST_P(SandboxLimit, WhatEndedProcessesWaitedForACoreIsLeftOutAsWell) {
  const test::CrowdedCore crowded(12);
  policy.wall = seconds(2);
  mount_shell(policy);
  const SandboxReport report =
      sandbox->run(policy, {"/bin/sh", "-c",
                            "for i in 1 2 3 4 5 6 7 8 9 10; do (n=0; while [ $n -lt 40000 ]; do "
                            "n=$((n + 1)); done); done"});
  EXPECT_TRUE(report.process.succeeded());
  EXPECT_FALSE(report.limit);
}

TEST_P(SandboxLimit, TheStartOfASandboxWaitsForACoreAsWell) {
  const test::CrowdedCore crowded(12);
  policy.wall = milliseconds(60);
  const SandboxReport report = run({"exit", "3"});
  EXPECT_FALSE(report.limit);
  const auto* const exited = std::get_if<Exited>(&report.process.end);
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->code, 3);
}

TEST_P(SandboxLimit, ProcessesInEachOthersWayGainNoWallTime) {
  policy.wall = milliseconds(500);
  mount_shell(policy);
  const SandboxReport report = sandbox->run(
      policy, {"/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8; do \"$0\" spin & done; wait", "/probe"});
  EXPECT_EQ(report.limit, (Limit{Limit::Kind::wall_time, 0.5}));
  EXPECT_LE(report.process.user + report.process.system,
            milliseconds(750) * std::thread::hardware_concurrency());
}

// The parts of a run add up to what it used, of which no part has more than its own.
TEST_P(SandboxLimit, EachPartOfARunHasItsOwnUse) {
  policy.cpu = seconds(1);
  SandboxedProcess process = sandbox->start(policy, test::probe({"spin"}));
  std::chrono::microseconds first{};
  while (first < milliseconds(600)) {
    const SandboxReport part = process.part();
    first += part.process.user + part.process.system;
    EXPECT_GT(part.peak_memory_bytes, 0);
  }
  const SandboxReport rest = process.finish();
  EXPECT_EQ(rest.limit, (Limit{Limit::Kind::cpu_time, 1}));
  EXPECT_LT(rest.process.user + rest.process.system, milliseconds(800));
}

TEST_P(SandboxLimit, CpuTime) {
  policy.cpu = seconds(1);
  EXPECT_EQ(run({"spin"}).limit, (Limit{Limit::Kind::cpu_time, 1}));
}

TEST_P(SandboxLimit, Output) {
  policy.output_bytes = 64 << 10;
  EXPECT_EQ(run({"flood"}).limit, (Limit{Limit::Kind::output, 64 << 10}));
}

TEST_P(SandboxLimit, FileSize) {
  policy.file_bytes = 2 << 20;
  EXPECT_EQ(run({"write-past-limit", "/tmp/file"}).limit, (Limit{Limit::Kind::file_size, 2 << 20}));
}

TEST_P(SandboxLimit, TemporaryFoldersAreBoundedInAll) {
  policy.file_bytes = 4 << 20;
  EXPECT_THAT(output({"fill", "/tmp", "3", "1"}), HasSubstr("filled"));
  if (!has_namespaces()) GTEST_SKIP() << "only a file system of its own has a size";
  EXPECT_THAT(output({"fill", "/tmp", "6", "1"}), HasSubstr("write ENOSPC"));
  EXPECT_THAT(output({"fill", "/dev/shm", "6", "1"}), HasSubstr("write ENOSPC"));
}

TEST_P(SandboxLimit, Memory) {
  policy.memory_bytes = 64 << 20;
  EXPECT_THAT(output({"touch", "16"}), HasSubstr("touched"));
  const SandboxReport report = run({"touch", "256"});
  if (has_cgroup()) {
    EXPECT_EQ(report.limit, (Limit{Limit::Kind::memory, 64 << 20}));
    EXPECT_TRUE(report.memory_limit_hit);
    EXPECT_LE(report.peak_memory_bytes, 64 << 20);
  } else {
    // The allocation itself fails; what the program makes of it is its own affair.
    EXPECT_THAT(report.process.standard_output, HasSubstr("mmap ENOMEM"));
  }
}

TEST_P(SandboxLimit, MemoryOfAllProcessesTogether) {
  if (!has_cgroup()) GTEST_SKIP() << "only a control group counts processes together";
  policy.memory_bytes = 64 << 20;
  mount_shell(policy);
  const SandboxReport report = sandbox->run(
      policy,
      {"/bin/sh", "-c", "\"$0\" touch 40 & \"$0\" touch 40 & \"$0\" touch 40; wait", "/probe"});
  // Each alone is small enough, and each may end before the next one starts: only the bound counts.
  EXPECT_LE(report.peak_memory_bytes, 64 << 20);
}

TEST_P(SandboxLimit, Processes) {
  policy.processes = 8;
  policy.wall = seconds(5);
  const SandboxReport report = run({"fork-count", "50"});
  EXPECT_THAT(report.process.standard_output, HasSubstr("made "));
  // Counted per user, a process that ends elsewhere meanwhile leaves room for one more.
  const int most = has_namespaces() ? 8 : 49;
  EXPECT_LE(std::stoi(report.process.standard_output.substr(5)), most);
  if (has_cgroup()) {
    EXPECT_EQ(report.limit, (Limit{Limit::Kind::processes, 8}));
  }
}

// Started first, so that no allowance for what is there already helps.
TEST_P(SandboxLimit, ANeighboursProcessesDoNotCount) {
  if (!has_namespaces()) GTEST_SKIP() << "processes are counted per user without namespaces";
  policy.processes = 12;
  int pause[2];
  ASSERT_EQ(::pipe2(pause, O_CLOEXEC), 0);
  const Fd held(pause[0]);
  Fd go(pause[1]);
  auto waiting =
      sandbox->start(policy, test::probe({"read-then-fork-count", "8"}), {{held.get(), 3}});
  SandboxPolicy many = policy;
  many.processes = 200;
  auto neighbour = sandbox->start(many, test::probe({"fork-and-wait", "150"}));
  int there = 0;
  for (int i = 0; i < 1000 && there < 150; ++i) {
    there = neighbour.freeze().processes;
    neighbour.thaw();
  }
  ASSERT_GE(there, 150);
  go.reset();
  const SandboxReport report = waiting.finish();
  EXPECT_EQ(report.process.standard_output, "made 8\n") << report.process.standard_error;
}

// Where bubblewrap works for root alone, nothing but a control group would hold a fork bomb.
TEST(RootsSandbox, SaysThatProcessesAreNotLimited) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  const auto& usual = test::support_for(SandboxTier::no_cgroup);
  OPGRADE_SKIP_UNLESS("sandbox", usual.tier == SandboxTier::no_cgroup && usual.drop_to_nobody,
                      "bubblewrap does not work as an unprivileged user here");
  const auto processes_note = [](const SandboxSupport& support) {
    return std::ranges::any_of(support.notes, [](const std::string& note) {
      return note.starts_with("the number of processes is not limited");
    });
  };
  EXPECT_FALSE(processes_note(usual));
  const TempDir folder("opgrade-test-");
  const auto roots = folder.path() / "bwrap";
  std::filesystem::copy_file(usual.bubblewrap, roots);
  std::filesystem::permissions(roots, std::filesystem::perms::owner_all);
  ::setenv("OPGRADE_BWRAP", roots.c_str(), 1);
  const auto support = SandboxSupport::detect_without({"cgroup"});
  ::unsetenv("OPGRADE_BWRAP");
  ASSERT_EQ(support.tier, SandboxTier::no_cgroup) << testing::PrintToString(support.notes);
  ASSERT_FALSE(support.drop_to_nobody);
  SandboxPolicy policy = test::probe_policy();
  policy.processes = 8;
  const auto report = Sandbox(support).run(policy, test::probe({"fork-count", "50"}));
  const bool limited = report.process.standard_output != "made 50\n";
  EXPECT_EQ(processes_note(support), !limited) << report.process.standard_output;
}

TEST_P(SandboxLimit, RunsSideBySideHaveTheirFullShareOfProcesses) {
  if (has_cgroup() || sandbox->support().counts_in_namespace)
    GTEST_SKIP() << "each run is counted by itself";
  policy.processes = 100;
  SandboxSupport support = sandbox->support();
  support.parallel_runs = 3;
  const auto report = Sandbox(support).run(policy, test::probe({"limits"}));
  const std::string text = report.process.standard_output;
  const auto at = text.find("processes ");
  ASSERT_NE(at, text.npos) << text;
  EXPECT_GE(std::stoi(text.substr(at + 10)), 300);
}

TEST_P(SandboxLimit, PeakMemoryIsReported) {
  EXPECT_GE(run({"touch", "32"}).peak_memory_bytes, 32 << 20);
}

TEST_P(SandboxLimit, TimeUsedIsThatOfTheProgramAndAllItsProcesses) {
  policy.cpu = seconds(1);
  mount_shell(policy);
  const SandboxReport report =
      sandbox->run(policy, {"/bin/sh", "-c", "\"$0\" spin & \"$0\" spin; wait; exit 0", "/probe"});
  // More than one process is allowed, less than two use by the kernel's coarse count.
  EXPECT_GE(report.process.user + report.process.system, milliseconds(1300));
}

TEST_P(SandboxLimit, NoCoreFiles) { EXPECT_THAT(output({"limits"}), HasSubstr("core 0 0\n")); }

TEST_P(SandboxLimit, ContextSwitchesAreCounted) {
  // A sleep of 100 us can be over before a process on a busy machine gives way.
  const SandboxReport report = run({"give-way", "400"});
  EXPECT_GE(report.process.voluntary_switches, 200);
  EXPECT_LT(run({"exit", "0"}).process.voluntary_switches, 200);
}

TEST_P(SandboxLimit, UseOfOrphansIsCounted) {
  policy.cpu = seconds(1);
  const SandboxReport report = run({"leave-spinner"});
  // Its parents use next to nothing; a busy machine looks at it for the last time before its end.
  EXPECT_GE(report.process.user + report.process.system, milliseconds(500));
}

TEST(SandboxReport, AnExitCodeThatNoSignalHasIsNone) {
  SandboxReport report;
  const auto signal_of = [&](int code) {
    report.process.end = Exited{code};
    return report.signal();
  };
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGXCPU, SIGSYS})
    EXPECT_EQ(signal_of(128 + signal), signal);
  // Errors of CUDA as exit codes: launch failure 719, illegal address 700, invalid handle 400.
  for (const int error : {719, 700, 702, 716, 400, -1, 0, 1, 128})
    EXPECT_EQ(signal_of(error & 0xff), 0) << error;
}

TEST_P(SandboxLimit, ASignalInsideComesOutAsBubblewrapPassesItOn) {
  const SandboxReport report = run({"raise", std::to_string(SIGSEGV)});
  EXPECT_FALSE(report.limit);
  if (!has_namespaces()) {
    const auto* const signalled = std::get_if<Signalled>(&report.process.end);
    ASSERT_NE(signalled, nullptr);
    EXPECT_EQ(signalled->number, SIGSEGV);
    return;
  }
  const auto* const exited = std::get_if<Exited>(&report.process.end);
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->code, 128 + SIGSEGV);
  EXPECT_FALSE(report.limit);
}

}  // namespace
}  // namespace opgrade
