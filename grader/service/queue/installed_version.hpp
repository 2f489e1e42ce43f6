/// The version of the program that grades next. After an upgrade it is not the server's own
/// version.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "grader/platform/process/process.hpp"

namespace opgrade::service {

/// Watches the installed files on a thread of its own, so that no request waits for a program.
class InstalledVersion {
 public:
  struct Options {
    std::function<std::string()> stamp;      ///< changes when the installed files do
    std::function<Command()> ask;            ///< prints the version
    std::chrono::milliseconds every{2000};   ///< between two checks of the stamp
    std::chrono::milliseconds wall{10'000};  ///< limit for one answer
  };
  /// `version` is the version of the files that are installed now.
  InstalledVersion(std::string version, Options options);

  /// The last version that the program printed. If the program fails, as in the middle of an
  /// upgrade, it is asked again.
  std::string operator()() const;

 private:
  void watch(const std::stop_token& stop);

  const Options options_;
  mutable std::mutex guard_;
  std::condition_variable_any stopping_;
  std::string stamp_, version_;
  std::jthread watcher_;
};

}  // namespace opgrade::service
