/// Submissions of several owners for an assignment with the same files: they have one grade. For
/// staff alone.
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
  /// Of the entries of a whole class.
  explicit Copies(std::span<const Entry> entries);
  /// The other owners with the files of the entry's submission that counts, or of its last one.
  std::set<std::string> owners(const Entry& entry) const;

 private:
  /// By assignment and content, without the files that one submission alone has.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> owners_;
};

}  // namespace opgrade::course
