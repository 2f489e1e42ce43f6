/// Records whether a task's folder, in its present state, passed its own check.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// Writes kTaskRecord for a check with this config, which must be the folder's own. Returns false
/// if the folder is read-only.
bool record_check(const Config& config, bool passed);

/// The folder for results that a later check can reuse; empty if the task's folder is read-only,
/// and for the labs that come with opgrade.
std::filesystem::path seen_folder(const Config& config);

/// The seed for checks of this folder: `wanted`, else the seed of the last check, else a new one.
/// It is stored in seen_folder().
std::uint64_t seed_of_checks(const Config& config, std::optional<std::uint64_t> wanted);

/// Why one of the config's tasks should not be used for grading: "the task sums was not checked",
/// or "the task sums changed after its last check: reference.cpp". Empty for a checked task, for
/// opgrade's own tasks, and for the labs that come with opgrade. If the config is not the folder's
/// own, only the task's files are compared, because its cases may differ.
std::string unchecked_task(const Config& config);

/// The argument for `opgrade task check` that names the unchecked task, or the first task if all
/// are checked.
std::filesystem::path task_to_check(const Config& config);

}  // namespace opgrade
