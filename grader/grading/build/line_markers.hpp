/// Directives that name the place of the lines behind them.
#pragma once

#include <string>

namespace opgrade {

/// `text` without directives such as `# 1 "/usr/a.h" 3`. It also loses some signs that could begin
/// such a directive, because a comment is not told from code. A text that stays as it is has none.
std::string without_line_markers(std::string text);

}  // namespace opgrade
