/// The profile's part of the JSON report.
#pragma once

#include <nlohmann/json.hpp>

#include "grader/core/coordinates.hpp"
#include "grader/core/profile.hpp"

namespace opgrade::report {

/// An object with a member a coordinate, in their order.
nlohmann::ordered_json coordinates_json(const Coordinates& coordinates);

nlohmann::ordered_json profile_json(const ProfileReport& profile);

}  // namespace opgrade::report
