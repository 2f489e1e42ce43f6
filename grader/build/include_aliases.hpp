/// Headers that a source names by a path of its author's own project.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "grader/intake/intake.hpp"

namespace opgrade {

/// How many folders a path may go up from its source.
inline constexpr int kAliasDepth = 8;

/// Below `folder`, the place from which paths are followed: `folder/d/d/d/d/d/d/d/d`.
std::filesystem::path alias_start(const std::filesystem::path& folder);

/// Aliases for each `#include "some/path/name.h"` whose last parts are one of the files taken or of
/// the course's headers. It writes a file that includes that one, at the same path from
/// alias_start(folder). A compiler that searches there last finds "../../src/layer/custom/name.h"
/// wherever the source lies. Paths that leave `folder` get no file. `folder` is fresh, and no part
/// of a path is followed through a link.
void write_include_aliases(const TakenFiles& taken, const std::set<std::string>& course_headers,
                           const std::filesystem::path& folder);

}  // namespace opgrade
