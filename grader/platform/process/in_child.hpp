/// Runs a function in a forked child, without another program.
#pragma once

#include <functional>

namespace opgrade {

/// For an act that would change this process for good, such as its user. `act` may only make system
/// calls, because another thread may have held any lock at the fork. Returns false if `act` fails
/// or there is no child.
bool succeeds_in_child(const std::function<bool()>& act);

}  // namespace opgrade
