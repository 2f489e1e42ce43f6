#include "grader/config/old_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace opgrade {
namespace {

struct OldKey {
  std::string_view mapping;  ///< the key whose value has it
  std::string_view old_name;
  const char* name;
};

constexpr std::array kOldKeys{
    OldKey{"files", "take", "patterns"},
    OldKey{"timing", "warm_up", "partial_warmup"},
    OldKey{"timing", "warm_ups", "full_warmups"},
};

/// That of a case's timing: stages, a stage, cases, a case, timing. Aliases may form a circle.
constexpr int kDeepest = 5;

void rename_in(const YAML::Node& node, std::string_view mapping, int depth, ProblemList& problems) {
  if (depth > kDeepest) return;
  for (const auto& entry : node) {
    if (node.IsSequence()) {
      rename_in(entry, mapping, depth + 1, problems);
    } else if (entry.first.IsScalar()) {
      YAML::Node key = entry.first;
      for (const OldKey& old : kOldKeys) {
        if (old.mapping != mapping || old.old_name != key.Scalar()) continue;
        problems.note(key, fmt::format("note: '{}' is now called '{}'", old.old_name, old.name));
        key = old.name;
      }
      rename_in(entry.second, key.Scalar(), depth + 1, problems);
    }
  }
}

}  // namespace

void rename_old_keys(const YAML::Node& root, ProblemList& problems) {
  rename_in(root, "", 0, problems);
}

}  // namespace opgrade
