/// The queue of submissions in course.db: from the upload to the end of the grading. Every change
/// of state is one transaction, synced before it is answered.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/events.hpp"
#include "grader/course/folder/course_config.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::service {

enum class State {
  queued,
  running,
  done,
  cancelled,
  stuck,  ///< the grader failed kMaxFaults times: a person must look; costs no attempt
  added,  ///< `course add` took it in, and no server has it in its queue
};
std::string_view name_of(State state);
inline bool is_over(State state) { return state != State::queued && state != State::running; }

inline constexpr int kMaxFaults = 3;

/// The setting with the assignment whose reference solution a worker grades now; empty: none.
inline constexpr const char* kReference = "reference";
/// The setting with the number of workers of the server that has the course, or had it last.
inline constexpr const char* kWorkers = "workers";

struct HandIn {
  course::Submission submission;
  std::string person;  ///< who handed in
  std::string key;     ///< of one upload, however often it is sent
  State state = State::queued;
  bool staff = false;
  int run = 0;     ///< how often a worker took it
  int faults = 0;  ///< of the grader
  std::string worker;
  course::Moment not_before;
  course::Moment queued;
  std::optional<course::Moment> started, ended;
  int cases_done = 0;       ///< of a practice run: in runs that were interrupted, and in this one
  std::string tool;         ///< ToolWish::text() of a practice run; or empty
  bool by_command = false;  ///< `course add` took it in: it has no precedence and asked no limit

  bool is_practice() const { return submission.assignment.starts_with(course::kPractice); }
  /// A document that graders mark; no worker takes it.
  bool is_document() const { return submission.assignment.starts_with(course::kDocuments); }
};

/// Of its gradings by an executor: the next worker finds what one that was ended left there.
std::string purpose_of(const HandIn& hand_in);

/// The practice runs of an owner for an assignment.
struct PracticeUse {
  std::string owner, assignment;
  int runs = 0;
  std::chrono::seconds since{0}, all{0};  ///< that workers had them: since a moment, and ever
};

struct StoredEvent {
  std::int64_t id = 0;
  course::Moment at;
  Event event;
};

/// Also used from several processes at once: the server's and its workers'.
class Queue {
 public:
  explicit Queue(const course::Store& store) : store_(store) {}

  /// Puts a submission into the store and the queue, in one transaction. False: this content of the
  /// owner came in this second already; `hand_in` is that one. Throws Error for a known key.
  /// `within` runs at the end of the transaction; it throws to take all back.
  using Within = std::function<void(SQLite::Database&, bool is_new)>;
  bool add(
      HandIn& hand_in, const Within& within = [](SQLite::Database&, bool) {});
  /// The same for a document, which is done at once.
  bool add_document(
      HandIn& hand_in, const Within& within = [](SQLite::Database&, bool) {});
  /// Puts a submission of the store, which `course add` took in, into the queue. False: it is there
  /// already.
  bool add_stored(std::int64_t submission, course::Moment now);

  /// Of one that `course add` took in: as if staff had handed it in.
  std::optional<HandIn> find(std::int64_t submission) const;
  std::optional<HandIn> by_key(const std::string& person, const std::string& key) const;
  std::vector<HandIn> in_work() const;  ///< queued and running, in the order of arrival
  std::vector<HandIn> of_owner(const std::string& owner, const std::string& assignment) const;
  std::vector<HandIn> with_state(State state) const;
  /// The submissions of other owners for the same assignment with the same files.
  std::vector<HandIn> copies_of(const course::Submission& submission) const;
  std::int64_t count(State state) const;

  /// Gives the submission that `choose` picks from those in work to a worker. Nothing where it
  /// picks none.
  std::optional<HandIn> claim(
      const std::string& worker, course::Moment now,
      const std::function<std::optional<std::int64_t>(const std::vector<HandIn>&)>& choose);

  /// The end of run number `run`; false where another run or end came first. `fault`: the grader
  /// failed, so it is queued again from `again_at` on, or stuck.
  bool finish(std::int64_t submission, int run, const events::Done& done, course::Moment now);
  bool fault(std::int64_t submission, int run, course::Moment now,
             std::chrono::seconds again_after);
  /// A run that the server or its machine ended, at the moment `now`: queued again at its old
  /// place, at no cost. A result that the run recorded stands: the next worker finds it and grades
  /// nothing. The next worker of a practice run goes on after its finished cases. Returns false if
  /// the run was over.
  bool give_back(std::int64_t submission, int run, course::Moment now);
  /// Ends a practice run for good, at no cost but its time; `why` goes into its log. Returns false
  /// if the run was over.
  bool end_run(std::int64_t submission, int run, const std::string& why, course::Moment now);
  /// False where it is not queued any more.
  bool cancel(std::int64_t submission, course::Moment now);
  /// Staff let a stuck or cancelled one be graded.
  bool requeue(std::int64_t submission, course::Moment now);

  void add(std::int64_t submission, const Event& event, course::Moment now);
  std::vector<StoredEvent> events(std::int64_t submission, std::int64_t after) const;

  /// Keeps the report of the cases that run number `run` has finished; nothing if it is over.
  void keep_cases(std::int64_t submission, int run, int cases, const std::string& report);
  /// What keep_cases() got last; empty if there is nothing to go on with.
  std::string kept_cases(std::int64_t submission) const;
  /// Grows with every case of a practice run and every grading that is finished.
  std::int64_t progress() const;

  /// How long workers had a submission until now.
  std::chrono::seconds worker_time(std::int64_t submission, course::Moment now) const;
  /// How long workers had the practice runs of each owner since then.
  std::map<std::string, std::chrono::seconds> practice_times(course::Moment since,
                                                             course::Moment now) const;

  /// The same for staff, the largest time since then first.
  std::vector<PracticeUse> practice_use(course::Moment since, course::Moment now) const;

  /// Times of the last gradings of an assignment, the newest first. An interrupted practice
  /// run has the sum of its parts.
  std::vector<std::chrono::seconds> durations(const std::string& assignment, int newest) const;

  std::string setting(const std::string& name) const;
  void set(const std::string& name, const std::string& value);

 private:
  const course::Store& store_;
};

}  // namespace opgrade::service
