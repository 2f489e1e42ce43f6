#include "grader/grading/pipeline/case_reruns.hpp"

#include "grader/grading/cases/rerun/cpu_sanitizers.hpp"
#include "grader/grading/cases/rerun/varied_run.hpp"
#include "grader/grading/cases/verdict/explain_case.hpp"
#include "grader/grading/pipeline/stage_problems.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/task/interface/random_values.hpp"

namespace opgrade {

void CaseReruns::rerun_otherwise(const CasePlan& plan, const CaseContext& context, JudgedCase& c,
                                 const std::function<JudgedCase(const CaseContext&)>& run) {
  if (!plan.vary) return;
  const auto rerun = [&](const DeviceVariation& how) {
    return run(
        {.stage = stage_,
         .built = {.submission = how.watched ? context.built.submission : build_.submission(),
                   .watched = how.watched,
                   .variation = how.environment}});
  };
  rerun_varied(c, context.built.watched, rerun);
  if (plan.interleave) interleave(c, rerun);
  if (plan.delay) delay_work(c, rerun);
}

void CaseReruns::find_races(const CasePlan& plan, const std::vector<NamedProblem>& problems,
                            const std::mt19937_64& random, JudgedCase& judged) {
  if (!plan.races) return;
  const auto preloads = tools_.sanitizer_runtimes(true);
  const Compiled* const racing = preloads.empty() ? nullptr : &build_.racing();
  if (racing != nullptr && racing->report.outcome == Outcome::build_failed)
    return fail_when_watched(judged, {racing->report.outcome, racing->report.reason});
  if (racing == nullptr || racing->submission.empty())
    return notes_.add(plan.what.id, notes::NoThreadSanitizer{});
  if (auto note = look_for_races(
          {.stage = stage_, .built = {.submission = racing->submission, .preloads = preloads}},
          problems, random, judged))
    notes_.add(plan.what.id, *std::move(note));
}

void CaseReruns::sanitize(const CasePlan& plan, CaseReport& report) {
  if (!plan.sanitizers) return;
  if (report.outcome == Outcome::out_of_time || report.outcome == Outcome::grader_fault) return;
  const auto preloads = tools_.sanitizer_runtimes();
  if (preloads.empty()) return;
  try {
    const auto& checked = build_.watching().submission;
    if (checked.empty()) return;
    std::mt19937_64 random = case_random(seed_, report.id);
    const CaseContext sanitized{.stage = stage_,
                                .built = {.submission = checked, .preloads = preloads}};
    plan.what.visit([](const CaseConfig&) {},
                    [&](const auto& kind) {
                      const auto problems = problems_of(stage_, kind, random);
                      run_with_sanitizers(sanitized, problems, random, report);
                    });
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    notes_.add(report.id, notes::SanitizersFailed{e.what()});
  }
}

}  // namespace opgrade
