#include "grader/emulation/runtime/pool.hpp"

#include <signal.h>

#include <cstdlib>
#include <system_error>

#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/variation.hpp"

namespace opgrade_emulation {
namespace {

std::size_t wanted_threads() {
  if (check != nullptr)
    return 1;  // the checks then find the same in every run, and first things first
  if (variation().interleaved) return 2;
  const char* text = std::getenv("OPGRADE_EMULATION_THREADS");
  const long number = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  if (number > 0) return static_cast<std::size_t>(number < 256 ? number : 256);
  const unsigned processors = std::thread::hardware_concurrency();
  return processors > 0 ? processors : 1;
}

// Below this a launch is over before another thread has woken up.
constexpr std::uint64_t kWorthSharing = 4096;

}  // namespace

Pool::Pool() : wanted_(wanted_threads()) { workers_.push_back(nullptr); }

Pool& Pool::instance() {
  static Pool* pool = [] {
    auto* made = new Pool;
    std::atexit([] { instance().stop(); });
    return made;
  }();
  return *pool;
}

void Pool::start_threads() {
  sigset_t all, before;
  sigfillset(&all);  // signals to the process are for the threads the submission knows of
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, s);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (workers_.size() < wanted_) {
    workers_.push_back(new Worker);
    try {
      threads_.emplace_back([this, number = workers_.size() - 1] { work(number); });
    } catch (const std::system_error&) {  // a limit on processes
      workers_.pop_back();
      wanted_ = workers_.size();
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Pool::execute(Launch& launch) {
  const std::lock_guard one(one_launch_);
  if (launch.cooperative) return execute_cooperatively(launch);
  thread_local Worker* const callers = new Worker;  // its stacks belong to this host thread
  workers_[0] = callers;
  const bool interleaved = variation().interleaved;
  const bool shared = launch.blocks > 1 && wanted_ > 1 &&
                      (interleaved || launch.blocks * launch.threads >= kWorthSharing);
  const std::uint64_t chunk = interleaved ? 1 : launch.blocks / (wanted_ * 8);
  launch.chunk = static_cast<unsigned>(chunk < 1 ? 1 : chunk > 64 ? 64 : chunk);
  if (shared) {
    {
      const std::lock_guard lock(mutex_);
      start_threads();
      launch.meeting.expect(static_cast<unsigned>(workers_.size()));
      launch_ = &launch;
      ++generation_;
    }
    wake_.notify_all();
  }
  workers_[0]->run(launch, workers_);
  if (!shared) return;
  std::unique_lock lock(mutex_);
  launch_ = nullptr;  // who has not come by now need not come
  idle_.wait(lock, [this] { return active_ == 0; });
}

void Pool::work(std::size_t number) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || (launch_ != nullptr && generation_ != seen); });
    if (stopping_) return;
    seen = generation_;
    Launch& launch = *launch_;
    ++active_;
    lock.unlock();
    workers_[number]->run(launch, workers_);
    lock.lock();
    if (--active_ == 0) idle_.notify_all();
  }
}

void Pool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace opgrade_emulation
