/// Headers that a source names by a path of its author's own project.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "grader/grading/intake/intake.hpp"

namespace opgrade {

/// Changes `#include "/home/ada/libwb/wb.h"` in a source to `#include <wb.h>`. An absolute path of
/// its author's machine leads nowhere here, so it means the file that its last parts name: one of
/// the files taken, or one of the course's headers. A path to the system's own headers, or with
/// "..", stays as it is. Lines and columns of other text stay.
std::string with_local_includes(const std::string& source, const TakenFiles& taken,
                                const std::set<std::string>& course_headers);

/// How many folders a path may go up from its source.
inline constexpr int kAliasDepth = 8;

/// The place below `folder` from which paths are followed: `folder/d/d/d/d/d/d/d/d`.
std::filesystem::path alias_start(const std::filesystem::path& folder);

/// Writes an alias for each `#include "some/path/name.h"` whose last parts name one of the files
/// taken or of the course's headers. An alias is a file that includes the named one; it lies at the
/// same path from alias_start(folder). A compiler that searches there last thus finds
/// "../../src/layer/custom/name.h" wherever the source lies. Paths that leave `folder` get no file.
/// `folder` must be fresh, and no part of a path is followed through a link.
void write_include_aliases(const TakenFiles& taken, const std::set<std::string>& course_headers,
                           const std::filesystem::path& folder);

}  // namespace opgrade
