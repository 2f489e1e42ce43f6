#include "grader/service/state/tool_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "grader/base/files/text_file.hpp"
#include "grader/course/results/result_names.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& course, const course::Submission& run) {
  return course / course::kResults / run.assignment / result_name(run.owner) /
         fmt::format("{}", run.id);
}

bool is_tool_file(const fs::path& path) { return is_tool_file_name(path.filename().string()); }

/// When a file is due to be removed; nullopt if another process has just removed it.
std::optional<course::Moment> end_of(const fs::path& file, int days) {
  std::error_code gone;
  const auto written = fs::last_write_time(file, gone);
  if (gone) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(written)) +
         std::chrono::days(days);
}

}  // namespace

void keep_tool_file(const fs::path& course, const course::Submission& run, const ToolFile& file) {
  const fs::path folder = folder_of(course, run);
  fs::create_directories(folder);
  write_file(folder / file.name, file.bytes, 0600);
}

std::vector<KeptFile> tool_files_of(const course::CourseFolder& folder,
                                    const course::Submission& run, course::Moment now) {
  std::vector<KeptFile> files;
  const auto* const assignment = folder.course.find(run.assignment);
  if (assignment == nullptr || !assignment->is_practice) return files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder_of(folder.path, run), missing)) {
    if (!is_tool_file(entry.path()) || !entry.is_regular_file(missing)) continue;
    const auto until = end_of(entry.path(), assignment->practice.keep_days);
    if (until && *until > now)
      files.push_back(
          {entry.path().filename().string(), entry.path(), entry.file_size(missing), *until});
  }
  std::ranges::sort(files, {}, &KeptFile::name);
  return files;
}

void remove_old_tool_files(const course::CourseFolder& folder, course::Moment now) {
  std::vector<fs::path> old;
  std::error_code missing;
  for (const auto& practice : folder.course.practice)
    for (fs::recursive_directory_iterator
             entry(folder.path / course::kResults / practice.name, missing),
         end;
         entry != end; entry.increment(missing))
      if (is_tool_file(entry->path()) && entry->is_regular_file(missing) &&
          end_of(entry->path(), practice.practice.keep_days).value_or(now) <= now)
        old.push_back(entry->path());
  for (const fs::path& file : old) fs::remove(file, missing);
}

}  // namespace opgrade::service
