#include "grader/grading/build/line_markers.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace opgrade {
namespace {

bool is_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The size of a line's end that a backslash takes out of the source, with blanks between; 0 if
/// there is none. A trigraph may stand for the backslash.
std::size_t splice_size(std::string_view text) {
  const std::size_t sign = text.starts_with('\\') ? 1 : text.starts_with("?\?/") ? 3 : 0;
  if (sign == 0) return 0;
  const auto end = text.find_first_not_of(" \t\f\v\r", sign);
  return end != text.npos && text[end] == '\n' ? end + 1 : 0;
}

/// Blanks the line from i on and returns where it stopped. Keeps comments, and stops at the rest of
/// a comment that began or ends on another line.
std::size_t blank_line(std::string& text, std::size_t i) {
  while (i < text.size() && text[i] != '\n') {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest.starts_with("*/")) break;
    std::size_t kept = splice_size(rest);
    if (rest.starts_with("/*")) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      const auto end = line.find("*/", 2);
      if (end == line.npos) break;
      kept = end + 2;
    }
    if (kept == 0) text[i] = ' ';
    i += std::max<std::size_t>(kept, 1);
  }
  return i;
}

}  // namespace

/// A line marker begins a line with '#', %: or ??=, before something else than the name of another
/// directive; none of those begins with an l. A comment in front does not matter.
std::string without_line_markers(std::string text) {
  bool begins_line = true;
  char before = '\0';  // the line's last character
  const std::string_view mark = "\xEF\xBB\xBF";
  for (std::size_t i = text.starts_with(mark) ? mark.size() : 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (const std::size_t splice = splice_size(rest)) {
      i += splice - 1;
      continue;
    }
    const char c = text[i];
    const bool is_sign = c == '#' || (c == ':' && before == '%') || rest.starts_with("?\?=");
    if (is_sign && begins_line) {
      std::size_t next = i + (c == '?' ? 3 : 1);
      while (next < text.size()) {
        const std::size_t splice = splice_size(std::string_view(text).substr(next));
        if (splice == 0 && std::string_view(" \t\f\v").find(text[next]) == std::string_view::npos)
          break;
        next += splice == 0 ? 1 : splice;
      }
      const char first = next < text.size() ? text[next] : '\0';
      if (first != '\n' && (!is_name(first) || first == 'l')) {
        if (c == ':') text[text.rfind('%', i)] = ' ';
        i = blank_line(text, i) - 1;
        before = ' ';
        continue;
      }
    }
    if (c == '\n')
      begins_line = true;
    else if (c == '/' && before == '*')
      begins_line = true;  // perhaps
    else if (std::string_view(" \t\f\v\r%").find(c) == std::string_view::npos && c != '\0')
      begins_line = false;
    before = c;
  }
  return text;
}

}  // namespace opgrade
