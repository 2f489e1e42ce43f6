/// What the sanitizers say about programs that a test starts, whose exit codes and standard error
/// it may not look at.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "grader/base/core/temp_dir.hpp"

namespace opgrade::test {

/// A folder where sanitized programs write their reports.
class SanitizerReports {
 public:
  SanitizerReports() = default;
  SanitizerReports(const SanitizerReports&) = delete;
  SanitizerReports& operator=(const SanitizerReports&) = delete;

  /// One report ends the test program: the test it belongs to may be over, or may have passed.
  ~SanitizerReports() {
    bool any = false;
    for (const auto& report : std::filesystem::directory_iterator(folder_.path())) {
      any = true;
      std::cerr << std::ifstream(report.path()).rdbuf() << '\n';
    }
    if (any) std::abort();
  }

  /// What the programs need in their environment; others do not mind it. The order of libraries is
  /// not looked at, so that a test may preload its own.
  std::vector<std::string> environment() const {
    const std::string path = "log_path=" + (folder_.path() / "report").string();
    return {"ASAN_OPTIONS=verify_asan_link_order=0:" + path,
            "UBSAN_OPTIONS=print_stacktrace=1:" + path};
  }

 private:
  TempDir folder_{"opgrade-test-"};
};

}  // namespace opgrade::test
