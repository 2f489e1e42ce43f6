/// A fuzzer's input as a file, for readers that want a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "grader/base/core/fd.hpp"

namespace opgrade::fuzz {

class InputFile {
 public:
  InputFile(const std::uint8_t* bytes, std::size_t size)
      : fd_(::memfd_create("input", MFD_CLOEXEC)) {
    if (!fd_ || ::write(fd_.get(), bytes, size) != static_cast<ssize_t>(size)) std::abort();
  }
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  Fd fd_;
};

}  // namespace opgrade::fuzz
