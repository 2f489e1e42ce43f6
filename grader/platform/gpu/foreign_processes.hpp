/// Programs of others on a GPU that opgrade times calls on.
#pragma once

#include <string>
#include <vector>

namespace opgrade {

/// Of the processes that use a GPU: those that are neither opgrade's nor descendants of this one,
/// as "python3, process 812 of alice". Empty where the list lacks this process, which uses each GPU
/// that it times on: then the numbers are of another PID namespace, and tell nothing.
std::vector<std::string> foreign_processes(const std::vector<int>& pids);

}  // namespace opgrade
