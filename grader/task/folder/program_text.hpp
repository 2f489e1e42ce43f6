/// The parts of an adapter that make a submission's `main` a call: arguments, the files that it
/// reads and writes, and its end.
#pragma once

#include <string>

#include "grader/task/folder/description.hpp"

namespace opgrade {

/// Before the adapter's namespace: what its code about files needs of others, and the prototypes of
/// staff's own. They have internal linkage, so that no symbol of a submission takes their place.
std::string files_declarations(const TaskDescription& task);

/// The begin of that namespace.
std::string program_start(const TaskDescription& task);

/// Behind `struct Slots`: run_program() and collect().
std::string program_text(const TaskDescription& task);

}  // namespace opgrade
