/// The temporary folder of one worker process. A worker that is ended at once leaves what it had
/// there: builds, copies of programs.
#pragma once

#include <filesystem>

#include "grader/platform/process/process.hpp"

namespace opgrade::service {

class WorkerPlace {
 public:
  /// For a worker of this course. Throws Error.
  explicit WorkerPlace(const std::filesystem::path& course);
  WorkerPlace(const WorkerPlace&) = delete;
  /// The worker has ended; what it started may take a moment longer.
  ~WorkerPlace();

  /// Makes it the TMPDIR of the command.
  void give_to(Command& command) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Removes the places of workers that ended with a killed server. No other server of the course may
/// run. What is no folder of this user's is left alone, whatever its name.
void remove_left_places(const std::filesystem::path& course);

}  // namespace opgrade::service
