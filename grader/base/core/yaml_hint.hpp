/// What is probably missing where a text is no YAML.
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

/// For a text that a parser refuses at a line and column, which is often behind the mistake.
std::optional<YamlHint> yaml_hint(std::string_view text, int line, int column);

/// Whether the text in quotes at that place has no closing quote, which yaml-cpp 0.7 takes.
bool is_open_quote(std::string_view text, int line, int column);

/// Whether a bracket is opened and not closed: "uniform(-6".
bool has_open_bracket(std::string_view text);

}  // namespace opgrade
