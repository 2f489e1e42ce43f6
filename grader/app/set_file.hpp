/// Inputs of a call and the right outputs for them, as a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "grader/task/reference_code.hpp"

namespace opgrade {

/// That only its owner can read, and that appears whole. `key` names what it holds. Throws Error
/// where the disk is full.
void write_set(const std::filesystem::path& file, const std::string& key, const StaffOutput& set,
               int threads);

/// Nothing where there is no such file, or where another user could have written it, it has another
/// key, or is damaged. The file may go while the set is used.
std::optional<StaffOutput> read_set(const std::filesystem::path& file, const std::string& key,
                                    int threads);

}  // namespace opgrade
