#include "grader/cases/watched_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/cases/case_verdict.hpp"
#include "grader/cases/varied_run.hpp"
#include "grader/core/finding_kind.hpp"

namespace opgrade {
namespace {

constexpr int kImages = 3;
constexpr std::chrono::seconds kBudget{20};

}  // namespace

void watch_layers(const CaseContext& context, const Model& model, std::mt19937_64 random,
                  CaseReport& report, std::vector<std::string>& notes) {
  CaseContext bounded = context;
  bounded.wall = kBudget;
  bounded.profile = false;
  const auto problems = model.problems(kImages);
  CaseReport watched = run_problems_case(bounded, problems, random);
  watch_on(watched, context.config.findings, [&](const DeviceVariation& how) {
    bounded.variation = how.environment;
    return run_problems_case(bounded, problems, random);
  });
  if (watched.outcome != Outcome::passed && watched.outcome != Outcome::mistake_found) {
    notes.push_back(fmt::format("its layers were not watched to the end on {} images: {}", kImages,
                                watched.reason));
  }
  for (const Finding& finding : watched.findings) {
    if (!is_listed(report.findings, finding)) report.findings.push_back(finding);
  }
  const Finding* const mistake = worst_mistake(watched.findings);
  if (report.outcome != Outcome::passed || mistake == nullptr) return;
  judge_mistake(report, *mistake, context.config.findings);
  report.hint += fmt::format(
      " It was found with every access watched, on {} images of the network's own layers.",
      kImages);
}

}  // namespace opgrade
