/// Finds the facts on which the order of the queue depends.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "grader/course/folder/course_folder.hpp"
#include "grader/service/queue/fair_order.hpp"
#include "grader/service/queue/queue.hpp"

namespace opgrade::service {

class Service;

/// Older practice runs do not affect the order of the queue.
inline constexpr std::chrono::hours kRememberedTime{4};

/// The facts about each submission in work at one moment. The constructor alone reads the store.
class Ranker {
 public:
  explicit Ranker(const Service& service);
  Waiting operator()(const HandIn& hand_in) const;
  /// False if no submission of the assignment was graded yet, so that the estimate is a guess.
  bool is_known(const HandIn& hand_in) const;

 private:
  const Service& service_;
  std::shared_ptr<const course::CourseFolder> folder_;
  course::Moment now_;
  std::map<std::string, std::chrono::seconds> median_;    ///< by assignment
  mutable std::map<std::string, std::string> waits_for_;  ///< by assignment
  mutable std::map<std::string, bool> uses_gpu_;          ///< by assignment
  /// By owner, since kRememberedTime ago.
  std::map<std::string, std::chrono::seconds> practice_times_;
};

}  // namespace opgrade::service
