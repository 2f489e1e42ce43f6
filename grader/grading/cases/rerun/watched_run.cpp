#include "grader/grading/cases/rerun/watched_run.hpp"

#include <algorithm>
#include <iterator>

#include "grader/grading/cases/case_run.hpp"
#include "grader/grading/cases/rerun/varied_run.hpp"
#include "grader/grading/cases/verdict/case_end.hpp"

namespace opgrade {
namespace {

constexpr int kImages = 3;
constexpr std::chrono::seconds kBudget{20};

/// The operations in half a second of a watched run.
constexpr double kSmallFlops = 6e7;

}  // namespace

void watch_layers(const StageContext& stage, const std::filesystem::path& watching,
                  const Model& model, std::mt19937_64 random, JudgedCase& c,
                  std::vector<Note>& notes) {
  const auto problems = model.problems(kImages);
  const auto run = [&](const DeviceVariation& how) {
    const CaseContext bounded{
        .stage = stage,
        .built = {.submission = watching, .watched = true, .variation = how.environment},
        .wants = {.wall = kBudget}};
    return run_problems_case(bounded, problems, random, Until::end);
  };
  JudgedCase watched = run({});
  rerun_watched_packed(watched, run);
  if (watched.evidence.failure && watched.outcome != c.outcome)
    notes.push_back(notes::LayersNotWatched{kImages, {watched.reason}});
  c.evidence.own_findings = c.findings.size();
  c.evidence.watched_images = kImages;
  add_new(c.findings, watched.findings);
  judge(c);
}

std::size_t count_of_watched(std::span<const NamedProblem> problems) {
  const auto large = std::ranges::find_if(
      problems, [](const auto& one) { return one.problem->flops() > kSmallFlops; });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(large - problems.begin(), 1));
}

JudgedCase watch_small(const CaseContext& context, const std::filesystem::path& plain,
                       std::span<const NamedProblem> problems, std::mt19937_64 random) {
  const auto small = count_of_watched(problems);
  JudgedCase watched = run_problems_case(context, problems.first(small), random);
  const auto rest = problems.subspan(small);
  if (watched.outcome != Outcome::passed || rest.empty()) return watched;
  const CaseContext unwatched{.stage = context.stage, .built = {.submission = plain}};
  JudgedCase c = run_problems_case(unwatched, rest, random);
  c.calls.insert(c.calls.begin(), std::make_move_iterator(watched.calls.begin()),
                 std::make_move_iterator(watched.calls.end()));
  add_new(watched.findings, c.findings);
  c.findings = std::move(watched.findings);
  // The watched rerun gives the lines of what went wrong.
  if (c.outcome == Outcome::crashed || c.outcome == Outcome::exited_early ||
      c.outcome == Outcome::wrong_output)
    add_new(c.findings, run_problems_case(context, rest, random).findings);
  c.student_output = watched.student_output + c.student_output;
  add_use(c.usage, watched.usage);
  c.evidence.ran_plain = true;
  judge(c);
  return c;
}

}  // namespace opgrade
