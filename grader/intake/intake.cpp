#include "grader/intake/intake.hpp"

#include <dirent.h>
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
#include <set>

#include "grader/core/fd.hpp"
#include "grader/core/printable.hpp"
#include "grader/data/checksum.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// A folder below the submission, opened step by step so that no step may be a symbolic link.
Fd open_folder(const Fd& root, const fs::path& below) {
  Fd folder(::openat(root.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const auto& step : below) {
    if (step == "." || step.empty()) continue;
    folder =
        Fd(::openat(folder.get(), step.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return {};
  }
  return folder;
}

std::vector<std::string> names_in(const Fd& folder) {
  // A second descriptor, because closedir closes the one it was given.
  const std::unique_ptr<DIR, int (*)(DIR*)> list(::fdopendir(::dup(folder.get())), &::closedir);
  std::vector<std::string> names;
  if (!list) return names;
  ::rewinddir(list.get());
  while (const dirent* entry = ::readdir(list.get())) names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

bool has(const Fd& folder, const std::string& name) {
  struct stat status {};
  return ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

tl::expected<std::string, Refusal> read_regular(const Fd& folder, const std::string& name,
                                                std::int64_t cap) {
  const std::string shown = printable_line(name);
  // O_NONBLOCK: opening a pipe without a writer would wait for ever.
  const Fd file(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) {
    if (errno == ELOOP)
      return tl::unexpected(Refusal{shown + " is a symbolic link", "Hand in the file itself."});
    return tl::unexpected(Refusal{fmt::format("{} cannot be read: {}", shown, std::strerror(errno)),
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
  if (status.st_size > cap) {
    return tl::unexpected(
        Refusal{fmt::format("{} has {} KiB, more than the {} KiB that are taken", shown,
                            status.st_size >> 10, cap >> 10),
                "A conv-forward source is a few KiB; remove tables and pasted output."});
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t n = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    filled += static_cast<std::size_t>(n);
  }
  bytes.resize(filled);
  return bytes;
}

std::string places_text(const FilesConfig& rules) {
  std::string text;
  for (const auto& folder : rules.folders) {
    text += (text.empty() ? "" : ", ") +
            (folder == "." ? std::string("the submission's folder") : folder + "/");
  }
  return text;
}

bool wanted(const std::string& name, const FilesConfig& rules) {
  return std::any_of(rules.take.begin(), rules.take.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
  });
}

}  // namespace

tl::expected<TakenFiles, Refusal> take_files(const fs::path& submission, const FilesConfig& rules,
                                             const std::vector<std::string>& sources) {
  const Fd root(::open(submission.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) {
    return tl::unexpected(
        Refusal{fmt::format("the submission cannot be opened: {}", std::strerror(errno)),
                "A submission is a folder that the grader may read."});
  }
  for (const auto& place : rules.folders) {
    const Fd folder = open_folder(root, place);
    if (!folder) continue;
    const bool complete = std::all_of(sources.begin(), sources.end(),
                                      [&](const std::string& name) { return has(folder, name); });
    if (!complete) continue;

    TakenFiles taken{place, {}};
    for (const auto& name : names_in(folder)) {
      const bool named = std::find(sources.begin(), sources.end(), name) != sources.end();
      if (!named && !wanted(name, rules)) continue;
      auto bytes = read_regular(folder, name, rules.max_file_bytes);
      if (!bytes) {
        if (named) return tl::unexpected(bytes.error());
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
  for (const auto& place : rules.folders) {
    const Fd folder = open_folder(root, place);
    if (!folder) continue;
    std::vector<std::string> here;
    std::copy_if(sources.begin(), sources.end(), std::back_inserter(here),
                 [&](const std::string& name) { return !has(folder, name); });
    if (here.size() < missing.size()) missing = here;
  }
  return tl::unexpected(Refusal{fmt::format("{} is missing", fmt::join(missing, ", ")),
                                fmt::format("It is looked for in: {}.", places_text(rules))});
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
