#include "grader/grading/cases/rerun/cpu_sanitizers.hpp"

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/grading/build/source_lines.hpp"
#include "grader/grading/cases/case_run.hpp"
#include "grader/grading/cases/verdict/explain_case.hpp"
#include "grader/grading/profile/address_sanitizer.hpp"

namespace opgrade {

void run_with_sanitizers(const CaseContext& context, const std::vector<NamedProblem>& problems,
                         std::mt19937_64 random, CaseReport& report) {
  const CaseReport again = run_problems_case(context, problems, random);
  explain_with(report, read_address_sanitizer(again.student_output, is_own_source));
}

std::optional<Note> look_for_races(const CaseContext& context,
                                   const std::vector<NamedProblem>& problems,
                                   std::mt19937_64 random, JudgedCase& c) {
  CaseReport again;
  try {
    again = run_problems_case(context, problems, random);
  } catch (const Error& e) {
    // No line of the submission ran.
    return notes::RaceRunFailed{printable_line(e.what())};
  }
  auto races = read_thread_sanitizer(again.student_output, is_own_source);
  if (again.outcome != Outcome::wrong_output)
    std::erase_if(races, [](const Finding& one) { return one.kind == "lost_update"; });
  if (races.empty() && again.outcome != Outcome::passed) {
    if (again.outcome == Outcome::out_of_time || again.outcome == Outcome::out_of_memory)
      return notes::RaceRunStopped{again.outcome};
    fail_when_watched(c, {again.outcome, again.reason});
    return std::nullopt;
  }
  add_new(c.findings, races);
  judge(c);
  return std::nullopt;
}

}  // namespace opgrade
