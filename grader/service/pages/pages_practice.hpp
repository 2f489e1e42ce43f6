/// Parts of a student's pages that are about practice runs.
#pragma once

#include <pugixml.hpp>
#include <vector>

#include "grader/course/folder/course_config.hpp"
#include "grader/service/http/routes.hpp"
#include "grader/service/queue/queue.hpp"

namespace opgrade::service::pages {

/// Of the form that hands in: which tool a practice run runs under. Nothing if the course offers
/// none.
void add_tool_choice(pugi::xml_node form, const course::Assignment& practice);

/// The wish of that form, as ToolWish::text(). A name that is no tool's stays as it is, so that the
/// run is refused instead of done without a tool.
std::string chosen_tool(const std::string& tool, const std::string& kernel);

/// The tool of a practice run: "Nsight Compute, conv_forward_kernel"; empty if it has none.
std::string tool_title(const HandIn& run);

/// Op Time over the runs that had no tool, of the case with the longest one of the latest run.
/// Nothing until two runs have a time: the emulated device gives none.
void add_times_of_runs(pugi::xml_node section, const Service& service, const Identity& who,
                       const std::vector<HandIn>& runs);

/// The sentence on the tables that a report asks for and this run does not have, with the way to
/// get them; empty if there is none.
std::string lack_of_tables(const Grade& grade, const course::Assignment* assignment);

/// What the run's tool wrote, with links.
void add_tool_files(pugi::xml_node main, const Service& service, const course::CourseFolder& folder,
                    const HandIn& run);

}  // namespace opgrade::service::pages
