#include "opgrade_emulation/atomics.hpp"

#include <cstring>
#include <ctime>
#include <string>
#include <utility>

#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/variation.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {
namespace {

void report_lost_update(const void* site, const char* text) {
  report({.kind = "lost_update", .message = text, .site = site, .in_kernel = true});
}

/// Changes the word, as another thread would, between the thread's read and its first
/// compare-and-swap, which then fails. A loop tries again. Without a loop the update is lost, which
/// the outputs show.
void let_first_swap_fail(const void* address, std::size_t bytes, const void* site) {
  if (!current_worker->is_first_swap()) return;
  current_worker->let_others_come_first(address, bytes, !is_shared_memory(address));
  unsigned long long now = 0;
  std::memcpy(&now, address, bytes);
  if (current_worker->current().value == now || count_again("lost_update", site)) return;
  report_lost_update(site,
                     "Another thread changes the word right before this atomicCAS, which then "
                     "changes nothing. Repeat it in a loop until it returns the value that it "
                     "compares with.");
}

void order(const void* address, std::size_t bytes, unsigned traits, const void* site) {
  if (check != nullptr) check->atomic(address, bytes, traits, site);
  if (variation().interleaved && (traits & kAtomicSwap) != 0)
    return let_first_swap_fail(address, bytes, site);
  if (variation().interleaved)
    current_worker->yield_now_and_then();
  else if (!is_shared_memory(address))
    current_worker->wait_for_earlier_blocks();
}

}  // namespace

void order_atomic(const void* address, std::size_t bytes, unsigned traits) {
  if (current_worker != nullptr) order(address, bytes, traits, __builtin_return_address(0));
}

void order_exchange(const void* address, std::size_t bytes, unsigned traits) {
  if (current_worker == nullptr) return;
  order(address, bytes, traits, __builtin_return_address(0));
  if (variation().interleaved)
    current_worker->let_others_come_first(address, bytes, !is_shared_memory(address));
}

void exchanged(unsigned long long old) {
  if (current_worker == nullptr || !variation().interleaved) return;
  const void* const site = __builtin_return_address(0);
  if (current_worker->current().value == old || count_again("lost_update", site)) return;
  report_lost_update(
      site,
      "Another thread changes the word right before this exchange, which overwrites that update. "
      "Read and change the word by one atomic operation such as atomicAdd, or in a loop around "
      "atomicCAS.");
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
void __threadfence_block() { __threadfence(); }

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
