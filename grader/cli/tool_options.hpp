/// The options that name a tool: one for each row of device_tools().
#pragma once

#include <string>
#include <vector>

#include "grader/base/arguments/arguments.hpp"
#include "grader/grading/profile/device_tool.hpp"

namespace opgrade::cli {

/// Must stay where it is while the command line is read.
class ToolOptions {
 public:
  /// `prefix`: begins each help. `only_around`: without the tools that a verb has options of its
  /// own for.
  void add_to(arguments::Parser& verb, const std::string& prefix, bool only_around = false);

  /// Throws UsageError for two tools, and for a kernel that is no name.
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
