/// Files of a course that are written once.
#pragma once

#include <filesystem>
#include <string>

namespace opgrade::course {

/// Writes the file whole, with its folder, for its owner alone. False: there is a file of this
/// name, which stays. Throws Error, also where `root` is named and is no folder: a course that was
/// moved away is not made anew at its old place.
bool write_new_file(const std::filesystem::path& file, const std::string& bytes,
                    const std::filesystem::path& root = {});

}  // namespace opgrade::course
