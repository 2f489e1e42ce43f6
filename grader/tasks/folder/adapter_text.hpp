/// The sources that opgrade writes for a task's folder: headers with the prototypes, and adapters
/// between them and grader/harness/submission_abi.h.
#pragma once

#include <string>

#include "grader/core/device.hpp"
#include "grader/tasks/folder/description.hpp"

namespace opgrade {

/// Statements that define what expressions may call, for the body of a function: no other code can
/// have these names there. Sizes must be in scope by their names.
extern const char* const kExpressionFunctions;
/// The number of elements as an expression of C.
std::string elements_text(const BufferDescription& buffer);

/// The student's function with C linkage, whatever a definition behind it says.
std::string student_header(const TaskDescription& task);

/// For the stage's device; on the emulated device that of a GPU.
std::string student_adapter(const TaskDescription& task, Device device);

/// `reference()`: the function's parameters in their order. A size is a long long. An input keeps
/// its type. An output y is `double* y, double* y_scale`; one of integers is `long long* y`. An
/// inout is the values before the call, then `y_after` in the same way. Scratch is left out.
std::string reference_header(const TaskDescription& task);
std::string reference_adapter(const TaskDescription& task);

}  // namespace opgrade
