/// Asked by tests that run submissions, before they skip.
#pragma once

#include "grader/platform/sandbox/support.hpp"

namespace opgrade::test {

/// True where some tier of the sandbox works. Found once.
inline bool sandboxed() {
  static const bool works = SandboxSupport::detect().tier != SandboxTier::none;
  return works;
}

}  // namespace opgrade::test
