/// The identity of this opgrade: a hash of the program and of all else that decides a verdict.
#pragma once

#include <string>

namespace opgrade {

/// "0.3.0+3f2a9c01b7de.5e6d7c8b9a01": the release, a hash over the program and its files, and a
/// hash over the task. The program's files are the harness, the adapters and the emulated device;
/// the task's are the reference solutions, models and networks. Computed once, so a process that is
/// older than its files has the version of the earlier files.
const std::string& program_version();

/// Changes if one of those files does, as after an upgrade while a process still runs.
std::string program_stamp();

/// The parts of a version; a part that it lacks is empty.
struct VersionParts {
  std::string release, program, task;

  /// "0.2" of "0.2.1": a patch release promises the same points.
  std::string minor() const { return release.substr(0, release.find('.', release.find('.') + 1)); }
};
VersionParts parts_of(const std::string& version);

/// "0.3.0 (commit 1a2b3c4d5e6f), build 3f2a9c01b7de" for people. The commit is in a file next to
/// the program's data and not in the hash, so a commit that changes no program keeps its results.
/// It is left out if opgrade was not built in a git tree.
std::string version_text();

}  // namespace opgrade
