#include "grader/service/dispatcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>

#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"
#include "grader/course/course_folder.hpp"
#include "grader/course/result_files.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/service/limits.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kInheritedLock = 3;
constexpr const char* kPracticeWorker = "practice";

std::string end_in_words(const ProcessReport& report) {
  if (const auto* exited = std::get_if<Exited>(&report.end))
    return fmt::format("exit code {}", exited->code);
  if (const auto* signalled = std::get_if<Signalled>(&report.end))
    return fmt::format("signal {}", signalled->number);
  return "it was stopped";
}

/// Ends those who have a token of it; later ones get another.
void stop_all(std::stop_source& source) {
  source.request_stop();
  source = std::stop_source();
}

/// Not after a fault that is a moment ago, nor while it waits for staff or for the GPU's hours.
bool may_begin(const HandIn& h, const Waiting& w, course::Moment at) {
  return w.waits_for.empty() &&
         (!h.ended || left_of(*h.ended, h.not_before - *h.ended, at).count() == 0);
}

/// Runs the command, until `stop` at most.
ProcessReport run_until(const std::stop_token& stop, const Command& command,
                        std::chrono::milliseconds longest) {
  ChildProcess child = ChildProcess::start(command, {.wall = longest});
  const std::stop_callback stopper(stop, [&] { child.stop(); });  // at once if it was requested
  return child.finish();
}

}  // namespace

ServeLock::ServeLock(const fs::path& course, std::chrono::seconds patience) {
  const fs::path file = course / ".serve.lock";
  file_ = Fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file_)
    throw Error(fmt::format("cannot open {}: {}", file.string(), std::strerror(errno)),
                "check the rights on the course folder");
  const auto end = std::chrono::steady_clock::now() + patience;
  while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > end)
      throw Error(fmt::format("another opgrade serve has {}", course.string()),
                  "stop it first; one server serves a course");
    std::this_thread::sleep_for(50ms);
  }
}

std::optional<std::int64_t> choose_next(const std::vector<HandIn>& in_work,
                                        const std::function<Waiting(const HandIn&)>& rank,
                                        course::Moment at, bool practice) {
  std::map<std::string, int> running;
  std::set<std::pair<std::string, std::string>> contents;  // being graded, each in its assignment
  std::vector<Waiting> waiting;
  const auto content = [](const HandIn& h) {
    return std::pair(h.submission.assignment, h.submission.sha256);
  };
  for (const HandIn& h : in_work)
    if (h.state == State::running) contents.insert(content(h));
  for (const HandIn& h : in_work) {
    if (h.is_practice() != practice) continue;
    if (h.state == State::running)
      ++running[h.submission.owner];
    else if (Waiting w = rank(h);
             may_begin(h, w, at) && !contents.contains(content(h)))  // a copy waits for the first
      waiting.push_back(std::move(w));
  }
  for (const std::size_t i : fair_order(waiting, running))
    if (!running.contains(waiting[i].owner)) return waiting[i].id;
  return std::nullopt;
}

Dispatcher::Dispatcher(fs::path course, course::Store& store, DispatchOptions options)
    : course_(std::move(course)),
      store_(store),
      queue_(store),
      options_(std::move(options)),
      lock_(course_, 20s) {
  draining_ = queue_.setting("draining") == "yes";
  queue_.set(kReference, "");
  if (const auto within = enter()) {
    // Leftovers of a kill: half-written files, and results between their file and their row.
    for (const char* part : {course::kResults, course::kSubmissions})
      course::remove_unfinished(course_, part);
    course::record_found_results(store_, course_);
  }
  for (const HandIn& h : queue_.with_state(State::running))
    queue_.give_back(h.submission.id, h.run, course::this_second());
  for (int number = 1; number <= options_.workers; ++number)
    threads_.emplace_back([this, number](const std::stop_token& stop) {
      work(fmt::format("worker {}", number), stop);
    });
  if (options_.workers > 0)
    threads_.emplace_back([this](const std::stop_token& stop) { work_in_background(stop); });
}

Dispatcher::~Dispatcher() {
  for (auto& thread : threads_) thread.request_stop();
  {
    const std::scoped_lock lock(guard_);
    draining_ = true;  // nothing more begins; the setting in the store stays
    stop_all(running_);
    stop_all(background_);
  }
  changed_.notify_all();
  threads_.clear();
}

void Dispatcher::poke() {
  const std::scoped_lock lock(guard_);
  poked_ = true;
  changed_.notify_all();
}

void Dispatcher::set_draining(bool yes) {
  queue_.set("draining", yes ? "yes" : "no");
  {
    const std::scoped_lock lock(guard_);
    draining_ = yes;
  }
  if (yes) end_background();  // which goes on later, where it was
  poke();
}

void Dispatcher::stop_running() {
  set_draining(true);
  const std::scoped_lock lock(guard_);
  stop_all(running_);
}

void Dispatcher::end_background() {
  const std::scoped_lock lock(guard_);
  stop_all(background_);
}

bool Dispatcher::something_waits() const {
  return std::ranges::any_of(queue_.in_work(), [rank = options_.rank()](const HandIn& h) {
    return !h.is_practice() &&
           (h.state == State::running || may_begin(h, rank(h), course::this_second()));
  });
}

