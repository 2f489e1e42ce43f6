/// Directives that name the place of the lines behind them.
#pragma once

#include <string>

namespace opgrade {

/// `text` without directives such as `# 1 "/usr/a.h" 3`. It also loses some signs that only could
/// begin one, because a comment is not told from code. A text that stays as it is has no such
/// directive.
std::string without_line_markers(std::string text);

}  // namespace opgrade
