#include "grader/grading/build/source_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "grader/base/core/printable.hpp"
#include "grader/grading/build/compiler_view.hpp"

namespace opgrade {

bool is_own_source(const std::string& path) {
  // A sandbox has the grader's files below /opgrade. Without mounts they are in a folder whose name
  // is not known here.
  constexpr const char* kOwn[] = {"/opgrade/",
                                  "/adapters/",
                                  "opgrade_emulation",
                                  "grader/emulation/",
                                  "grader/platform/harness/",
                                  "libsanitizer/",
                                  "/usr/include/",
                                  "/usr/lib/"};
  return path.empty() || path.starts_with("??") || path.starts_with("<") ||
         std::ranges::any_of(kOwn, [&](const char* part) { return path.find(part) != path.npos; });
}

std::vector<SourceLine> read_source_lines(const std::string& text) {
  std::vector<SourceLine> found;
  std::istringstream lines(text);
  std::string function, place;
  while (std::getline(lines, function)) {
    if (function.starts_with("0x")) {
      found.emplace_back();
      continue;
    }
    if (!std::getline(lines, place) || found.empty()) break;
    place.resize(std::min(place.find(" (discriminator"), place.size()));
    const auto colon = place.rfind(':');
    if (found.back().line > 0 || colon == place.npos) continue;
    const int line = std::atoi(place.c_str() + colon + 1);
    place.resize(colon);
    if (line <= 0 || is_own_source(place)) continue;
    // A kernel on the emulated device is a lambda.
    if (function.starts_with("operator")) function.clear();
    found.back() = {printable_line(std::filesystem::path(place).filename().string()), line,
                    printable_line(function.substr(0, function.find('(')))};
  }
  return found;
}

std::vector<SourceLine> source_lines(const Sandbox& sandbox,
                                     const std::filesystem::path& shared_object,
                                     const std::vector<std::uint64_t>& addresses) {
  constexpr const char* kProgram = "/usr/bin/addr2line";
  std::error_code missing;
  if (addresses.empty() || !std::filesystem::exists(kProgram, missing)) return {};
  SandboxPolicy policy;
  add_system_view(policy);
  policy.mounts.push_back({shared_object.parent_path(), "/submission"});
  policy.wall = std::chrono::seconds(20);
  std::vector<std::string> command{
      kProgram, "-a", "-i", "-f", "-C", "-e", "/submission/" + shared_object.filename().string()};
  for (const auto address : addresses) command.push_back(fmt::format("{:#x}", address));
  return read_source_lines(sandbox.run(policy, command).process.standard_output);
}

}  // namespace opgrade
