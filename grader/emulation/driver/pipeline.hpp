/// Preprocesses, translates, compiles and links the sources that opgrade-cucc is given.
#pragma once

#include <filesystem>
#include <string>

#include "grader/emulation/driver/options.hpp"

namespace opgrade::emulation {

struct Installation {
  std::filesystem::path headers;  ///< the stand-in headers
  std::filesystem::path runtime;  ///< folder of libopgrade_emulation_runtime.a and its additions
};

/// Finds both at fixed places relative to the executable, in the build tree and when installed.
/// Throws Error if they are not there.
Installation find_installation(const std::filesystem::path& executable);

/// The whole file; empty if it is missing.
std::string read_text(const std::filesystem::path& file);

/// The exit status if a source uses a missing feature. The last line on stderr is then "FILE:LINE:
/// not emulated: FEATURE".
constexpr int kNotEmulated = 4;

/// The exit status for a source that the host compiler or the translation refused.
constexpr int kWrongSource = 1;

/// The exit status if the host compiler ended as for no wrong source, or opgrade-cucc itself
/// failed.
constexpr int kBroken = 3;

/// Returns 0 or one of these exit statuses.
int run_pipeline(const DriverOptions& options, const Installation& installation);

}  // namespace opgrade::emulation
