/// Rejudges that staff begin on the pages. They are recorded while workers run, and graded while no
/// submission waits.
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
  /// A job for the oldest open rejudge that needs gradings; nullopt if there is none, or if the
  /// gradings of each have failed.
  std::optional<BackgroundJob> next(const Service& service);
  /// A job for the oldest open rejudge that only has to score stored results again for some of its
  /// submissions. The job makes these gradings and leaves the others to next().
  std::optional<BackgroundJob> next_rescoring(const Service& service);
  /// The rejudges that failed kMaxFaults times since the server's start, about which staff must
  /// decide.
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

/// Begins a rejudge. The order's config is empty, which means the assignment's own, or one of
/// config_files(). Throws UsageError if the order is invalid, no submission passes its filter, or
/// another program grades the course now.
course::Rejudge begin_rejudge(Service& service, const course::Assignment& assignment,
                              course::RejudgeOrder order);

/// Applies or cancels a rejudge. A cancelled one is graded no further, here and on Slurm. Throws
/// UsageError if it is already decided, or cannot be applied before it is graded, and Error if
/// Slurm's controller does not answer.
void decide_rejudge(Service& service, const course::Rejudge& rejudge, bool apply,
                    const std::string& who);

struct RejudgePreview {
  course::GradingCount gradings;
  std::vector<course::GradeChange> changes;
  /// Its config is not the one that course.yaml names now: it cannot be applied.
  bool other_config = false;
  std::vector<std::string> runs_again;
};
RejudgePreview preview_of(const Service& service, const course::CourseFolder& folder,
                          const course::Rejudge& rejudge);

/// A config's name for people: its path from the course folder if it lies in that folder.
std::string config_text(const Service& service, const std::string& config);

/// Caches the grades of a whole class. The grades of an assignment are computed again if the
/// content of the roster, of its config or of its rows in the store has changed. Safe to use from
/// several threads.
class ClassCache {
 public:
  struct OfAssignment {
    std::shared_ptr<const course::CourseFolder> folder;  ///< the other members refer to it
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
  /// The grades of one assignment; nullptr if the course has none of this name.
  std::shared_ptr<const OfAssignment> of(const Service& service, const std::string& assignment);

 private:
  /// The inputs of the grades of an assignment. The grades change only if these change.
  struct Source {
    std::shared_ptr<const course::CourseFolder> folder;
    std::shared_ptr<const Config> config;
    std::string version;  ///< versions of the program and of the rows in the store
    /// Slip days left of each student; empty in a course without slip days.
    std::vector<int> slip_days_left;
    bool operator==(const Source&) const = default;
  };
  struct Made {
    Source source;
    course::Moment until{};  ///< the grades are valid until then: the first deadline of a document
                             ///< that is not handed in
    std::shared_ptr<const OfAssignment> grades;
  };
  void read_versions(const Service& service);
  Source source_of(const Service& service, std::shared_ptr<const course::CourseFolder> folder,
                   const course::Assignment& assignment);
  /// The cached grades for this source; nullptr if the cached grades have another one.
  std::shared_ptr<const OfAssignment> kept(const course::Assignment& assignment,
                                           const Source& source, course::Moment now);
  /// The grades of all assignments in the course's order. If an assignment's source changed, its
  /// grades are computed again.
  std::vector<std::shared_ptr<const OfAssignment>> all_of(
      const Service& service, const std::shared_ptr<const course::CourseFolder>& folder);
  /// Computes the grades from `book`, which was read after `source`, and stores them in the cache.
  std::shared_ptr<const OfAssignment> keep(const course::Assignment& assignment,
                                           const Source& source, const course::Gradebook& book);

  std::mutex guard_;
  std::string seen_;  ///< Store::grades_version()
  /// Store::grades_versions() for `seen_`, by assignment.
  std::map<std::string, std::string> versions_;
  std::map<std::string, Made> made_;  ///< by assignment
  std::shared_ptr<const Class> class_;
};

/// The gradebook with the current rules. For one student it reads less.
course::Gradebook gradebook_of(const Service& service, const course::CourseFolder& folder,
                               const course::Student* only = nullptr);
/// The gradebook of one assignment.
course::Gradebook gradebook_of(const Service& service, const course::CourseFolder& folder,
                               const course::Assignment& assignment,
                               const course::Student* only = nullptr);
/// The gradebook's entry as students or staff see it, read from this student's submissions alone.
/// It refers to `folder`.
course::Entry entry_of(const Service& service, const course::CourseFolder& folder,
                       const course::Student& student, const course::Assignment& assignment,
                       bool for_staff = false);

}  // namespace opgrade::service
