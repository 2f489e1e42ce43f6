/// Programs of others on a GPU that opgrade times calls on.
#pragma once

#include <string>
#include <vector>

namespace opgrade {

/// From the processes that use a GPU, returns those that are neither opgrade's nor descendants of
/// this process, as "python3, process 812 of alice". This process uses each GPU that it times on.
/// If the list lacks it, the numbers are from another PID namespace and mean nothing here: then
/// returns nothing.
std::vector<std::string> foreign_processes(const std::vector<int>& pids);

}  // namespace opgrade
