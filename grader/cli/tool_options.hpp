/// The options that name a tool: one for each row of device_tools().
#pragma once

#include <string>
#include <vector>

#include "grader/base/arguments/arguments.hpp"
#include "grader/grading/profile/device_tool.hpp"

namespace opgrade::cli {

/// Must not move until the command line is parsed.
class ToolOptions {
 public:
  /// `prefix`: the start of each help text. `only_around`: leaves out the tools for which a verb
  /// has its own options.
  void add_to(arguments::Parser& verb, const std::string& prefix, bool only_around = false);

  /// Throws UsageError if two tools are named, or if a kernel is not a name.
  ToolWish wish() const;

 private:
  struct Option {
    const DeviceTool* tool;
    bool given = false;
    std::string kernel;
  };
  std::vector<Option> options_;
};

}  // namespace opgrade::cli
