#include "grader/build/line_markers.hpp"

#include <cctype>
#include <string_view>

namespace opgrade {

/// Each is a '#', or %:, before something else than the name of another directive; none of those
/// begins with an l.
std::string without_line_markers(std::string text) {
  constexpr std::string_view kJoins = "\\\r\n";  // between the two characters of a sign
  char before = '\0';                            // what none of these is
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "##") == 0) {
      before = text[++i];
      continue;
    }
    const bool digraph = text[i] == ':' && before == '%';
    if (text[i] == '#' || digraph) {
      const auto next = text.find_first_not_of(" \t", i + 1);
      const char first = next == text.npos ? '\0' : text[next];
      const bool name = std::isalpha(static_cast<unsigned char>(first)) != 0 || first == '_';
      if (!name || first == 'l') text[i] = ' ';
    }
    if (kJoins.find(text[i]) == kJoins.npos) before = text[i];
  }
  return text;
}

}  // namespace opgrade
