#include "grader/grading/pipeline/planned_cases.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/printable.hpp"
#include "grader/grading/cases/plan/chain_calls.hpp"
#include "grader/grading/cases/rerun/watched_run.hpp"
#include "grader/grading/pipeline/stage_problems.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/report/words/diagnostics.hpp"
#include "grader/report/words/note_words.hpp"
#include "grader/task/interface/random_values.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// Adds those files of the submission in which something was counted.
void add_sources(ProfileReport& profile, const TakenFiles& files) {
  for (const TakenFile& file : files.files) {
    const auto name = fs::path(file.name).filename().string();
    const auto in_file = [&](const ProfileAccessRow& access) {
      return fs::path(access.file).filename() == name;
    };
    const bool counted = std::ranges::any_of(profile.counts, [&](const ProfileCountRow& row) {
      return std::ranges::any_of(row.accesses, in_file);
    });
    if (counted) profile.sources.push_back({name, printable(file.bytes)});
  }
}

}  // namespace

/// A compiler limit is no reason, because instrumented code meets it sooner.
std::optional<Reason> PlannedCases::unwatchable(const CasePlan& plan) {
  if (!plan.is_watched()) return std::nullopt;
  if (!bench_.machine.tools().cxx_can_watch) return text_reason(report::kCannotWatch);
  const BuildReport& build = build_.watching().report;
  if (build.outcome != Outcome::build_failed || build.reason.is<why::CompilerLimit>())
    return std::nullopt;
  return why::FailedWhenWatched{{build.reason}};
}

CaseBuilds PlannedCases::builds_for(const CasePlan& plan) {
  CaseBuilds builds{.deciding = {.submission = build_.submission()}};
  if (plan.is_watched() && !build_.watching().submission.empty())
    builds.deciding = {.submission = build_.watching().submission, .watched = true};
  if (plan.watch == Watch::layers && watched_networks_.insert(plan.network).second)
    builds.layers = build_.watching().submission;
  builds.counting.stage = &counting_;
  if (plan.counts != Counts::none) builds.counting.submission = build_.counting().submission;
  builds.counting.decides = plan.counts == Counts::points;
  // Counts with other inputs, because a submission that knew the inputs could show this run another
  // kernel.
  if (builds.counting.decides)
    builds.counting.seed = case_random(bench_.seed, plan.what.id + " counts")();
  return builds;
}

CaseReport PlannedCases::run(const CasePlan& plan, const CaseContext& context,
                             const CaseBuilds& builds) {
  return plan.what.visit(
      [&](const CaseConfig& listed) { return run_timed(plan, listed, context, builds.layers); },
      [&](const auto& kind) { return run_checked(plan, kind, context); });
}

void PlannedCases::finish(const CasePlan& plan, CaseReport& report) {
  if (plan.counts != Counts::none && build_.counting().submission.empty() &&
      report.outcome == Outcome::passed) {
    if (!report.profile) report.profile.emplace();
    report.profile->problem =
        "the build that counts failed: " + report::why_not_built(build_.counting().report);
  }
  if (report.profile) add_sources(*report.profile, build_.files());
  reruns_.sanitize(plan, report);
}

void PlannedCases::count_as_run(const CasePlan& plan) {
  if (plan.watch == Watch::layers) watched_networks_.insert(plan.network);
}

JudgedCase PlannedCases::run_timed(const CasePlan& plan, const CaseConfig& listed,
                                   const CaseContext& context, const fs::path& layers) {
  const std::string& id = plan.what.id;
  std::vector<Note> own;
  TimingConfig timing = timing_of(bench_.config, stage_, listed);
  if (const auto& most = bench_.options.most_timed_calls)
    timing.repetitions = std::min(timing.repetitions.value_or(1), *most);
  const MakeCalls calls = calls_of(context_, listed, case_random(bench_.seed, id));
  JudgedCase judged = run_timed_case(context, calls, listed, timing, own);
  if (!layers.empty())
    watch_layers(context_, layers, model_of(context_.models, bench_.config, listed.model),
                 case_random(bench_.seed, id), judged, own);
  reruns_.rerun_otherwise(plan, context, judged, [&](const CaseContext& how) {
    std::vector<Note> ignored;
    return run_timed_case(how, calls, listed, timing, ignored);
  });
  for (Note& note : own) notes_.add(id, std::move(note));
  return judged;
}

JudgedCase PlannedCases::run_checked(const CasePlan& plan, const auto& kind,
                                     const CaseContext& context) {
  std::mt19937_64 random = case_random(bench_.seed, plan.what.id);
  const auto problems = problems_of(context_, kind, random);
  const auto run = [&](const CaseContext& how) { return run_problems_case(how, problems, random); };
  JudgedCase judged = context.built.watched && plan.watch == Watch::small_batches
                          ? watch_small(context, build_.submission(), problems, random)
                          : run(context);
  reruns_.rerun_otherwise(plan, context, judged, run);
  reruns_.find_races(plan, problems, random, judged);
  return judged;
}

}  // namespace opgrade
