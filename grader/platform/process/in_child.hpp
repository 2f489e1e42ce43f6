/// Runs a function in a child that is no other program.
#pragma once

#include <functional>

namespace opgrade {

/// For what would change this process for good, such as its user. `act` may only make system calls:
/// another thread may have held any lock at the fork. False if it fails, or there is no child.
bool succeeds_in_child(const std::function<bool()>& act);

}  // namespace opgrade
