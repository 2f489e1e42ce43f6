/// A tensor that the grader shares, in the harness's address space.
#pragma once

#include <sys/mman.h>

#include <cstddef>

#include "grader/harness/protocol.hpp"

namespace opgrade::harness {

inline constexpr std::size_t kPage = 4096;

/// A tensor's memory file, mapped between two unmapped pages. Running one element past its end
/// faults at once, because the grader places a tensor against the end of its file.
class MappedTensor {
 public:
  enum class May {
    read,
    write,
    write_own,  ///< reads the file until it writes: then it has a page of its own
  };

  bool map(int fd, const protocol::TensorPlace& place, May may) {
    unmap();
    // Whole pages before the tensor are of no concern here: an unmapped one is in their place.
    const std::size_t first = place.offset / kPage * kPage;
    const std::size_t reserved = place.file_bytes - first + 2 * kPage;
    void* const range = ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (range == MAP_FAILED) return false;
    range_ = static_cast<char*>(range);
    reserved_ = reserved;
    // Populated now: page faults on first touch must not count into the submission's time.
    void* const file =
        ::mmap(range_ + kPage, place.file_bytes - first,
               may == May::write ? PROT_READ | PROT_WRITE : PROT_READ,
               (may == May::write_own ? MAP_PRIVATE : MAP_SHARED) | MAP_FIXED | MAP_POPULATE, fd,
               static_cast<off_t>(first));
    if (file == MAP_FAILED) return false;
    if (may == May::write_own &&
        ::mprotect(file, place.file_bytes - first, PROT_READ | PROT_WRITE) != 0) {
      return false;
    }
    data_ = range_ + kPage + (place.offset - first);
    return true;
  }
  void unmap() {
    if (range_ != nullptr) ::munmap(range_, reserved_);
    range_ = data_ = nullptr;
  }
  float* data() const { return reinterpret_cast<float*>(data_); }

 private:
  char* range_ = nullptr;
  char* data_ = nullptr;
  std::size_t reserved_ = 0;
};

}  // namespace opgrade::harness
