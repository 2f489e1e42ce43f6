/// The sources that opgrade writes for a task's folder: the header with the prototype, and adapters
/// between the student's function and grader/platform/harness/submission_abi.h.
#pragma once

#include <string>

#include "grader/base/core/device.hpp"
#include "grader/task/folder/description.hpp"

namespace opgrade {

/// Statements that define what expressions may call, for the body of a function: no other code can
/// have these names there. Sizes must be in scope by their names.
extern const char* const kExpressionFunctions;
/// The same and the sizes of the call `c`.
std::string sizes_text(const TaskDescription& task);
/// Exports the table of an adapter.
extern const char* const kAdapterEnd;
/// The number of elements, and the bytes that they take, as expressions of C.
std::string elements_text(const BufferDescription& buffer);
std::string bytes_text(const BufferDescription& buffer);

/// Number of a buffer's slot: its place.
std::size_t slot_of(const TaskDescription& task, const BufferDescription& buffer);
/// A value, a reference or what is returned: it lies on the host.
std::string value_text(const TaskDescription& task, const BufferDescription& buffer,
                       const std::string& type);
/// What is passed for a parameter of the prototype, with the pointer that `place` names for a slot.
std::string argument_text(const TaskDescription& task, const Parameter& parameter,
                          const char* place);

/// The student's function, with C linkage unless it is in a namespace, whatever a definition behind
/// it says. Where staff's code calls what students write, types.h declares that.
std::string student_header(const TaskDescription& task);

/// The task's types.h, with the types of CUDA that it uses; for a task that has one.
std::string types_header(const TaskDescription& task);

/// For the stage's device; on the emulated device that of a GPU. Staff's caller is a part of it:
/// its function has internal linkage, so that no symbol of a submission takes its place.
std::string student_adapter(const TaskDescription& task, Device device);

}  // namespace opgrade
