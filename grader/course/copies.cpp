#include "grader/course/copies.hpp"

namespace opgrade::course {

void Copies::add(std::span<const Entry> entries) {
  for (const Entry& entry : entries)
    for (const auto& g : entry.submissions) {
      const Submission& s = g.standing.submission;
      owners_[{s.assignment, s.sha256}].insert(s.owner);
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
