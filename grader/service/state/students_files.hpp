/// What the service gives students of an assignment: files to start from, and a config to check by.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "grader/service/state/service.hpp"

namespace opgrade::service {

/// What a student gives to --config: a name of opgrade's, or the file that is among the files to
/// start from. Nothing if students can have neither.
std::optional<std::string> config_argument(const Service& service,
                                           const course::Assignment& assignment);

/// Paths and texts; empty if the assignment gives none.
std::map<std::string, std::string> files_to_start_from(const Service& service,
                                                       const course::Assignment& assignment);

/// Commands that run a case again name a config that the student can have, or are left out.
void name_students_config(const Service& service, const course::Assignment& assignment,
                          Grade& grade);

}  // namespace opgrade::service
