/// The host threads that run blocks.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {

/// Threads are started at the first launch that has work for them: OPGRADE_EMULATION_THREADS in
/// all, else one a processor. Where no more can be started, those that run do.
class Pool {
 public:
  static Pool& instance();
  /// Runs every block of the launch; the calling thread takes part.
  void execute(Launch& launch);
  void stop();

 private:
  Pool();
  void start_threads();
  void work(std::size_t number);

  std::mutex one_launch_;
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::vector<Worker*> workers_;  // [0] is that of the thread whose launch it is
  std::vector<std::thread> threads_;
  Launch* launch_ = nullptr;
  std::uint64_t generation_ = 0;
  std::size_t active_ = 0;
  std::size_t wanted_;
  bool stopping_ = false;
};

}  // namespace opgrade_emulation
