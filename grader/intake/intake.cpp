#include "grader/intake/intake.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "grader/core/error.hpp"
#include "grader/core/fd.hpp"
#include "grader/data/checksum.hpp"
#include "grader/intake/archive.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedFiles = 8;  ///< more than these would bury what is missing

std::string places_text(const FilesConfig& rules) {
  std::string text;
  for (const auto& folder : rules.folders) {
    text += (text.empty() ? "" : ", ") +
            (folder == "." ? std::string("the submission's folder") : folder + "/");
  }
  return text;
}

bool named(const std::string& name, const std::vector<std::string>& sources) {
  return std::find(sources.begin(), sources.end(), name) != sources.end();
}

bool wanted(const std::string& name, const FilesConfig& rules) {
  return std::any_of(rules.take.begin(), rules.take.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
  });
}

/// An archive, read whole: from here on nothing depends on the file any more.
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

tl::expected<std::unique_ptr<SubmissionTree>, Refusal> open_tree(
    const fs::path& submission, const FilesConfig& rules, const std::vector<std::string>& sources) {
  // O_NONBLOCK: opening a pipe without a writer would wait for ever.
  const Fd file(::open(submission.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return open_folder_tree(submission);
  // One byte beyond the cap is enough to be refused for it.
  const ArchiveLimits limits;
  const std::string bytes =
      bytes_of(file, std::min<std::int64_t>(status.st_size, limits.archive_bytes + (1 << 20)));
  auto files = read_archive(
      bytes, [&](const std::string& name) { return named(name, sources) || wanted(name, rules); },
      rules.max_file_bytes, limits);
  if (!files) return tl::unexpected(files.error());
  return archive_tree(std::move(*files));
}

}  // namespace

tl::expected<TakenFiles, Refusal> take_files(const fs::path& submission, const FilesConfig& rules,
                                             const std::vector<std::string>& sources) {
  const auto tree = open_tree(submission, rules, sources);
  if (!tree) return tl::unexpected(tree.error());
  for (const auto& place : rules.folders) {
    const auto folder = (*tree)->open(place);
    if (!folder) continue;
    const bool complete = std::all_of(sources.begin(), sources.end(),
                                      [&](const std::string& name) { return folder->has(name); });
    if (!complete) continue;

    TakenFiles taken{place, {}};
    for (const auto& name : folder->names()) {
      const bool is_source = named(name, sources);
      if (!is_source && !wanted(name, rules)) continue;
      auto bytes = folder->read(name, rules.max_file_bytes);
      if (!bytes) {
        if (is_source) return tl::unexpected(bytes.error());
        continue;
      }
      if (taken.files.size() == static_cast<std::size_t>(rules.max_files)) {
        return tl::unexpected(Refusal{fmt::format("more than {} source files", rules.max_files),
                                      "Hand in your own sources only."});
      }
      taken.files.push_back({name, std::move(*bytes)});
    }
    return taken;
  }
  // The folder where most of them are says best what is missing.
  std::vector<std::string> missing = sources;
  std::vector<std::string> others;
  for (const auto& place : rules.folders) {
    const auto folder = (*tree)->open(place);
    if (!folder) continue;
    std::vector<std::string> here;
    std::copy_if(sources.begin(), sources.end(), std::back_inserter(here),
                 [&](const std::string& name) { return !folder->has(name); });
    if (here.size() < missing.size()) missing = here;
    // Often the file is there by another name.
    for (const auto& name : folder->names())
      if (wanted(name, rules) && !named(name, sources))
        others.push_back((fs::path(place) / name).lexically_normal().string());
  }
  std::string hint = fmt::format("It is looked for in: {}.", places_text(rules));
  if (!others.empty() && others.size() <= kNamedFiles)
    hint += fmt::format(" Found there: {}.", fmt::join(others, ", "));
  return tl::unexpected(
      Refusal{fmt::format("{} is missing", fmt::join(missing, ", ")), std::move(hint)});
}

std::string fingerprint(const std::vector<TakenFiles>& stages) {
  std::map<std::string, const std::string*> all;
  for (const auto& stage : stages) {
    for (const auto& file : stage.files) all[stage.folder + "/" + file.name] = &file.bytes;
  }
  Sha256 sum;
  for (const auto& [name, bytes] : all) {
    // Lengths first, so that no two lists of files give the same stream.
    const std::string head = fmt::format("{} {} {}\n", name.size(), bytes->size(), name);
    sum.add(std::as_bytes(std::span(head)));
    sum.add(std::as_bytes(std::span(*bytes)));
  }
  return sum.hex();
}

}  // namespace opgrade
