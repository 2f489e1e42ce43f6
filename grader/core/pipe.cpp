#include "grader/core/pipe.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "grader/core/error.hpp"

namespace opgrade {

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)),
                "raise the limit on open files (ulimit -n)");
  }
  return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace opgrade
