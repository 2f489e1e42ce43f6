#include "grader/authoring/task_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "grader/authoring/task_check.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/task_files.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

std::string minor_release() { return parts_of(program_version()).minor(); }

std::string config_sum(const Config& config) { return sha256_of_text(dump_config(config)); }

using Record = std::map<std::string, std::string>;

/// Reads lines that have a word, or a file as "./name", and its value.
Record read_record(const fs::path& file) {
  Record record;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (const auto gap = line.rfind(' '); gap != line.npos)
      record[line.substr(0, gap)] = line.substr(gap + 1);
  return record;
}

/// The lines for the files that decide a grade.
Record file_sums(const fs::path& folder) {
  Record sums;
  auto files = deciding_files(folder);
  std::ranges::move(forms_in(folder), std::back_inserter(files));
  for (const auto& file : files) sums["./" + file.string()] = sha256_of_file(folder / file);
  return sums;
}

/// ": reference.cpp, task.yaml"; empty if the last check was by an opgrade that recorded no files.
std::string changed_files(Record checked, const fs::path& folder) {
  std::erase_if(checked, [](const auto& line) { return !line.first.starts_with("./"); });
  if (checked.empty()) return {};
  Record changed;
  std::ranges::set_symmetric_difference(checked, file_sums(folder),
                                        std::inserter(changed, changed.end()));
  std::string names;
  for (const auto& line : changed) names += (names.empty() ? ": " : ", ") + line.first.substr(2);
  return names;
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
  if (came_with_opgrade(task_folder(config))) return true;  // unchecked_task() exempts these
  std::ofstream out(task_record(*config.task));
  out << fmt::format("task {}\nconfig {}\nopgrade {}\nresult {}\n", config.interface,
                     config_sum(config), minor_release(), passed ? "passed" : "failed");
  for (const auto& [file, sum] : file_sums(task_folder(config)))
    out << fmt::format("{} {}\n", file, sum);
  return out.flush().good();
}

fs::path seen_folder(const Config& config) {
  if (came_with_opgrade(task_folder(config))) return {};
  const fs::path folder = task_record(*config.task).string() + "-seen";
  std::error_code failed;
  fs::create_directory(folder, failed);
  return failed ? fs::path() : folder;
}

std::uint64_t seed_of_checks(const Config& config, std::optional<std::uint64_t> wanted) {
  const fs::path folder = seen_folder(config);
  std::uint64_t kept = 0;
  if (!wanted && !folder.empty() && std::ifstream(folder / kSeedFile) >> kept) return kept;
  const std::uint64_t seed = wanted ? *wanted : SystemRandom()();
  if (!folder.empty()) std::ofstream(folder / kSeedFile) << seed << "\n";
  return seed;
}

namespace {

std::string why_unchecked(const FolderTask& checked, const Config& config) {
  const fs::path folder = checked.folder();
  if (came_with_opgrade(folder)) return {};
  auto record = read_record(task_record(checked));
  const std::string task = fmt::format("the task {}", folder.string());
  std::error_code ignored;
  const bool own = fs::equivalent(config.folder, folder, ignored);
  if (record.empty()) return task + " was not checked";
  if (record["task"] != checked.id() || (own && record["config"] != config_sum(config)))
    return task + " changed after its last check" + changed_files(record, folder);
  if (record["result"] != "passed") return task + " failed its check";
  if (record["opgrade"] != minor_release())
    return fmt::format("{} was checked by opgrade {}, and this is {}", task, record["opgrade"],
                       minor_release());
  return {};
}

}  // namespace

std::string unchecked_task(const Config& config) {
  for (const auto& task : folder_tasks(config))
    if (auto why = why_unchecked(*task, config); !why.empty()) return why;
  return {};
}

fs::path task_to_check(const Config& config) {
  const auto tasks = folder_tasks(config);
  const auto unchecked = std::ranges::find_if(
      tasks, [&](const auto& task) { return !why_unchecked(*task, config).empty(); });
  return tasks.empty() ? fs::path()
                       : task_argument(unchecked != tasks.end() ? **unchecked : *tasks.front());
}

}  // namespace opgrade
