/// The identity of this opgrade: a hash of the program and of all else that decides a verdict.
#pragma once

#include <string>

namespace opgrade {

/// "0.1.0+3f2a9c01b7de": the release, and a hash over the program and its files. These are the
/// harness, the adapters, the emulated device, the reference solution, the models and networks. A
/// mended grader has another version, so results of the old one are not kept. Computed once.
const std::string& program_version();

/// "0.1.0 (commit 1a2b3c4d5e6f), build 3f2a9c01b7de" for people. The commit is in a file beside the
/// program's data and not in the hash: a commit that changes no program keeps its results. Left out
/// where opgrade was not built in a git tree.
std::string version_text();

}  // namespace opgrade
