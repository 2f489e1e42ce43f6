/// Submissions of a class with the same files have one grade, that of the first: times scatter, and
/// a copy's points must not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/base/core/grade.hpp"

namespace opgrade {

/// `first` as the grade of another submission with the same files by the same config. Nothing where
/// another run may decide otherwise: points of it are open, a case ran out of time or has no
/// credible time, the compiler was stopped at a limit, or the grader failed.
std::optional<Grade> grade_of_copy(Grade first, const std::string& name,
                                   const std::filesystem::path& path);

}  // namespace opgrade
