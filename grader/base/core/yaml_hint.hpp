/// Guesses what is missing in a text that is no YAML.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opgrade {

/// A line and a column, from 0, and the advice for that place.
struct YamlHint {
  int line = 0, column = 0;
  std::string advice;
};

/// The hint for a text that a parser refuses at a line and column. The mistake is often before that
/// place.
std::optional<YamlHint> yaml_hint(std::string_view text, int line, int column);

/// True if the quoted text at that place has no closing quote, which yaml-cpp 0.7 accepts.
bool is_open_quote(std::string_view text, int line, int column);

/// True if a bracket is opened and not closed: "uniform(-6".
bool has_open_bracket(std::string_view text);

}  // namespace opgrade
