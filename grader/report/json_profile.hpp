/// The profile's part of the JSON report.
#pragma once

#include <nlohmann/json.hpp>

#include "grader/core/profile.hpp"

namespace opgrade::report {

nlohmann::ordered_json profile_json(const ProfileReport& profile);

}  // namespace opgrade::report
