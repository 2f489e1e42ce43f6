#include "grader/grading/build/include_aliases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostAliases = 1000;
constexpr std::size_t kMostFolders = 10'000;
constexpr std::size_t kLongestPath = 400;
constexpr std::size_t kLongestName = 255;  // Linux' own file systems

using Parts = std::vector<std::string_view>;

/// The path of an #include line, or nullopt.
std::optional<std::string_view> included_path(std::string_view line) {
  const auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\v\f"), line.size()));
  };
  const auto skip = [&](std::string_view word) {
    skip_blanks();
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
    skip_blanks();
    return true;
  };
  if (!skip("#") || !skip("include") || line.empty()) return std::nullopt;
  if (line.front() != '"' && line.front() != '<') return std::nullopt;
  const auto end = line.find(line.front() == '<' ? '>' : '"', 1);
  if (end == line.npos) return std::nullopt;
  return line.substr(1, end - 1);
}

/// Takes only paths with a '/': compilers find the others in the folders that they search anyway.
std::set<std::string> included_paths(const TakenFiles& taken) {
  std::set<std::string> paths;
  for (const auto& file : taken.files) {
    const std::string_view text = file.bytes;
    for (std::size_t begin = 0; begin < text.size() && paths.size() < kMostAliases;) {
      const auto end = std::min(text.find_first_of("\r\n", begin), text.size());
      const auto path = included_path(text.substr(begin, end - begin));
      begin = end + 1;
      if (path && path->size() <= kLongestPath && path->find('/') != path->npos &&
          path->find('\0') == path->npos && !path->starts_with('/'))
        paths.insert(std::string(*path));
    }
  }
  return paths;
}

Parts parts_of(std::string_view path) {
  Parts parts;
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    const auto part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.push_back(part);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

/// What an include can mean.
struct Headers {
  std::set<std::string_view> all;  ///< the submission's files and the course's headers
  /// A file of the submission's by its name without folders; empty if several have that name.
  std::map<std::string_view, std::string_view> by_name;
};

Headers headers_of(const TakenFiles& taken, const std::set<std::string>& course_headers) {
  Headers headers;
  headers.all.insert(course_headers.begin(), course_headers.end());
  for (const auto& file : taken.files) {
    const std::string_view path = file.name;
    headers.all.insert(path);
    const auto slash = path.rfind('/');
    if (slash == path.npos) continue;
    const auto [known, is_new] = headers.by_name.try_emplace(path.substr(slash + 1), path);
    if (!is_new) known->second = {};
  }
  return headers;
}

/// True for a path into a folder where compilers look for their own headers and the system's, or
/// where the kernel answers. No author has a project there.
bool is_of_system(std::string_view path) {
  for (const char* const folder :
       {"/usr/", "/lib/", "/lib64/", "/opt/", "/proc/", "/dev/", "/sys/"})
    if (path.starts_with(folder)) return true;
  return false;
}

bool may_move(const std::string& path) {
  const Parts parts = parts_of(path);
  return path.starts_with('/') && path.size() <= kLongestPath && !is_of_system(path) &&
         !parts.empty() && std::ranges::find(parts, "..") == parts.end() &&
         path.find('\0') == path.npos;
}

/// The file that a path means: the one with most parts in common, as the compiler finds it below
/// the submission's folder or among the course's headers.
std::optional<std::string> meant(const Parts& parts, const Headers& headers) {
  const std::string path = fmt::format("{}", fmt::join(parts, "/"));
  std::string_view tail = path;
  for (std::size_t first = 0; first < parts.size(); ++first) {
    if (headers.all.contains(tail)) return std::string(tail);
    tail.remove_prefix(std::min(parts[first].size() + 1, tail.size()));
  }
  // Else a file of that name in some folder of the submission's.
  const auto found = headers.by_name.find(parts.back());
  if (found == headers.by_name.end() || found->second.empty()) return std::nullopt;
  return std::string(found->second);
}

/// Makes the folders on the way, because the system follows "a/../b" only if there is an a. Makes
/// at most `left` folders, and subtracts them from it.
std::optional<fs::path> place_of(const Parts& parts, const fs::path& folder, std::size_t& left) {
  fs::path at = alias_start(folder);
  int depth = kAliasDepth;
  std::error_code failed;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "..") {
      if (--depth < 0) return std::nullopt;
      at = at.parent_path();
      continue;
    }
    if (parts[i].size() > kLongestName) return std::nullopt;
    ++depth;
    at /= parts[i];
    if (i + 1 == parts.size()) break;
    if (left == 0) return std::nullopt;
    if (fs::create_directory(at, failed)) --left;
    if (!fs::is_directory(at, failed)) return std::nullopt;
  }
  if (parts.back() == ".." || fs::exists(at, failed)) return std::nullopt;
  return at;
}

}  // namespace

fs::path alias_start(const fs::path& folder) {
  fs::path start = folder;
  for (int i = 0; i < kAliasDepth; ++i) start /= "d";
  return start;
}

std::string with_local_includes(const std::string& source, const TakenFiles& taken,
                                const std::set<std::string>& course_headers) {
  const Headers headers = headers_of(taken, course_headers);
  std::string text;
  std::size_t moved_paths = 0;
  for (std::size_t begin = 0; begin < source.size();) {
    const auto end = std::min(source.find_first_of("\r\n", begin), source.size());
    const std::string_view line = std::string_view(source).substr(begin, end - begin);
    const auto path = included_path(line);
    const auto file = path && may_move(std::string(*path)) && moved_paths++ < kMostAliases
                          ? meant(parts_of(*path), headers)
                          : std::nullopt;
    if (file && file->find_first_of(">\n") == file->npos) {
      const auto quote = static_cast<std::size_t>(path->data() - line.data()) - 1;
      std::string moved = fmt::format("<{}>", *file);
      // What stands behind the path keeps its column.
      moved.resize(std::max(moved.size(), path->size() + 2), ' ');
      text += fmt::format("{}{}{}", line.substr(0, quote), moved,
                          line.substr(quote + path->size() + 2));
    } else {
      text += line;
    }
    text += source.substr(end, 1);
    begin = end + 1;
  }
  return text;
}

void write_include_aliases(const TakenFiles& taken, const std::set<std::string>& course_headers,
                           const fs::path& folder) {
  fs::create_directories(alias_start(folder));
  const Headers headers = headers_of(taken, course_headers);
  std::size_t folders_left = kMostFolders;
  for (const std::string& path : included_paths(taken)) {
    const Parts parts = parts_of(path);
    if (parts.empty()) continue;
    const auto file = meant(parts, headers);
    if (!file || file->find_first_of(">\n") != file->npos) continue;
    if (const auto place = place_of(parts, folder, folders_left))
      std::ofstream(*place) << fmt::format("#include <{}>\n", *file);
  }
}

}  // namespace opgrade
