/// Finds the student of a hand-in. Nothing is guessed.
#pragma once

#include <string>
#include <vector>

#include "grader/course/hand_in.hpp"
#include "grader/course/roster.hpp"

namespace opgrade::course {

struct Match {
  const Student* student = nullptr;
  std::string why_not;                 ///< where there is no student
  std::vector<std::string> nearest{};  ///< roster entries, the nearest first: "ada (Ada Lovelace)"
};

/// By id, login, e-mail or Canvas id, or by the whole name where one student alone has it.
Match match(const Person& person, const Roster& roster);

}  // namespace opgrade::course
