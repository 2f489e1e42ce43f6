#include "grader/cases/watched_run.hpp"

#include <fmt/format.h>

#include "grader/cases/varied_run.hpp"
#include "grader/report/reason_words.hpp"

namespace opgrade {
namespace {

constexpr int kImages = 3;
constexpr std::chrono::seconds kBudget{20};

}  // namespace

void watch_layers(const CaseContext& context, const Model& model, std::mt19937_64 random,
                  JudgedCase& c, std::vector<std::string>& notes) {
  CaseContext bounded = context;
  bounded.wall = kBudget;
  bounded.profile = false;
  bounded.counting.clear();
  const auto problems = model.problems(kImages);
  const auto run = [&] { return run_problems_case(bounded, problems, random, Until::end); };
  JudgedCase watched = run();
  watch_on(watched, [&](const DeviceVariation& how) {
    bounded.variation = how.environment;
    return run();
  });
  if (watched.evidence.failure && watched.outcome != c.outcome)
    notes.push_back(fmt::format("its layers were not watched to the end on {} images: {}", kImages,
                                report::sentence_of(watched.reason)));
  c.evidence.own_findings = c.findings.size();
  c.evidence.watched_images = kImages;
  add_new(c.findings, watched.findings);
  judge(c);
}

}  // namespace opgrade
