/// Which of an owner's submissions are graded and count, and when they are due.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/folder/course_folder.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::course {

struct Standing {
  Submission submission;
  Lateness late;
  bool accepted = false;  ///< in time, within the daily limit, not taken back
  bool graded = false;    ///< to be graded: it can count
  std::string why_not;    ///< where it is not graded
};

/// True for the submission that staff chose, unless it was taken back.
bool is_choice(const Submission& submission, std::optional<std::int64_t> chosen);

/// `submissions` are the owner's for this assignment, in the order of time. One that was taken back
/// or cannot be graded takes no place of a day; one that cannot be graded is graded only where no
/// other one can count. If staff chose one of them, it alone counts, and is accepted however late
/// it came.
std::vector<Standing> standings(const Course& course, const Assignment& assignment, const Due& due,
                                std::vector<const Submission*> submissions,
                                std::optional<std::int64_t> chosen = std::nullopt);

/// The slip days that an owner's submissions for an assignment use: of the one that staff chose,
/// else of the latest one that is accepted and gradable.
int slip_days_used(const std::vector<const Standing*>& standings,
                   std::optional<std::int64_t> chosen);

/// The order in which assignments use slip days, the same for all students, so that no two wait for
/// each other.
bool uses_slip_days_earlier(const Assignment& one, const Assignment& other);

/// Deadlines with the slip days that are left. Each assignment that is due earlier used as many as
/// its latest accepted submission is late, or as the submission that staff chose for the student;
/// of a team counts the member who has the fewest left. A document uses no slip days.
class DueDates {
 public:
  /// An owner's submissions for an assignment, in the order of time.
  using Find = std::function<std::vector<Submission>(const std::string& assignment,
                                                     const std::string& owner)>;
  DueDates(const CourseFolder& folder, const Store& store, Find find)
      : folder_(folder), store_(store), find_(std::move(find)) {}
  DueDates(const CourseFolder& folder, const Store& store);

  Due of(const Owner& owner, const Assignment& assignment);

 private:
  int used(const Student& student, const Assignment& assignment);
  std::optional<std::int64_t> choice_for(const Student& student, const Assignment& assignment);

  const CourseFolder& folder_;
  const Store& store_;
  const Find find_;
  std::optional<Choices> choices_;                           ///< read when slip days are asked for
  std::map<std::pair<std::string, std::string>, int> used_;  ///< by assignment and login
};

}  // namespace opgrade::course
