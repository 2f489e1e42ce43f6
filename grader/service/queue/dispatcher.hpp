/// Takes submissions from the queue and grades each in a child process, which may crash.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "grader/base/core/fd.hpp"
#include "grader/course/results/results_lock.hpp"
#include "grader/platform/process/process.hpp"
#include "grader/service/queue/fair_order.hpp"
#include "grader/service/queue/places.hpp"
#include "grader/service/queue/queue.hpp"

namespace opgrade::service {

/// True while `opgrade serve`, or a worker that it left running, has the course.
bool is_served(const std::filesystem::path& course);

/// The lock of a server on its course. Its workers hold it, too, through the inherited descriptor,
/// so a new server waits until the last worker of a killed server has ended.
class ServeLock {
 public:
  /// Throws Error if another server still has the course after `patience`.
  ServeLock(const std::filesystem::path& course, std::chrono::seconds patience);
  int descriptor() const { return file_.get(); }
  /// When the server before this one last called touch(), by the time of the lock's file.
  course::Moment last_seen() const { return last_seen_; }
  void touch() const;  ///< records that this server is alive

 private:
  Fd file_;
  course::Moment last_seen_;
};

/// The process of a rejudge, which no student waits for.
struct BackgroundJob {
  Command command;
  std::function<void()> failed;  ///< called if the process ended by itself, without success
  std::function<void()> succeeded = [] {};
  bool uses_gpu = false;    ///< a GPU of this machine
  bool leaves_job = false;  ///< see DispatchOptions::leaves_job
};

class WorkerPlace;

struct DispatchOptions {
  int workers = 1;
  /// Time until a submission is tried again after a grader fault.
  std::chrono::seconds again_after{30};
  std::chrono::milliseconds longest{std::chrono::hours(2)};
  std::function<Command(const HandIn&)> worker;
  /// Reads the current facts for the order of the queue. The returned function is called within a
  /// transaction.
  std::function<std::function<Waiting(const HandIn&)>()> rank;
  /// Called while a place is free. The job is ended if a submission needs the place; later this
  /// function returns it again.
  std::function<std::optional<BackgroundJob>()> background = [] { return std::nullopt; };
  /// Called independently of free places: a job that runs no submission takes no place and is never
  /// interrupted.
  std::function<std::optional<BackgroundJob>()> rescoring = [] { return std::nullopt; };
  /// The longest time of a practice run, over all its parts. nullopt: the limit of other
  /// submissions.
  std::function<std::optional<std::chrono::seconds>(const HandIn&)> longest_practice =
      [](const HandIn&) { return std::nullopt; };
  /// True if a cluster grades the submission: its job outlives the worker and the worker's
  /// temporary folder, and waits in the cluster's queue. Called for each submission, because
  /// course.yaml may change.
  std::function<bool(const HandIn&)> leaves_job = [](const HandIn&) { return false; };
  /// Cancels jobs that finished runs have left on a cluster. Called at the server's start and after
  /// each such run. Returns false if the cluster does not answer; then it is called again.
  std::function<bool()> cancel_left_jobs = [] { return true; };
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

/// Chooses the next submission to be graded: in fair order, at most one at a time of each owner,
/// and none before its time. If `practice`, chooses among practice runs, else among the other
/// submissions.
std::optional<std::int64_t> choose_next(const std::vector<HandIn>& in_work,
                                        const std::function<Waiting(const HandIn&)>& rank,
                                        course::Moment now, bool practice = false);

class Dispatcher {
 public:
  /// Queues again what a killed server left running, then starts the workers' threads.
  Dispatcher(std::filesystem::path course, course::Store& store, DispatchOptions options);
  ~Dispatcher();  ///< ends the workers; their submissions are queued again

  void poke();  ///< a submission may be waiting
  /// Running gradings finish, guests are interrupted, and no new grading begins.
  void set_draining(bool yes);
  /// Drains, and interrupts running gradings, which are queued again at no cost.
  void stop_running();
  bool draining() const;
  int workers() const { return options_.workers; }
  /// Ends the process of a practice run, if there is one. The caller has recorded the reason in the
  /// queue.
  void stop_run(std::int64_t submission);
  /// Call this when a run is over whose jobs a cluster may still have. Returns at once.
  void look_for_left_jobs();
  /// Ends rejudges that run, then calls `work` while only this server and its workers use the
  /// course's results and no rejudge begins. Returns false if another program grades the course.
  bool with_results(const std::function<void()>& work);
  /// Why no submission begins although workers are free; empty if there is no such reason.
  std::string blocked() const;

 private:
  enum class Kind { counted, practice, rejudge, rescoring };
  /// The result of a thread's step; `waits`: the thread tries again after 100 ms.
  enum class Step { none, waits, worked };

  /// A practice run or a rejudge, which has a place while no submission needs it.
  struct Guest {
    std::stop_source stop{};  // used like `running_`
    bool has_place = false, uses_gpu = false;
    course::Moment begun{};
    std::int64_t progress = 0;  ///< Queue::progress() when the guest got its place
    int interruptions = 0;      ///< interruptions in a row without progress
  };

  void work(const std::string& worker, Kind kind, const std::stop_token& stop);
  Step step(const std::string& worker, Kind kind);
  Step grade_next(const std::string& worker, Kind kind);
  void run_worker(const HandIn& hand_in, const std::stop_token& stop);
  std::chrono::milliseconds longest_of(bool leaves_job) const;
  std::unique_ptr<WorkerPlace> place_for(Command& command) const;
  Step run_rejudge(Kind kind);
  Room room_for(const HandIn& next, const std::vector<HandIn>& in_work);
  std::optional<std::stop_token> take_place(Guest& guest, bool uses_gpu);
  void leave_place(Guest& guest);
  void interrupt_guest(Guest& guest);
  bool rejudge_gives_way();
  bool is_needed(bool uses_gpu) const;
  void give_back_left(const std::string& worker);
  void end_left_jobs(const std::stop_token& stop);
  std::shared_ptr<void> enter();

  const std::filesystem::path course_;
  course::Store& store_;
  Queue queue_;
  const DispatchOptions options_;
  ServeLock lock_;

  mutable std::mutex guard_;
  std::condition_variable_any changed_;
  bool draining_ = false;
  bool poked_ = false;
  bool may_have_left_jobs_ = true;  ///< true at the start, because of a server before this one
  int busy_ = 0;
  std::string blocked_;
  std::optional<ResultsLock> results_;  ///< while a worker runs
  // A thread takes a token before it starts a process, so a stop also ends a process that starts
  // later. Each stop replaces its source.
  std::stop_source running_, rescoring_;
  Guest practice_, rejudge_;
  /// The rejudge gave way to a practice run, which gives way to the rejudge next.
  bool rejudge_is_next_ = false;
  int background_waits_ = 0;  ///< callers of with_results(), for whom no rejudge begins
  std::map<std::int64_t, std::stop_source> runs_;  ///< stops practice runs, by submission
  std::vector<std::jthread> threads_;
};

}  // namespace opgrade::service
