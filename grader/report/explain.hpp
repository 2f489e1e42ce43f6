/// Each outcome in plain words, for `opgrade explain`.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "grader/core/outcome.hpp"

namespace opgrade::report {

struct Explanation {
  Outcome outcome;
  std::string_view meaning;                ///< what happened, and what it costs
  std::array<std::string_view, 3> causes;  ///< the usual ones, the most frequent first
  std::string_view example;                ///< lines of code or of a report
};

const Explanation& explanation_of(Outcome outcome);

/// By its id or its text, as reports write it: "wrong_output", "Wrong-Output", "wrong output".
std::optional<Outcome> find_outcome(std::string_view name);

/// The output of `opgrade explain NAME`, wrapped to `width` columns.
std::string explanation_text(Outcome outcome, int width);

/// The output of `opgrade explain`: each outcome with the first sentence of its meaning.
std::string explanation_list(int width);

}  // namespace opgrade::report
