/// Finds submissions of several owners for an assignment that have the same files and therefore one
/// grade. Only staff see this.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "grader/course/gradebook/gradebook.hpp"

namespace opgrade::course {

class Copies {
 public:
  /// `entries` are those of a whole class.
  explicit Copies(std::span<const Entry> entries);
  /// The other owners who handed in the files of the entry's submission that counts or, if none
  /// counts, of its last one.
  std::set<std::string> owners(const Entry& entry) const;

 private:
  /// By assignment and content. Contents that only one submission has are left out.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> owners_;
};

}  // namespace opgrade::course
