#include "grader/platform/process/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <optional>
#include <thread>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/core/temp_dir.hpp"

namespace opgrade {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

Command probe(std::vector<std::string> arguments) {
  return {.program = OPGRADE_PROBE, .arguments = std::move(arguments)};
}

ProcessReport run(std::vector<std::string> arguments, WatchLimits limits = {}) {
  return run_command(probe(std::move(arguments)), limits);
}

int exit_code(const ProcessReport& report) {
  const auto* const exited = std::get_if<Exited>(&report.end);
  return exited != nullptr ? exited->code : -1;
}

std::optional<Stopped::Why> why_stopped(const ProcessReport& report) {
  const auto* const stopped = std::get_if<Stopped>(&report.end);
  return stopped != nullptr ? std::optional(stopped->why) : std::nullopt;
}

bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

TEST(Process, ExitCodes) {
  for (const int code : {0, 1, 7, 9, 137, 255}) {
    EXPECT_EQ(exit_code(run({"exit", std::to_string(code)})), code);
  }
}

TEST(Process, WhatItPrintedInAPartIsNotInTheNext) {
  const TempDir folder("opgrade-test-");
  const auto gate = folder.path() / "gate";
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  auto child = ChildProcess::start({.program = "/bin/sh",
                                    .arguments = {"-c", "echo one; cat \"$0\"; echo two >&2", gate},
                                    .environment = {"PATH=/bin:/usr/bin"}},
                                   {.wall = seconds(60)});
  std::string first;
  while (first != "one\n") first += child.part().standard_output;
  std::ofstream(gate) << "in between\n";
  const ProcessReport rest = child.finish();
  EXPECT_EQ(rest.standard_output, "in between\n");
  EXPECT_EQ(rest.stdout_bytes, 11);
  EXPECT_EQ(rest.standard_error, "two\n");
}

/// Stops the test itself for six seconds, as a machine that is paused does.
void stand_still() {
  const pid_t grader = ::getpid();
  const pid_t helper = ::fork();
  if (helper == 0) {
    ::kill(grader, SIGSTOP);
    ::sleep(6);
    ::kill(grader, SIGCONT);
    ::_exit(0);
  }
  ASSERT_GT(helper, 0);
  ::waitpid(helper, nullptr, 0);
}

TEST(Process, TimeInWhichTheGraderWasStoppedIsNotTheChilds) {
  auto child =
      ChildProcess::start({.program = "/bin/sleep", .arguments = {"60"}}, {.wall = seconds(5)});
  stand_still();
  ::kill(child.pid(), SIGTERM);
  const ProcessReport report = child.finish();
  EXPECT_FALSE(why_stopped(report));
  EXPECT_LT(report.elapsed, seconds(5)) << "it is not in what the student reads";
}

TEST(Process, APauseOfTheGraderWhileTheClockStandsStillIsLeftOutOnce) {
  auto child =
      ChildProcess::start({.program = "/bin/sleep", .arguments = {"60"}}, {.wall = seconds(5)});
  child.pause_clock();
  stand_still();
  child.resume_clock();
  EXPECT_LE(child.time_left(), seconds(5));
  child.stop();
  EXPECT_GE(child.finish().elapsed.count(), 0);
}

// On a busy machine a look waits for a core itself. The next one says what the child waited for
// meanwhile.
TEST(Process, ALookMayTakeLongerThanTheChildHasLeft) {
  WatchLimits limits{.wall = milliseconds(100)};
  limits.outside_waits = [](pid_t, std::chrono::nanoseconds since) {
    std::this_thread::sleep_for(milliseconds(150));
    return since;
  };
  EXPECT_EQ(exit_code(run_command({.program = "/bin/sleep", .arguments = {"1"}}, limits)), 0);
}

// One that stands ready for others' work has its whole wall time when its own begins.
TEST(Process, AClockStartedAgainCountsFromThere) {
  using Clock = std::chrono::steady_clock;
  auto child = ChildProcess::start({.program = "/bin/sleep", .arguments = {"60"}}, {});
  for (int i = 0; i < 10; ++i) run({"exit", "0"});
  const auto again = Clock::now();
  child.restart_clock(seconds(60));
  child.stop();
  const ProcessReport report = child.finish();
  EXPECT_LE(report.elapsed, Clock::now() - again);
}

TEST(Process, AClockStartedAgainHasItsOwnLimit) {
  auto child = ChildProcess::start({.program = "/bin/sleep", .arguments = {"600"}},
                                   {.wall = std::chrono::hours(1)});
  child.restart_clock(milliseconds(1));
  EXPECT_EQ(why_stopped(child.finish()), Stopped::Why::wall_time);
}

// The grader's own work is none of the child's time.
TEST(Process, APausedClockHasNoLimit) {
  using Clock = std::chrono::steady_clock;
  const TempDir folder("opgrade-test-");
  const auto gate = folder.path() / "gate";
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  auto child = ChildProcess::start({.program = "/bin/cat", .arguments = {gate}}, {});
  child.pause_clock();
  child.restart_clock(milliseconds(1));
  const auto began = Clock::now();
  while (Clock::now() - began < milliseconds(50)) run({"exit", "0"});
  EXPECT_GT(child.time_left(), milliseconds(0));
  child.restart_clock(seconds(60));
  child.resume_clock();
  std::ofstream(gate) << "read\n";
  const ProcessReport report = child.finish();
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report.standard_output, "read\n");
}

