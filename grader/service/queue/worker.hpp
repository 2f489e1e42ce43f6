/// Grades one submission of the queue, in a process of its own.
#pragma once

#include <chrono>

#include "grader/base/core/events.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/service/queue/queue.hpp"

namespace opgrade::service {

/// Puts the grader's and the cluster's events that a student may see into the queue. Outcomes are
/// left out: the student sees the outcomes of the grading that counts when it ends.
Listener live_log(Queue& queue, std::int64_t submission);

/// One run of a hand-in, as the queue gave it to a worker.
struct WorkerRun {
  const course::CourseFolder& folder;
  course::Store& store;
  Queue& queue;
  const HandIn& hand_in;
  const course::Assignment& assignment;
  std::chrono::seconds again_after;  ///< time until a new try after a grader fault
};

/// Makes the gradings that the submission still needs, and ends its run in the queue. Every result
/// is recorded once: gradings that an earlier, killed run recorded are not repeated.
void grade_hand_in(const WorkerRun& run, const course::Rules& rules, course::Executor& executor);

}  // namespace opgrade::service
