#include "grader/course/results/results_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The text that the holder wrote: "process 4711 on grader-1".
std::string holder_in(const Fd& file) {
  std::array<char, 200> text{};
  const ssize_t n = ::pread(file.get(), text.data(), text.size(), 0);
  return n > 0 ? printable_line({text.data(), static_cast<std::size_t>(n)}) : "another process";
}

void sign(const Fd& file) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string text = fmt::format("process {} on {}", ::getpid(), host.data());
  // The lock holds also without the text: the disk may be full, or the file another user's.
  if (::ftruncate(file.get(), 0) != 0 || ::pwrite(file.get(), text.data(), text.size(), 0) < 0)
    return;
}

void remove_unfinished(const fs::path& results) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(results, ignored))
    if (entry.path().extension() == ".partial") fs::remove_all(entry.path(), ignored);
}

}  // namespace

void make_results_folder(const fs::path& results) {
  std::error_code error;
  fs::create_directories(results, error);
  if (error)
    throw Error(fmt::format("cannot make {}: {}", results.string(), error.message()),
                "choose another --out");
}

ResultsLock::ResultsLock(const fs::path& results,
                         const std::function<bool(const std::string&)>& again) {
  make_results_folder(results);
  const std::string path = results / ".lock";
  file_ = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file_) file_ = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file_)
    throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)),
                "check the permissions of the results folder, or choose another --out");
  while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) break;  // the file system has no locks
    const std::string holder = holder_in(file_);
    if (again(holder)) continue;
    throw Error(
        fmt::format("{} is in use by another grading: {}", results.string(), holder),
        "wait until it has ended, stop it if it is `opgrade serve`, or give `opgrade grade` "
        "another --out");
  }
  sign(file_);
  remove_unfinished(results);
}

}  // namespace opgrade
