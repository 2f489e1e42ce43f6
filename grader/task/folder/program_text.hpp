/// The parts of an adapter that turn a submission's `main` into a call: its arguments, the files
/// that it reads and writes, and its exit.
#pragma once

#include <string>

#include "grader/task/folder/description.hpp"

namespace opgrade {

/// The text before the adapter's namespace: declarations that the code for files needs, and the
/// prototypes of staff's functions. These have internal linkage, so that no symbol of a submission
/// replaces them.
std::string files_declarations(const TaskDescription& task);

/// The start of the adapter's namespace.
std::string program_start(const TaskDescription& task);

/// The text after `struct Slots`: run_program() and collect().
std::string program_text(const TaskDescription& task);

}  // namespace opgrade
