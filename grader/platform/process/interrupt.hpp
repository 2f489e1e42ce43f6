/// Ctrl-C and SIGTERM: stop the children, unwind, leave nothing behind.
#pragma once

#include <exception>

namespace opgrade::interrupt {

/// Thrown where work stops because of an interrupt; neither the grader nor the submission failed.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

/// From now on SIGINT, SIGTERM and SIGHUP are remembered instead of ending the process. A second
/// one ends it at once, except SIGHUP, which hanging up sends twice. Signals that the caller
/// ignores, as nohup does with SIGHUP, stay ignored.
void install();

/// Readable once a signal came; -1 before install(). Every watched child is stopped by it.
int descriptor();

bool requested();

/// Throws Interrupted once a signal came.
void check();

}  // namespace opgrade::interrupt
