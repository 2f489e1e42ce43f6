/// The state of this machine in lines for people: CPUs, sandbox, GPUs with clocks and heat.
#pragma once

#include <string>
#include <vector>

namespace opgrade {

/// The sandbox is examined once in a process, the GPUs each time.
std::vector<std::string> machine_state();

}  // namespace opgrade
