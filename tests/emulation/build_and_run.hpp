/// Builds a .cu file with opgrade-cucc and runs it in emulation_host.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace opgrade::emulation_test {

struct Built {
  bool ok = false;
  std::string messages;  ///< the compiler's
  std::filesystem::path object;
};

/// Into `folder`; `flags` such as --check come before the source.
Built build(const std::filesystem::path& source, const std::filesystem::path& folder,
            const std::vector<std::string>& flags);

struct Ran {
  int exit_status = -1;
  std::string output;     ///< what the program printed before the last line
  nlohmann::json report;  ///< the last line: result, status, findings
};

/// Output of a shell command and its exit status.
std::pair<std::string, int> shell(const std::string& command);

/// What a counting build recorded about run(), as read_events() takes it; empty if it failed.
std::string record(const std::filesystem::path& object);

/// `environment` such as OPGRADE_EMULATION_THREADS=1 is put before the command.
Ran run(const std::filesystem::path& object, const std::string& environment = "");

}  // namespace opgrade::emulation_test
