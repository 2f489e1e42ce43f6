/// The grading of one submission of the queue, in a process of its own.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "grader/config/config.hpp"
#include "grader/course/grade_assignment.hpp"
#include "grader/service/queue.hpp"

namespace opgrade::service {

/// The grader's log as events that a student may read. Names of cases that the config does not show
/// never leave it: only known texts pass.
class LogFilter {
 public:
  explicit LogFilter(const Config& config);

  struct Said {
    std::string kind, text;
  };
  /// Nothing for a line that no student needs.
  std::optional<Said> take(const std::string& line) const;

 private:
  std::set<std::string> stages_, shown_, hidden_;
};

/// Makes the gradings that the submission still needs, and ends its run in the queue. Every result
/// is recorded once: what an earlier, killed run recorded is not made again.
void grade_hand_in(const course::CourseFolder& folder, course::Store& store, Queue& queue,
                   const HandIn& hand_in, const course::Assignment& assignment,
                   const course::Rules& rules, course::Executor& executor,
                   std::chrono::seconds again_after);

}  // namespace opgrade::service
