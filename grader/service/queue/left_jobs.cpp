#include "grader/service/queue/left_jobs.hpp"

#include <filesystem>
#include <set>
#include <string>

#include "grader/base/core/whole_number.hpp"
#include "grader/course/slurm/slurm_executor.hpp"

namespace opgrade::service {
namespace {

/// True if the submission with this purpose is over. Other purposes, such as those of rejudges, do
/// not belong to the queue.
bool is_over(const Queue& queue, const std::string& purpose) {
  const auto dot = purpose.rfind('.');
  if (dot == std::string::npos) return false;
  const auto id = whole_number<std::int64_t>(std::string_view(purpose).substr(dot + 1));
  if (!id) return false;
  const auto found = queue.find(*id);
  return found && purpose_of(*found) == purpose && found->state != State::queued &&
         found->state != State::running;
}

}  // namespace

bool cancel_left_jobs(const Service& service) {
  const auto folder = service.files.folder();
  std::set<std::filesystem::path> shared;
  for (const auto& assignment : folder->course.assignments)
    if (!assignment.slurm.shared.empty()) shared.insert(assignment.slurm.shared);
  try {
    for (const auto& place : shared)
      course::remove_runs(
          place, course::course_name(service.path),
          [&](const std::string& purpose) { return is_over(service.queue, purpose); },
          service.options.slurm);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace opgrade::service
