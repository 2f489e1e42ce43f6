#include "grader/base/core/line_share.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "grader/base/core/counted.hpp"

namespace opgrade {

std::string text_of(const std::vector<LineShare>& lines) {
  constexpr std::size_t kShown = 8;
  const std::size_t shown = lines.size() <= kShown + 1 ? lines.size() : kShown;
  std::vector<std::string> parts;
  double rest = 1;
  for (std::size_t i = 0; i < shown; ++i) {
    parts.push_back(
        fmt::format("{}:{} {:.1f} %", lines[i].file, lines[i].line, 100 * lines[i].share));
    rest -= lines[i].share;
  }
  if (shown < lines.size())
    parts.push_back(fmt::format(
        "{} {:.1f} %", counted(static_cast<std::int64_t>(lines.size() - shown), "other line"),
        100 * std::max(rest, 0.)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace opgrade
