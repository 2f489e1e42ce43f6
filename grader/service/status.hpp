/// The state of the queue and of one submission, as far as a reader may see it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/core/grade.hpp"
#include "grader/service/http_message.hpp"
#include "grader/service/service.hpp"

namespace opgrade::service {

struct Place {
  HandIn hand_in;
  int position = 0;                          ///< from 1; 0: it runs
  std::optional<std::chrono::seconds> left;  ///< estimated; none where nothing is known
};

/// Running ones, then the waiting ones in the order in which they will be graded.
std::vector<Place> queue_now(const Service& service);

/// "position 3 of 12, done in about 4 min".
std::string place_text(const Place& place, std::size_t waiting);

/// The newest one without a grader fault; of no rejudge, or of an applied one. Or nullptr.
const course::Attempt* newest_of(const std::vector<course::Attempt>& attempts);
/// The report of an attempt, without the class's seed.
std::optional<Grade> grade_of(const Service& service, const course::Attempt& attempt);
/// The grade that may be shown: none before all gradings of the submission are done.
std::optional<Grade> shown_grade(const Service& service, const HandIn& hand_in);

/// True for the members of the owner, and for staff.
bool may_see(const Service& service, const Identity& who, const HandIn& hand_in);

/// One submission as JSON for its owner: state, place, points, limits.
std::string status_json(const Service& service, const HandIn& hand_in);

/// Events after number `after`, then the end. The submission's position comes whenever it changes.
Stream event_stream(const Service& service, std::int64_t submission, std::int64_t after);

}  // namespace opgrade::service
