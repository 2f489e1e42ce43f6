/// Files that the course hands out with an assignment, in place of those that a submission lacks.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "grader/grading/intake/intake.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// The sources that a submission must have: all but those that are handed out.
std::vector<std::string> required_sources(const FilesConfig& rules,
                                          const std::vector<std::string>& sources);

/// Adds each handed out file that the sources include and `taken` lacks. A handed out source comes
/// with the header of its name, because it defines what the header declares. A submission that does
/// the work itself is thus built without these files, and its functions may have their names. A
/// changed copy follows the file's rule.
tl::expected<TakenFiles, Refusal> with_handed_out(TakenFiles taken, const FilesConfig& rules,
                                                  const std::vector<std::string>& sources);

}  // namespace opgrade
