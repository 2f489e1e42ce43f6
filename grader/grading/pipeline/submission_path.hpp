/// The path by which reports name a submission.
#pragma once

#include <filesystem>
#include <string>

namespace opgrade {

/// The absolute path without ".", ".." and a slash at the end.
std::filesystem::path plain_path(const std::filesystem::path& path);

/// plain_path() of a submission as reports hold it: one printable line.
std::string owner_of(const std::filesystem::path& submission);

}  // namespace opgrade
