// malloc, free, new and delete of device functions.
#include "opgrade_emulation/heap.hpp"

#include <cstdlib>
#include <new>

#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {
namespace {

void give_back(void* pointer, const char* function, const void* site) {
  if (pointer == nullptr || heap_give_back(pointer, site)) return;
  report_bad_free(pointer, function, site);
  set_sticky_error(cudaErrorLaunchFailure);
  current_worker->abandon_kernel();
}

}  // namespace

void* heap_malloc(std::size_t bytes) {
  if (current_worker == nullptr) return std::malloc(bytes);
  return bytes == 0 ? nullptr : heap_take(bytes, __builtin_return_address(0));
}

void heap_free(void* pointer) {
  if (current_worker == nullptr) return std::free(pointer);
  give_back(pointer, "free", __builtin_return_address(0));
}

void* heap_new(std::size_t bytes) {
  if (current_worker == nullptr) return ::operator new(bytes);
  return heap_take(bytes == 0 ? 1 : bytes, __builtin_return_address(0));
}

void heap_delete(void* pointer) {
  if (current_worker == nullptr) return ::operator delete(pointer);
  give_back(pointer, "delete", __builtin_return_address(0));
}

}  // namespace opgrade_emulation
