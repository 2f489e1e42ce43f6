#include "grader/base/files/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/files/partial_file.hpp"

namespace opgrade {

namespace fs = std::filesystem;

tl::expected<std::string, std::string> read_text_file(const fs::path& file,
                                                      std::uintmax_t max_bytes) {
  std::error_code error;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || fs::is_directory(file, error))
    return tl::unexpected<std::string>("cannot be read; is the path right?");
  if (fs::file_size(file, error) > max_bytes)
    return tl::unexpected(
        fmt::format("is larger than {} MiB; is it the right file?", max_bytes >> 20));
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string text_of_file(const fs::path& file) {
  auto text = read_text_file(file, std::numeric_limits<std::uintmax_t>::max());
  if (!text) throw Error(fmt::format("{} cannot be read", file.string()), "check its permissions");
  return *std::move(text);
}

void write_whole(const fs::path& file, std::string_view text, mode_t rights) {
  const auto check = [&](bool done) {
    if (!done)
      throw Error(fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)),
                  "check the free space of the disk and the permissions of the folder");
  };
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, rights));
  check(static_cast<bool>(fd));
  while (!text.empty()) {
    const ssize_t n = ::write(fd.get(), text.data(), text.size());
    check(n > 0 || (n < 0 && errno == EINTR));
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  // Flushed before a rename, so that after a power cut the name never stands for an empty file.
  check(::fsync(fd.get()) == 0);
}

void write_file(const fs::path& file, std::string_view text, mode_t rights) {
  PartialFile partial(file);
  write_whole(partial.path(), text, rights);
  partial.commit();
}

}  // namespace opgrade
