/// A roofline: what the device can do at each arithmetic intensity, and where the layers are.
#pragma once

#include <pugixml.hpp>

#include "grader/core/profile.hpp"

namespace opgrade::report {

/// Appends an SVG drawing; nothing without ceilings or without a layer that took time.
void add_roofline(pugi::xml_node parent, const ProfileReport& profile);

}  // namespace opgrade::report
