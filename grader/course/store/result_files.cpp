#include "grader/course/store/result_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "grader/base/core/error.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/base/files/partial_file.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/report/fields/json.hpp"
#include "grader/report/formats/exporters.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReport = "report.json";
constexpr std::size_t kConfigDigits = 12;

std::string devices_of(const Grade& grade) {
  std::set<std::string> devices;
  for (const auto& stage : grade.stages) {
    devices.emplace(name_of(stage.device));
    for (const auto& c : stage.cases)
      if (c.gpu) devices.insert(c.gpu->name);
  }
  return fmt::format("{}", fmt::join(devices, ", "));
}

Attempt attempt_of(const Submission& submission, const Grade& grade, int number,
                   const std::string& text) {
  Attempt attempt;
  attempt.submission = submission.id;
  attempt.config_sha256 = grade.config_sha256;
  attempt.version = grade.machine.opgrade_version;
  attempt.number = number;
  attempt.machine = grade.machine.gpu.empty() ? grade.machine.host_cpu
                                              : grade.machine.host_cpu + ", " + grade.machine.gpu;
  attempt.tier = grade.machine.sandbox;
  attempt.device = devices_of(grade);
  attempt.started = grade.machine.started;
  attempt.outcome = grade.outcome;
  attempt.points = grade.points;
  attempt.max_points = grade.max_points;
  attempt.open_points = grade.open_points;
  attempt.late_points = grade.late_points;
  attempt.result = result_path(submission, attempt.config_sha256, attempt.version, number);
  attempt.result_sha256 = sha256_of_text(text);
  return attempt;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  const auto value = whole_number(text);
  return value && *value >= 1 ? value : std::nullopt;
}

}  // namespace

bool write_new_file(const std::filesystem::path& file, const std::string& bytes,
                    const std::filesystem::path& root) {
  std::error_code error;
  if (!root.empty() && !std::filesystem::is_directory(root, error))
    throw Error(fmt::format("{} is gone; {} is not written", root.string(), file.string()),
                "was the folder moved? Repeat the command with its path of now");
  std::filesystem::create_directories(file.parent_path(), error);
  if (error)
    throw Error(fmt::format("cannot make {}: {}", file.parent_path().string(), error.message()),
                "check the free space and the rights on the course folder");
  PartialFile partial(file);
  write_whole(partial.path(), bytes, 0600);
  return partial.commit_new();
}

std::string result_path(const Submission& submission, const std::string& config_sha256,
                        const std::string& version, int number) {
  return fmt::format("{}/{}/{}/{}/{}.{}.{}/{}", kResults, submission.assignment,
                     result_name(submission.owner), submission.id,
                     config_sha256.substr(0, kConfigDigits), result_name(version), number, kReport);
}

std::string difference(const fs::path& file, const std::string& sha256) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return "is missing; restore it from a backup";
  try {
    if (sha256_of_file(file) != sha256)
      return "has changed since it was recorded; restore it from a backup";
  } catch (const Error& e) {
    return fmt::format("cannot be read: {}", e.what());
  }
  return "";
}

std::string report_json(const Grade& grade) {
  const report::Exporter& json = report::exporter("json");
  return json.write(grade, {json.audience});
}

Grade collect(Store& store, const fs::path& folder, const Submission& submission,
              const GradingJob& job) {
  store.require_place();
  const std::string text = text_of_file(job.result);
  Grade grade = report::grade_from_json(text);
  Attempt attempt = attempt_of(submission, grade, job.number, text);
  if (folder / attempt.result != job.result) {
    throw Error(fmt::format("{} holds a result of config {} by opgrade {}", job.result.string(),
                            grade.config_sha256, grade.machine.opgrade_version),
                "move the file away and repeat the command");
  }
  store.record(attempt);
  return grade;
}

std::vector<std::string> result_files(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry(folder / kResults, ignored), end; entry != end;
       entry.increment(ignored)) {
    if (entry->path().filename() == kReport && entry->is_regular_file(ignored))
      files.push_back(entry->path().lexically_relative(folder).string());
  }
  std::ranges::sort(files);
  return files;
}

void remove_unfinished(const fs::path& folder, const char* part) {
  std::vector<fs::path> left;
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry(folder / part, ignored), end; entry != end;
       entry.increment(ignored)) {
    if (entry->path().extension() == ".partial") left.push_back(entry->path());
  }
  for (const auto& file : left) fs::remove(file, ignored);
}

std::size_t record_found_results(Store& store, const fs::path& folder) {
  std::set<std::string> known;
  for (auto& attempt : store.attempts()) known.insert(std::move(attempt.result));
  const auto submissions = store.submissions_by_id();
  std::size_t recorded = 0;
  for (const std::string& file : result_files(folder)) {
    if (known.contains(file)) continue;
    // .../<submission>/<config>.<...>.<number>
    const fs::path place = fs::path(file).parent_path();
    const std::string key = place.filename().string();
    const auto submission = number_in(place.parent_path().filename().string());
    const auto number = number_in(std::string_view(key).substr(key.rfind('.') + 1));
    const auto found = submission ? submissions.find(*submission) : submissions.end();
    if (found == submissions.end() || !number) continue;  // course verify reports it
    const std::string text = text_of_file(folder / file);
    const Grade grade = report::grade_from_json(text);
    Attempt attempt = attempt_of(found->second, grade, static_cast<int>(*number), text);
    if (attempt.result == file && store.record(attempt)) ++recorded;
  }
  return recorded;
}

}  // namespace opgrade::course
