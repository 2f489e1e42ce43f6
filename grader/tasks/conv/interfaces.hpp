/// The interfaces of the course's terms.
#pragma once

#include <span>

#include "grader/task/interface.hpp"

namespace opgrade {

std::span<const Interface> conv_interfaces();

}  // namespace opgrade
