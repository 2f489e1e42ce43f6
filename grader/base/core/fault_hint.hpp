/// The operator's next action after an exception that was caught around a case or in `main`.
#pragma once

#include <exception>
#include <string>

namespace opgrade {

/// An Error's own hint. For an exception of the standard library, the hint that fits what the
/// machine lacked.
std::string hint_for(const std::exception& failure);

}  // namespace opgrade
