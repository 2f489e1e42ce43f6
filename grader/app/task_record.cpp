#include "grader/app/task_record.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>

#include "grader/app/program_version.hpp"
#include "grader/config/load.hpp"
#include "grader/config/task_files.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/files/checksum.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

std::string minor_release() { return parts_of(program_version()).minor(); }

std::string config_sum(const Config& config) { return sha256_of_text(dump_config(config)); }

/// Lines of a word and its value.
std::map<std::string, std::string> read_record(const fs::path& file) {
  std::map<std::string, std::string> record;
  std::ifstream in(file);
  for (std::string word, value; in >> word >> value;) record[word] = value;
  return record;
}

bool came_with_opgrade(const fs::path& folder) {
  try {
    const fs::path labs = fs::weakly_canonical(resources::share_folder() / "labs");
    const fs::path below = fs::weakly_canonical(folder).lexically_relative(labs);
    return !below.empty() && *below.begin() != "..";
  } catch (const Error&) {  // an incomplete installation
    return false;
  }
}

}  // namespace

bool record_check(const Config& config, bool passed) {
  if (came_with_opgrade(task_folder(config))) return true;  // unchecked_task() exempts it
  std::ofstream out(task_record(config));
  out << fmt::format("task {}\nconfig {}\nopgrade {}\nresult {}\n", config.interface,
                     config_sum(config), minor_release(), passed ? "passed" : "failed");
  return out.flush().good();
}

fs::path seen_folder(const Config& config) {
  if (came_with_opgrade(task_folder(config))) return {};
  const fs::path folder = task_record(config).string() + "-seen";
  std::error_code failed;
  fs::create_directory(folder, failed);
  return failed ? fs::path() : folder;
}

std::string unchecked_task(const Config& config) {
  const fs::path folder = task_folder(config);
  if (folder.empty() || came_with_opgrade(folder)) return {};
  auto record = read_record(task_record(config));
  const std::string task = fmt::format("the task {}", folder.string());
  std::error_code ignored;
  const bool own = fs::equivalent(config.folder, folder, ignored);
  if (record.empty()) return task + " was not checked";
  if (record["task"] != config.interface || (own && record["config"] != config_sum(config)))
    return task + " changed after its last check";
  if (record["result"] != "passed") return task + " failed its check";
  if (record["opgrade"] != minor_release())
    return fmt::format("{} was checked by opgrade {}, and this is {}", task, record["opgrade"],
                       minor_release());
  return {};
}

}  // namespace opgrade
