/// Preprocesses, translates, compiles and links what opgrade-cucc is given.
#pragma once

#include <filesystem>

#include "grader/emulation/driver/options.hpp"

namespace opgrade::emulation {

struct Installation {
  std::filesystem::path headers;  ///< the stand-in headers
  std::filesystem::path runtime;  ///< folder of libopgrade_emulation_runtime.a and its additions
};

/// Both lie at fixed places relative to the executable, in the build tree and when installed.
/// Throws Error where they do not.
Installation find_installation(const std::filesystem::path& executable);

/// The exit status where a source uses a missing feature. The last line on stderr then is
/// "FILE:LINE: not emulated: FEATURE".
constexpr int kNotEmulated = 4;

/// Returns the exit status: 0, 1 where the host compiler or the translation refused the source, or
/// kNotEmulated.
int run_pipeline(const DriverOptions& options, const Installation& installation);

}  // namespace opgrade::emulation
