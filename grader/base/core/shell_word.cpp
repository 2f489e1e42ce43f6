#include "grader/base/core/shell_word.hpp"

#include <algorithm>

namespace opgrade {
namespace {

/// Not ~, which a shell expands at the start of a word. Characters beyond ASCII are quoted, too.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-+=:,./@%").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view word) {
  // zsh expands a word with a leading = to the path of a program.
  if (!word.empty() && word.front() != '=' && std::ranges::all_of(word, is_plain))
    return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    // Single quotes cannot contain a single quote: close them, add an escaped quote, reopen them.
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_path(std::string_view path) {
  return shell_word(path.starts_with('-') ? "./" + std::string(path) : std::string(path));
}

}  // namespace opgrade
