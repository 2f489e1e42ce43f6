/// An array that ends at a page nobody may touch: reading or writing past it ends the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace opgrade::test {

template <class T>
class GuardedArray {
 public:
  explicit GuardedArray(std::size_t n) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t usable = (n * sizeof(T) + page - 1) / page * page;
    bytes_ = usable + page;
    pages_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages_ == MAP_FAILED) throw std::runtime_error("no memory for a guarded array");
    char* const start = static_cast<char*>(pages_);
    mprotect(start + usable, page, PROT_NONE);
    data_ = reinterpret_cast<T*>(start + usable) - n;
  }
  ~GuardedArray() { munmap(pages_, bytes_); }
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;

  T* data() { return data_; }

 private:
  void* pages_ = nullptr;
  std::size_t bytes_ = 0;
  T* data_ = nullptr;
};

}  // namespace opgrade::test
