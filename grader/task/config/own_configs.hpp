/// The configs that come with opgrade, by name: minidnn, self-check, 2026sp, and the labs, such as
/// reduction.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opgrade {

/// All names, sorted. Throws Error if opgrade's own files are missing.
std::vector<std::string> own_config_names();

/// The names of the labs only.
std::vector<std::string> lab_names();

/// The config file of that name; nullopt if there is none.
std::optional<std::filesystem::path> own_config(const std::string& name);

}  // namespace opgrade
