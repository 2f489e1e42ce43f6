/// A tensor that the grader shares, mapped into the harness's address space.
#pragma once

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

#include "grader/platform/harness/protocol.hpp"

namespace opgrade::harness {

/// 16 or 64 KiB on some ARM64 systems, 4 KiB on others.
inline const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

/// A tensor's memory file, mapped between two unmapped pages. Running one element past its end
/// faults at once, because the grader places a tensor against the end of its file.
class MappedTensor {
 public:
  enum class May {
    read,
    write,
    write_own,  ///< reads the file until it writes: then it has its own copy of the page
  };

  bool map(int fd, const protocol::TensorPlace& place, May may) {
    unmap();
    // Whole pages before the tensor are not mapped: an unmapped page takes their place.
    const std::size_t first = place.offset / kPage * kPage;
    const std::size_t reserved = place.file_bytes - first + 2 * kPage;
    void* const range = ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (range == MAP_FAILED) return false;
    range_ = static_cast<char*>(range);
    reserved_ = reserved;
    // Populates the pages now, because page faults on first touch must not count into the
    // submission's time. One thread takes 50 ms for a gigabyte. Four threads take longer, because
    // they wait for each other in the kernel.
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
    mark_front("__asan_poison_memory_region");
    mapped_from_ = usable_from_ = first;
    return ::fstat(fd, &file_) == 0;
  }

  /// Keeps the mapping if the new tensor uses no more of the same file than before. That takes some
  /// tenths of a millisecond, while mapping a gigabyte takes 60 ms. Returns false for other
  /// tensors.
  bool shrink(int fd, const protocol::TensorPlace& place) {
    struct stat now {};
    const std::size_t first = place.offset / kPage * kPage;
    if (range_ == nullptr || first < usable_from_ || ::fstat(fd, &now) != 0 ||
        now.st_ino != file_.st_ino || now.st_dev != file_.st_dev)
      return false;
    const std::size_t unused = first - mapped_from_;
    if (unused > 0 && ::mmap(range_, unused + kPage, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      return false;
    usable_from_ = first;
    data_ = range_ + kPage + (place.offset - mapped_from_);
    return true;
  }

  void unmap() {
    if (range_ != nullptr) {
      mark_front("__asan_unpoison_memory_region");
      ::munmap(range_, reserved_);
    }
    range_ = data_ = nullptr;
  }
  float* data() const { return reinterpret_cast<float*>(data_); }

 private:
  /// If the address sanitizer is loaded, makes it report an access before the tensor.
  void mark_front(const char* function) const {
    using Mark = void(const volatile void*, std::size_t);
    if (auto* const mark = reinterpret_cast<Mark*>(::dlsym(RTLD_DEFAULT, function)))
      mark(range_ + kPage, static_cast<std::size_t>(data_ - range_) - kPage);
  }

  char* range_ = nullptr;
  char* data_ = nullptr;
  std::size_t reserved_ = 0;
  std::size_t mapped_from_ = 0, usable_from_ = 0;  ///< offsets in the file
  struct stat file_ {};
};

}  // namespace opgrade::harness
