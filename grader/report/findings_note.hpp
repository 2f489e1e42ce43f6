/// The note on findings that the emulated device did not look for in a case of a GPU.
#pragma once

#include <string>
#include <string_view>

#include "grader/core/reason.hpp"

namespace opgrade::report {

inline constexpr std::string_view kNoWatchedBuild = "the build that watches every access failed";

/// `begun`: the run ended early, so that only its end was not watched.
std::string findings_note(const std::string& id, const Reason& why, bool begun);

}  // namespace opgrade::report
