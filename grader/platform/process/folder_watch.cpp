#include "grader/platform/process/folder_watch.hpp"

#include <poll.h>

#include <system_error>
#include <utility>

#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

bool is_editors(const std::string& name) { return name.starts_with('.') || name.ends_with('~'); }

}  // namespace

FolderWatch::FolderWatch(fs::path place) : place_(std::move(place)), seen_(look()) {}

/// Skips a file that vanishes meanwhile.
FolderWatch::Files FolderWatch::look() const {
  Files files;
  const auto add = [&](const std::string& name, const fs::path& path) {
    std::error_code gone;
    const State state{fs::last_write_time(path, gone), fs::file_size(path, gone)};
    if (!gone) files[name] = state;
  };
  std::error_code gone;
  if (!fs::is_directory(place_, gone)) {
    add(place_.filename().string(), place_);
    return files;
  }
  for (fs::recursive_directory_iterator entry(place_, gone), end; entry != end && !gone;
       entry.increment(gone)) {
    const bool skipped = is_editors(entry->path().filename().string());
    std::error_code unreadable;
    if (entry->is_directory(unreadable)) {
      if (skipped) entry.disable_recursion_pending();
    } else if (!skipped && entry->is_regular_file(unreadable)) {
      add(entry->path().lexically_relative(place_).string(), entry->path());
    }
  }
  return files;
}

std::vector<std::string> FolderWatch::wait(std::chrono::milliseconds between) {
  Files last = seen_;
  for (;;) {
    interrupt::check();
    Files now = look();
    if (now != seen_ && now == last) {
      std::vector<std::string> changed;
      for (const auto& [name, state] : now) {
        const auto before = seen_.find(name);
        if (before == seen_.end() || before->second != state) changed.push_back(name);
      }
      for (const auto& [name, state] : seen_)
        if (!now.contains(name)) changed.push_back(name);
      seen_ = std::move(now);
      return changed;
    }
    last = std::move(now);
    pollfd signals{interrupt::descriptor(), POLLIN, 0};
    ::poll(&signals, 1, static_cast<int>(between.count()));
  }
}

}  // namespace opgrade
