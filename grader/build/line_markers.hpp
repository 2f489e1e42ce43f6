/// Directives that name the place of the lines behind them.
#pragma once

#include <string>

namespace opgrade {

/// `text` without directives such as `# 1 "/usr/a.h" 3`: only the compiler's own may be in its
/// output.
std::string without_line_markers(std::string text);

}  // namespace opgrade
