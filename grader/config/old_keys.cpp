#include "grader/config/old_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade {
namespace {

struct OldKey {
  std::string_view mapping;  ///< the key whose value has it
  std::string_view old_name;
  const char* name;  ///< of now; null where it has no meaning any more
  const char* why = "";
};

constexpr const char* kFixedCalls = "all submissions have the same number of timed calls";

constexpr std::array kOldKeys{
    OldKey{"files", "take", "patterns"},
    OldKey{"timing", "warm_up", "partial_warmup"},
    OldKey{"timing", "warm_ups", "full_warmups"},
    OldKey{"timing", "budget", nullptr, kFixedCalls},
    OldKey{"timing", "settle", nullptr, kFixedCalls},
};

/// That of a case's timing: stages, a stage, cases, a case, timing. Aliases may form a circle.
constexpr int kDeepest = 5;

void rename_in(const YAML::Node& node, std::string_view mapping, int depth, ProblemList& problems) {
  if (depth > kDeepest) return;
  std::vector<std::string> without_meaning;
  for (const auto& entry : node) {
    if (node.IsSequence()) {
      rename_in(entry, mapping, depth + 1, problems);
    } else if (entry.first.IsScalar()) {
      YAML::Node key = entry.first;
      for (const OldKey& old : kOldKeys) {
        if (old.mapping != mapping || old.old_name != key.Scalar()) continue;
        if (old.name == nullptr) {
          problems.note(
              key, fmt::format("note: '{}' has no effect any more: {}", old.old_name, old.why));
          without_meaning.push_back(key.Scalar());
        } else {
          problems.note(key, fmt::format("note: '{}' is now called '{}'", old.old_name, old.name));
          key = old.name;
        }
      }
      rename_in(entry.second, key.Scalar(), depth + 1, problems);
    }
  }
  for (const std::string& key : without_meaning) YAML::Node(node).remove(key);
}

}  // namespace

void rename_old_keys(const YAML::Node& root, ProblemList& problems) {
  rename_in(root, "", 0, problems);
}

}  // namespace opgrade
