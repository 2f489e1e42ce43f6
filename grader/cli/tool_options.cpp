#include "grader/cli/tool_options.hpp"

#include <fmt/format.h>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"

namespace opgrade::cli {

void ToolOptions::add_to(arguments::Parser& verb, const std::string& prefix, bool only_around) {
  for (const DeviceTool& tool : device_tools())
    if (tool.runs_around() || !only_around) options_.push_back({&tool, false, ""});
  for (Option& one : options_) {
    const std::string option(one.tool->option);
    if (one.tool->takes_kernel)
      verb.add_option(option, one.kernel,
                      fmt::format("{}look at this kernel with {}", prefix, one.tool->title));
    else
      verb.add_flag(option, one.given, fmt::format("{}run under {}", prefix, one.tool->title));
  }
}

ToolWish ToolOptions::wish() const {
  ToolWish wish;
  for (const Option& one : options_) {
    if (!one.given && one.kernel.empty()) continue;
    if (wish.tool != nullptr)
      throw UsageError(fmt::format("{} and {} are two tools", wish.tool->option, one.tool->option),
                       "run one after the other");
    if (one.tool->takes_kernel && !is_kernel_name(one.kernel))
      throw UsageError(
          fmt::format("'{}' is no kernel's name", printable_line(one.kernel, 60)),
          "name a __global__ function as the source has it, such as conv_forward_kernel");
    wish = {one.tool, one.kernel};
  }
  return wish;
}

}  // namespace opgrade::cli
