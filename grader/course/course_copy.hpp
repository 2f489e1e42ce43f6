/// A backup of a course folder, and the way back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opgrade::course {

/// Throws UsageError where `folder` is there and not an empty folder, naming the remedy.
void require_new_folder(const std::filesystem::path& folder);

/// Copies a course as it is at one moment into a new folder, for its owner alone; other programs
/// may grade and take submissions meanwhile. Files that came later than the database's copy are
/// left out. Returns what verify() finds in the copy. Throws UsageError for a `to` that is not new,
/// or within `from`, and Error where the disk fails.
std::vector<std::string> copy_course(const std::filesystem::path& from,
                                     const std::filesystem::path& to);

}  // namespace opgrade::course
