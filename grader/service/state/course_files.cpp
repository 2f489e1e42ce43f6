#include "grader/service/state/course_files.hpp"

#include <fmt/format.h>

#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/shell_word.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/task_files.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;

/// A text that changes if one of the files does. `known` is the course as it was read last, which
/// names the rubrics.
std::string stamp_of(const fs::path& path, const course::Course& known) {
  std::vector<fs::path> files{path / course::kCourseFile, path / course::kRosterFile};
  for (const auto& documents : known.reports) files.emplace_back(documents.report.rubric);
  std::string stamp;
  for (const fs::path& file : files) {
    std::error_code ignored;
    stamp += fmt::format("{} {};", fs::last_write_time(file, ignored).time_since_epoch().count(),
                         fs::file_size(file, ignored));
  }
  return stamp;
}

}  // namespace

CourseFiles::CourseFiles(fs::path path, const ServiceOptions& options)
    : path_(std::move(path)),
      options_(options),
      folder_(std::make_shared<course::CourseFolder>(course::open_course_folder(path_))),
      stamp_(stamp_of(path_, folder_->course)) {}

void CourseFiles::reload() const {
  const std::string stamp = stamp_of(path_, folder_->course);
  if (stamp == stamp_) return;
  stamp_ = stamp;
  try {
    folder_ = std::make_shared<course::CourseFolder>(course::open_course_folder(path_));
    problem_.clear();
  } catch (const Error& e) {
    problem_ = e.what();
  }
}

std::shared_ptr<const course::CourseFolder> CourseFiles::folder() const {
  const std::scoped_lock lock(guard_);
  reload();
  return folder_;
}

std::string CourseFiles::folder_problem() const {
  const std::scoped_lock lock(guard_);
  reload();
  return problem_;
}

std::shared_ptr<const Config> CourseFiles::config_of(const course::Assignment& assignment) const {
  const std::scoped_lock lock(guard_);
  constexpr auto kFresh = std::chrono::seconds(2);
  KnownConfig& known = configs_[assignment.name];
  if (known.config != nullptr && options_.now() - known.read < kFresh &&
      known.read <= options_.now())
    return known.config;
  try {
    Config config = options_.config_of(assignment);
    std::string content = dump_config(config);
    known.problem.clear();
    known.read = options_.now();
    known.facts = course::facts_of(config);
    known.facts.rules->version = options_.version();
    known.unchecked = options_.why_unchecked(config);
    known.needs_gpu = options_.needs_gpu(config);
    if (known.config != nullptr && known.content == content) return known.config;
    known.config = std::make_shared<const Config>(std::move(config));
    known.content = std::move(content);
  } catch (const Error& e) {
    if (known.config == nullptr) throw;
    known.problem = assignment.name + ": " + e.what();
    known.read = options_.now();
  }
  return known.config;
}

std::vector<std::string> CourseFiles::config_warnings(course::Store& store) const {
  std::vector<std::string> warnings;
  const auto add = [&](std::string warning) {
    if (!warning.empty()) warnings.push_back(std::move(warning));
  };
  const auto now = folder();
  for (const auto& a : now->course.assignments) {
    add(course::config_warning(store, a.name));
    try {
      add(course::reference_warning(path_, a, facts_of(a).rules.value()));
    } catch (const Error&) {
      // config_problems() reports it.
    }
  }
  return warnings;
}

course::AssignmentFacts CourseFiles::facts_of(const course::Assignment& assignment) const {
  config_of(assignment);
  const std::scoped_lock lock(guard_);
  return configs_.at(assignment.name).facts;
}

bool CourseFiles::uses_gpu(const course::Assignment& a) const {
  if (a.on_slurm || (a.is_practice && !a.practice.on_devices)) return false;
  try {
    config_of(a);
  } catch (const Error&) {  // its grading reports the error
    return false;
  }
  const std::scoped_lock lock(guard_);
  return configs_.at(a.name).needs_gpu;
}

bool CourseFiles::keeps_gpu_hours(const course::Assignment& a) const {
  return folder()->course.gpu.hours && uses_gpu(a);
}

std::string CourseFiles::gpu_hours() const {
  const auto now = folder();
  const auto& hours = now->course.gpu.hours;
  return hours ? course::hours_text(*hours, *now->course.zone, options_.now()) : "";
}

std::string CourseFiles::waits_for(const std::string& assignment) const {
  constexpr const char* kStaff = "staff";
  const auto now = folder();
  const auto* const found = now->course.find(assignment);
  // A worker reads the files anew and would fail.
  if (found == nullptr || !folder_problem().empty()) return kStaff;
  const course::Assignment& a = *found;
  try {
    config_of(a);
  } catch (const Error&) {
    return kStaff;
  }
  std::unique_lock lock(guard_);
  const KnownConfig& known = configs_.at(a.name);
  if (!known.unchecked.empty() || !known.problem.empty()) return kStaff;
  lock.unlock();
  if (now->course.gpu_closed_until(options_.now()) && keeps_gpu_hours(a))
    return "the GPU's hours, " + gpu_hours();
  return "";
}

std::vector<std::string> CourseFiles::config_problems() const {
  std::vector<std::string> all;
  const auto read = folder();
  for (const auto* part : {&read->course.assignments, &read->course.practice}) {
    for (const auto& a : *part) {
      try {
        config_of(a);
      } catch (const Error& e) {
        all.push_back(a.name + ": " + e.what());
        continue;
      }
      const std::scoped_lock lock(guard_);
      const KnownConfig& known = configs_.at(a.name);
      if (!known.problem.empty()) all.push_back(known.problem);
      if (!known.unchecked.empty())
        all.push_back(fmt::format(
            "{}: {}, so its submissions wait. Run opgrade task check {}; grading begins when the "
            "check has passed.",
            a.name, known.unchecked, shell_path(task_to_check(*known.config).string())));
    }
  }
  return all;
}

}  // namespace opgrade::service
