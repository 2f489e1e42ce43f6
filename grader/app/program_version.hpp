/// Which opgrade this is, down to the bytes of what decides a verdict.
#pragma once

#include <string>

namespace opgrade {

/// "0.1.0+3f2a9c01b7de": the release, and a hash over the program and its files. These are the
/// harness, the adapters, the emulated device, the reference solution, the models and networks. A
/// mended grader has another version, so results of the old one are not kept. Computed once.
const std::string& program_version();

}  // namespace opgrade
