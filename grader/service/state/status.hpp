/// The state of the queue and of one submission, as far as a reader may see it.
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
  int position = 0;                          ///< from 1; 0: it runs
  std::optional<std::chrono::seconds> left;  ///< estimated; none where nothing is known
  int waiting = 0;                           ///< of all places
  std::string waits_for;                     ///< as Service::waits_for()
  /// Those before it, with their priorities; a position and an estimate grow with them.
  std::map<std::int64_t, int> ahead{};
};

/// Running ones, then the waiting ones in the order in which they will be graded.
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

/// What the service cannot solve alone: files, disk, database, workers, configs, roster, upgrades.
std::vector<std::string> problems_for_staff(const Service& service);

/// The student whose grade a page about a hand-in shows: the reader, or for staff a member of its
/// owner. nullptr where the roster lacks them.
const course::Student* student_of(const course::CourseFolder& folder, const Identity& who,
                                  const HandIn& hand_in);

/// The gradebook's view of a hand-in, as its reader may see it.
struct HandInGrade {
  std::shared_ptr<const course::CourseFolder> folder;  ///< `entry` refers to it
  std::optional<course::Entry> entry;  ///< none of a document, and where the roster lacks the owner
};
/// As report::event_text(). `held`: without what tells an outcome.
std::string step_text(const Event& event, report::Audience audience, bool held);

HandInGrade grade_for(const Service& service, const Identity& who, const HandIn& hand_in);

/// The report that gives the submission its points, without the class's seed, and with a note of
/// the assignment's grade. None before all gradings of the submission are done.
std::optional<Grade> shown_grade(const Service& service, const HandIn& hand_in,
                                 const HandInGrade& grade);

/// Without that note, for a page that has the assignment's grade in a place of its own.
Grade without_grade_of_assignment(Grade grade);

/// Staff hold back what this reader would see of the grade.
bool is_held(const Service& service, const Identity& who, const HandIn& hand_in);

/// True for staff, of a section for its students.
bool may_see(const Identity& who, const course::Student& student);
/// Those of an owner's members that this reader may see.
std::vector<const course::Student*> seen_members(const Identity& who,
                                                 std::vector<const course::Student*> members);
/// True for the members of the owner, and for staff that may see one of them.
bool may_see(const course::CourseFolder& folder, const Identity& who,
             const course::Submission& submission);
bool may_see(const Service& service, const Identity& who, const HandIn& hand_in);

/// False for students before the assignment opens.
bool may_read_task(const Service& service, const Identity& who,
                   const course::Assignment& assignment);

/// One submission as JSON for its owner: state, place, points, grade, limits.
nlohmann::ordered_json status_json(const Service& service, const HandIn& hand_in,
                                   const HandInGrade& grade);

/// Events after number `after`, then the end. The submission's position comes whenever it changes.
/// `held`: as step_text().
Stream event_stream(const Service& service, std::int64_t submission, std::int64_t after, bool held);

}  // namespace opgrade::service
