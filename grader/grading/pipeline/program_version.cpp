#include "grader/grading/pipeline/program_version.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/files/checksum.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 12;  // 48 bits tell the builds of a term apart

enum class Part { program, task };

struct VersionFile {
  Part part;
  std::string name;  ///< relative to its part's folder
  fs::path path;
};

/// Adds a file, or all files below a folder. Skips what is missing, which grading itself reports.
void add(std::vector<VersionFile>& all, Part part, const std::string& name, const fs::path& place) {
  std::error_code missing;
  std::set<std::string> files;
  if (fs::is_directory(place, missing)) {
    // A folder may be removed meanwhile, by an upgrade.
    for (fs::recursive_directory_iterator entry(place, missing), end; entry != end;
         entry.increment(missing))
      if (entry->is_regular_file(missing))
        files.insert(entry->path().lexically_relative(place).string());
  } else if (fs::is_regular_file(place, missing)) {
    files.insert("");
  }
  for (const auto& file : files)
    all.push_back({part, name + "/" + file, file.empty() ? place : place / file});
}

/// Adds files below the share folder.
void add_shared(std::vector<VersionFile>& all, Part part,
                std::initializer_list<const char*> names) {
  try {
    const fs::path share = resources::share_folder();
    for (const char* name : names) add(all, part, name, share / name);
  } catch (const Error&) {  // an incomplete installation, which other verbs report
  }
}

std::vector<VersionFile> version_files() {
  std::vector<VersionFile> all;
  for (const char* helper :
       {"opgrade", "opgrade-course", "opgrade-harness", "opgrade-cucc", "libopgrade_profiler.so"}) {
    try {
      add(all, Part::program, helper, resources::helper_program(helper));
    } catch (const Error&) {
      // The emulated device or the collector of profiles may not be built or not be installed.
    }
  }
  try {
    const fs::path prefix = resources::helper_program("opgrade-cucc").parent_path().parent_path();
    for (const char* name : {"lib/opgrade/emulation", "share/opgrade/emulation"})
      add(all, Part::program, name, prefix / name);
  } catch (const Error&) {  // no emulated device
  }
  add_shared(all, Part::program, {"adapters"});
  add_shared(all, Part::task, {"reference_solution", "solutions", "models", "networks"});
  return all;
}

std::string version_of(const std::vector<VersionFile>& files) {
  Sha256 program, task;
  for (const auto& file : files) {
    const std::string line = fmt::format("{} {}\n", file.name, sha256_of_file(file.path));
    (file.part == Part::task ? task : program).add(std::as_bytes(std::span(line)));
  }
  return fmt::format("{}+{}.{}", OPGRADE_VERSION, program.hex().substr(0, kDigits),
                     task.hex().substr(0, kDigits));
}

}  // namespace

const std::string& program_version() {
  static const std::string version = version_of(version_files());
  return version;
}

std::string program_stamp() {
  std::string stamp;
  for (const auto& file : version_files()) {
    std::error_code ignored;
    stamp += fmt::format("{} {} {}\n", file.path.string(), fs::file_size(file.path, ignored),
                         fs::last_write_time(file.path, ignored).time_since_epoch().count());
  }
  return stamp;
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
  } catch (const Error&) {  // an incomplete installation, which other verbs report
  }
  return fmt::format("{}{}, build {}", OPGRADE_VERSION,
                     commit.empty() ? "" : fmt::format(" (commit {})", printable_line(commit)),
                     parts_of(program_version()).program);
}

}  // namespace opgrade
