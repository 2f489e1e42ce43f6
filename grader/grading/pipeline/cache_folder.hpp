/// Where earlier gradings on this machine left what takes long to make.
#pragma once

#include <filesystem>

#include "grader/grading/build/toolchain.hpp"
#include "grader/task/interface/interface.hpp"

namespace opgrade {

/// XDG_CACHE_HOME/opgrade or ~/.cache/opgrade; empty without such a folder.
std::filesystem::path cache_folder();

/// Makes the folder, for its owner alone. False where others could write into it.
bool make_private_folder(const std::filesystem::path& folder);

/// Neither a link, nor another user's, nor writable by others.
bool is_ours_alone(const std::filesystem::path& path);

/// Where the object of this adapter lies or will lie, below XDG_CACHE_HOME/opgrade or
/// ~/.cache/opgrade: named after all that it is made of. Empty without such a folder.
std::filesystem::path adapter_in_cache(const Interface& interface, const Toolchain& tools);

/// Copies `cached` to `object`. False where there is none, or one that another user could have
/// written.
bool take_adapter(const std::filesystem::path& cached, const std::filesystem::path& object);

/// A cache that cannot be written stays as it is.
void keep_adapter(const std::filesystem::path& object, const std::filesystem::path& cached);

}  // namespace opgrade
