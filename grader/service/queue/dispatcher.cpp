#include "grader/service/queue/dispatcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/service/queue/limits.hpp"
#include "grader/service/queue/worker_place.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kInheritedLock = 3;
constexpr const char* kPracticeWorker = "practice";
constexpr const char* kServeLock = ".serve.lock";
constexpr auto kAlive = 1s;      // between two calls of ServeLock::touch()
constexpr auto kAskAgain = 60s;  // until a cluster that did not answer is asked again
/// Includes the time in the cluster's queue.
constexpr std::chrono::milliseconds kLongestOnCluster = 48h;

std::string end_in_words(const ProcessReport& report) {
  if (const auto* exited = std::get_if<Exited>(&report.end))
    return fmt::format("exit code {}", exited->code);
  if (const auto* signalled = std::get_if<Signalled>(&report.end))
    return fmt::format("signal {}", signalled->number);
  return "it was stopped";
}

/// Ends all that have a token of the source. Tokens that are taken later belong to a new source.
void stop_all(std::stop_source& source) {
  source.request_stop();
  source = std::stop_source();
}

/// False shortly after a grader fault, or while the submission waits for staff or for the GPU's
/// hours.
bool may_begin(const HandIn& h, const Waiting& w, course::Moment at) {
  return w.waits_for.empty() &&
         (!h.ended || left_of(*h.ended, h.not_before - *h.ended, at).count() == 0);
}

/// Runs the command. `stop` ends it.
ProcessReport run_until(const std::stop_token& stop, const Command& command,
                        std::chrono::milliseconds longest) {
  ChildProcess child = ChildProcess::start(command, {.wall = longest});
  const std::stop_callback stopper(stop, [&] { child.stop(); });  // at once if it was requested
  return child.finish();
}

}  // namespace

