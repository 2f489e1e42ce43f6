// Each promise of the sandbox, written as an attempt to break it.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/run/shared_tensor.hpp"
#include "grader/platform/sandbox/proc.hpp"
#include "grader/platform/sandbox/seccomp.hpp"
#include "tests/unit/platform/sandbox/sandbox_fixture.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Promise = test::SandboxTest;
OPGRADE_IN_EVERY_TIER(Promise);

TEST_P(Promise, NothingOfTheHostIsSeenButTheMounts) {
  if (!has_namespaces()) {
    // Not opened nor listed; that a path is there can be seen (docs/security.md).
    EXPECT_EQ(output({"open", "/etc/passwd", "/root", "/home", "/usr/bin/env", "/sys", "/var",
                      "/boot", "/", "/etc", "/proc"}),
              "/etc/passwd EACCES\n/root EACCES\n/home EACCES\n/usr/bin/env EACCES\n/sys EACCES\n"
              "/var EACCES\n/boot EACCES\n/ EACCES\n/etc EACCES\n/proc EACCES\n");
    EXPECT_EQ(output({"list", "/usr"}), "opendir EACCES\n");
    std::istringstream in_tmp(output({"list", "/tmp"}));
    const std::vector<std::string> seen{std::istream_iterator<std::string>(in_tmp), {}};
    EXPECT_THAT(seen, testing::UnorderedElementsAre(".", ".."));
    return;
  }
  EXPECT_EQ(output({"open", "/etc/passwd", "/root", "/home", "/usr/bin/env", "/sys", "/var",
                    "/boot", OPGRADE_SOURCE_DIR, OPGRADE_BINARY_DIR}),
            fmt::format(
                "/etc/passwd ENOENT\n/root ENOENT\n/home ENOENT\n/usr/bin/env ENOENT\n/sys ENOENT\n"
                "/var ENOENT\n/boot ENOENT\n{} ENOENT\n{} ENOENT\n",
                OPGRADE_SOURCE_DIR, OPGRADE_BINARY_DIR));
  std::istringstream names(output({"list", "/"}));
  std::vector<std::string> seen{std::istream_iterator<std::string>(names), {}};
  EXPECT_THAT(seen, testing::UnorderedElementsAre(".", "..", "dev", "proc", "probe", "tmp"));
  std::istringstream in_tmp(output({"list", "/tmp"}));
  seen = {std::istream_iterator<std::string>(in_tmp), {}};
  EXPECT_THAT(seen, testing::UnorderedElementsAre(".", ".."));
}

TEST_P(Promise, NotThroughProcEither) {
  EXPECT_THAT(output({"open", "/proc/1/root/etc/passwd", "/proc/self/root/etc/passwd",
                      "/proc/1/cwd/etc/passwd"}),
              Not(HasSubstr("ok")));
  EXPECT_THAT(output({"open", "/proc/kcore", "/proc/kmsg", "/proc/kallsyms"}),
              Not(HasSubstr("kcore ok")));
}

TEST_P(Promise, BubblewrapsInitIsNoWayOut) {
  if (!has_namespaces()) GTEST_SKIP() << "there is no init";
  // Its memory is open to the program, which has the same user: so it must have no more rights.
  ::setenv("OPGRADE_SECRET", "of the grader", 1);
  EXPECT_THAT(output({"print", "/proc/1/environ"}), Not(HasSubstr("SECRET")));
  ::unsetenv("OPGRADE_SECRET");
  EXPECT_THAT(output({"print", "/proc/1/status"}),
              AllOf(HasSubstr("CapEff:\t0000000000000000"), HasSubstr("CapPrm:\t0000000000000000"),
                    HasSubstr("CapBnd:\t0000000000000000"), HasSubstr("NoNewPrivs:\t1"),
                    HasSubstr("Seccomp:\t2")));
}

TEST_P(Promise, TheGradersSecretsAreNotReadFromItsProcess) {
  ::setenv("OPGRADE_SECRET", "of the grader", 1);
  const std::string grader = fmt::format("/proc/{}/", ::getpid());
  for (const char* file : {"environ", "cmdline", "maps", "mem", "fd/0", "root/etc/passwd"})
    EXPECT_THAT(output({"open", grader + file}), Not(HasSubstr("ok")));
  EXPECT_THAT(output({"print", "/proc/self/environ"}), Not(HasSubstr("SECRET")));
  ::unsetenv("OPGRADE_SECRET");
}

