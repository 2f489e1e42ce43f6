/// What the order of the queue depends on.
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

/// Practice runs of so long ago are forgotten when the queue is ordered.
inline constexpr std::chrono::hours kRememberedTime{4};

/// The queue's facts on each submission in work at one moment; reads the store only when it is
/// made.
class Ranker {
 public:
  explicit Ranker(const Service& service);
  Waiting operator()(const HandIn& hand_in) const;
  /// False: no submission of the assignment was graded yet, so the estimate is a guess.
  bool is_known(const HandIn& hand_in) const;

 private:
  const Service& service_;
  std::shared_ptr<const course::CourseFolder> folder_;
  course::Moment now_;
  std::map<std::string, std::chrono::seconds> median_;          ///< by assignment
  mutable std::map<std::string, std::string> waits_for_;        ///< by assignment
  mutable std::map<std::string, bool> uses_gpu_;                ///< by assignment
  std::map<std::string, std::chrono::seconds> practice_times_;  ///< of late, by owner
};

}  // namespace opgrade::service
