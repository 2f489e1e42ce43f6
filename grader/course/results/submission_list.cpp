#include "grader/course/results/submission_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <fstream>
#include <set>
#include <string_view>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/files/archives.hpp"
#include "grader/grading/pipeline/submission_path.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// True if the file begins like an archive. Some course systems name archives without an ending.
bool has_archive_bytes(const fs::path& file) {
  using namespace std::string_view_literals;
  std::array<char, 512> bytes{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), static_cast<std::size_t>(stream.gcount()));
  for (const auto magic : {"PK\3\4"sv, "PK\5\6"sv, "\x1f\x8b"sv, "BZh"sv, "\xfd\x37zXZ\0"sv,
                           "\x28\xb5\x2f\xfd"sv, "\x5d\0\0"sv, "Rar!"sv, "7z\xbc\xaf"sv}) {
    if (start.starts_with(magic)) return true;
  }
  constexpr std::size_t kTarMagic = 257;  // POSIX.1, the header block of ustar
  return start.size() > kTarMagic && start.substr(kTarMagic).starts_with("ustar");
}

bool is_archive(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) &&
         (!archive_ending(file.filename().string()).empty() || has_archive_bytes(file));
}

std::string shown(const fs::path& path) { return printable_line(path.string(), 4096); }

}  // namespace

SubmissionList list_submissions(const std::vector<fs::path>& paths, const fs::path& results) {
  SubmissionList list;
  std::vector<std::string> missing;
  std::set<fs::path> seen;
  for (const fs::path& path : paths) {
    std::error_code error, ignored;
    const auto status = fs::status(path, error);
    if (!fs::exists(status)) {
      missing.push_back(fmt::format("{} ({})", shown(path), error.message()));
    } else if (fs::equivalent(path, results, ignored)) {
      list.skipped.push_back(shown(path) + ": the results folder");
    } else if (!fs::is_directory(status) && !is_archive(path)) {
      list.skipped.push_back(shown(path) + ": neither a folder nor an archive");
    } else if (seen.insert(plain_path(path)).second) {
      list.submissions.push_back(path);
    }
  }
  if (!missing.empty()) {
    throw UsageError(fmt::format("{} of {} paths cannot be found: {}", missing.size(), paths.size(),
                                 fmt::join(missing, ", ")),
                     "correct or leave out these paths; nothing was graded");
  }
  if (list.submissions.empty()) {
    throw UsageError(
        fmt::format("there is no submission among the paths: {}", fmt::join(list.skipped, ", ")),
        "name folders, .zip or .tar.* archives");
  }
  return list;
}

}  // namespace opgrade