TEST_P(Promise, OtherProcessesAreNotSeen) {
  if (!has_namespaces()) {
    EXPECT_EQ(output({"list", "/proc"}), "opendir EACCES\n");
    EXPECT_THAT(output({"open", "/proc/1/status", "/proc/1/cmdline"}), Not(HasSubstr("ok")));
    return;
  }
  // Number 1 is bubblewrap's init inside, 2 is the program.
  std::istringstream names(output({"list", "/proc"}));
  std::vector<std::string> pids;
  for (std::string name; names >> name;) {
    if (std::all_of(name.begin(), name.end(), ::isdigit)) pids.push_back(name);
  }
  EXPECT_THAT(pids, testing::UnorderedElementsAre("1", "2"));
}

TEST_P(Promise, OtherProcessesAreNotReached) {
  EXPECT_EQ(output({"kill-others", std::to_string(::getpid())}),
            has_namespaces() ? "kill ESRCH\nptrace EPERM\n" : "kill EPERM\nptrace EPERM\n");
}

TEST_P(Promise, NothingCanBeWrittenButTheTemporaryFolders) {
  EXPECT_EQ(output({"create", "/x", "/tmp/x", "/dev/shm/x"}),
            has_namespaces() ? "/x EROFS\n/tmp/x ok\n/dev/shm/x ok\n"
                             : "/x EACCES\n/tmp/x ok\n/dev/shm/x EACCES\n");
  EXPECT_THAT(output({"create", "/dev/x", "/dev/pts/x", "/proc/x", "/proc/sys/kernel/hostname",
                      "/proc/sysrq-trigger", "/probe"}),
              Not(HasSubstr("ok")));
}

TEST_P(Promise, MountsAreReadOnlyUnlessTheyAreForWriting) {
  const TempDir folder("opgrade-test-");
  for (const char* name : {"in", "out"}) fs::create_directory(folder.path() / name);
  std::ofstream(folder.path() / "in/file") << "x";
  sandbox->hand_over(folder.path());
  policy.mounts.push_back({folder.path() / "in", "/in"});
  policy.mounts.push_back({folder.path() / "out", "/out", Mount::Access::write});
  EXPECT_EQ(output({"create", "/in/file", "/in/new", "/out/new"}),
            has_namespaces() ? "/in/file EROFS\n/in/new EROFS\n/out/new ok\n"
                             : "/in/file EACCES\n/in/new EACCES\n/out/new ok\n");
  EXPECT_TRUE(fs::exists(folder.path() / "out/new"));
  EXPECT_FALSE(fs::exists(folder.path() / "in/new"));
}

TEST_P(Promise, OptionalMountsThatAreMissingAreLeftOut) {
  policy.mounts.push_back({"/no/such/folder", "/optional", Mount::Access::read, true});
  EXPECT_EQ(output({"open", "/optional"}), "/optional ENOENT\n");
}

TEST_P(Promise, NoNetworkAndNoSocketOfTheHost) {
  // An abstract socket has no path that mounts could hide: the network namespace must.
  const std::string name = fmt::format("opgrade-test-{}", ::getpid());
  const Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  if (!has_namespaces()) {
    EXPECT_EQ(output({"network", name}),
              "inet EPERM\ninet6 EPERM\nnetlink EPERM\npacket EPERM\nvsock EPERM\nunix EPERM\n"
              "abstract EPERM\n");
    return;
  }
  EXPECT_EQ(output({"network", name}),
            "inet EAFNOSUPPORT\ninet6 EAFNOSUPPORT\nnetlink EAFNOSUPPORT\npacket EAFNOSUPPORT\n"
            "vsock EAFNOSUPPORT\nunix ok\nabstract ECONNREFUSED\n");
}

// Parts of a tool talk to each other; the only interface there is its namespace's own.
TEST_P(Promise, ALoopbackIsNoNetwork) {
  policy.loopback = true;
  const std::string name = fmt::format("opgrade-test-{}", ::getpid());
  if (!has_namespaces()) {
    EXPECT_THAT(output({"network", name}), HasSubstr("inet EPERM\ninet6 EPERM\n"));
    return;
  }
  EXPECT_EQ(output({"network", name}),
            "inet ok\ninet6 EAFNOSUPPORT\nnetlink EAFNOSUPPORT\npacket EAFNOSUPPORT\n"
            "vsock EAFNOSUPPORT\nunix ok\nabstract ECONNREFUSED\n");
  std::istringstream interfaces(output({"print", "/proc/net/dev"}));
  std::vector<std::string> seen;
  for (std::string line; std::getline(interfaces, line);)
    if (const auto colon = line.find(':'); colon != line.npos)
      seen.push_back(line.substr(line.find_first_not_of(' '), colon - line.find_first_not_of(' ')));
  EXPECT_THAT(seen, testing::ElementsAre("lo"));
}

