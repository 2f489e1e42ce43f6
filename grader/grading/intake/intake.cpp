#include "grader/grading/intake/intake.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <deque>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/grading/intake/archive.hpp"
#include "grader/grading/intake/handed_out.hpp"
#include "grader/task/config/config_task.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoPattern = "has a name that the config's files.patterns does not list";
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
  if (rules.find_handed_out(name) != nullptr) return true;
  return std::any_of(rules.take.begin(), rules.take.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
  });
}

tl::expected<SubmissionTree, Refusal> tree_of(std::string_view archive, const FilesConfig& rules,
                                              const std::vector<std::string>& sources) {
  auto files = read_archive(
      archive, [&](const std::string& name) { return named(name, sources) || wanted(name, rules); },
      rules.max_file_bytes);
  if (!files) return tl::unexpected(files.error());
  return archive_tree(std::move(*files));
}

tl::expected<SubmissionTree, Refusal> open_tree(const fs::path& submission,
                                                const FilesConfig& rules,
                                                const std::vector<std::string>& sources) {
  // O_NONBLOCK: opening a pipe without a writer would wait forever.
  const Fd file(::open(submission.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return open_folder_tree(submission);
  // The file is read whole, so nothing depends on it from here on. One byte beyond the cap is
  // enough to refuse it.
  const ArchiveLimits limits;
  const std::string bytes =
      bytes_of(file, std::min<std::int64_t>(status.st_size, limits.archive_bytes + (1 << 20)));
  return tree_of(bytes, rules, sources);
}

/// Bounds on the search for sources below a folder, as for an archive.
struct Walk {
  static constexpr int kDepth = 16;
  static constexpr int kEntries = 10'000;
};
constexpr std::size_t kMostLeftOut = 1000;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

void leave_out(TakenFiles& taken, const std::string& name, const std::string& why) {
  if (taken.left_out.size() < kMostLeftOut) taken.left_out.push_back({name, why});
}

/// Why a file or folder of this name, at this path below the sources, is not taken; empty if it may
/// be.
std::string unusable(const std::string& path, const std::string& name) {
  constexpr std::size_t kLongestPath = 1000;  // bytes; builds add folders of their own
  // Compilers write such names with escapes, or read them as directives, so what is read for a
  // config's rules could differ from what is built. Windows allows none of them.
  const auto is_unsafe = [](unsigned char c) {
    return c < 0x20 || c == 0x7f || c == '"' || c == '\\' || c == '<' || c == '>';
  };
  if (std::ranges::any_of(name, is_unsafe))
    return "has a name with a control character or one of \" \\ < >, which compilers treat in "
           "different ways";
  // Compilers read a precompiled header, or a folder of them, in place of the header beside it.
  if (name.ends_with(".gch") || name.ends_with(".pch"))
    return "is a precompiled header; the header itself is compiled";
  if (path.size() > kLongestPath)
    return fmt::format("has a path of more than {} bytes", kLongestPath);
  return "";
}

/// "a.h is a symbolic link" without its name.
std::string without_name(const std::string& reason, const std::string& name) {
  const std::string shown = printable_line(name) + " ";
  return reason.starts_with(shown) ? reason.substr(shown.size()) : reason;
}

/// The places in the order in which they are searched.
std::vector<Place> places_of(const SubmissionTree& tree, const FilesConfig& rules,
                             const ExercisePlace& exercise) {
  std::vector<std::string> folders;
  if (!exercise.folder.empty())
    for (const auto& folder : rules.folders)
      folders.push_back(Place{exercise.folder, folder}.path());
  if (exercise.or_top) folders.insert(folders.end(), rules.folders.begin(), rules.folders.end());
  std::vector<Place> places;
  for (const auto& folder : folders) places.push_back({"", folder});
  if (tree.inner().empty()) return places;
  for (const auto& folder : folders) {
    const Place inside{tree.inner(), folder};
    if (std::ranges::find(places, inside.path(), &Place::path) == places.end())
      places.push_back(inside);
  }
  return places;
}

/// True for "a.cc.txt", as editors and browsers save a.cc, and for "A.CC", which some systems treat
/// as the same name.
bool looks_like_one(const std::string& name, const std::vector<std::string>& sources) {
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  return std::ranges::any_of(sources, [&](const std::string& source) {
    return name.starts_with(source + ".") || std::ranges::equal(name, source, {}, lower, lower);
  });
}

/// A folder that the config does not name, and the sources in it.
struct OtherFolder {
  std::string path;
  std::vector<std::string> sources;
};

/// The other folders that have any of the sources.
std::vector<OtherFolder> other_folders(const SubmissionTree& tree, const FilesConfig& rules,
                                       const std::vector<std::string>& sources) {
  const auto searched = places_of(tree, rules, {});
  std::vector<OtherFolder> found;
  std::deque<std::string> places{"."};
  for (int entries = 0; !places.empty() && entries <= Walk::kEntries; places.pop_front()) {
    const std::string& place = places.front();
    const auto folder = tree.open(place);
    if (!folder) continue;
    const std::string path = place == "." ? "" : place + "/";
    const auto folders = folder->folders();
    OtherFolder here{place, {}};
    for (const auto& name : folder->names()) {
      ++entries;
      if (!std::ranges::binary_search(folders, name)) {
        if (named(name, sources)) here.sources.push_back(name);
      } else if (!name.starts_with('.') && std::ranges::count(path, '/') < Walk::kDepth) {
        places.push_back(path + name);
      }
    }
    const bool is_known = std::ranges::find(searched, place, &Place::path) != searched.end();
    if (!here.sources.empty() && !is_known) found.push_back(std::move(here));
  }
  return found;
}

/// Splits `path` at the submission's inner folder, as the places of a config are split.
Place place_of(const SubmissionTree& tree, const std::string& path) {
  const std::string& inner = tree.inner();
  if (inner.empty()) return {"", path};
  if (path == inner) return {inner, "."};
  return path.starts_with(inner + "/") ? Place{inner, path.substr(inner.size() + 1)}
                                       : Place{"", path};
}

/// The refusal if several folders have all sources, and nothing says which counts.
Refusal ambiguous(const std::vector<std::string>& sources, const std::vector<std::string>& folders,
                  const FilesConfig& rules) {
  std::string names;
  for (std::size_t i = 0; i < std::min(folders.size(), kNamedFiles); ++i)
    names += (i == 0 ? "" : ", ") + printable_line(folders[i]) + "/";
  if (folders.size() > kNamedFiles) names += ", ...";
  return {fmt::format("{} {} in {} folders: {}", fmt::join(sources, ", "),
                      sources.size() == 1 ? "is" : "are", folders.size(), names),
          fmt::format("Hand in one of these folders alone, or move its files to one of the folders "
                      "that are searched first: {}.",
                      places_text(rules))};
}

std::size_t bytes_in(const TakenFiles& taken) {
  std::size_t bytes = 0;
  for (const auto& file : taken.files) bytes += file.bytes.size();
  return bytes;
}

}  // namespace

tl::expected<Submission, Refusal> Submission::open(const fs::path& submission,
                                                   const FilesConfig& rules,
                                                   const std::vector<std::string>& sources) {
  auto tree = open_tree(submission, rules, sources);
  if (!tree) return tl::unexpected(tree.error());
  return Submission(std::move(*tree), rules);
}

tl::expected<Submission, Refusal> Submission::of_archive(std::string_view archive,
                                                         const FilesConfig& rules,
                                                         const std::vector<std::string>& sources) {
  auto tree = tree_of(archive, rules, sources);
  if (!tree) return tl::unexpected(tree.error());
  return Submission(std::move(*tree), rules);
}

const tl::expected<std::string, Refusal>& Submission::read(const SubmissionFolder& folder,
                                                           const std::string& path,
                                                           const std::string& name) {
  const auto known = read_.find(path);
  if (known != read_.end()) return known->second;
  return read_.emplace(path, folder.read(name, rules_.max_file_bytes)).first->second;
}

tl::expected<void, Refusal> Submission::take_folder(const SubmissionFolder& folder,
                                                    const std::vector<std::string>& sources,
                                                    TakenFiles& taken) {
  const auto folders = folder.folders();
  std::size_t bytes = 0;
  for (const auto& name : folder.names()) {
    const bool is_source = named(name, sources);
    if (!is_source && std::ranges::binary_search(folders, name)) continue;
    if (!is_source && !wanted(name, rules_)) {
      if (!name.starts_with('.')) leave_out(taken, name, kNoPattern);
      continue;
    }
    if (const auto why = is_source ? "" : unusable(name, name); !why.empty()) {
      leave_out(taken, name, why);
      continue;
    }
    const auto& read_bytes = read(folder, path_of(taken) + "/" + name, name);
    if (!read_bytes) {
      if (is_source) return tl::unexpected(read_bytes.error());
      leave_out(taken, name, without_name(read_bytes.error().reason, name));
      continue;
    }
    bytes += read_bytes->size();
    if (taken.files.size() == static_cast<std::size_t>(rules_.max_files) || bytes > kMostBytes) {
      return tl::unexpected(Refusal{
          bytes > kMostBytes ? fmt::format("source files of more than {} MiB", kMostBytes >> 20)
                             : fmt::format("more than {} source files", rules_.max_files),
          "Hand in your own sources only."});
    }
    taken.files.push_back({name, *read_bytes});
  }
  return {};
}

/// Goes folder by folder, so that files next to the sources come first. Holds no folder open,
/// because there may be more folders than descriptors.
void Submission::take_below(const SubmissionFolder& top, TakenFiles& taken) {
  std::deque<std::string> places;  // "lib", "lib/deeper"
  int entries = 0;
  std::size_t bytes = bytes_in(taken);
  const auto list = [&](const SubmissionFolder& folder, const std::string& path) {
    for (const auto& name : folder.folders()) {
      if (name.starts_with('.')) continue;
      const std::string below = path + name;
      if (const auto why = unusable(below, name); !why.empty()) {
        leave_out(taken, below, why);
        continue;
      }
      if (std::ranges::count(below, '/') < Walk::kDepth && ++entries <= Walk::kEntries) {
        places.push_back(below);
      } else {
        leave_out(taken, below,
                  fmt::format("lies more than {} folders deep, or behind {} others", Walk::kDepth,
                              Walk::kEntries));
      }
    }
  };
  list(top, "");
  for (; !places.empty() && entries <= Walk::kEntries; places.pop_front()) {
    const auto folder = open_below(top, places.front());
    if (!folder) continue;
    const std::string place = places.front() + "/";
    const auto folders = folder->folders();
    for (const auto& name : folder->names()) {
      if (++entries > Walk::kEntries) break;
      if (std::ranges::binary_search(folders, name)) continue;
      take_one(*folder, place, name, bytes, taken);
    }
    list(*folder, place);
  }
}

void Submission::take_one(const SubmissionFolder& folder, const std::string& place,
                          const std::string& name, std::size_t& bytes, TakenFiles& taken) {
  const std::string path = place + name;
  if (!wanted(name, rules_)) {
    if (!name.starts_with('.')) leave_out(taken, path, kNoPattern);
    return;
  }
  if (const auto why = unusable(path, name); !why.empty()) {
    leave_out(taken, path, why);
    return;
  }
  if (taken.files.size() >= static_cast<std::size_t>(rules_.max_files)) {
    leave_out(taken, path,
              fmt::format("is beyond the {} source files that are taken", rules_.max_files));
    return;
  }
  const auto& read_bytes = read(folder, path_of(taken) + "/" + path, name);
  if (!read_bytes) {
    leave_out(taken, path, without_name(read_bytes.error().reason, name));
  } else if (bytes + read_bytes->size() > kMostBytes) {
    leave_out(taken, path, fmt::format("is beyond the {} MiB that are taken", kMostBytes >> 20));
  } else {
    bytes += read_bytes->size();
    taken.files.push_back({path, *read_bytes});
  }
}

tl::expected<TakenFiles, Refusal> Submission::take(const std::vector<std::string>& sources,
                                                   const ExercisePlace& exercise) {
  const auto required = required_sources(rules_, sources);
  for (const auto& place : places_of(tree_, rules_, exercise)) {
    const auto folder = tree_.open(place.path());
    const auto has = [&](const std::string& name) { return folder->has(name); };
    if (folder && std::ranges::all_of(required, has)) return take_from(place, sources);
  }
  if (!exercise.folder.empty()) return tl::unexpected(missing(required, exercise));
  std::vector<std::string> complete;
  for (const auto& other : other_folders(tree_, rules_, required))
    if (other.sources.size() == required.size()) complete.push_back(other.path);
  if (complete.empty()) return tl::unexpected(missing(required, exercise));
  if (complete.size() > 1) return tl::unexpected(ambiguous(required, complete, rules_));
  return take_from(place_of(tree_, complete.front()), sources);
}

tl::expected<TakenFiles, Refusal> Submission::take_from(const Place& place,
                                                        const std::vector<std::string>& sources) {
  const auto folder = tree_.open(place.path());
  if (!folder) return tl::unexpected(missing(sources, {}));  // gone since then
  TakenFiles taken{.folder = place.folder, .files = {}, .inner = place.inner};
  if (const auto done = take_folder(*folder, sources, taken); !done)
    return tl::unexpected(done.error());
  take_below(*folder, taken);
  return with_handed_out(std::move(taken), rules_, sources);
}

Refusal Submission::missing(const std::vector<std::string>& sources,
                            const ExercisePlace& exercise) const {
  // The folder that has most of the sources tells best what is missing.
  std::vector<std::string> missing = sources;
  std::vector<std::string> others;
  for (const auto& place : places_of(tree_, rules_, exercise)) {
    const auto folder = tree_.open(place.path());
    if (!folder) continue;
    std::vector<std::string> here;
    std::copy_if(sources.begin(), sources.end(), std::back_inserter(here),
                 [&](const std::string& name) { return !folder->has(name); });
    if (here.size() < missing.size()) missing = here;
    // Often the file is there by another name.
    for (const auto& name : folder->names())
      if ((wanted(name, rules_) || looks_like_one(name, sources)) && !named(name, sources))
        others.push_back((fs::path(place.path()) / name).lexically_normal().string());
  }
  std::vector<std::string> deeper;
  for (const auto& other : other_folders(tree_, rules_, sources))
    for (const auto& name : other.sources) deeper.push_back(other.path + "/" + name);
  std::string hint =
      fmt::format("Use exactly this file name, and check its folder. Searched folders: {}.",
                  exercise.folder.empty() ? places_text(rules_) : exercise.folder + "/");
  if (!others.empty() && others.size() <= kNamedFiles)
    hint += fmt::format(" Found there: {}.", fmt::join(others, ", "));
  if (!deeper.empty() && deeper.size() <= kNamedFiles)
    hint += fmt::format(" Found elsewhere: {}.", fmt::join(deeper, ", "));
  for (std::string& name : missing) name = in_folder(exercise.folder, name);
  return {
      fmt::format("{} {} missing", fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are"),
      std::move(hint)};
}

tl::expected<TakenFiles, Refusal> take_files(const fs::path& submission, const FilesConfig& rules,
                                             const std::vector<std::string>& sources) {
  auto opened = Submission::open(submission, rules, sources);
  if (!opened) return tl::unexpected(opened.error());
  return opened->take(sources);
}

std::string Place::path() const {
  const std::string below = (fs::path(inner) / folder).lexically_normal().string();
  return below.size() > 1 && below.ends_with('/') ? below.substr(0, below.size() - 1) : below;
}

std::string path_of(const TakenFiles& taken) { return Place{taken.inner, taken.folder}.path(); }

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