TEST(Process, SignalsAreNotExitCodes) {
  for (const int number : {SIGKILL, SIGSEGV, SIGABRT, SIGTERM}) {
    const ProcessReport report = run({"raise", std::to_string(number)});
    const auto* const signalled = std::get_if<Signalled>(&report.end);
    ASSERT_NE(signalled, nullptr) << number;
    EXPECT_EQ(signalled->number, number);
  }
}

TEST(Process, StreamsAreCapturedApart) {
  const ProcessReport report = run({"both-streams"});
  EXPECT_EQ(report.standard_output, "to stdout");
  EXPECT_EQ(report.standard_error, "to stderr");
  EXPECT_EQ(report.stdout_bytes, 9);
  EXPECT_EQ(report.stderr_bytes, 9);
}

TEST(Process, MoreOutputThanAPipeHoldsArrivesWhole) {
  const ProcessReport report = run({"flood", "300000"}, {.kept_bytes = 400'000});
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_EQ(report.standard_output, std::string(300'000, 'x'));
}

TEST(Process, EndlessOutputIsStoppedAndKeptShort) {
  const ProcessReport report = run({"flood"}, {.output_bytes = 100'000, .kept_bytes = 1000});
  EXPECT_EQ(why_stopped(report), Stopped::Why::output);
  EXPECT_GT(report.stdout_bytes, 100'000);
  EXPECT_THAT(report.standard_output, HasSubstr("bytes left out"));
  EXPECT_LT(report.standard_output.size(), 1100U);
}

TEST(Process, OutputOverTheLimitIsStoppedAlsoWhenTheChildIsQuick) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(why_stopped(run({"flood", "2000"}, {.output_bytes = 1000})), Stopped::Why::output);
  }
}

TEST(Process, OutputAtTheLimitIsNotStopped) {
  EXPECT_EQ(exit_code(run({"flood", "1000"}, {.output_bytes = 1000})), 0);
}

TEST(Process, WallTime) {
  EXPECT_EQ(why_stopped(run({"wait"}, {.wall = milliseconds(50)})), Stopped::Why::wall_time);
  EXPECT_EQ(why_stopped(run({"spin"}, {.wall = milliseconds(50)})), Stopped::Why::wall_time);
}

TEST(Process, CpuTimeIsASignal) {
  Command command = probe({"spin"});
  command.limits = {{RLIMIT_CPU, 1}};
  const ProcessReport report = run_command(command, {.wall = seconds(60)});
  const auto* const signalled = std::get_if<Signalled>(&report.end);
  ASSERT_NE(signalled, nullptr);
  EXPECT_TRUE(signalled->number == SIGXCPU || signalled->number == SIGKILL);
  EXPECT_GE(report.user + report.system, milliseconds(500));
}

TEST(Process, ResourceLimitsAreSetBothSoftAndHard) {
  Command command = probe({"limits"});
  command.limits = {
      {RLIMIT_CORE, 0}, {RLIMIT_NPROC, 4321}, {RLIMIT_NOFILE, 17}, {RLIMIT_FSIZE, 12'345}};
  EXPECT_EQ(run_command(command, {}).standard_output,
            "core 0 0\nprocesses 4321 4321\nnofile 17 17\nfsize 12345 12345\n");
}

TEST(Process, FileSizeLimitIsASignal) {
  const TempDir folder("opgrade-test-");
  Command command = probe({"write-past-limit", folder.path() / "file"});
  command.limits = {{RLIMIT_CORE, 0}, {RLIMIT_FSIZE, 1 << 20}};
  const ProcessReport report = run_command(command, {});
  const auto* const signalled = std::get_if<Signalled>(&report.end);
  ASSERT_NE(signalled, nullptr);
  EXPECT_EQ(signalled->number, SIGXFSZ);
}

// Before its program begins a child is a copy of the tests' process: some 100 MiB with the address
// sanitizer.
TEST(Process, PeakMemoryIsTheChildsOwn) {
  const auto small = run({"exit", "0"}).peak_memory_bytes;
  const auto large = run({"touch", "256"}).peak_memory_bytes;
  EXPECT_LT(small, 256 << 20);
  EXPECT_GE(large, 256 << 20);
}

TEST(Process, StandardInputIsEmpty) { EXPECT_EQ(run({"read-fds", "0"}).standard_output, "0:\n"); }

TEST(Process, EnvironmentIsOnlyWhatIsGiven) {
  EXPECT_EQ(run({"environment"}).standard_output, "");
  Command command = probe({"environment"});
  command.environment = {"A=1", "B=two words"};
  EXPECT_EQ(run_command(command, {}).standard_output, "A=1\nB=two words\n");
}

TEST(Process, WorkingFolder) {
  EXPECT_EQ(run({"folder"}).standard_output, "/");
  Command command = probe({"folder"});
  command.working_folder = "/proc";
  EXPECT_EQ(run_command(command, {}).standard_output, "/proc");
}

Fd holding(const std::string& text) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd write_end(ends[1]);
  EXPECT_EQ(::write(write_end.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  return Fd(ends[0]);
}

TEST(Process, OnlyThePassedDescriptorsAreInherited) {
  // Without close-on-exec, as a library may have left one.
  const Fd low(::open("/dev/null", O_RDONLY));
  const Fd high(::fcntl(low.get(), F_DUPFD, 900));
  EXPECT_EQ(run({"descriptors"}).standard_output, "0 1 2 ");
  const Fd passed = holding("x");
  Command command = probe({"descriptors"});
  command.descriptors = {{passed.get(), 7}};
  EXPECT_EQ(run_command(command, {}).standard_output, "0 1 2 7 ");
}

TEST(Process, PassedDescriptorsMayTradePlaces) {
  const Fd a(::fcntl(holding("from a").get(), F_DUPFD_CLOEXEC, 40));
  const Fd b(::fcntl(holding("from b").get(), F_DUPFD_CLOEXEC, 41));
  Command command = probe({"read-fds", std::to_string(a.get()), std::to_string(b.get()), "3"});
  const Fd c = holding("from c");
  command.descriptors = {{a.get(), b.get()}, {b.get(), a.get()}, {c.get(), 3}};
  EXPECT_EQ(run_command(command, {}).standard_output,
            fmt::format("{}:from b\n{}:from a\n3:from c\n", a.get(), b.get()));
}

TEST(Process, ManyDescriptorsAreInherited) {
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Command command = probe({"descriptors"});
  std::string all = "0 1 2 ";
  for (int as = 3; as < 50; ++as) {
    command.descriptors.push_back({null.get(), as});
    all += std::to_string(as) + " ";
  }
  EXPECT_EQ(run_command(command, {}).standard_output, all);
}

TEST(Process, BlockedAndIgnoredSignalsAreNotInherited) {
  sigset_t block, before;
  ::sigemptyset(&block);
  ::sigaddset(&block, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &block, &before);
  const auto old_usr2 = ::signal(SIGUSR2, SIG_IGN);
  const auto old_hup = ::signal(SIGHUP, SIG_IGN);  // as nohup does
  const auto old_pipe = ::signal(SIGPIPE, SIG_IGN);
  const std::string status = run({"status"}).standard_output;
  ::signal(SIGUSR2, old_usr2);
  ::signal(SIGHUP, old_hup);
  ::signal(SIGPIPE, old_pipe);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_THAT(status, HasSubstr("SigBlk:\t0000000000000000\n"));
  // 32 and 33 are the C library's own: signal(2) of a program cannot reach them, and a shell that
  // runs tests in the background leaves them ignored.
  constexpr auto kOwn = std::uint64_t{3} << 31;
  const auto at = status.find("SigIgn:\t");
  ASSERT_NE(at, status.npos);
  EXPECT_EQ(std::stoull(status.substr(at + 8), nullptr, 16) & ~kOwn, 0U) << status;
}

TEST(Process, HasASessionOfItsOwn) {
  EXPECT_THAT(run({"session"}).standard_output, HasSubstr("leader 1\ntty ENXIO"));
}

TEST(Process, JoinsBeforeItRuns) {
  const TempDir folder("opgrade-test-");
  const auto file = folder.path() / "procs";
  std::ofstream(file) << "";
  Command command = probe({"exit", "0"});
  command.join_files = {file};
  EXPECT_EQ(exit_code(run_command(command, {})), 0);
  std::string text;
  std::getline(std::ifstream(file), text);
  EXPECT_EQ(text, "0");
}

TEST(Process, WhatCannotStartIsAnErrorWithAHint) {
  const TempDir folder("opgrade-test-");
  std::ofstream(folder.path() / "text") << "not a program";
  for (const auto& program : {folder.path() / "missing", folder.path() / "text", folder.path()}) {
    Command command{.program = program};
    try {
      run_command(command, {});
      ADD_FAILURE() << program << " started";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr(program.string()));
      EXPECT_FALSE(e.hint.empty());
    }
  }
  Command command = probe({"exit", "0"});
  command.working_folder = folder.path() / "missing";
  EXPECT_THROW(run_command(command, {}), Error);
  Command join = probe({"exit", "0"});
  join.join_files = {folder.path() / "missing"};
  EXPECT_THROW(run_command(join, {}), Error);
}

TEST(Process, FailedStartsLeaveNoChildAndNoDescriptor) {
  const auto open_descriptors = [] {
    int n = 0;
    for (int fd = 0; fd < 1024; ++fd) n += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return n;
  };
  const int before = open_descriptors();
  for (int i = 0; i < 10; ++i) {
    Command command = probe({"exit", "0"});
    command.working_folder = "/missing";
    EXPECT_THROW(run_command(command, {}), Error);
    run({"exit", "0"});
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Process, OutlivesTheThreadThatStartedIt) {
  std::optional<ChildProcess> child;
  std::thread([&] {
    child.emplace(ChildProcess::start({.program = "/bin/sleep", .arguments = {"0.3"}}, {}));
  }).join();
  EXPECT_EQ(exit_code(child->finish()), 0);
}

TEST(Process, StopIsARequest) {
  ChildProcess child = ChildProcess::start(probe({"wait"}), {});
  child.stop();
  EXPECT_EQ(why_stopped(child.finish()), Stopped::Why::request);
}

TEST(Process, DestructorKillsAndReaps) {
  pid_t pid = -1;
  {
    const ChildProcess child = ChildProcess::start(probe({"wait"}), {});
    pid = child.pid();
    EXPECT_TRUE(exists(pid));
  }
  EXPECT_FALSE(exists(pid));
}

TEST(Process, AChildThatLeavesAnotherWithItsPipesDoesNotHoldUsUp) {
  // The one left behind keeps stdout open for ever.
  Command command{.program = "/bin/sh",
                  .arguments = {"-c", "sleep 600 & echo $!"},
                  .environment = {"PATH=/usr/bin:/bin"}};
  const ProcessReport report = run_command(command, {.wall = seconds(60)});
  EXPECT_EQ(exit_code(report), 0);
  const pid_t left = std::stoi(report.standard_output);
  EXPECT_TRUE(exists(left));
  ::kill(left, SIGKILL);
}

TEST(Process, TheTreeIsKilledAtEveryKindOfEnd) {
  for (const std::vector<std::string>& act :
       {std::vector<std::string>{"exit", "0"}, {"wait"}, {"flood"}, {"raise", "11"}}) {
    std::atomic<int> kills{0};
    ChildProcess child = ChildProcess::start(
        probe(act), {.wall = milliseconds(50), .output_bytes = 1000}, [&](pid_t) { ++kills; });
    child.finish();
    EXPECT_GE(kills, 1) << act[0];
  }
}

TEST(Process, DropsToNobody) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give up root";
  Command command{.program = "/usr/bin/id", .arguments = {}};
  command.drop_to_nobody = true;
  const std::string text = run_command(command, {}).standard_output;
  EXPECT_THAT(text, HasSubstr("uid=65534"));
  EXPECT_THAT(text, HasSubstr("gid=65534"));
  EXPECT_THAT(text, testing::Not(HasSubstr("(root)")));
}

}  // namespace
}  // namespace opgrade
