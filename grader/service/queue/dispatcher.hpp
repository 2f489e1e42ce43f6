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

/// True while an opgrade serve, or a worker that it left behind, has the course.
bool is_served(const std::filesystem::path& course);

/// A server holds it, and so do its workers through the inherited descriptor. A new server waits
/// until the last worker of a killed one is gone.
class ServeLock {
 public:
  /// Throws Error when another server has the course after `patience`.
  ServeLock(const std::filesystem::path& course, std::chrono::seconds patience);
  int descriptor() const { return file_.get(); }
  /// When the server before this one was last seen; the time of the file says so.
  course::Moment last_seen() const { return last_seen_; }
  void touch() const;  ///< this server is alive

 private:
  Fd file_;
  course::Moment last_seen_;
};

/// A rejudge: work that no student waits for.
struct BackgroundJob {
  Command command;
  std::function<void()> failed;  ///< it ended by itself, without success
  std::function<void()> succeeded = [] {};
  bool uses_gpu = false;    ///< of this machine
  bool leaves_job = false;  ///< as DispatchOptions::leaves_job
};

class WorkerPlace;

struct DispatchOptions {
  int workers = 1;
  std::chrono::seconds again_after{30};  ///< a fault of the grader
  std::chrono::milliseconds longest{std::chrono::hours(2)};
  std::function<Command(const HandIn&)> worker;
  /// The priorities and estimates of now. The function is called within a transaction.
  std::function<std::function<Waiting(const HandIn&)>()> rank;
  /// Asked while a place is free. The job ends when a submission needs the place, and is asked for
  /// again.
  std::function<std::optional<BackgroundJob>()> background = [] { return std::nullopt; };
  /// Asked all the time: a job that runs no submission takes no place and is never interrupted.
  std::function<std::optional<BackgroundJob>()> rescoring = [] { return std::nullopt; };
  /// The longest time of a practice run, over all its parts. Nothing: as of other submissions.
  std::function<std::optional<std::chrono::seconds>(const HandIn&)> longest_practice =
      [](const HandIn&) { return std::nullopt; };
  /// True if a cluster grades it: its job outlives the worker and the worker's temporary folder,
  /// and waits in the cluster's queue. Asked for each, because course.yaml may change.
  std::function<bool(const HandIn&)> leaves_job = [](const HandIn&) { return false; };
  /// Cancels what runs that are over have left on a cluster, from the server's start on and after
  /// each such run. False: it does not answer, and is asked again.
  std::function<bool()> cancel_left_jobs = [] { return true; };
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

/// The next one to be graded: in fair order, one at a time of an owner, none before its time.
/// `practice` chooses among practice runs alone, otherwise among the others.
std::optional<std::int64_t> choose_next(const std::vector<HandIn>& in_work,
                                        const std::function<Waiting(const HandIn&)>& rank,
                                        course::Moment now, bool practice = false);

class Dispatcher {
 public:
  /// Takes back what a killed server left running, then starts.
  Dispatcher(std::filesystem::path course, course::Store& store, DispatchOptions options);
  ~Dispatcher();  ///< ends the workers; their submissions are queued again

  void poke();                  ///< something may be waiting
  void set_draining(bool yes);  ///< what runs ends, nothing new begins
  void stop_running();          ///< drains, and ends what runs: it is queued again, at no cost
  bool draining() const;
  int workers() const { return options_.workers; }
  /// Ends the process of a practice run, if there is one. The queue knows why.
  void stop_run(std::int64_t submission);
  /// A run is over whose jobs a cluster may still have. Returns at once.
  void look_for_left_jobs();
  /// Calls `work` while this server has the course's results to itself and its workers, and makes
  /// no rejudge. False: it cannot have them, since another program grades the course.
  bool with_results(const std::function<void()>& work);
  /// Why nothing is taken although there are free workers; empty when there is no such reason.
  std::string blocked() const;

 private:
  enum class Kind { counted, practice, rejudge, rescoring };
  enum class Step { none, waits, worked };  ///< of a thread; `waits`: it looks again at once

  /// A practice run or a rejudge: it has a place while no submission needs that.
  struct Guest {
    std::stop_source stop{};  // as `running_`
    bool has_place = false, uses_gpu = false;
    course::Moment begun{};
    std::int64_t progress = 0;  ///< of the queue, when it got its place
    int interruptions = 0;      ///< one after the other, without progress
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
  bool may_have_left_jobs_ = true;  ///< a server before this one, too
  int busy_ = 0;
  std::string blocked_;
  std::optional<ResultsLock> results_;  ///< while a worker runs
  // A thread takes a token before it starts a process, so a stop also ends a process that starts
  // later. Each stop replaces its source.
  std::stop_source running_, rescoring_;
  Guest practice_, rejudge_;
  bool rejudge_is_next_ = false;  ///< it gave way to a practice run, which then does the same
  int background_waits_ = 0;      ///< for callers of with_results()
  std::map<std::int64_t, std::stop_source> runs_;  ///< practice runs, by submission
  std::vector<std::jthread> threads_;
};

}  // namespace opgrade::service
