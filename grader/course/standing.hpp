/// Which of an owner's submissions are graded and count, and when they are due.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/course_folder.hpp"
#include "grader/course/store.hpp"

namespace opgrade::course {

struct Standing {
  Submission submission;
  Lateness late;
  bool accepted = false;  ///< in time, within the daily limit, not taken back
  bool graded = false;    ///< to be graded: it can count
  std::string why_not;    ///< where it is not graded
};

/// `submissions` are the owner's for this assignment, in the order of time. One that cannot be
/// graded takes no place of a day, and is graded only where no other one can count. If staff chose
/// one of them, it alone counts.
std::vector<Standing> standings(const Course& course, const Assignment& assignment, const Due& due,
                                std::vector<const Submission*> submissions,
                                std::optional<std::int64_t> chosen = std::nullopt);

/// Deadlines with the slip days that are left. Each assignment that is due earlier used as many as
/// its latest accepted submission is late; of a team counts the member who has the fewest left.
class DueDates {
 public:
  /// An owner's submissions for an assignment, in the order of time.
  using Find = std::function<std::vector<Submission>(const std::string& assignment,
                                                     const std::string& owner)>;
  DueDates(const CourseFolder& folder, Find find) : folder_(folder), find_(std::move(find)) {}
  DueDates(const CourseFolder& folder, const Store& store);

  Due of(const Owner& owner, const Assignment& assignment);

 private:
  int used(const Owner& owner, const Assignment& assignment);

  const CourseFolder& folder_;
  const Find find_;
  std::map<std::pair<std::string, std::string>, int> used_;  ///< by assignment and owner
};

}  // namespace opgrade::course
