/// The counts of a launch as lines of the profile's record, for grader/profile/read_events.cpp.
#pragma once

#include <string>

#include "grader/emulation/runtime/count/counts.hpp"

namespace opgrade_emulation {

/// One line `did` with the numbers of the whole launch, a line `array` for each allocation that it
/// loads from, and a line `access` for each line, kind of memory and kind of access. The order
/// depends on nothing but the counts, so it is the same with every compiler.
std::string text_of(const LaunchCounts& counts);

/// A line `uncounted` for each line that the translator left out.
std::string uncounted_lines();

}  // namespace opgrade_emulation
