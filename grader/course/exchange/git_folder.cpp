#include "grader/course/exchange/git_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "grader/base/core/printable.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

using Refusal = std::optional<std::string>;

/// The start of a file that holds a path.
std::string head_of(const fs::path& file) {
  constexpr std::size_t kLongestPaths = 64 << 10;
  std::string text(kLongestPaths, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string first_line_of(const fs::path& file) {
  const std::string text = head_of(file);
  return text.substr(0, text.find_first_of("\r\n"));
}

/// A student's file that says where the rest of a repository is begins with this.
constexpr std::string_view kGitDir = "gitdir:";

/// True for the parts that git reads to list commits and their files. A link in the place of such a
/// part is refused, even if it leads to a file in the folder.
bool is_read(const fs::path& part) {
  const std::string first = part.begin()->string();
  return first == "HEAD" || first == "config" || first == "config.worktree" ||
         first == "packed-refs" || first == "shallow" || first == "refs" || first == "objects" ||
         first == "reftable";
}

class Search {
 public:
  Search(const fs::path& repository, const ReadGitSettings& read_settings)
      : own_(fs::canonical(repository)), read_settings_(read_settings) {}

  tl::expected<GitFolder, std::string> run() {
    GitFolder found{own_ / ".git", {}};
    if (const Refusal why = find(found.path)) return tl::unexpected(*why);
    top_ = found.path;
    if (const Refusal why = check_parts()) return tl::unexpected(*why);
    if (const Refusal why = check_settings(found.settings)) return tl::unexpected(*why);
    return found;
  }

 private:
  static std::string broken(const std::string& what) {
    return printable_line(what, 300) +
           "; clone the repository again from where the student pushes, by `git clone` without "
           "--shared and --reference";
  }
  static std::string refusal(const std::string& what) {
    return broken(what + ", so git would read outside of the student's folder");
  }
  std::string name_of(const fs::path& path) const { return path.lexically_relative(own_).string(); }

  bool is_outside(const fs::path& path) const {
    const fs::path real = fs::weakly_canonical(path);
    return std::ranges::mismatch(own_, real).in1 != own_.end();
  }
  std::optional<fs::path> link_target(const fs::path& link) const {
    std::error_code error;
    const fs::path target = fs::read_symlink(link, error);
    return error ? std::nullopt : std::optional(target);
  }
  std::string link_refusal(const fs::path& link) const {
    return refusal(fmt::format("{} is a symbolic link to {}", name_of(link),
                               link_target(link).value_or("?").string()));
  }

  /// Replaces `path`, the repository's .git, by the folder that it stands for.
  Refusal find(fs::path& path) const {
    const fs::file_status status = fs::symlink_status(path);
    if (fs::is_directory(status)) return {};
    if (!fs::exists(status)) {
      path = own_;
      return {};
    }
    if (fs::is_symlink(status)) return link_refusal(path);
    const std::string line = fs::is_regular_file(status) ? first_line_of(path) : "";
    if (!line.starts_with(kGitDir)) return broken(name_of(path) + " is no folder");
    const auto begin = line.find_first_not_of(" \t", kGitDir.size());
    const fs::path named = begin == line.npos ? "" : line.substr(begin);
    const fs::path target = own_ / named;
    if (is_outside(target) || !fs::is_directory(target))
      return refusal(fmt::format("{} leads to {}", name_of(path), named.string()));
    path = fs::canonical(target);
    return {};
  }

  Refusal check_parts() const {
    for (fs::recursive_directory_iterator entry(top_), end; entry != end; ++entry) {
      const fs::path part = entry->path().lexically_relative(top_);
      const fs::file_status status = entry->symlink_status();
      if (part == "hooks") {  // never run, and often links to files of the student's machine
        if (fs::is_directory(status)) entry.disable_recursion_pending();
      } else if (fs::is_symlink(status)) {
        const fs::path target =
            entry->path().parent_path() / link_target(entry->path()).value_or("/");
        if (is_read(part) || is_outside(target)) return link_refusal(entry->path());
      } else if (is_read(part) && !fs::is_directory(status) && !fs::is_regular_file(status)) {
        return broken(name_of(entry->path()) + " is no regular file");
      } else if (Refusal why = check_address(entry->path(), part)) {
        return why;
      }
    }
    return {};
  }

  /// Checks a file that holds the path of another file or folder that git reads.
  Refusal check_address(const fs::path& file, const fs::path& part) const {
    const bool of_worktree = part.begin()->string() == "worktrees";
    if (part == "commondir" || (of_worktree && part.filename() == "commondir")) {
      const std::string line = first_line_of(file);
      std::error_code missing;
      if (fs::equivalent(file.parent_path() / line, top_, missing) && !missing) return {};
      return refusal(fmt::format("{} leads to {}", name_of(file), line));
    }
    if (part == "gitdir")
      return refusal(fmt::format("{} leads to {}", name_of(file), first_line_of(file)));
    if (part == "objects/info/alternates" || part == "objects/info/http-alternates") {
      std::istringstream lines(head_of(file));
      for (std::string line; std::getline(lines, line);)
        if (!line.empty() && !line.starts_with('#'))
          return refusal(fmt::format("{} leads to {}", name_of(file), line));
    }
    return {};
  }

  Refusal check_settings(GitSettings& settings) const {
    for (const char* name : {"config", "config.worktree"}) {
      if (!fs::exists(fs::symlink_status(top_ / name))) continue;
      if (Refusal why = check_config(top_ / name, settings, 0)) return why;
    }
    return {};
  }

  /// Checks a config and adds its settings to `settings`.
  Refusal check_config(const fs::path& file, GitSettings& settings, int depth) const {
    constexpr int kGitsOwnLimit = 10;
    const auto read = read_settings_(file);
    if (!read) return broken(fmt::format("{} cannot be read: {}", name_of(file), read.error()));
    for (const auto& [key, value] : *read) {
      const bool includes =
          key == "include.path" || (key.starts_with("includeif.") && key.ends_with(".path"));
      const fs::path from = key == "core.worktree" ? top_ : file.parent_path();
      if (!includes && key != "core.worktree") {
        if (depth == 0) settings.emplace(key, value);
      } else if (value.starts_with('~') || value.starts_with('%') || is_outside(from / value) ||
                 depth == kGitsOwnLimit) {
        return refusal(fmt::format("{} in {} leads to {}", key, name_of(file), value));
      } else if (includes && fs::is_regular_file(from / value)) {
        if (Refusal why = check_config(fs::canonical(from / value), settings, depth + 1))
          return why;
      }
    }
    return {};
  }

  const fs::path own_;
  const ReadGitSettings& read_settings_;
  fs::path top_;
};

}  // namespace

bool is_git_repository(const fs::path& folder) {
  std::error_code ignored;
  const fs::file_status inner = fs::symlink_status(folder / ".git", ignored);
  if (fs::is_directory(inner) || fs::is_symlink(inner)) return true;
  if (fs::is_regular_file(inner)) return first_line_of(folder / ".git").starts_with(kGitDir);
  return fs::is_regular_file(folder / "HEAD", ignored) &&
         fs::is_directory(folder / "objects", ignored) &&
         fs::is_directory(folder / "refs", ignored);
}

tl::expected<GitFolder, std::string> own_git_folder(const fs::path& repository,
                                                    const ReadGitSettings& read_settings) {
  try {
    return Search(repository, read_settings).run();
  } catch (const fs::filesystem_error& e) {
    return tl::unexpected(fmt::format("the repository cannot be read: {}: {}",
                                      printable_line(e.path1().string(), 300), e.code().message()));
  }
}

}  // namespace opgrade::course
