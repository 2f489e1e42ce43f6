/// Constructs that a stage's sources must or must not have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/build/preprocess.hpp"
#include "grader/grading/build/tree_uses.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// The tokens that the source must have, or must not have.
const std::string& tokens_of(const ConstructConfig& construct);

/// True if a word of that spelling may stand in code without the use that a config means.
bool only_the_tree_tells(const std::string& construct);

/// `read` has the constructs' tokens as its texts. `sources` is for the message. `uses` comes from
/// the tree, if there is one. The tree then decides which code can run, and what is __shared__,
/// __constant__ or a function of CUDA's, because tokens alone cannot tell. If a tree with errors
/// does not show a use that a word could be, staff decide.
BrokenConstructs broken_constructs(const StageConfig& stage,
                                   const std::vector<std::string>& sources,
                                   const std::vector<PreprocessedSource>& read,
                                   const std::optional<TreeUses>& uses);

/// The reason of the first broken rule that costs the whole stage.
std::optional<Reason> refused_construct(const StageConfig& stage, const BrokenConstructs& broken);

}  // namespace opgrade
