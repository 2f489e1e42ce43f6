#include "grader/grading/pipeline/staff_prototypes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "grader/base/core/cpp_tokens.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"

namespace opgrade {
namespace {

using Tokens = std::vector<std::string>;

bool is_word(std::string_view token) {
  return !token.empty() &&
         (std::isalnum(static_cast<unsigned char>(token.front())) || token.front() == '_');
}

/// A function's type and parameters, as tokens without names.
struct Signature {
  Tokens returns;
  std::vector<Tokens> parameters;
  std::string text;  ///< as the file has it, on one line
  int line = 1;

  friend bool operator==(const Signature& a, const Signature& b) {
    return a.returns == b.returns && a.parameters == b.parameters;
  }
};

/// Types of one word that no parameter is named after.
bool is_type(std::string_view word) {
  for (const char* type : {"int", "char", "short", "long", "unsigned", "signed", "float", "double",
                           "bool", "void", "const"})
    if (word == type) return true;
  return word.ends_with("_t");
}

/// "const float *" of "float const* x".
Tokens type_of(Tokens parameter) {
  if (parameter.size() > 1 && is_word(parameter.back()) && !is_type(parameter.back()))
    parameter.pop_back();
  // `const` in front of a value or behind its first word is the same.
  const auto star = std::ranges::find(parameter, "*");
  const auto constant = std::find(parameter.begin(), star, "const");
  if (constant != star) std::rotate(parameter.begin(), constant, constant + 1);
  return parameter;
}

/// The function whose name is the token `name`, followed by parameters in parentheses.
std::optional<Signature> signature_at(std::string_view text, const std::vector<CppToken>& tokens,
                                      std::size_t name) {
  const auto at = [&](std::size_t i) { return i < tokens.size() ? tokens[i].in(text) : ""; };
  if (at(name + 1) != "(") return std::nullopt;
  Signature found;
  std::size_t first = name;
  while (first > 0 && (is_word(at(first - 1)) || at(first - 1) == "*")) --first;
  for (std::size_t i = first; i < name; ++i)
    if (at(i) != "extern" && at(i) != "static" && at(i) != "inline")
      found.returns.emplace_back(at(i));
  if (found.returns.empty() || found.returns.front() == "return") return std::nullopt;
  Tokens parameter;
  std::size_t end = name + 2;
  for (int depth = 1; end < tokens.size(); ++end) {
    if (at(end) == "(") ++depth;
    if (at(end) == ")" && --depth == 0) break;
    if (at(end) == "," && depth == 1)
      found.parameters.push_back(type_of(std::exchange(parameter, {})));
    else
      parameter.emplace_back(at(end));
  }
  if (end == tokens.size()) return std::nullopt;
  if (!parameter.empty()) found.parameters.push_back(type_of(parameter));
  found.line = tokens[name].line;
  for (std::size_t i = first; i <= end; ++i) {
    found.text += at(i);
    // A line end and its indent are one blank.
    if (i < end && tokens[i + 1].begin > tokens[i].begin + tokens[i].size) found.text += ' ';
  }
  found.text = printable_line(found.text);
  return found;
}

/// The first definition, else the first declaration.
std::optional<Signature> signature_of(std::string_view text, std::string_view function) {
  const auto tokens = cpp_tokens(text);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].in(text) == function)
      if (auto found = signature_at(text, tokens, i)) return found;
  return std::nullopt;
}

std::string_view name_of(std::string_view prototype) {
  const auto open = prototype.find('(');
  const auto begin = prototype.find_last_of(" *", open) + 1;
  return prototype.substr(begin, open - begin);
}

}  // namespace

std::string other_prototypes(std::string_view wanted, const TakenFiles& files) {
  std::string text;
  for (const std::string& line : split(std::string(wanted), '\n')) {
    const auto function = name_of(line);
    const auto file =
        std::ranges::find(files.files, fmt::format("{}.cpp", function), &TakenFile::name);
    if (file == files.files.end()) continue;
    const auto has = signature_of(file->bytes, function), wants = signature_of(line, function);
    const bool elsewhere = !has && std::ranges::any_of(files.files, [&](const TakenFile& other) {
      return signature_of(other.bytes, function).has_value();
    });
    if (has == wants || elsewhere) continue;
    std::string prototype = line;
    while (prototype.ends_with(';')) prototype.pop_back();
    text += text.empty() ? "" : "; ";
    text += has ? fmt::format("{}:{} defines `{}`, but opgrade calls `{}`", file->name, has->line,
                              has->text, prototype)
                : fmt::format("{} does not define {}(): opgrade calls `{}`", file->name, function,
                              prototype);
  }
  return text;
}

}  // namespace opgrade
