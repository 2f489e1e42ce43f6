/// The sentences of the advisor's rules.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/profile.hpp"

namespace opgrade::report {

struct RuleExplanation {
  std::string_view rule;
  std::string_view counted;  ///< {0} is the count, {1} the smallest possible count
  std::string_view meaning;
  std::string_view remedy;
  std::string_view before, after;  ///< lines of code
  int rung = 0;                    ///< step of the ladder that shows the remedy, or 0
  std::string_view saving = "It can save {:.0f} % of the kernels' time at most.";
};

std::span<const RuleExplanation> rule_explanations();

/// "may save 44 %: line 21 of new-forward.cu (conv): ..., remedy"; empty for an unknown rule.
std::string advice_sentence(const ProfileAdvice& advice);
/// A line for the report of a passed stage: the advice that saves most, without its remedy, and the
/// number of further advice; empty if there is no advice.
std::string advice_line(const std::vector<ProfileAdvice>& advice);

/// The output of `opgrade explain RULE`; nullopt if there is no such rule.
std::optional<std::string> rule_text(std::string_view rule, int width);

}  // namespace opgrade::report
