/// Takes submissions from the queue and grades each in a child process, which may crash.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "grader/core/fd.hpp"
#include "grader/process/process.hpp"
#include "grader/results/results_lock.hpp"
#include "grader/service/fair_order.hpp"
#include "grader/service/queue.hpp"

namespace opgrade::service {

/// A server holds it, and so do its workers through the inherited descriptor. A new server waits
/// until the last worker of a killed one is gone.
class ServeLock {
 public:
  /// Throws Error when another server has the course after `patience`.
  ServeLock(const std::filesystem::path& course, std::chrono::seconds patience);
  int descriptor() const { return file_.get(); }

 private:
  Fd file_;
};

/// Work that no student waits for.
struct BackgroundJob {
  Command command;
  std::function<void()> failed;  ///< it ended by itself, without success
};

struct DispatchOptions {
  int workers = 1;
  std::chrono::seconds again_after{30};  ///< a fault of the grader
  std::chrono::milliseconds longest{std::chrono::hours(2)};
  std::function<Command(const HandIn&)> worker;
  /// The priorities and estimates of now. The function is called within a transaction.
  std::function<std::function<Waiting(const HandIn&)>()> rank;
  /// Asked while no submission waits, no practice run either. The job ends as soon as one does, and
  /// is asked for again.
  std::function<std::optional<BackgroundJob>()> background = [] { return std::nullopt; };
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

/// The next one to be graded: in fair order, one at a time of an owner, none before its time.
/// Practice runs neither wait for what counts nor are waited for: `practice` chooses among them
/// alone.
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
  /// Calls `work` while this server has the course's results to itself and its workers. False: it
  /// cannot have them, since another program grades the course.
  bool with_results(const std::function<void()>& work);
  /// Why nothing is taken although there are free workers; empty when there is no such reason.
  std::string blocked() const;

 private:
  enum class Kind { counted, practice };
  /// With practice runs also what the background has.
  void work(const std::string& worker, Kind kind, const std::stop_token& stop);
  bool work_once(const std::string& worker, Kind kind);
  void give_back_left(const std::string& worker);
  bool run_in_background();
  void end_background();
  bool something_waits() const;
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
  int busy_ = 0;
  std::string blocked_;
  std::optional<ResultsLock> results_;  ///< while a worker runs
  // A thread takes a token before it starts a process, so a stop also ends a process that starts
  // later. Each stop replaces its source.
  std::stop_source running_, background_;
  int background_waits_ = 0;  ///< for callers of with_results()
  std::vector<std::jthread> threads_;
};

}  // namespace opgrade::service
