/// Tokens that a stage's sources must or must not have.
#pragma once

#include <optional>
#include <string>

#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"
#include "grader/intake/intake.hpp"

namespace opgrade {

/// Why the files break the rule, with the line of a forbidden construct; nothing where they keep
/// it. Of the sources of other stages only those count that a file of this one includes.
std::optional<Reason> broken_construct(const Config& config, const StageConfig& stage,
                                       const ConstructConfig& construct, const TakenFiles& files);

/// That of the first broken rule that costs the whole stage.
std::optional<Reason> refused_construct(const Config& config, const StageConfig& stage,
                                        const TakenFiles& files);

/// Adds the points of constructs, and takes those of cases whose rule is broken. The cases of
/// `report` have their points. Where the stage was not built, nothing is earned.
void score_constructs(const Config& config, const StageConfig& stage, const TakenFiles& files,
                      StageReport& report);

}  // namespace opgrade
