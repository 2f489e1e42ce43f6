#include "grader/app/program_version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"
#include "grader/core/resources.hpp"
#include "grader/data/checksum.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 12;  // 48 bits tell the builds of a term apart

/// Adds a file or all below a folder, by names relative to it. Nothing for what is not there: what
/// grades says so itself.
void add(Sha256& sum, const std::string& name, const fs::path& place) {
  std::error_code missing;
  std::set<std::string> files;
  if (fs::is_directory(place, missing)) {
    for (const auto& entry : fs::recursive_directory_iterator(place, missing))
      if (entry.is_regular_file()) files.insert(entry.path().lexically_relative(place).string());
  } else if (fs::is_regular_file(place, missing)) {
    files.insert("");
  }
  for (const auto& file : files) {
    const std::string line =
        fmt::format("{}/{} {}\n", name, file, sha256_of_file(file.empty() ? place : place / file));
    sum.add(std::as_bytes(std::span(line)));
  }
}

void add_helper(Sha256& sum, const char* name) {
  try {
    add(sum, name, resources::helper_program(name));
  } catch (const Error&) {
    // Not built or not installed: the emulated device, the collector of profiles.
  }
}

/// Of the files below the share folder.
void add_shared(Sha256& sum, std::initializer_list<const char*> parts) {
  try {
    const fs::path share = resources::share_folder();
    for (const char* part : parts) add(sum, part, share / part);
  } catch (const Error&) {  // an incomplete installation, of which other verbs tell
  }
}

std::string work_out() {
  Sha256 sum, task;
  for (const char* helper :
       {"opgrade", "opgrade-course", "opgrade-harness", "opgrade-cucc", "libopgrade_profiler.so"})
    add_helper(sum, helper);
  try {
    const fs::path prefix = resources::helper_program("opgrade-cucc").parent_path().parent_path();
    for (const char* part : {"lib/opgrade/emulation", "share/opgrade/emulation"})
      add(sum, part, prefix / part);
  } catch (const Error&) {  // no emulated device
  }
  add_shared(sum, {"adapters"});
  add_shared(task, {"reference_solution", "solutions", "models", "networks"});
  return fmt::format("{}+{}.{}", OPGRADE_VERSION, sum.hex().substr(0, kDigits),
                     task.hex().substr(0, kDigits));
}

}  // namespace

const std::string& program_version() {
  static const std::string version = work_out();
  return version;
}

VersionParts parts_of(const std::string& version) {
  VersionParts parts;
  const auto plus = version.find('+');
  parts.release = version.substr(0, plus);
  if (plus == version.npos) return parts;
  const auto dot = version.find('.', plus);
  parts.program = version.substr(plus + 1, dot - plus - 1);
  if (dot != version.npos) parts.task = version.substr(dot + 1);
  return parts;
}

std::string version_text() {
  std::string commit;
  try {
    std::ifstream file(resources::share_folder() / "commit");
    std::getline(file, commit);
  } catch (const Error&) {  // an incomplete installation, of which other verbs tell
  }
  return fmt::format("{}{}, build {}", OPGRADE_VERSION,
                     commit.empty() ? "" : fmt::format(" (commit {})", printable_line(commit)),
                     parts_of(program_version()).program);
}

}  // namespace opgrade
