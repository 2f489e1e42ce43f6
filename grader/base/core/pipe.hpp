/// A pipe whose ends no other program inherits.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"

namespace opgrade {

struct Pipe {
  Fd read;
  Fd write;
};

/// Throws Error if there are too few descriptors.
inline Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)),
                "raise the limit on open files (ulimit -n)");
  }
  return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace opgrade
