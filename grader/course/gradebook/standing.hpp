/// Decides which of an owner's submissions are graded and count, and when they are due.
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
  bool accepted = false;  ///< it came in time and within the daily limit, and was not withdrawn
  bool graded = false;    ///< it is to be graded, and can count
  std::string why_not;    ///< the reason if it is not graded
};

/// True for the submission that staff chose, unless it was taken back.
bool is_choice(const Submission& submission, std::optional<std::int64_t> chosen);

/// `submissions` are the owner's for this assignment, in the order of time. A submission that was
/// withdrawn or is not gradable does not use the daily limit. One that is not gradable is graded
/// only if no other one can count. If staff chose a submission, only that one counts, and it is
/// accepted however late it came.
std::vector<Standing> standings(const Course& course, const Assignment& assignment, const Due& due,
                                std::vector<const Submission*> submissions,
                                std::optional<std::int64_t> chosen = std::nullopt);

/// The slip days that an owner uses for an assignment: those of the submission that staff chose,
/// else those of the latest accepted and gradable one.
int slip_days_used(const std::vector<const Standing*>& standings,
                   std::optional<std::int64_t> chosen);

/// The order in which assignments use slip days. It is the same for all students, so that no two
/// assignments depend on each other.
bool uses_slip_days_earlier(const Assignment& one, const Assignment& other);

/// Computes deadlines with the slip days that are left. An assignment that is due earlier has used
/// the slip days of its latest accepted submission, or of the one that staff chose for the student.
/// In a team, the member with the fewest slip days left counts. A document uses no slip days.
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
  std::optional<Choices> choices_;  ///< read when slip days are first needed
  std::map<std::pair<std::string, std::string>, int> used_;  ///< by assignment and login
};

}  // namespace opgrade::course
