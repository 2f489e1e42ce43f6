/// The sources that opgrade writes for a task's folder: the header with the prototype, and adapters
/// between the student's function and grader/platform/harness/submission_abi.h.
#pragma once

#include <string>

#include "grader/base/core/device.hpp"
#include "grader/task/folder/description.hpp"

namespace opgrade {

/// Statements that define the functions of expressions, for the body of a function, because there
/// no other code can have used these names. Sizes must be in scope under their names.
extern const char* const kExpressionFunctions;
/// kExpressionFunctions, and the sizes of the call `c`.
std::string sizes_text(const TaskDescription& task);
/// Exports the table of an adapter.
extern const char* const kAdapterEnd;
/// C expressions of the number of elements, and of the bytes that they take.
std::string elements_text(const BufferDescription& buffer);
std::string bytes_text(const BufferDescription& buffer);

/// Number of a buffer's slot: its index among the buffers.
std::size_t slot_of(const TaskDescription& task, const BufferDescription& buffer);
/// Expression of a value, a reference or a returned value, which lies on the host.
std::string value_text(const TaskDescription& task, const BufferDescription& buffer,
                       const std::string& type);
/// The argument for a parameter of the prototype. `place` names the slot's pointer.
std::string argument_text(const TaskDescription& task, const Parameter& parameter,
                          const char* place);

/// Declares the student's function, with C linkage unless it is in a namespace, so that a later
/// definition has this linkage, too. If staff's code calls what students write, types.h declares it
/// instead.
std::string student_header(const TaskDescription& task);

/// The task's types.h and the CUDA types that it uses; only for a task that has a types.h.
std::string types_header(const TaskDescription& task);

/// The adapter for the stage's device; the emulated device uses the GPU's adapter. It contains
/// staff's caller, whose function has internal linkage, so that no symbol of a submission replaces
/// it.
std::string student_adapter(const TaskDescription& task, Device device);

}  // namespace opgrade
