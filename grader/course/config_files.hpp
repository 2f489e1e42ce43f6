/// The configs that lie in a course folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opgrade::course {

/// Paths from `course`, sorted: .yaml files with the key `opgrade`, at most three folders below.
/// Links, hidden folders, submissions and results are left out.
std::vector<std::string> config_files(const std::filesystem::path& course);

}  // namespace opgrade::course
