/// Runs the real opgrade program with an environment of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "grader/base/core/temp_dir.hpp"
#include "grader/platform/process/process.hpp"
#include "tests/support/sanitizer_reports.hpp"

namespace opgrade::test {

/// OPGRADE_PROGRAM names another build of the program, the sanitized one.
inline std::filesystem::path opgrade_program() {
  const char* const named = std::getenv("OPGRADE_PROGRAM");
  return named != nullptr ? named : OPGRADE_BINARY_DIR "/bin/opgrade";
}

/// For programs that a test kills, however slow the machine is: ctest has the limit.
inline const WatchLimits kPatience{.wall = std::chrono::minutes(55), .kept_bytes = 16 << 20};

/// Waits for `event`. False if the program ends before.
inline bool reaches(const ChildProcess& program, const std::function<bool()>& event) {
  for (;; ::usleep(10'000)) {
    siginfo_t ended{};
    const bool runs = ::waitid(P_PID, static_cast<id_t>(program.pid()), &ended,
                               WEXITED | WNOHANG | WNOWAIT) == 0 &&
                      ended.si_pid == 0;
    if (event()) return true;
    if (!runs) return false;
  }
}

/// A folder for results and everything temporary, so that what a run leaves behind can be told from
/// what other graders on this machine are doing. The sandbox's user may enter it.
class Workplace {
 public:
  Workplace() {
    ::chmod(folder_.path().c_str(), 0755);
    std::filesystem::create_directory(temporary());
    ::chmod(temporary().c_str(), 0755);
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path temporary() const { return folder_.path() / "tmp"; }

  /// `environment` is added to what every run gets.
  Command command(std::vector<std::string> arguments,
                  std::vector<std::string> environment = {}) const {
    Command command{.program = opgrade_program(),
                    .arguments = std::move(arguments),
                    .environment = std::move(environment),
                    .working_folder = folder_.path()};
    for (const char* name : {"PATH", "OPGRADE_BWRAP", "OPGRADE_SANDBOX_WITHOUT", "CUDA_HOME"}) {
      if (const char* value = std::getenv(name); value != nullptr)
        command.environment.push_back(std::string(name) + "=" + value);
    }
    for (auto& variable : sanitizer_reports_.environment())
      command.environment.push_back(std::move(variable));
    command.environment.push_back("OPGRADE_DATA=" OPGRADE_BINARY_DIR "/data");
    command.environment.push_back("TMPDIR=" + temporary().string());
    command.environment.push_back("HOME=" + folder_.path().string());
    return command;
  }

  ProcessReport run(std::vector<std::string> arguments,
                    std::vector<std::string> environment = {}) const {
    return run_command(command(std::move(arguments), std::move(environment)), kPatience);
  }

  /// Processes that see anything of this workplace: every sandboxed run has mounts from it, or,
  /// where there are no mounts, runs a program or works in a folder of it.
  std::vector<std::string> processes() const {
    std::vector<std::string> found;
    std::error_code ignored;
    for (std::filesystem::directory_iterator entry("/proc", ignored), end; entry != end;
         entry.increment(ignored)) {
      if (!sees_this(entry->path())) continue;
      std::string name;
      std::getline(std::ifstream(entry->path() / "comm"), name);
      found.push_back(entry->path().filename().string() + " " + name);
    }
    return found;
  }

  /// True while a submission runs in its sandbox.
  bool runs_a_submission() const {
    const auto all = processes();
    return std::any_of(all.begin(), all.end(), [](const std::string& process) {
      return process.ends_with(" opgrade-harness");
    });
  }

  /// Those that do not end within half a minute: a sandbox dies a moment after its grader.
  std::vector<std::string> lasting_processes() const {
    auto left = processes();
    for (int i = 0; i < 3000 && !left.empty(); ++i) {
      ::usleep(10'000);
      left = processes();
    }
    return left;
  }

  /// This process's mounts from it.
  std::vector<std::string> mounts() const {
    std::vector<std::string> found;
    std::ifstream all("/proc/self/mountinfo");
    for (std::string line; std::getline(all, line);)
      if (names_this(line)) found.push_back(line);
    return found;
  }

 private:
  bool sees_this(const std::filesystem::path& process) const {
    for (const char* link : {"exe", "cwd"}) {
      std::error_code unreadable;
      const auto target = std::filesystem::read_symlink(process / link, unreadable).string();
      if (target.starts_with(folder_.path().string() + "/")) return true;
    }
    std::ifstream mounts(process / "mountinfo");
    for (std::string line; std::getline(mounts, line);)
      if (names_this(line)) return true;
    return false;
  }

  /// A mount's source is a path in its file system, which begins at /tmp where that is one.
  bool names_this(const std::string& mount) const {
    return mount.find("/" + folder_.path().filename().string()) != mount.npos;
  }

  SanitizerReports sanitizer_reports_;
  TempDir folder_{"opgrade-test-"};
};

inline int exit_code(const ProcessReport& report) {
  const auto* const exited = std::get_if<Exited>(&report.end);
  return exited != nullptr ? exited->code : -1;
}

}  // namespace opgrade::test
