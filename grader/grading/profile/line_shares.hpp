/// Where in its source a kernel spends its time, as a tool's samples tell: Nsight Compute's source
/// page. The text comes from a file that a submission could have written, so it is for reading
/// alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/line_share.hpp"
#include "grader/grading/profile/device_tool.hpp"

namespace opgrade {

/// The command line by which the tool prints the source page of its file `report`; empty if the
/// tool has no such page.
std::vector<std::string> source_page_command(const DeviceTool& tool, const std::string& program,
                                             const std::string& report);

/// The lines with samples on such a page, the largest share first. Empty if the page has none.
/// `folder` is that of the sources when they were compiled.
std::vector<LineShare> read_line_shares(std::string_view page, std::string_view folder);

}  // namespace opgrade
