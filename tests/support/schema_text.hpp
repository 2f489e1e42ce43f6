/// Lays a JSON Schema out for people: a property a line.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace opgrade::test {

/// True where a rule below has properties of its own.
inline bool has_properties(const nlohmann::ordered_json& value) {
  if (value.is_object() && value.contains("properties")) return true;
  return value.is_structured() && std::any_of(value.begin(), value.end(), has_properties);
}

inline std::string laid_out(const nlohmann::ordered_json& value, const std::string& indent,
                            bool a_line) {
  if (!value.is_structured()) return value.dump();
  const std::string inner = indent + " ";
  std::string text;
  for (const auto& [key, item] : value.items()) {
    if (!text.empty()) text += a_line ? ", " : ",\n" + inner;
    if (value.is_object()) text += '"' + key + "\": ";
    text += laid_out(item, inner, a_line || (key != "properties" && !has_properties(item)));
  }
  if (!a_line) text = "\n" + inner + text + "\n" + indent;
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

inline std::string schema_text(const nlohmann::ordered_json& schema) {
  return laid_out(schema, "", false) + "\n";
}

}  // namespace opgrade::test