// A datagram reaches a service of the host, such as /dev/log, without connect().
TEST_P(Promise, WithoutNamespacesThereAreNoDatagrams) {
  if (has_namespaces()) GTEST_SKIP() << "its own network namespace";
  EXPECT_EQ(output({"pairs"}), "stream ok\nseqpacket ok\ndgram EPERM\n");
}

// libcuda does not start without.
TEST_P(Promise, WithADeviceTheDriverGetsItsSocketAndNothingElse) {
  if (has_namespaces()) GTEST_SKIP() << "its own network namespace";
  policy.mounts.push_back({"/dev/null", "/dev/null", Mount::Access::device});
  const std::string name = fmt::format("cuda-uvmfd-test-{}", ::getpid());
  EXPECT_EQ(output({"driver-socket", name}),
            "seqpacket ok\nbind ok\nlisten ok\naccept EPERM\nconnect EPERM\nstream EPERM\n"
            "dgram EPERM\nraw EPERM\ncloexec-dgram EPERM\ninet EPERM\n");
  EXPECT_EQ(output({"pairs"}), "stream ok\nseqpacket ok\ndgram EPERM\n");
  EXPECT_EQ(output({"open", "/proc/devices", "/proc/1/status", "/etc/passwd"}),
            "/proc/devices ok\n/proc/1/status EACCES\n/etc/passwd EACCES\n");
}

TEST_P(Promise, DeniedCallsFail) {
  std::vector<std::string> act{"calls"};
  std::string expected;
  auto calls = denied_calls();
  if (!has_namespaces()) {
    for (const auto& more : {denied_on_shared_host(), denied_without_cuda()})
      calls.insert(calls.end(), more.begin(), more.end());
  }
  for (const auto call : calls) {
    const int number = seccomp_syscall_resolve_name(std::string(call).c_str());
    if (number < 0) continue;  // not a call of this processor
    act.push_back(std::to_string(number));
    expected += fmt::format("{} EPERM\n", number);
  }
  EXPECT_GT(act.size(), 50U);
  EXPECT_EQ(output(act), expected);
}

// Whoever may send it may end a stop of the grader's.
TEST_P(Promise, NobodyIsWokenBySignals) {
  std::string once;
  for (const char* call : {"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
                           "pidfd_send_signal", "setsig", "pdeathsig", "clone"}) {
    once += fmt::format("{} EPERM\n", call);
  }
  EXPECT_EQ(output({"wake-ups"}), once + once + "another ok\n");
}

TEST_P(Promise, NoNewPrivileges) {
  policy.environment = {"TMPDIR=/tmp"};
  EXPECT_EQ(output({"privileges"}),
            fmt::format(
                "uid {0}\ngid {0}\nsetuid {1}\nunshare EPERM\nnewuser EPERM\nnewnet EPERM\n"
                "newns EPERM\nnewpid EPERM\nnewipc EPERM\nnewuts EPERM\nnewcgroup EPERM\nplain ok\n"
                "newuser+newnet EPERM\nclone3 ENOSYS\ntiocsti EPERM\ntiocsti-high EPERM\n"
                "tioclinux EPERM\nchmod-suid ok\n",
                has_namespaces() || ::getuid() == 0 ? 65534 : ::getuid(),
                has_namespaces() ? "EINVAL" : "EPERM"));
  const std::string status = output({"status"});
  EXPECT_THAT(status,
              AllOf(HasSubstr("CapEff:\t0000000000000000"), HasSubstr("CapPrm:\t0000000000000000"),
                    HasSubstr("NoNewPrivs:\t1"), HasSubstr("Seccomp:\t2")));
  if (has_namespaces()) {
    EXPECT_THAT(status, HasSubstr("CapBnd:\t0000000000000000"));
  }
}

// libcuda does, and cuInit fails with CUDA_ERROR_OPERATING_SYSTEM (304) where it may not.
TEST_P(Promise, AProcessMayNameItsThreads) {
  EXPECT_EQ(output({"name-a-thread"}), "open ok\nwrite ok\n");
}

TEST_P(Promise, EnvironmentHostnameFolderAndDescriptorsAreThePolicys) {
  policy.environment = {"ONLY=this"};
  policy.working_folder = "/dev";
  // bubblewrap sets PWD
  EXPECT_EQ(output({"environment"}), has_namespaces() ? "ONLY=this\nPWD=/dev\n" : "ONLY=this\n");
  if (has_namespaces()) {
    EXPECT_EQ(output({"hostname"}), "sandbox");
  }
  EXPECT_EQ(output({"folder"}), "/dev");
  EXPECT_EQ(output({"descriptors"}), "0 1 2 ");
  EXPECT_THAT(output({"session"}), HasSubstr(has_namespaces() ? "tty ENXIO" : "tty EACCES"));
}

