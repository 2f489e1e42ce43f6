/// Where earlier gradings on this machine left what takes long to make.
#pragma once

#include <filesystem>

namespace opgrade {

/// XDG_CACHE_HOME/opgrade or ~/.cache/opgrade; empty without such a folder.
std::filesystem::path cache_folder();

/// Makes the folder, for its owner alone. False where others could write into it.
bool make_private_folder(const std::filesystem::path& folder);

/// Neither a link, nor another user's, nor writable by others.
bool is_ours_alone(const std::filesystem::path& path);

}  // namespace opgrade
