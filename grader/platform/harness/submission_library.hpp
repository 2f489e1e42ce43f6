/// Opens a built submission.
#pragma once

#include <dlfcn.h>

#include "grader/platform/harness/submission_abi.h"

namespace opgrade::harness {

struct SubmissionLibrary {
  void* handle = nullptr;
  const opgrade_submission* submission = nullptr;  ///< null if it failed: dlerror() may say why
};

inline SubmissionLibrary open_submission(const char* path) {
  SubmissionLibrary opened{.handle = ::dlopen(path, RTLD_NOW | RTLD_LOCAL)};
  if (opened.handle == nullptr) return opened;
  if (auto* const get = reinterpret_cast<decltype(&opgrade_get_submission)>(
          ::dlsym(opened.handle, "opgrade_get_submission")))
    opened.submission = get();
  return opened;
}

}  // namespace opgrade::harness
