#include "opgrade_emulation/library.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "grader/emulation/runtime/fault.hpp"

namespace opgrade_emulation {
namespace {

void* take(std::size_t bytes) {
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr)
    stop_kernel("not_emulated", "The emulated device has no memory left for a library's function.",
                cudaErrorMemoryAllocation, __builtin_return_address(0));
  return memory;
}

}  // namespace

Kernel& library_kernel(const char* name, const char* file, int line) {
  static std::mutex mutex;
  static auto* const kernels = new std::map<std::tuple<std::string, std::string, int>, Kernel>;
  const std::lock_guard lock(mutex);
  Kernel& kernel = (*kernels)[{name, file, line}];
  kernel.name = name;
  kernel.file = file;
  kernel.line = line;
  kernel.of_library = true;
  return kernel;
}

Kernel& library_kernel_here(const char* name) {
  static std::mutex mutex;
  static auto* const kernels = new std::map<std::pair<std::string, const void*>, Kernel>;
  const void* const site = __builtin_return_address(0);
  const std::lock_guard lock(mutex);
  Kernel& kernel = (*kernels)[{name, site}];
  kernel.name = name;
  kernel.file = "";
  kernel.line = 0;
  kernel.of_library = true;
  kernel.site = site;
  return kernel;
}

void library_misused(const char* what) {
  stop_kernel("undefined_behavior", what, cudaErrorLaunchFailure, __builtin_return_address(0));
}

ScratchBytes::ScratchBytes(std::size_t bytes) : memory_(static_cast<char*>(take(bytes))) {}
ScratchBytes::~ScratchBytes() { std::free(memory_); }
void ScratchBytes::read(void* to, std::size_t offset, std::size_t bytes) const {
  std::memcpy(to, memory_ + offset, bytes);
}
void ScratchBytes::write(std::size_t offset, const void* from, std::size_t bytes) {
  std::memcpy(memory_ + offset, from, bytes);
}

struct NumberSort::Item {
  unsigned long long number;
  std::size_t source;
};

NumberSort::NumberSort(std::size_t size)
    : items_(static_cast<Item*>(take(size * sizeof(Item)))), size_(size) {}
NumberSort::~NumberSort() { std::free(items_); }
void NumberSort::set(std::size_t i, unsigned long long number) { items_[i] = {number, i}; }
void NumberSort::sort(bool descending) {
  if (descending)
    std::stable_sort(items_, items_ + size_,
                     [](const Item& a, const Item& b) { return a.number > b.number; });
  else
    std::stable_sort(items_, items_ + size_,
                     [](const Item& a, const Item& b) { return a.number < b.number; });
}
std::size_t NumberSort::source(std::size_t i) const { return items_[i].source; }

}  // namespace opgrade_emulation
