/// A pipe whose ends no other program inherits.
#pragma once

#include "grader/core/fd.hpp"

namespace opgrade {

struct Pipe {
  Fd read;
  Fd write;
};

/// Throws Error where descriptors are short.
Pipe make_pipe();

}  // namespace opgrade
