/// Tokens that a stage's sources must or must not have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/build/preprocess.hpp"
#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"

namespace opgrade {

/// Those that the source must have, or must not.
const std::string& tokens_of(const ConstructConfig& construct);

/// For each of a stage's constructs why the sources break the rule, with the line of a forbidden
/// one; nothing where they keep it.
using BrokenConstructs = std::vector<std::optional<Reason>>;

/// `read`: with the constructs' tokens as its texts. `sources`: for the message.
BrokenConstructs broken_constructs(const StageConfig& stage,
                                   const std::vector<std::string>& sources,
                                   const std::vector<PreprocessedSource>& read);

/// That of the first broken rule that costs the whole stage.
std::optional<Reason> refused_construct(const StageConfig& stage, const BrokenConstructs& broken);

/// Adds the points of constructs, and takes those of cases whose rule is broken. The cases of
/// `report` have their points. Where the stage was not built, nothing is earned, and `broken` may
/// be empty.
void score_constructs(const StageConfig& stage, const BrokenConstructs& broken,
                      StageReport& report);

}  // namespace opgrade
