#include "grader/report/words/class_warning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/shell_word.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade::report {

bool none_right(std::span<const Outcome> outcomes) {
  return std::ranges::none_of(outcomes, [](Outcome outcome) {
    return outcome == Outcome::passed || outcome == Outcome::not_credible;
  });
}

std::string class_warning(std::span<const Outcome> outcomes) {
  const auto inaccurate = std::ranges::count(outcomes, Outcome::wrong_accuracy);
  if (inaccurate == 0 || !none_right(outcomes)) return {};
  return fmt::format(
      "no submission is right, and {} with right outputs {} another accuracy than the config "
      "requires: run opgrade check-config, which compares it with the model's",
      counted(inaccurate, "submission"), inaccurate == 1 ? "has" : "have");
}

std::string reference_warning(const Grade& reference, const std::string& config) {
  std::string first;
  std::int64_t failed = 0;
  for (const StageReport& stage : reference.stages) {
    for (const CaseReport& c : stage.cases) {
      if (c.advice || c.outcome == Outcome::passed || c.outcome == Outcome::refused ||
          is_undecided(c.outcome))
        continue;
      if (++failed == 1)
        first = fmt::format("{} ({}{}{})", c.id, words(c.outcome).text,
                            c.reason.empty() ? "" : ": ", sentence_of(c.reason));
    }
  }
  if (failed == 0) return {};
  return fmt::format(
      "the reference solution fails {}{}, so right submissions may lose these points: opgrade "
      "check {} --config {} shows why; correct the config",
      first, failed > 1 ? " and " + counted(failed - 1, "other case") : "",
      shell_path(reference.submission_path), shell_word(config));
}

}  // namespace opgrade::report
