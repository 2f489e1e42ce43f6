/// Why a build failed, from the messages of compiler and linker.
#pragma once

#include <string>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/grading/intake/intake.hpp"
#include "grader/task/interface/interface.hpp"

namespace opgrade {

/// The functions that the linker did not find, each once: "helper(float*)".
std::vector<std::string> undefined_functions(const std::string& messages);

/// True if the interface asks the student for this function.
bool is_interface_function(const Interface& interface, const std::string& function);

/// `messages` without the grader's own file and function that stand in front of each interface
/// function that the linker did not find.
std::string without_adapter_lines(const Interface& interface, const std::string& messages);

/// `sources` lists the sources that were compiled.
Reason build_reason(const Interface& interface, Device device, const TakenFiles& taken,
                    const std::vector<std::string>& sources, const std::string& messages);

std::vector<std::string> printable_lines(std::vector<std::string> names);

/// "UTF-16" or "UTF-32" if the text has that encoding, which compilers cannot read; else empty.
std::string wide_encoding(const std::string& bytes);

}  // namespace opgrade
