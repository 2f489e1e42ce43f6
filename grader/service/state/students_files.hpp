/// Finds what the service gives students for an assignment: files to start from, and a config to
/// check with.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "grader/service/state/service.hpp"

namespace opgrade::service {

/// The argument that a student gives to --config: one of opgrade's own names, or a file that is
/// among the files to start from. nullopt if students can have neither.
std::optional<std::string> config_argument(const Service& service,
                                           const course::Assignment& assignment);

/// The files to start from, as paths and texts; empty if the assignment gives none.
std::map<std::string, std::string> files_to_start_from(const Service& service,
                                                       const course::Assignment& assignment);

/// Makes the report's commands that run a case again name a config that the student has; removes
/// them if there is none.
void name_students_config(const Service& service, const course::Assignment& assignment,
                          Grade& grade);

}  // namespace opgrade::service
