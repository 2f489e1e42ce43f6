/// A lock that the graders of all users share: a flock on an empty file.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/events.hpp"
#include "grader/base/core/fd.hpp"

namespace opgrade {

/// The first of `candidates` that root owns and in which every user may make files but remove only
/// their own (mode 1777); if there is none, the last. This process's own rights do not count,
/// because graders of different users must come to the same folder.
std::filesystem::path shared_lock_folder(const std::vector<std::filesystem::path>& candidates = {
                                             "/run/lock", "/var/lock", "/tmp"});

/// Works between threads, too, because each object opens the file anew. The user who makes the file
/// owns it. The file is not trusted: an existing one gets flock(2) and nothing else.
class LockFile {
 public:
  /// Opens the file or makes it, readable for all users. A file that is not regular, or that is a
  /// second name of a file, is not used.
  explicit LockFile(std::filesystem::path path);

  /// Takes the lock, LOCK_EX or LOCK_SH, for as long as this object lives. Returns false while
  /// others have the lock, and if the file cannot be used.
  bool try_lock(int how);

  /// Why the file cannot be used; empty if it can.
  const std::string& problem() const { return problem_; }
  const std::filesystem::path& path() const { return path_; }

  /// The processes that have the lock, as far as the kernel tells: it lists none of those outside
  /// this container.
  std::vector<pid_t> holders() const;

 private:
  void open();

  std::filesystem::path path_;
  Fd file_;
  std::string problem_;
};

/// "process 7 (opgrade) of user ann".
std::string process_in_words(pid_t pid);

/// Waits for others, but not forever for the same one, because any user can hold a shared lock.
class LockPatience {
 public:
  using Clock = std::chrono::steady_clock;

  /// `listen` is told whom the caller waits for, once for each of them.
  explicit LockPatience(Listener listen = {},
                        std::chrono::milliseconds limit = std::chrono::minutes(15));

  /// Called after a try that failed. True if one holder other than this process has had the lock
  /// longer than the limit. Each wait counts by itself.
  bool is_over(const LockFile& file);

  /// After is_over() returned true: who the holder was, for the report.
  const std::string& why() const { return why_; }

 private:
  Listener listen_;
  std::chrono::milliseconds limit_;
  std::optional<pid_t> holder_;
  Clock::time_point since_{}, looked_{};
  bool said_ = false;
  std::string why_;
};

}  // namespace opgrade
