/// Each verdict and outcome in plain words, for `opgrade explain`.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/outcome.hpp"

namespace opgrade::report {

struct Explanation {
  Outcome outcome;
  std::string_view meaning;                ///< what happened, and what it costs
  std::array<std::string_view, 3> causes;  ///< usual causes, the most frequent first
  std::string_view example;                ///< lines of code or of a report
};

const Explanation& explanation_of(Outcome outcome);

/// Finds an outcome by its id or by its text in reports: "wrong_output", "Wrong-Output", "wrong
/// output".
std::optional<Outcome> find_outcome(std::string_view name);

/// The output of `opgrade explain NAME`, wrapped to `width` columns.
std::string explanation_text(Outcome outcome, int width);

/// The explanation of any name in a report: a verdict such as FAILED, an outcome, or a kind of
/// finding such as data_race. nullopt for another name.
std::optional<std::string> explanation_text(std::string_view name, int width);

/// The names that explanation_text() knows: outcomes, verdicts that are not outcomes, kinds of
/// findings.
std::vector<std::string> explained_names();

/// The output of `opgrade explain`: each outcome and verdict with the first sentence of its
/// meaning, and the names of the findings.
std::string explanation_list(int width);

}  // namespace opgrade::report
