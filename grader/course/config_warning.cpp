#include "grader/course/config_warning.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "grader/app/reference_build.hpp"
#include "grader/course/course_folder.hpp"
#include "grader/course/new_file.hpp"
#include "grader/course/result_files.hpp"
#include "grader/course/text_file.hpp"
#include "grader/report/class_warning.hpp"
#include "grader/report/json.hpp"
#include "grader/results/result_names.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade::course {

namespace fs = std::filesystem;

std::string config_warning(const Store& store, const std::string& assignment) {
  std::map<std::int64_t, Attempt> last;
  for (const Attempt& attempt : store.attempts()) {
    if (!attempt.counts || attempt.outcome == Outcome::grader_fault) continue;
    Attempt& known = last[attempt.submission];
    if (known.id == 0 || attempt.place > known.place) known = attempt;
  }
  std::vector<Outcome> outcomes;
  for (const Submission& submission : store.submissions(assignment))
    if (const auto found = last.find(submission.id); found != last.end())
      outcomes.push_back(found->second.outcome);
  const std::string warning = report::class_warning(outcomes);
  return warning.empty() ? warning : assignment + ": " + warning;
}

namespace {

fs::path reference_file(const fs::path& folder, const Rules& rules) {
  return folder / kResults / "configs" /
         fmt::format("{}.{}.reference.json", rules.config_sha256, result_name(rules.version));
}

}  // namespace

void check_reference(const fs::path& folder, const Config& config, const Rules& rules,
                     const GradeOne& grade) {
  const fs::path file = reference_file(folder, rules);
  const fs::path solution = folder_of_solution(find_interface(config.interface));
  std::error_code ignored;
  if (fs::exists(file, ignored) || !fs::exists(solution, ignored)) return;
  const Grade made = grade(solution, "reference solution");
  if (made.outcome != Outcome::grader_fault) write_new_file(file, report_json(made), folder);
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
