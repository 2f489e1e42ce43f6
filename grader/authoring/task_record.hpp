/// Whether a task's folder passed its own check as it is now.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// Writes kTaskRecord of a check with that config, the folder's own. False if the folder is read
/// only.
bool record_check(const Config& config, bool passed);

/// The folder for what a check need not run again; empty where the task's folder is read only, and
/// for the labs that come with opgrade.
std::filesystem::path seen_folder(const Config& config);

/// The seed of the checks of this folder: `wanted`, else that of the last check, else a new one. It
/// is kept in seen_folder().
std::uint64_t seed_of_checks(const Config& config, std::optional<std::uint64_t> wanted);

/// Why nothing should be graded with one of the config's tasks: "the task sums was not checked", or
/// "the task sums changed after its last check: reference.cpp". Empty for a checked one, for those
/// of opgrade itself, and for the labs that come with opgrade. A config that is not the folder's
/// own may have other cases: then the task's files alone are compared.
std::string unchecked_task(const Config& config);

/// What names that task to `opgrade task check`, or the first one if all are checked.
std::filesystem::path task_to_check(const Config& config);

}  // namespace opgrade
