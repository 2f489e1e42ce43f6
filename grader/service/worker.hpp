/// The grading of one submission of the queue, in a process of its own.
#pragma once

#include <chrono>

#include "grader/core/events.hpp"
#include "grader/course/grade_assignment.hpp"
#include "grader/service/queue.hpp"

namespace opgrade::service {

/// Puts the grader's and the cluster's events that a student may see into the queue. Outcomes are
/// not among them: the student sees those of the grading that counts, at its end.
Listener live_log(Queue& queue, std::int64_t submission);

/// Makes the gradings that the submission still needs, and ends its run in the queue. Every result
/// is recorded once: what an earlier, killed run recorded is not made again.
void grade_hand_in(const course::CourseFolder& folder, course::Store& store, Queue& queue,
                   const HandIn& hand_in, const course::Assignment& assignment,
                   const course::Rules& rules, course::Executor& executor,
                   std::chrono::seconds again_after);

}  // namespace opgrade::service
