#include "grader/base/files/partial_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/core/system_random.hpp"

namespace opgrade {

PartialFile::PartialFile(std::filesystem::path final_path)
    : final_(std::move(final_path)),
      // Random, because another machine that shares the folder may have a process with the same
      // number.
      temporary_(fmt::format("{}.{:016x}.partial", final_.string(), SystemRandom()())) {
  const auto folder = final_.has_parent_path() ? final_.parent_path() : std::filesystem::path(".");
  std::error_code failure;
  if (!std::filesystem::is_directory(folder, failure)) {
    throw Error(
        fmt::format("cannot write {}: {} is not a folder", final_.string(), folder.string()),
        "make the folder first");
  }
  if (std::filesystem::is_directory(final_, failure)) {
    throw Error(fmt::format("cannot write {}: it is a folder", final_.string()),
                "name a file, not a folder");
  }
}

PartialFile::~PartialFile() {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void PartialFile::flush() const {
  const Fd file(::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) {
    throw Error(fmt::format("cannot write {}: {}", temporary_.string(), std::strerror(errno)),
                "check the free space of the disk");
  }
}

bool PartialFile::commit_new() {
  flush();
  bool is_new = ::link(temporary_.c_str(), final_.c_str()) == 0;
  if (!is_new && errno == EEXIST) {
    // If the reply to a link is lost, NFS repeats the link, which then fails: link(2).
    struct stat info {};
    is_new = ::stat(temporary_.c_str(), &info) == 0 && info.st_nlink > 1;
  } else if (!is_new) {
    throw Error(fmt::format("cannot name {} {}: {}", temporary_.string(), final_.string(),
                            std::strerror(errno)),
                "check the rights on the folder, and that its file system has hard links");
  }
  const auto path = final_.has_parent_path() ? final_.parent_path() : std::filesystem::path(".");
  const Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) {
    throw Error(fmt::format("cannot flush {}: {}", path.string(), std::strerror(errno)),
                "check the disk");
  }
  return is_new;
}

void PartialFile::commit() {
  flush();
  std::error_code failure;
  std::filesystem::rename(temporary_, final_, failure);
  if (failure) {
    throw Error(fmt::format("cannot rename {} to {}: {}", temporary_.string(), final_.string(),
                            failure.message()),
                "check the rights on the folder");
  }
}

}  // namespace opgrade