bool Dispatcher::with_results(const std::function<void()>& work) {
  const auto count_wait = [this](int by) {
    const std::scoped_lock lock(guard_);
    background_waits_ += by;
  };
  count_wait(1);
  const std::shared_ptr<void> waits(nullptr, [&](void*) { count_wait(-1); });
  end_background();
  auto within = enter();
  for (int tries = 0; within == nullptr && tries < 60; ++tries) {  // until the ended one is gone
    std::this_thread::sleep_for(50ms);
    within = enter();
  }
  if (within == nullptr) return false;
  work();
  return true;
}

bool Dispatcher::run_in_background() {
  std::stop_token stop;
  {
    const std::scoped_lock lock(guard_);
    if (background_waits_ > 0 || draining_) return false;
    stop = background_.get_token();
  }
  if (something_waits()) return false;
  auto job = options_.background();
  if (!job) return false;
  job->command.descriptors.push_back({lock_.descriptor(), kInheritedLock});
  const ProcessReport report = run_until(stop, job->command, options_.longest);
  if (stop.stop_requested() || interrupt::requested() || report.succeeded()) return true;
  options_.log(fmt::format("a rejudge ended with {}: {}", end_in_words(report),
                           printable(report.standard_error, 400)));
  job->failed();
  return true;
}

void Dispatcher::work_in_background(const std::stop_token& stop) {
  while (!stop.stop_requested() && !interrupt::requested()) {
    bool worked = false;
    try {
      give_back_left(kPracticeWorker);
      worked = !draining() && (work_once(kPracticeWorker, Kind::practice) || run_in_background());
    } catch (const std::exception& e) {
      options_.log(fmt::format("rejudges: {}", printable_line(e.what(), 400)));
    }
    if (worked) poke();
    std::unique_lock lock(guard_);
    changed_.wait_for(lock, stop, 1s, [] { return false; });
  }
}

bool Dispatcher::draining() const {
  const std::scoped_lock lock(guard_);
  return draining_;
}

std::string Dispatcher::blocked() const {
  const std::scoped_lock lock(guard_);
  return blocked_;
}

/// Null where another program grades the course now. The last one that goes leaves the results.
std::shared_ptr<void> Dispatcher::enter() {
  const std::scoped_lock lock(guard_);
  try {
    store_.require_place();  // else the lock would make a new folder
    if (busy_ == 0) results_.emplace(course_);
  } catch (const Error& e) {
    blocked_ = e.what();
    return nullptr;
  }
  blocked_.clear();
  ++busy_;
  return {this, [this](void*) {
            const std::scoped_lock leaving(guard_);
            if (--busy_ == 0) results_.reset();
          }};
}

bool Dispatcher::work_once(const std::string& worker, Kind kind) {
  const bool practice = kind == Kind::practice;
  const auto rank = options_.rank();
  const auto next = [&](const std::vector<HandIn>& in_work) {
    return choose_next(in_work, rank, course::this_second(), practice);
  };
  if (!next(queue_.in_work())) return false;
  if (!practice) end_background();  // what counts comes first
  const auto within = enter();
  if (within == nullptr) return false;
  std::stop_token stop;
  {
    const std::scoped_lock lock(guard_);
    if (draining_ || (practice && background_waits_ > 0)) return false;
    stop = (practice ? background_ : running_).get_token();
  }
  if (practice && something_waits()) return false;
  const auto hand_in = queue_.claim(worker, course::this_second(), next);
  if (!hand_in) return false;
  const auto id = hand_in->submission.id;
  try {
    Command command = options_.worker(*hand_in);
    command.descriptors.push_back({lock_.descriptor(), kInheritedLock});
    const ProcessReport report = run_until(stop, command, options_.longest);
    const auto after = queue_.find(id);
    if (!after || after->state != State::running || after->run != hand_in->run) return true;
    const auto* const stopped = std::get_if<Stopped>(&report.end);
    const bool asked =
        interrupt::requested() || (stopped != nullptr && stopped->why == Stopped::Why::request);
    if (asked) {
      queue_.give_back(id, hand_in->run, course::this_second());
      return true;
    }
    options_.log(fmt::format("submission {}: the worker failed ({}): {}", id, end_in_words(report),
                             printable(report.standard_error, 400)));
    queue_.fault(id, hand_in->run, course::this_second(), options_.again_after);
  } catch (const std::exception& e) {
    options_.log(fmt::format("submission {}: {}", id, printable_line(e.what(), 400)));
    queue_.fault(id, hand_in->run, course::this_second(), options_.again_after);
  }
  return true;
}

/// One that a store which failed left as running has no worker.
void Dispatcher::give_back_left(const std::string& worker) {
  for (const HandIn& h : queue_.with_state(State::running))
    if (h.worker == worker) queue_.give_back(h.submission.id, h.run, course::this_second());
}

void Dispatcher::work(const std::string& worker, const std::stop_token& stop) {
  while (!stop.stop_requested() && !interrupt::requested()) {
    bool worked = false;
    try {
      give_back_left(worker);
      worked = !draining() && work_once(worker, Kind::counted);
    } catch (const std::exception& e) {
      options_.log(fmt::format("{}: {}", worker, printable_line(e.what(), 400)));
    }
    if (worked) {
      poke();  // the owner's next one may be waiting
      continue;
    }
    std::unique_lock lock(guard_);
    changed_.wait_for(lock, stop, 1s, [&] { return poked_; });
    poked_ = false;
  }
}

}  // namespace opgrade::service
