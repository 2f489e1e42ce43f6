/// The profile's part of the HTML report.
#pragma once

#include <pugixml.hpp>
#include <string>

#include "grader/base/core/profile.hpp"

namespace opgrade::report {

/// Appends a section with the roofline and the tables of the profile of case `id`.
void add_profile(pugi::xml_node body, const std::string& id, const ProfileReport& profile);

}  // namespace opgrade::report
