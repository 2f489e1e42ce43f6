/// The temporary folder of one worker process. A killed worker leaves its builds and copies of
/// programs there.
#pragma once

#include <filesystem>

#include "grader/platform/process/process.hpp"

namespace opgrade::service {

class WorkerPlace {
 public:
  /// Creates the folder for a worker of this course. Throws Error.
  explicit WorkerPlace(const std::filesystem::path& course);
  WorkerPlace(const WorkerPlace&) = delete;
  /// Removes the folder. The worker must have ended; processes that it started may end a little
  /// later.
  ~WorkerPlace();

  /// Makes the folder the TMPDIR of the command.
  void give_to(Command& command) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Removes the places of workers that ended with a killed server. No other server of the course may
/// run. Only folders of this user are removed, whatever other entries are called.
void remove_left_places(const std::filesystem::path& course);

}  // namespace opgrade::service
