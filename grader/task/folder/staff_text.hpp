/// The sources that opgrade writes for staff's own code of a task: the header reference.h, and the
/// adapter between its functions and grader/platform/harness/submission_abi.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/task/folder/description.hpp"

namespace opgrade {

/// The function's parameters in their order, for each of staff's functions. A size is a long long.
/// An input keeps its type; half and bfloat16 are float. An inout is the values before the call,
/// then those after it. Scratch is left out.
///
/// | function | an output y |
/// |--|--|
/// | `void reference()` | `double* y, double* y_scale`, or `long long* y`; a struct's own `Body* y`
/// | | `void generate()` | left out; first comes the seed, and what is generated can be written |
/// | `const char* validate()` | left out |
/// | `const char* check()` | `const float* y` |
///
/// generate() and validate() end with the sizes that the student's function does not take.
std::string reference_header(const TaskDescription& task);

/// The names of the functions that the task calls: "reference", "generate".
std::vector<std::string_view> staff_functions(const TaskDescription& task);

/// A macro for the compiler: the byte that fills the reference's outputs and scales before each
/// call. Without the macro, outputs are 0 and scales NaN. Only a trial of the reference defines it.
/// As a double the byte gives a number near 0, which changes every sum.
inline constexpr const char* kOutputFill = "OPGRADE_OUTPUT_FILL";
inline constexpr unsigned char kTrialFill = 0x3f;

/// Only the prototypes, for the hint if a function does not link.
std::string staff_prototypes(const TaskDescription& task);

/// The last size of a call is the ReferenceCode::Step.
std::string reference_adapter(const TaskDescription& task);

}  // namespace opgrade
