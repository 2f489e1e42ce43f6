#include "grader/course/gradebook/copies.hpp"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace opgrade::course {

Copies::Copies(std::span<const Entry> entries) {
  std::unordered_map<std::string_view, std::vector<const Submission*>> by_content;
  for (const Entry& entry : entries)
    for (const auto& g : entry.submissions)
      by_content[g.standing.submission.sha256].push_back(&g.standing.submission);
  for (const auto& [content, all] : by_content) {
    if (all.size() < 2) continue;
    for (const Submission* const s : all) owners_[{s->assignment, s->sha256}].insert(s->owner);
  }
}

std::set<std::string> Copies::owners(const Entry& entry) const {
  if (entry.submissions.empty()) return {};
  const Submission& s =
      entry.submissions.at(entry.counts.value_or(entry.submissions.size() - 1)).standing.submission;
  const auto found = owners_.find({s.assignment, s.sha256});
  if (found == owners_.end()) return {};
  auto others = found->second;
  others.erase(s.owner);
  return others;
}

}  // namespace opgrade::course
