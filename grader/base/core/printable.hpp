/// Makes bytes that a submission produced safe to show.
#pragma once

#include <string>
#include <string_view>

namespace opgrade {

/// Valid UTF-8 without control characters except newline and tab. Escape sequences, NUL, CR-only
/// line ends, broken UTF-8, and characters that are invisible or reorder the text come out as
/// visible text. Lines beyond `max_line` bytes are cut with a mark. Every report passes student
/// text through this before its own format's escaping.
std::string printable(std::string_view bytes, std::size_t max_line = 400);

/// Like printable(), for one-line fields such as names: newlines and tabs become spaces.
std::string printable_line(std::string_view bytes, std::size_t max_length = 200);

}  // namespace opgrade
