/// Where earlier gradings on this machine left things that take long to make.
#pragma once

#include <filesystem>

#include "grader/grading/build/toolchain.hpp"
#include "grader/task/interface/interface.hpp"

namespace opgrade {

/// XDG_CACHE_HOME/opgrade or ~/.cache/opgrade; empty if there is no such folder.
std::filesystem::path cache_folder();

/// Makes the folder, for its owner alone. Returns false if others could write into it.
bool make_private_folder(const std::filesystem::path& folder);

/// True if `path` is no link, belongs to this user, and other users may not write to it.
bool is_ours_alone(const std::filesystem::path& path);

/// Where the object of this adapter lies or will lie, below XDG_CACHE_HOME/opgrade or
/// ~/.cache/opgrade. Its name depends on all that it is made of. Empty if there is no such folder.
std::filesystem::path adapter_in_cache(const Interface& interface, const Toolchain& tools);

/// Copies `cached` to `object`. Returns false if there is no `cached`, or another user could have
/// written it.
bool take_adapter(const std::filesystem::path& cached, const std::filesystem::path& object);

/// Copies `object` to `cached`. A cache that cannot be written stays as it is.
void keep_adapter(const std::filesystem::path& object, const std::filesystem::path& cached);

}  // namespace opgrade
