#include "grader/course/config_warning.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "grader/app/reference_build.hpp"
#include "grader/core/fd.hpp"
#include "grader/course/course_folder.hpp"
#include "grader/course/new_file.hpp"
#include "grader/course/result_files.hpp"
#include "grader/files/text_file.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/report/class_warning.hpp"
#include "grader/report/json.hpp"
#include "grader/results/result_names.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade::course {

namespace fs = std::filesystem;

std::string config_warning(const Store& store, const std::string& assignment) {
  const std::string warning = report::class_warning(store.last_outcomes(assignment));
  return warning.empty() ? warning : assignment + ": " + warning;
}

namespace {

fs::path reference_file(const fs::path& folder, const Rules& rules) {
  return folder / kResults / "configs" /
         fmt::format("{}.{}.reference.json", rules.config_sha256, result_name(rules.version));
}

/// Of the folder, so that no file is left. False: another process holds it.
bool lock(const fs::path& folder, Fd& held) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  held = Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A file system without such locks only costs a second grading.
  return ::flock(held.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

}  // namespace

void check_reference(const fs::path& folder, const Config& config, const Rules& rules,
                     const GradeOne& grade, const Listener& listen) {
  const fs::path file = reference_file(folder, rules);
  const fs::path solution = folder_of_solution(find_interface(config.interface));
  std::error_code ignored;
  if (fs::exists(file, ignored) || !fs::exists(solution, ignored)) return;
  Fd held;
  if (!lock(file.parent_path(), held)) return;
  listen(events::ReferenceGraded{});
  Outcome outcome = Outcome::grader_fault;
  try {
    const Grade made = grade(solution, "reference solution");
    if (made.outcome != Outcome::grader_fault) write_new_file(file, report_json(made), folder);
    outcome = made.outcome;
  } catch (const interrupt::Interrupted&) {
    listen(events::ReferenceGraded{Outcome::not_run});
    throw;
  } catch (const std::exception&) {
    // Says nothing of the config. Where the machine fails, the submissions' own gradings say so.
  }
  listen(events::ReferenceGraded{outcome});
}

std::string reference_warning(const fs::path& folder, const Assignment& assignment,
                              const Rules& rules) {
  const auto text = read_text_file(reference_file(folder, rules));
  if (!text) return {};
  const std::string warning =
      report::reference_warning(report::grade_from_json(*text), assignment.config);
  return warning.empty() ? warning : assignment.name + ": " + warning;
}

}  // namespace opgrade::course
