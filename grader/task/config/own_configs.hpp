/// The configs that come with opgrade, by name: minidnn, self-check, 2026sp, and the labs:
/// reduction.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opgrade {

/// All names, sorted. Throws Error when opgrade's own files are missing.
std::vector<std::string> own_config_names();

/// Those of the labs.
std::vector<std::string> lab_names();

/// The file of a name, if there is one.
std::optional<std::filesystem::path> own_config(const std::string& name);

}  // namespace opgrade
