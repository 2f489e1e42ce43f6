/// Adapters of GPU interfaces that earlier gradings on this machine compiled: nvcc takes as long
/// for one as for most submissions.
#pragma once

#include <filesystem>

#include "grader/build/toolchain.hpp"
#include "grader/task/interface.hpp"

namespace opgrade {

/// Where the object of this adapter lies or will lie, below XDG_CACHE_HOME/opgrade or
/// ~/.cache/opgrade: named after all that it is made of. Empty without such a folder.
std::filesystem::path adapter_in_cache(const Interface& interface, const Toolchain& tools);

/// Copies `cached` to `object`. False where there is none, or one that another user could have
/// written.
bool take_adapter(const std::filesystem::path& cached, const std::filesystem::path& object);

/// A cache that cannot be written stays as it is.
void keep_adapter(const std::filesystem::path& object, const std::filesystem::path& cached);

}  // namespace opgrade
