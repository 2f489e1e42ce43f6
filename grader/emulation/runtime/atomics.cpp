#include "opgrade_emulation/atomics.hpp"

#include <ctime>

#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {

void order_atomic(const void* address, std::size_t bytes) {
  if (current_worker == nullptr) return;
  if (check != nullptr) check->atomic(address, bytes, __builtin_return_address(0));
  if (!is_shared_memory(address)) current_worker->wait_for_earlier_blocks();
}

void yield_after_failed_swap() {
  if (current_worker != nullptr) current_worker->yield();
}

}  // namespace opgrade_emulation

using namespace opgrade_emulation;

void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (check != nullptr && current_worker != nullptr) check->fence();
}
void __threadfence_system() { __threadfence(); }

void __nanosleep(unsigned) {
  if (current_worker != nullptr) current_worker->yield();
}

long long clock64() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

unsigned long long __globaltimer() { return static_cast<unsigned long long>(clock64()); }

void __trap() {
  stop_kernel("trap", "The kernel called __trap().", cudaErrorLaunchFailure,
              __builtin_return_address(0));
}

unsigned __isShared(const void* address) { return is_shared_memory(address); }
unsigned __isGlobal(const void* address) {
  return !is_shared_memory(address) && device_range().contains(address);
}

// Linked in place of the C library's: a failed assert() in a kernel is CUDA's device assertion.
extern "C" [[noreturn]] void __real___assert_fail(const char* expression, const char* file,
                                                  unsigned line, const char* function);
extern "C" [[noreturn]] void __wrap___assert_fail(const char* expression, const char* file,
                                                  unsigned line, const char* function) {
  if (current_worker == nullptr) __real___assert_fail(expression, file, line, function);
  stop_kernel("assertion", std::string("The assertion `") + expression + "` failed.",
              cudaErrorAssert, nullptr, file, static_cast<int>(line));
}
