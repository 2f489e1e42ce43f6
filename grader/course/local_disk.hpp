/// Distinguishes local disks from network file systems, where SQLite cannot lock safely.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace opgrade::course {

/// The name of a network file system by the number that statfs(2) gives; nothing for others.
std::optional<std::string> network_file_system(std::int64_t statfs_type);

/// statfs(2)'s number for the file system that holds `folder`. Throws Error.
std::int64_t file_system_type(const std::filesystem::path& folder);

using FileSystemType = std::function<std::int64_t(const std::filesystem::path&)>;

/// Throws UsageError where `folder` is on a network file system.
void require_local_disk(const std::filesystem::path& folder,
                        const FileSystemType& type = file_system_type);

}  // namespace opgrade::course
