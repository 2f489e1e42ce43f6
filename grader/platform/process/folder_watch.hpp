/// Notices when a submission's files are saved.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace opgrade {

/// Polls a folder or a file, which works on network file systems, too, because those send no
/// notices. Ignores hidden files and names that end with '~', which are editors' own.
class FolderWatch {
 public:
  explicit FolderWatch(std::filesystem::path place);

  /// Waits until the files differ from those at construction or at the last return, and then do not
  /// change between two looks. Returns the names of the files that were changed, added or removed.
  /// Throws Interrupted.
  std::vector<std::string> wait(std::chrono::milliseconds between = std::chrono::milliseconds(250));

 private:
  struct State {
    std::filesystem::file_time_type written;
    std::uintmax_t bytes = 0;
    bool operator==(const State&) const = default;
  };
  using Files = std::map<std::string, State>;
  Files look() const;

  std::filesystem::path place_;
  Files seen_;
};

}  // namespace opgrade
