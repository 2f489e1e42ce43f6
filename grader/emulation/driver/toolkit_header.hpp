/// Finds a header of CUDA's toolkit, or of libthrust-dev, that a source took from the machine.
#pragma once

#include <optional>
#include <string_view>

#include "grader/emulation/driver/missing_feature.hpp"

namespace opgrade::emulation {

/// Distributions put the toolkit's headers into /usr/include, where a compiler finds what the
/// stand-in headers lack, and then stops somewhere inside of it, or at the link. On a machine
/// without them the same source is told which feature is missing, so it is told here, too.
/// `preprocessed` is the output of `g++ -E` or `clang++ -E` with line markers. The place is that of
/// the #include in the file of the submission's; a header below `own_headers`, or in a folder that
/// is not the system's, counts as none.
std::optional<MissingFeature> find_toolkit_header(std::string_view preprocessed,
                                                  std::string_view own_headers);

}  // namespace opgrade::emulation
