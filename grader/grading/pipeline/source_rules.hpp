/// What a stage's rules say of the sources before anything is built.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/build/preprocess.hpp"
#include "grader/grading/build/tree_uses.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

struct SourceRules {
  BrokenConstructs broken;            ///< empty if the sources could not be read
  std::optional<Reason> hidden;       ///< code that the runs that watch would not see
  std::optional<BuildReport> unread;  ///< the preprocessor's report if it refuses the sources
  bool by_words = false;              ///< no tree, or a part of it, told what code uses
};

/// What the compiler reads of the sources, and makes of some texts: see preprocess().
using SourceReading = tl::expected<PreprocessedSources, BuildReport>;

/// `plain` reads the sources for the stage's device, `counted` for the build that counts accesses,
/// `uses` has the tree of what `plain` read. Each is called once at most, because a reading of all
/// headers takes longer than the rules.
struct SourceReaders {
  std::function<SourceReading(const std::vector<std::string>& texts)> plain;
  std::function<SourceReading()> counted;
  std::function<std::optional<TreeUses>(const PreprocessedSources&)> uses;
};

/// `sources` has the names of the sources, for the message.
SourceRules apply_source_rules(const StageConfig& stage, Device device,
                               const std::vector<std::string>& sources,
                               const SourceReaders& readers);

}  // namespace opgrade
