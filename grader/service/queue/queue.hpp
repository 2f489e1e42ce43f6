/// The queue of submissions in course.db, from the upload to the end of the grading. Every change
/// of state is one transaction, which is synced to disk before the request is answered.
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
  stuck,  ///< the grader failed kMaxFaults times: staff must decide; uses no attempt
  added,  ///< `course add` took it in, and it was never in the queue
};
std::string_view name_of(State state);
inline bool is_over(State state) { return state != State::queued && state != State::running; }

inline constexpr int kMaxFaults = 3;

/// The setting that holds the assignment whose reference solution a worker grades now; empty: none.
inline constexpr const char* kReference = "reference";
/// The setting that holds the number of workers of the server that has the course, or had it last.
inline constexpr const char* kWorkers = "workers";

struct HandIn {
  course::Submission submission;
  std::string person;  ///< who handed in
  std::string key;     ///< identifies one upload, however often it is sent
  State state = State::queued;
  bool staff = false;
  int run = 0;     ///< the number of times that a worker took it
  int faults = 0;  ///< grader faults so far
  std::string worker;
  course::Moment not_before;
  course::Moment queued;
  std::optional<course::Moment> started, ended;
  int cases_done = 0;  ///< finished cases of a practice run, including those before interruptions
  std::string tool;    ///< ToolWish::text() of a practice run; may be empty
  /// `course add` took it in: it has no precedence, and limits were not checked.
  bool by_command = false;

  bool is_practice() const { return submission.assignment.starts_with(course::kPractice); }
  /// A document that graders mark; no worker takes it.
  bool is_document() const { return submission.assignment.starts_with(course::kDocuments); }
};

/// The purpose of its gradings for an executor. The next worker finds there what an ended worker
/// left.
std::string purpose_of(const HandIn& hand_in);

/// The practice runs of an owner for an assignment.
struct PracticeUse {
  std::string owner, assignment;
  int runs = 0;
  /// Time that workers spent on them: since a moment, and in all.
  std::chrono::seconds since{0}, all{0};
};

struct StoredEvent {
  std::int64_t id = 0;
  course::Moment at;
  Event event;
};

/// The server and its workers use the queue at the same time, from several processes.
class Queue {
 public:
  explicit Queue(const course::Store& store) : store_(store) {}

  /// Puts a submission into the store and the queue, in one transaction. Returns false if the owner
  /// handed in this content in this second already; then `hand_in` becomes that submission. Throws
  /// Error for a known key. `within` runs at the end of the transaction, and may throw to roll all
  /// back.
  using Within = std::function<void(SQLite::Database&, bool is_new)>;
  bool add(
      HandIn& hand_in, const Within& within = [](SQLite::Database&, bool) {});
  /// Adds a document like add(). Its state is `done` at once.
  bool add_document(
      HandIn& hand_in, const Within& within = [](SQLite::Database&, bool) {});
  /// Puts a submission of the store, which `course add` took in, into the queue. Returns false if
  /// the queue has it already.
  bool add_stored(std::int64_t submission, course::Moment now);

  /// A submission by its number. One that `course add` took in appears as if staff had handed it
  /// in.
  std::optional<HandIn> find(std::int64_t submission) const;
  std::optional<HandIn> by_key(const std::string& person, const std::string& key) const;
  std::vector<HandIn> in_work() const;  ///< queued and running, in the order of arrival
  std::vector<HandIn> of_owner(const std::string& owner, const std::string& assignment) const;
  std::vector<HandIn> with_state(State state) const;
  /// The submissions of other owners for the same assignment with the same files.
  std::vector<HandIn> copies_of(const course::Submission& submission) const;
  std::int64_t count(State state) const;

  /// Gives a worker the submission that `choose` picks from those in work; nullopt if it picks
  /// none.
  std::optional<HandIn> claim(
      const std::string& worker, course::Moment now,
      const std::function<std::optional<std::int64_t>(const std::vector<HandIn>&)>& choose);

  /// Ends run number `run`; returns false if the run was over. fault() is for a failure of the
  /// grader: the submission is queued again and waits `again_after`, or becomes stuck.
  bool finish(std::int64_t submission, int run, const events::Done& done, course::Moment now);
  bool fault(std::int64_t submission, int run, course::Moment now,
             std::chrono::seconds again_after);
  /// For a run that the server or its machine ended at `now`: queues the submission again at its
  /// old place, at no cost. If the run recorded a result, the next worker finds it and grades
  /// nothing. The next worker of a practice run goes on after its finished cases. Returns false if
  /// the run was over.
  bool give_back(std::int64_t submission, int run, course::Moment now);
  /// Ends a practice run for good, at no cost but its time; `why` goes into its log. Returns false
  /// if the run was over.
  bool end_run(std::int64_t submission, int run, const std::string& why, course::Moment now);
  /// Cancels a queued submission. Returns false if it is not queued any more.
  bool cancel(std::int64_t submission, course::Moment now);
  /// For staff: queues a stuck or cancelled submission again.
  bool requeue(std::int64_t submission, course::Moment now);

  void add(std::int64_t submission, const Event& event, course::Moment now);
  std::vector<StoredEvent> events(std::int64_t submission, std::int64_t after) const;

  /// Stores the report of the cases that run number `run` has finished, unless the run is over.
  void keep_cases(std::int64_t submission, int run, int cases, const std::string& report);
  /// The report that keep_cases() stored last; empty if the next run must begin with the first
  /// case.
  std::string kept_cases(std::int64_t submission) const;
  /// A number that grows with every finished case of a practice run and every finished grading.
  std::int64_t progress() const;

  /// How long workers have spent on a submission until now.
  std::chrono::seconds worker_time(std::int64_t submission, course::Moment now) const;
  /// How long workers have spent on the practice runs of each owner since `since`.
  std::map<std::string, std::chrono::seconds> practice_times(course::Moment since,
                                                             course::Moment now) const;

  /// The use of practice runs for staff, sorted by the time since `since`, the longest first.
  std::vector<PracticeUse> practice_use(course::Moment since, course::Moment now) const;

  /// Times of the last gradings of an assignment, the newest first. The time of an interrupted
  /// practice run is the sum of its parts.
  std::vector<std::chrono::seconds> durations(const std::string& assignment, int newest) const;

  std::string setting(const std::string& name) const;
  void set(const std::string& name, const std::string& value);

 private:
  const course::Store& store_;
};

}  // namespace opgrade::service
