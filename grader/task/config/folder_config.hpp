/// The config that `opgrade init` writes down in a student's folder. The starting files that a
/// course's service gives contain it, too.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace opgrade {

extern const char* const kFolderConfigFile;

/// The text that config_of_folder() reads. A relative path is relative to the folder.
std::string folder_config_text(const std::string& argument);

/// Writes a path as an absolute one.
void write_folder_config(const std::filesystem::path& folder, const std::string& argument);

/// nullopt for an archive, and for a folder without the line.
std::optional<std::string> config_of_folder(const std::filesystem::path& folder);

/// The config for a command without --config. `otherwise`: the name for a folder without the line.
std::string config_of_folder_or(const std::filesystem::path& folder, const std::string& otherwise);

}  // namespace opgrade
