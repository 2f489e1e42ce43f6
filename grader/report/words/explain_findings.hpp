/// Each kind of finding in plain words, for `opgrade explain`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opgrade::report {

struct FindingExplanation {
  std::string_view kind;
  std::string_view meaning;  ///< what the emulated device or compute-sanitizer saw
  std::string_view cause;    ///< the usual cause, and its remedy
};

std::span<const FindingExplanation> finding_explanations();

/// The output of `opgrade explain KIND`, wrapped to `width` columns; nullopt if there is no such
/// kind.
std::optional<std::string> finding_text(std::string_view kind, int width);

}  // namespace opgrade::report
