/// Finds a header of CUDA's toolkit, or of libthrust-dev, that a source took from the machine.
#pragma once

#include <optional>
#include <string_view>

#include "grader/emulation/driver/missing_feature.hpp"

namespace opgrade::emulation {

/// Distributions install the toolkit's headers in /usr/include, where a compiler finds headers that
/// the stand-in ones lack, and then fails inside of them or at the link. On a machine without these
/// headers the source is told which feature is missing, so this function tells it here, too.
/// `preprocessed` is the output of `g++ -E` or `clang++ -E` with line markers. The result has the
/// place of the #include in the submission's file. Headers below `own_headers`, or in a folder that
/// is not the system's, are no toolkit headers.
std::optional<MissingFeature> find_toolkit_header(std::string_view preprocessed,
                                                  std::string_view own_headers);

}  // namespace opgrade::emulation
