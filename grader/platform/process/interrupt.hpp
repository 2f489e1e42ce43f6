/// Ctrl-C and SIGTERM: stop the children, unwind, leave nothing behind.
#pragma once

#include <exception>

namespace opgrade::interrupt {

/// Thrown if an interrupt stops the work; neither the grader nor the submission failed.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

/// From now on SIGINT, SIGTERM and SIGHUP are remembered instead of ending the process. A second
/// signal ends it at once, except SIGHUP, because a hang-up sends that twice. Signals that the
/// caller ignores, as nohup ignores SIGHUP, stay ignored.
void install();

/// Readable once a signal came; -1 before install(). A signal stops every watched child.
int descriptor();

bool requested();

/// Throws Interrupted once a signal came.
void check();

}  // namespace opgrade::interrupt
