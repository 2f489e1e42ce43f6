/// Gives the state of the queue and of one submission, as far as a reader may see it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/report/fields/view.hpp"
#include "grader/service/http/http_message.hpp"
#include "grader/service/state/service.hpp"

namespace opgrade::service {

struct Place {
  HandIn hand_in;
  int position = 0;  ///< from 1; 0: it runs
  /// Estimated time until it is done; nullopt if nothing is known.
  std::optional<std::chrono::seconds> left;
  int waiting = 0;        ///< the number of waiting submissions in the whole queue
  std::string waits_for;  ///< see CourseFiles::waits_for()
  /// The submissions before it, with their priorities. If more come, the position and the estimate
  /// grow.
  std::map<std::int64_t, int> ahead{};
};

/// The running submissions, then the waiting ones in the order in which they will be graded.
std::vector<Place> queue_now(const Service& service);
inline int waiting_in(const std::vector<Place>& places) {
  return places.empty() ? 0 : places.front().waiting;
}
std::optional<Place> place_of(const Service& service, std::int64_t submission);

/// "position 3 of 12, done in about 4 min; behind 2 submissions that count".
std::string place_text(const Place& place);

/// Why a place is further from the end than it was: "later than before: a submission that counts
/// came". Empty if it is not.
std::string why_later(const Place& before, const Place& now);

/// Why the gradings of an open rejudge wait; empty if nothing keeps them from running.
std::string why_rejudge_waits(const Service& service, const course::Rejudge& rejudge);

/// Problems that need staff: files, disk, database, workers, configs, roster, upgrades.
std::vector<std::string> problems_for_staff(const Service& service);

/// The student whose grade a page about a hand-in shows: the reader, or for staff a member of its
/// owner. nullptr if the roster lacks the student.
const course::Student* student_of(const course::CourseFolder& folder, const Identity& who,
                                  const HandIn& hand_in);

/// The gradebook's view of a hand-in, as its reader may see it.
struct HandInGrade {
  std::shared_ptr<const course::CourseFolder> folder;  ///< `entry` refers to it
  std::optional<course::Entry> entry;  ///< nullopt for a document, or if the roster lacks the owner
};
/// The text of report::event_text(). `held`: leaves out what would reveal an outcome.
std::string step_text(const Event& event, report::Audience audience, bool held);

HandInGrade grade_for(const Service& service, const Identity& who, const HandIn& hand_in);

/// The report that gives the submission its points, without the class's seed, and with a note of
/// the assignment's grade. nullopt before all gradings of the submission are done.
std::optional<Grade> shown_grade(const Service& service, const HandIn& hand_in,
                                 const HandInGrade& grade);

/// Removes that note, for a page that shows the assignment's grade separately.
Grade without_grade_of_assignment(Grade grade);

/// True if staff hold back the grade from this reader.
bool is_held(const Service& service, const Identity& who, const HandIn& hand_in);

/// True for staff; for staff of one section, only if the student is in it.
bool may_see(const Identity& who, const course::Student& student);
/// The members of an owner whom this reader may see.
std::vector<const course::Student*> seen_members(const Identity& who,
                                                 std::vector<const course::Student*> members);
/// True for the members of the owner, and for staff who may see one of them.
bool may_see(const course::CourseFolder& folder, const Identity& who,
             const course::Submission& submission);
bool may_see(const Service& service, const Identity& who, const HandIn& hand_in);

/// True if the reader may see the task; false for students before the assignment opens.
bool may_read_task(const Service& service, const Identity& who,
                   const course::Assignment& assignment);

/// One submission as JSON for its owner: state, place, points, grade, limits.
nlohmann::ordered_json status_json(const Service& service, const HandIn& hand_in,
                                   const HandInGrade& grade);

/// Streams the events after number `after` until the submission is done, and its position whenever
/// that changes. `held`: see step_text().
Stream event_stream(const Service& service, std::int64_t submission, std::int64_t after, bool held);

}  // namespace opgrade::service
