#include "grader/results/result_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "grader/core/error.hpp"
#include "grader/core/fd.hpp"
#include "grader/core/system_random.hpp"
#include "grader/files/partial_file.hpp"
#include "grader/report/exporters.hpp"
#include "grader/report/json.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file) {
  throw Error(fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)),
              "check the free space and the permissions of the results folder");
}

void write_whole(const fs::path& file, const std::string& text) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd) fail(file);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail(file);
    done += static_cast<std::size_t>(n);
  }
  // Before the rename: after a power cut a name must not stand for an empty file.
  if (::fsync(fd.get()) != 0) fail(file);
}

/// Where a folder is written before it gets its name. No other process has this place; the
/// ending tells others to leave it alone.
struct PartialFolder {
  explicit PartialFolder(const fs::path& target)
      : path(fmt::format("{}.{:016x}.partial", target.string(), SystemRandom()())) {}
  ~PartialFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const fs::path path;
};

}  // namespace

std::string text_of_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream)
    throw Error(fmt::format("{} cannot be read", file.string()), "check its permissions");
  return text.str();
}

void write_file(const fs::path& file, const std::string& text) {
  PartialFile partial(file);
  write_whole(partial.path(), text);
  partial.commit();
}

void write_result(const fs::path& folder, const Grade& grade, const report::SourceOf& source) {
  const PartialFolder unfinished(folder);
  const fs::path& partial = unfinished.path;
  std::error_code ignored;
  fs::create_directories(partial, ignored);
  for (const report::Exporter& e : report::exporters()) {
    if (e.stored)
      write_whole(partial / e.file, e.write(grade, {.audience = e.audience, .source = source}));
  }
  fs::remove_all(folder, ignored);
  if (::rename(partial.c_str(), folder.c_str()) != 0) fail(folder);
}

std::optional<Grade> read_result(const fs::path& folder) {
  std::ifstream file(folder / "report.json", std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return report::grade_from_json(text.str());
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace opgrade