bool is_served(const fs::path& course) {
  const Fd file(::open((course / kServeLock).c_str(), O_RDONLY | O_CLOEXEC));
  // A server that starts now waits for this lock, which is released at once.
  return file && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

ServeLock::ServeLock(const fs::path& course, std::chrono::seconds patience) {
  const fs::path file = course / kServeLock;
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
  struct stat status {};
  if (::fstat(file_.get(), &status) == 0)
    last_seen_ = course::Moment(std::chrono::seconds(status.st_mtime));
  touch();
}

void ServeLock::touch() const { ::futimens(file_.get(), nullptr); }

std::optional<std::int64_t> choose_next(const std::vector<HandIn>& in_work,
                                        const std::function<Waiting(const HandIn&)>& rank,
                                        course::Moment at, bool practice) {
  std::map<std::string, int> running;
  std::set<std::pair<std::string, std::string>> contents;  // being graded, by assignment
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
  queue_.set(kWorkers, fmt::format("{}", options_.workers));
  if (const auto within = enter()) {
    // Cleans up after a kill: half-written files, and results that have a file but no row.
    for (const char* part : {course::kResults, course::kSubmissions})
      course::remove_unfinished(course_, part);
    course::record_found_results(store_, course_);
  }
  remove_left_places(course_);
  // The workers of a killed server have ended, because the lock is free.
  for (const HandIn& h : queue_.with_state(State::running))
    queue_.give_back(h.submission.id, h.run, std::min(lock_.last_seen(), course::this_second()));
  threads_.emplace_back([this](const std::stop_token& stop) {
    std::unique_lock lock(guard_);
    while (!stop.stop_requested()) {
      lock_.touch();
      changed_.wait_for(lock, stop, kAlive, [] { return false; });
    }
  });
  threads_.emplace_back([this](const std::stop_token& stop) { end_left_jobs(stop); });
  for (int number = 1; number <= options_.workers; ++number)
    threads_.emplace_back([this, number](const std::stop_token& stop) {
      work(fmt::format("worker {}", number), Kind::counted, stop);
    });
  if (options_.workers == 0) return;
  for (const Kind kind : {Kind::practice, Kind::rejudge, Kind::rescoring})
    threads_.emplace_back(
        [this, kind](const std::stop_token& stop) { work(kPracticeWorker, kind, stop); });
}

Dispatcher::~Dispatcher() {
  for (auto& thread : threads_) thread.request_stop();
  {
    const std::scoped_lock lock(guard_);
    draining_ = true;  // nothing more begins; the setting in the store is not changed
    for (std::stop_source* const source : {&running_, &practice_.stop, &rejudge_.stop, &rescoring_})
      stop_all(*source);
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
    // The guests go on later where they were interrupted.
    if (yes)
      for (std::stop_source* const source : {&practice_.stop, &rejudge_.stop, &rescoring_})
        stop_all(*source);
  }
  poke();
}

void Dispatcher::stop_running() {
  set_draining(true);
  const std::scoped_lock lock(guard_);
  stop_all(running_);
}

void Dispatcher::stop_run(std::int64_t submission) {
  const std::scoped_lock lock(guard_);
  if (const auto run = runs_.find(submission); run != runs_.end()) run->second.request_stop();
}

void Dispatcher::look_for_left_jobs() {
  const std::scoped_lock lock(guard_);
  may_have_left_jobs_ = true;
  changed_.notify_all();
}

void Dispatcher::end_left_jobs(const std::stop_token& stop) {
  std::unique_lock lock(guard_);
  while (changed_.wait(lock, stop, [&] { return may_have_left_jobs_; })) {
    may_have_left_jobs_ = false;
    lock.unlock();
    bool answered = false;
    try {
      answered = options_.cancel_left_jobs();
    } catch (const std::exception& e) {
      options_.log(fmt::format("jobs left on the cluster: {}", printable_line(e.what(), 400)));
    }
    lock.lock();
    if (answered) continue;
    changed_.wait_for(lock, stop, kAskAgain, [] { return false; });
    may_have_left_jobs_ = true;
  }
}

bool Dispatcher::with_results(const std::function<void()>& work) {
  const auto count_wait = [this](int by) {
    const std::scoped_lock lock(guard_);
    background_waits_ += by;
  };
  count_wait(1);
  const std::shared_ptr<void> waits(nullptr, [&](void*) { count_wait(-1); });
  const auto end_rejudges = [this] {
    const std::scoped_lock lock(guard_);
    stop_all(rejudge_.stop);
    stop_all(rescoring_);
  };
  end_rejudges();
  auto within = enter();
  for (int tries = 0; within == nullptr && tries < 60; ++tries) {  // until the rejudge has ended
    std::this_thread::sleep_for(50ms);
    within = enter();
  }
  if (within == nullptr) return false;
  work();
  return true;
}

/// True if a submission that counts needs the place that a guest has or wants.
bool Dispatcher::is_needed(bool uses_gpu) const {
  const auto rank = options_.rank();
  const auto in_work = queue_.in_work();
  int graded = 0;
  bool gpu_is_used = false;
  for (const HandIn& h : in_work) {
    if (h.is_practice()) continue;
    if (h.state == State::running) {
      ++graded;
      gpu_is_used = gpu_is_used || rank(h).uses_gpu;
    }
  }
  if (choose_next(in_work, rank, course::this_second())) return true;
  const std::scoped_lock lock(guard_);
  // The guest that asks is among those with a place, so it is not counted.
  const int guests = (practice_.has_place ? 1 : 0) + (rejudge_.has_place ? 1 : 0) - 1;
  return !has_room_for_guest(options_.workers, graded, guests, gpu_is_used, uses_gpu);
}

/// Takes a place before it checks whether a submission needs the place, so that a submission that
/// comes later sees the guest and ends it. Returns nullopt if there is no place.
std::optional<std::stop_token> Dispatcher::take_place(Guest& guest, bool uses_gpu) {
  const std::int64_t progress = queue_.progress();
  std::stop_token token;
  {
    const std::scoped_lock lock(guard_);
    if (draining_) return std::nullopt;
    guest.has_place = true;
    guest.uses_gpu = uses_gpu;
    guest.begun = course::this_second();
    if (guest.progress != progress) guest.interruptions = 0;
    guest.progress = progress;
    token = guest.stop.get_token();
  }
  if (!is_needed(uses_gpu)) return token;
  leave_place(guest);
  return std::nullopt;
}

void Dispatcher::leave_place(Guest& guest) {
  const std::scoped_lock lock(guard_);
  guest.has_place = false;
}

void Dispatcher::interrupt_guest(Guest& guest) {
  const std::int64_t progress = queue_.progress();
  const std::scoped_lock lock(guard_);
  if (!guest.has_place) return;
  guest.interruptions = guest.progress == progress ? guest.interruptions + 1 : 1;
  guest.progress = progress;
  guest.has_place = false;
  stop_all(guest.stop);
}

Room Dispatcher::room_for(const HandIn& next, const std::vector<HandIn>& in_work) {
  const auto rank = options_.rank();
  const auto now = course::this_second();
  PlacesNow places{.workers = options_.workers,
                   .left = {},
                   .guests = {},
                   .uses_gpu = rank(next).uses_gpu,
                   .waited = std::max(now - next.queued, 0s)};
  for (const HandIn& h : in_work)
    if (h.state == State::running && !h.is_practice())
      places.left.push_back(std::max(left_of(h.started.value_or(now), rank(h).estimate, now), 1s));
  const std::int64_t progress = queue_.progress();
  std::vector<Guest*> guests;
  {
    const std::scoped_lock lock(guard_);
    for (Guest* const guest : {&rejudge_, &practice_}) {
      if (!guest->has_place) continue;
      guests.push_back(guest);
      places.guests.push_back(
          {guest->uses_gpu,
           may_finish(guest->interruptions, guest->progress != progress, now - guest->begun)});
    }
  }
  const Room room = room_for_submission(places);
  for (const std::size_t i : room.ending) interrupt_guest(*guests[i]);
  return room;
}

/// Called when a practice run waits: ends the rejudge that has the place, so that both take turns.
/// False if no rejudge has a place, or it has made no progress yet.
bool Dispatcher::rejudge_gives_way() {
  const std::int64_t progress = queue_.progress();
  const std::scoped_lock lock(guard_);
  if (!rejudge_.has_place || rejudge_.progress == progress) return false;
  rejudge_is_next_ = true;
  rejudge_.has_place = false;
  stop_all(rejudge_.stop);
  return true;
}

Dispatcher::Step Dispatcher::run_rejudge(Kind kind) {
  const bool rescores = kind == Kind::rescoring;
  const auto is_waited_for = [&] {
    const std::scoped_lock lock(guard_);
    return background_waits_ > 0 || draining_;
  };
  if (is_waited_for()) return Step::none;
  auto job = rescores ? options_.rescoring() : options_.background();
  const auto let_practice_begin = [&] {
    const std::scoped_lock lock(guard_);
    if (!rescores) rejudge_is_next_ = false;
  };
  if (!job) {
    let_practice_begin();
    return Step::none;
  }
  std::optional<std::stop_token> stop;
  if (rescores) {
    const std::scoped_lock lock(guard_);
    stop = rescoring_.get_token();
  } else {
    stop = take_place(rejudge_, job->uses_gpu);
  }
  if (!stop) return Step::none;
  const std::shared_ptr<void> leaves(nullptr, [&](void*) {
    if (!rescores) leave_place(rejudge_);
  });
  if (is_waited_for()) return Step::none;
  const auto within = enter();
  if (within == nullptr) return Step::none;
  let_practice_begin();
  job->command.descriptors.push_back({lock_.descriptor(), kInheritedLock});
  std::unique_ptr<WorkerPlace> place;
  try {
    if (!job->leaves_job) place = place_for(job->command);
  } catch (const std::exception& e) {
    options_.log(fmt::format("a rejudge did not begin: {}", e.what()));
    job->failed();
    return Step::worked;
  }
  const ProcessReport report = run_until(*stop, job->command, longest_of(job->leaves_job));
  if (report.succeeded()) job->succeeded();
  if (stop->stop_requested() || interrupt::requested() || report.succeeded()) return Step::worked;
  options_.log(fmt::format("a rejudge ended with {}: {}", end_in_words(report),
                           printable(report.standard_error, 400)));
  job->failed();
  return Step::worked;
}

bool Dispatcher::draining() const {
  const std::scoped_lock lock(guard_);
  return draining_;
}

std::string Dispatcher::blocked() const {
  const std::scoped_lock lock(guard_);
  return blocked_;
}

/// Takes the results for a worker; nullptr if another program grades the course now. The last
/// worker that ends releases them.
std::shared_ptr<void> Dispatcher::enter() {
  const std::scoped_lock lock(guard_);
  try {
    store_.require_place();  // otherwise the lock would create a new folder
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

Dispatcher::Step Dispatcher::grade_next(const std::string& worker, Kind kind) {
  const bool practice = kind == Kind::practice;
  const auto rank = options_.rank();
  const auto next = [&](const std::vector<HandIn>& in_work) {
    return choose_next(in_work, rank, course::this_second(), practice);
  };
  const auto in_work = queue_.in_work();
  const auto first = next(in_work);
  if (!first) return Step::none;
  const auto& chosen =
      *std::ranges::find(in_work, *first, [](const HandIn& h) { return h.submission.id; });
  std::optional<std::stop_token> stop;
  if (!practice) {
    if (!room_for(chosen, in_work).begins) return Step::waits;
    const std::scoped_lock lock(guard_);
    if (draining_) return Step::none;
    stop = running_.get_token();
  } else {
    {
      const std::scoped_lock lock(guard_);
      if (rejudge_is_next_) return Step::none;
    }
    stop = take_place(practice_, rank(chosen).uses_gpu);
    if (!stop && rejudge_gives_way()) return Step::waits;
  }
  if (!stop) return Step::none;
  const std::shared_ptr<void> leaves(nullptr, [&](void*) {
    if (practice) leave_place(practice_);
  });
  const auto within = enter();
  if (within == nullptr) return Step::none;
  const auto hand_in = queue_.claim(worker, course::this_second(), next);
  if (!hand_in) return Step::none;
  run_worker(*hand_in, *stop);
  return Step::worked;
}

std::chrono::milliseconds Dispatcher::longest_of(bool leaves_job) const {
  return leaves_job ? kLongestOnCluster : options_.longest;
}

std::unique_ptr<WorkerPlace> Dispatcher::place_for(Command& command) const {
  auto place = std::make_unique<WorkerPlace>(course_);
  place->give_to(command);
  return place;
}

void Dispatcher::run_worker(const HandIn& hand_in, const std::stop_token& stop) {
  const auto id = hand_in.submission.id;
  const bool practice = hand_in.is_practice();
  std::stop_source ends;
  const std::stop_callback stopper(stop, [&] { ends.request_stop(); });
  if (practice) {
    const std::scoped_lock lock(guard_);
    runs_.insert_or_assign(id, ends);
  }
  const std::shared_ptr<void> leaves(nullptr, [&](void*) {
    const std::scoped_lock lock(guard_);
    runs_.erase(id);
  });
  try {
    Command command = options_.worker(hand_in);
    command.descriptors.push_back({lock_.descriptor(), kInheritedLock});
    const bool leaves_job = options_.leaves_job(hand_in);
    const auto place = leaves_job ? nullptr : place_for(command);
    const auto longest = practice ? options_.longest_practice(hand_in) : std::nullopt;
    auto left = longest_of(leaves_job);
    if (longest)
      left = std::clamp<std::chrono::milliseconds>(
          *longest - queue_.worker_time(id, course::this_second()), 1ms, left);
    const ProcessReport report = run_until(ends.get_token(), command, left);
    const auto after = queue_.find(id);
    // Not before the worker has ended, because until then it could submit another job to the
    // cluster.
    if (leaves_job && after && after->state != State::running) look_for_left_jobs();
    if (!after || after->state != State::running || after->run != hand_in.run) return;
    const auto* const stopped = std::get_if<Stopped>(&report.end);
    if (interrupt::requested() || (stopped != nullptr && stopped->why == Stopped::Why::request)) {
      queue_.give_back(id, hand_in.run, course::this_second());
    } else if (practice && stopped != nullptr) {
      queue_.end_run(
          id, hand_in.run,
          fmt::format(
              "ended at its limit of {}; try a smaller case, or opgrade check",
              course::span_text(longest.value_or(std::chrono::floor<std::chrono::seconds>(left)))),
          course::this_second());
    } else if (!options_.rank()(*after).waits_for.empty()) {
      // Staff changed a file of the course meanwhile, and the worker may have read a mistake of it.
      queue_.give_back(id, hand_in.run, course::this_second());
    } else {
      options_.log(fmt::format("submission {}: the worker failed ({}): {}", id,
                               end_in_words(report), printable(report.standard_error, 400)));
      queue_.fault(id, hand_in.run, course::this_second(), options_.again_after);
    }
  } catch (const std::exception& e) {
    options_.log(fmt::format("submission {}: {}", id, printable_line(e.what(), 400)));
    queue_.fault(id, hand_in.run, course::this_second(), options_.again_after);
  }
}

/// Queues again submissions that are marked as running on this thread's worker, because the store
/// failed at their end.
void Dispatcher::give_back_left(const std::string& worker) {
  for (const HandIn& h : queue_.with_state(State::running))
    if (h.worker == worker) queue_.give_back(h.submission.id, h.run, course::this_second());
}

Dispatcher::Step Dispatcher::step(const std::string& worker, Kind kind) {
  if (kind == Kind::rejudge || kind == Kind::rescoring)
    return draining() ? Step::none : run_rejudge(kind);
  give_back_left(worker);
  return draining() ? Step::none : grade_next(worker, kind);
}

void Dispatcher::work(const std::string& worker, Kind kind, const std::stop_token& stop) {
  const bool counted = kind == Kind::counted;
  while (!stop.stop_requested() && !interrupt::requested()) {
    Step step = Step::none;
    try {
      step = this->step(worker, kind);
    } catch (const std::exception& e) {
      options_.log(fmt::format("{}: {}", counted ? worker : "practice and rejudges",
                               printable_line(e.what(), 400)));
    }
    if (step == Step::worked) poke();  // the owner's next submission may be waiting
    if (step == Step::worked && counted) continue;
    std::unique_lock lock(guard_);
    changed_.wait_for(lock, stop, step == Step::waits ? 100ms : 1000ms,
                      [&] { return poked_ && counted && step == Step::none; });
    if (counted) poked_ = false;
  }
}

}  // namespace opgrade::service
