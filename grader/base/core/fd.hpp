/// Owner of one file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace opgrade {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  // Not retried on EINTR: on Linux the descriptor is gone either way.
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() { *this = Fd(); }

 private:
  int fd_ = -1;
};

}  // namespace opgrade