TEST_P(Promise, AReadOnlyTensorStaysReadOnly) {
  const SharedTensor tensor(2048, SharedTensor::SubmissionMay::read);
  const auto report =
      sandbox->start(policy, test::probe({"tamper", "8192"}), {{tensor.fd(), 3}}).finish();
  EXPECT_EQ(report.process.standard_output,
            "map-read ok\nmap-write EPERM\nmprotect EACCES\nwrite EPERM\ngrow EPERM\nshrink EPERM\n"
            "punch EPERM\nseal EPERM\nreopen ok\nmap-reopened EPERM\n");
  EXPECT_TRUE(std::ranges::all_of(tensor.as<float>(), [](float v) { return v == 0; }));
}

TEST_P(Promise, AnOutputTensorKeepsItsSize) {
  const SharedTensor tensor(2048, SharedTensor::SubmissionMay::write);
  const auto report =
      sandbox->start(policy, test::probe({"tamper", "8192"}), {{tensor.fd(), 3}}).finish();
  EXPECT_THAT(report.process.standard_output,
              AllOf(HasSubstr("map-write ok\n"), HasSubstr("grow EPERM\nshrink EPERM\n"),
                    HasSubstr("seal EPERM\n")));
}

/// In clock ticks since the machine's start; the 22nd field of proc(5), from the state on the 20th.
long long begun(const fs::path& process) {
  std::istringstream fields(proc::fields_behind_name(process / "stat"));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;
  return std::atoll(field.c_str());
}

/// Processes whose program is the probe, in any namespace. One that is older than this test is
/// another's: whoever killed a test may have left it.
std::vector<int> probes() {
  const long long own = begun("/proc/self");
  std::vector<int> pids;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "comm");
    std::string name;
    if (std::getline(file, name) && (name == "probe" || name == "opgrade_probe") &&
        begun(entry.path()) >= own)
      pids.push_back(std::stoi(entry.path().filename()));
  }
  return pids;
}
std::size_t probes_alive() { return probes().size(); }

// They have one user, so that only the sandbox keeps them apart.
TEST_P(Promise, RunsBesideEachOtherAreNotReached) {
  auto victim = sandbox->start(policy, test::probe({"wait"}));
  for (int i = 0; i < 500 && probes_alive() == 0; ++i) ::usleep(10'000);
  ASSERT_EQ(probes_alive(), 1U);
  EXPECT_EQ(output({"kill-others", std::to_string(probes().front())}),
            has_namespaces() ? "kill ESRCH\nptrace EPERM\n" : "kill EPERM\nptrace EPERM\n");
  EXPECT_EQ(probes_alive(), 1U);
}

TEST_P(Promise, WhatARunLeavesBehindIsKilled) {
  const auto report = run({"leave-children", "5"});
  const auto* const exited = std::get_if<Exited>(&report.process.end);
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->code, 0);
  for (int i = 0; i < 100 && probes_alive() > 0; ++i) ::usleep(10'000);
  EXPECT_EQ(probes_alive(), 0U);
}

TEST_P(Promise, AStoppedRunIsKilledWithAllItsProcesses) {
  policy.wall = std::chrono::milliseconds(300);
  const auto report = run({"fork-count", "10"});
  EXPECT_FALSE(report.limit);
  policy.processes = 16;
  EXPECT_EQ(run({"fork-bomb"}).limit, (Limit{Limit::Kind::wall_time, 0.3}));
  for (int i = 0; i < 100 && probes_alive() > 0; ++i) ::usleep(10'000);
  EXPECT_EQ(probes_alive(), 0U);
}

// Where no namespace ends a tree, its group does: nobody may leave it, nor touch what is not its
// own.
TEST_P(Promise, WithoutNamespacesTheGroupIsNotLeftAndOthersAreNotTouched) {
  if (has_namespaces()) GTEST_SKIP() << "namespaces see to that";
  policy.environment = {"TMPDIR=/tmp"};
  EXPECT_EQ(output({"leave-group", std::to_string(::getpid()), "/probe"}),
            "setsid EPERM\nsetpgid EPERM\nchild-setsid EPERM\nprlimit EPERM\nown-prlimit ok\n"
            "affinity EPERM\npriority EPERM\npdeathsig EPERM\nchmod EPERM\nutimes EPERM\n"
            "rename EACCES\nexec-own EACCES\n");
}

TEST_P(Promise, TheDestructorEndsARun) {
  { const auto process = sandbox->start(policy, test::probe({"wait"})); }
  for (int i = 0; i < 100 && probes_alive() > 0; ++i) ::usleep(10'000);
  EXPECT_EQ(probes_alive(), 0U);
}

}  // namespace
}  // namespace opgrade
