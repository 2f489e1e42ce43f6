/// Files of a course that are written once.
#pragma once

#include <filesystem>
#include <string>

namespace opgrade::course {

/// Writes the file whole, with its folder. False: there is a file of this name, which stays. Throws
/// Error.
bool write_new_file(const std::filesystem::path& file, const std::string& bytes);

}  // namespace opgrade::course
