/// Points of a course: results, late rules, staff's items and changes to one number each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/course_folder.hpp"
#include "grader/course/standing.hpp"
#include "grader/course/store.hpp"

namespace opgrade::course {

/// The part of an assignment's config that the gradebook needs.
struct AssignmentFacts {
  double maximum = 0;
  std::map<std::string, double> items;  ///< staff's open items and their points
};

/// A submission with its results.
struct GradedSubmission {
  Standing standing;
  std::vector<Attempt> attempts;  ///< all, by their place
  std::vector<Attempt> counted;   ///< of the last one's config and program, without grader faults
                                  ///< and rejudges that are not applied
  std::optional<double> earned;   ///< the median of `counted`; none where gradings are missing
  double after_late = 0;          ///< `earned` less the late rule's price
};

struct Entry {
  enum class State {
    graded,
    open,     ///< something is not decided yet: the points may change
    missing,  ///< no submission
    excused,
  };
  const Student* student = nullptr;
  const Assignment* assignment = nullptr;
  State state = State::missing;
  std::optional<double> points;  ///< none for missing and excused ones
  double maximum = 0;
  std::string reason;  ///< one line: how the points came about, or what is open

  Due due;
  std::vector<GradedSubmission> submissions;
  std::optional<std::size_t> counts;    ///< of `submissions`
  std::map<std::string, double> items;  ///< given by staff
  std::vector<Change> changes;          ///< of this grade, in the order of time
};

class Gradebook {
 public:
  /// `as_if_applied` is an open rejudge whose attempts count here, or 0.
  Gradebook(const CourseFolder& folder, const Store& store,
            std::map<std::string, AssignmentFacts> facts, std::int64_t as_if_applied = 0);

  Entry entry(const Student& student, const Assignment& assignment) const;
  /// Entries of every student and assignment, student by student.
  std::vector<Entry> entries() const;

  const AssignmentFacts& facts(const Assignment& assignment) const;

 private:
  const CourseFolder& folder_;
  std::map<std::string, AssignmentFacts> facts_;
  std::vector<Submission> submissions_;
  std::map<std::int64_t, std::vector<Attempt>> attempts_;
  std::vector<Change> changes_;
};

std::string_view name_of(Entry::State state);

/// At most two decimals, as Canvas compares: "72.5".
std::string points_text(double points);

}  // namespace opgrade::course
