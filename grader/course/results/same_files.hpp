/// Submissions of a class with the same files get one grade, that of the first, because times
/// scatter and the points of equal files must not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/base/core/grade.hpp"

namespace opgrade {

/// Turns `first` into the grade of another submission with the same files and config. nullopt if
/// another run may give another grade: points of `first` are open, a case ran out of time or has no
/// credible time, the compiler was stopped at a limit, or the grader failed.
std::optional<Grade> grade_of_copy(Grade first, const std::string& name,
                                   const std::filesystem::path& path);

}  // namespace opgrade
