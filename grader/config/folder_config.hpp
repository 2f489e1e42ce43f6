/// The config that `opgrade init` wrote down in a student's folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace opgrade {

/// Writes the line that config_of_folder() reads. A path is written from the root on.
void write_folder_config(const std::filesystem::path& folder, const std::string& argument);

/// Nothing for an archive, and for a folder without the line.
std::optional<std::string> config_of_folder(const std::filesystem::path& folder);

/// The config of a check that names none.
std::string config_to_check(const std::filesystem::path& folder);

}  // namespace opgrade
