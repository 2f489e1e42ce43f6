/// The sentence of a reason, and the next action for its reader.
#pragma once

#include <cstdint>
#include <string>

#include "grader/base/core/grade.hpp"
#include "grader/base/core/reason.hpp"

namespace opgrade::report {

/// One line of at most kMaxLine bytes (view.hpp); empty for an empty reason.
std::string sentence_of(const Reason& reason);

/// The reason of points, and of the points for late work.
std::string sentence_of(const PointItem& item);

/// The next action in one line, or empty.
std::string hint_of(const Reason& reason);

/// "70 MiB of memory", "70 MiB of device memory".
std::string leak_text(std::int64_t bytes, bool on_device);

}  // namespace opgrade::report
