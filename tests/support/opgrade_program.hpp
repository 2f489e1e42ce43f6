/// Runs the real opgrade program with an environment of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "grader/core/temp_dir.hpp"
#include "grader/process/process.hpp"
#include "tests/support/sanitizer_reports.hpp"

namespace opgrade::test {

/// OPGRADE_PROGRAM names another build of the program, the sanitized one.
inline std::filesystem::path opgrade_program() {
  const char* const named = std::getenv("OPGRADE_PROGRAM");
  return named != nullptr ? named : OPGRADE_BINARY_DIR "/bin/opgrade";
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
    return run_command(command(std::move(arguments), std::move(environment)),
                       {.wall = std::chrono::minutes(5), .kept_bytes = 16 << 20});
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

 private:
  bool sees_this(const std::filesystem::path& process) const {
    for (const char* link : {"exe", "cwd"}) {
      std::error_code unreadable;
      const auto target = std::filesystem::read_symlink(process / link, unreadable).string();
      if (target.starts_with(folder_.path().string() + "/")) return true;
    }
    std::ifstream mounts(process / "mountinfo");
    for (std::string line; std::getline(mounts, line);)
      if (line.find(folder_.path().string()) != std::string::npos) return true;
    return false;
  }

  SanitizerReports sanitizer_reports_;
  TempDir folder_{"opgrade-test-"};
};

inline int exit_code(const ProcessReport& report) {
  const auto* const exited = std::get_if<Exited>(&report.end);
  return exited != nullptr ? exited->code : -1;
}

}  // namespace opgrade::test
