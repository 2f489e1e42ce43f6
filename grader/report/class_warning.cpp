#include "grader/report/class_warning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/core/counted.hpp"

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

}  // namespace opgrade::report
