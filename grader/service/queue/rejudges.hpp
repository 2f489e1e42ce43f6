/// Rejudges from the pages: begun beside the workers, graded while no submission waits.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/gradebook/copies.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradings/rejudge.hpp"
#include "grader/service/state/service.hpp"

namespace opgrade::service {

/// Gives the dispatcher the program that makes a rejudge's gradings.
class RejudgeRunner {
 public:
  /// The oldest open rejudge that needs gradings; none where the gradings of each failed.
  std::optional<BackgroundJob> next(const Service& service);
  /// The oldest open rejudge that only scores stored results anew, for a part of its submissions at
  /// least. The job makes these gradings and leaves the others to next().
  std::optional<BackgroundJob> next_rescoring(const Service& service);
  /// Failed kMaxFaults times since the server's start: a person must look.
  std::vector<std::int64_t> failed() const;

 private:
  struct Faults {
    int count = 0;
    course::Moment last{};
  };
  enum class Rescoring { unknown, due, done };

  bool is_paused(std::int64_t rejudge, course::Moment now) const;
  Rescoring rescoring_of(const Service& service, const course::Rejudge& rejudge);

  mutable std::mutex guard_;
  std::map<std::int64_t, Faults> faults_;        ///< by rejudge
  std::map<std::int64_t, Rescoring> rescoring_;  ///< by rejudge
};

/// The order's config is empty for the assignment's own, or one of config_files(). Throws
/// UsageError where the order is not one, no submission passes its filter, or another program
/// grades the course now.
course::Rejudge begin_rejudge(Service& service, const course::Assignment& assignment,
                              course::RejudgeOrder order);

/// A cancelled one is graded no further, here and on Slurm. Throws UsageError where it is decided
/// already, or not graded yet, and Error where Slurm's controller does not answer.
void decide_rejudge(Service& service, const course::Rejudge& rejudge, bool apply,
                    const std::string& who);

struct RejudgePreview {
  course::GradingCount gradings;
  std::vector<course::GradeChange> changes;
  bool other_config = false;  ///< than course.yaml names now: not to be applied
  std::vector<std::string> runs_again;
};
RejudgePreview preview_of(const Service& service, const course::CourseFolder& folder,
                          const course::Rejudge& rejudge);

/// A config's name for people: its path from the course folder if it is in there.
std::string config_text(const Service& service, const std::string& config);

/// The grades of a whole class. Those of an assignment are made again when the roster, its config
/// or its rows in the store have another content. Safe to use from several threads.
class ClassCache {
 public:
  struct OfAssignment {
    std::shared_ptr<const course::CourseFolder> folder;  ///< the others refer to it
    const course::Assignment* assignment = nullptr;
    std::vector<course::Entry> entries;  ///< in the order of the roster
    course::Copies copies;               ///< among `entries`
  };
  struct Class {
    std::shared_ptr<const course::CourseFolder> folder;
    std::vector<std::shared_ptr<const OfAssignment>> assignments;  ///< in the course's order
    std::vector<const course::Entry*> entries;                     ///< student by student
  };
  std::shared_ptr<const Class> now(const Service& service);
  /// Of one of the course's assignments; nullptr if the course has none of this name.
  std::shared_ptr<const OfAssignment> of(const Service& service, const std::string& assignment);

 private:
  /// What the grades of an assignment are made of: they are the same as long as it is.
  struct Source {
    std::shared_ptr<const course::CourseFolder> folder;
    std::shared_ptr<const Config> config;
    std::string version;              ///< of the program and of the rows in the store
    std::vector<int> slip_days_left;  ///< of each student; empty in a course without them
    bool operator==(const Source&) const = default;
  };
  struct Made {
    Source source;
    course::Moment until{};  ///< the first deadline of a document that was awaited
    std::shared_ptr<const OfAssignment> grades;
  };
  void read_versions(const Service& service);
  Source source_of(const Service& service, std::shared_ptr<const course::CourseFolder> folder,
                   const course::Assignment& assignment);
  /// The grades that were made of this; nullptr if the last ones were made of something else.
  std::shared_ptr<const OfAssignment> kept(const course::Assignment& assignment,
                                           const Source& source, course::Moment now);
  /// In the course's order; those whose sources changed are made again.
  std::vector<std::shared_ptr<const OfAssignment>> all_of(
      const Service& service, const std::shared_ptr<const course::CourseFolder>& folder);
  /// Makes them of `book`, which was read after `source`, and keeps them.
  std::shared_ptr<const OfAssignment> keep(const course::Assignment& assignment,
                                           const Source& source, const course::Gradebook& book);

  std::mutex guard_;
  std::string seen_;                             ///< Store::grades_version()
  std::map<std::string, std::string> versions_;  ///< of `seen_`, by assignment
  std::map<std::string, Made> made_;             ///< by assignment
  std::shared_ptr<const Class> class_;
};

/// The gradebook of now; of one student it reads less.
course::Gradebook gradebook_of(const Service& service, const course::CourseFolder& folder,
                               const course::Student* only = nullptr);
/// That of one assignment alone.
course::Gradebook gradebook_of(const Service& service, const course::CourseFolder& folder,
                               const course::Assignment& assignment,
                               const course::Student* only = nullptr);
/// The same entry, from this student's submissions alone, as students or staff see it. It refers to
/// `folder`.
course::Entry entry_of(const Service& service, const course::CourseFolder& folder,
                       const course::Student& student, const course::Assignment& assignment,
                       bool for_staff = false);

}  // namespace opgrade::service
