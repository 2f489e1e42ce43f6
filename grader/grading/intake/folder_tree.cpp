#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string_view>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/grading/intake/tree.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

class DiskFolder : public SubmissionFolder {
 public:
  explicit DiskFolder(Fd folder) : folder_(std::move(folder)) {}

  bool has(const std::string& name) const override {
    struct stat status {};
    return ::fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  }

  std::vector<std::string> names() const override {
    return list([](const dirent&) { return true; });
  }

  std::vector<std::string> folders() const override {
    return list([&](const dirent& entry) {
      if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
      struct stat status {};
      return ::fstatat(folder_.get(), entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
             S_ISDIR(status.st_mode);
    });
  }

  std::unique_ptr<SubmissionFolder> open(const std::string& name) const override {
    // No symbolic link is followed.
    Fd folder(
        ::openat(folder_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return nullptr;
    return std::make_unique<DiskFolder>(std::move(folder));
  }

  tl::expected<std::string, Refusal> read(const std::string& name,
                                          std::int64_t cap) const override {
    const std::string shown = printable_line(name);
    // O_NONBLOCK: opening a pipe without a writer would wait forever.
    const Fd file(
        ::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) {
      if (errno == ELOOP)
        return tl::unexpected(Refusal{shown + " is a symbolic link", "Hand in the file itself."});
      return tl::unexpected(
          Refusal{fmt::format("{} cannot be read: {}", shown, std::strerror(errno)),
                  "Check the file's permissions."});
    }
    struct stat status {};
    ::fstat(file.get(), &status);
    if (S_ISDIR(status.st_mode)) {
      return tl::unexpected(
          Refusal{shown + " is a folder, not a file", "Hand in the source file itself."});
    }
    if (!S_ISREG(status.st_mode)) {
      return tl::unexpected(
          Refusal{shown + " is not a regular file", "Hand in the source file itself."});
    }
    if (status.st_size > cap) return tl::unexpected(too_large(name, status.st_size, cap));
    return bytes_of(file, status.st_size);
  }

 private:
  std::vector<std::string> list(const std::function<bool(const dirent&)>& has) const {
    // A second descriptor, because closedir closes the one it was given.
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::fdopendir(::dup(folder_.get())), &::closedir);
    std::vector<std::string> names;
    if (!open) return names;
    ::rewinddir(open.get());
    while (const dirent* entry = ::readdir(open.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != ".." && has(*entry)) names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  Fd folder_;
};

}  // namespace

Refusal too_large(const std::string& name, std::int64_t bytes, std::int64_t cap) {
  return {fmt::format("{} has {} KiB, more than the {} KiB that are taken", printable_line(name),
                      bytes >> 10, cap >> 10),
          "A conv-forward source is a few KiB; remove tables and pasted output."};
}

std::string bytes_of(const Fd& file, std::int64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t n = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      throw Error(fmt::format("the submission cannot be read: {}", std::strerror(errno)),
                  "check the disk that it lies on");
    }
    if (n == 0) break;
    filled += static_cast<std::size_t>(n);
  }
  bytes.resize(filled);
  return bytes;
}

tl::expected<SubmissionTree, Refusal> open_folder_tree(const fs::path& folder) {
  Fd root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) {
    return tl::unexpected(
        Refusal{fmt::format("the submission cannot be opened: {}", std::strerror(errno)),
                "A submission is a folder or an archive that the grader may read."});
  }
  return SubmissionTree(std::make_unique<DiskFolder>(std::move(root)));
}

}  // namespace opgrade
