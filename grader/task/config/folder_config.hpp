/// The config that is written down in a student's folder, by `opgrade init` or in the files to
/// start from that a course's service gives.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace opgrade {

extern const char* const kFolderConfigFile;

/// The text that config_of_folder() reads. A relative path begins in the folder.
std::string folder_config_text(const std::string& argument);

/// A path is written from the root on.
void write_folder_config(const std::filesystem::path& folder, const std::string& argument);

/// Nothing for an archive, and for a folder without the line.
std::optional<std::string> config_of_folder(const std::filesystem::path& folder);

/// The config of a check that names none.
std::string config_to_check(const std::filesystem::path& folder);

}  // namespace opgrade
