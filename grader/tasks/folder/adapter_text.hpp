/// The sources that opgrade writes for a task's folder: the header with the prototype, and adapters
/// between the student's function and grader/harness/submission_abi.h.
#pragma once

#include <string>

#include "grader/core/device.hpp"
#include "grader/tasks/folder/description.hpp"

namespace opgrade {

/// Statements that define what expressions may call, for the body of a function: no other code can
/// have these names there. Sizes must be in scope by their names.
extern const char* const kExpressionFunctions;
/// The same and the sizes of the call `c`.
std::string sizes_text(const TaskDescription& task);
/// Exports the table of an adapter.
extern const char* const kAdapterEnd;
/// The number of elements as an expression of C.
std::string elements_text(const BufferDescription& buffer);

/// The student's function with C linkage, whatever a definition behind it says.
std::string student_header(const TaskDescription& task);

/// For the stage's device; on the emulated device that of a GPU.
std::string student_adapter(const TaskDescription& task, Device device);

}  // namespace opgrade
