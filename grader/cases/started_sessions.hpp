/// The processes of a stage's cases, started together. Each takes some tenths of a second to start
/// its device; one after another they would hold it for seconds.
///
/// Until its case, a process has the harness and an idle device, as the empty call's process has.
/// The submission is not loaded yet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grader/cases/case_run.hpp"
#include "grader/run/session.hpp"

namespace opgrade {

class StartedSessions {
 public:
  /// Starts processes for `cases` cases on the context's GPU, and waits until their devices have
  /// started: no case is under way yet. Does so once for a device, for two cases or more. Idle
  /// processes get at most an eighth of its free memory, and few of the threads that the config
  /// allows.
  void start(const CaseContext& context, std::size_t cases);

  /// One of them, which then loads the submission; null where none is left.
  std::unique_ptr<Session> take(const CaseContext& context);

 private:
  std::string device_;  ///< UUID
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace opgrade
