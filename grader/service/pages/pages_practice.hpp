/// Parts of a student's pages that are about practice runs.
#pragma once

#include <pugixml.hpp>
#include <vector>

#include "grader/course/folder/course_config.hpp"
#include "grader/service/http/routes.hpp"
#include "grader/service/queue/queue.hpp"

namespace opgrade::service::pages {

/// Adds the choice of a practice run's tool to the form that hands in. Adds nothing if the course
/// offers no tool.
void add_tool_choice(pugi::xml_node form, const course::Assignment& practice);

/// The tool that the form asks for, as ToolWish::text(). An unknown tool's name is kept, so that
/// the run is refused and not made without a tool.
std::string chosen_tool(const std::string& tool, const std::string& kernel);

/// The tool of a practice run: "Nsight Compute, conv_forward_kernel"; empty if it has none.
std::string tool_title(const HandIn& run);

/// Adds a plot of the Op Time over the runs without a tool, for the case that has the longest Op
/// Time in the latest run. Adds nothing until two runs have a time; the emulated device gives none.
void add_times_of_runs(pugi::xml_node section, const Service& service, const Identity& who,
                       const std::vector<HandIn>& runs);

/// Says that this run has no tables of kernels and CUDA API calls, which a student's report may
/// need, and how to get them. Empty if the run has them, needs none, or the course does not offer
/// the profiler.
std::string lack_of_tables(const Grade& grade, const course::Assignment* assignment);

/// Adds links to the files that the run's tool wrote.
void add_tool_files(pugi::xml_node main, const Service& service, const course::CourseFolder& folder,
                    const HandIn& run);

}  // namespace opgrade::service::pages
