#include "grader/course/results/result_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "grader/base/core/printable.hpp"
#include "grader/base/files/archives.hpp"
#include "grader/grading/pipeline/submission_path.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using Parts = std::vector<std::string>;

constexpr std::size_t kLongest = 100;  // bytes; with an ending well below NAME_MAX

Parts parts_of(const fs::path& path) {
  Parts parts;
  for (const auto& part : path.relative_path()) parts.push_back(part.string());
  std::error_code ignored;
  // "alice.tar.gz" is alice's, like the folder "alice".
  if (!parts.empty() && !fs::is_directory(path, ignored))
    parts.back().resize(parts.back().size() - archive_ending(parts.back()).size());
  return parts;
}

/// The last `count` of `parts` as a name.
std::string end_of(const Parts& parts, std::size_t count) {
  std::string name;
  for (std::size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i)
    name += (name.empty() ? "" : "_") + parts[i];
  return result_name(name);
}

/// How many parts all of `paths` have in common, at the front or, reversed, at the back. At least
/// one part of each is left.
template <class Get>
std::size_t common(const std::vector<Parts>& paths, Get part) {
  for (std::size_t i = 0;; ++i) {
    for (const Parts& path : paths) {
      if (path.size() <= i + 1 || part(path, i) != part(paths.front(), i)) return i;
    }
  }
}

using Names = std::map<Parts, std::string>;

/// True if `names` distinguishes all paths and agrees with the `known` names of some of them.
bool fits(const Names& names, const Names& known) {
  std::set<std::string> used;
  return std::ranges::all_of(names, [&](const auto& entry) {
    const auto before = known.find(entry.first);
    return used.insert(entry.second).second &&
           (before == known.end() || before->second == entry.second);
  });
}

/// Finds a name for each of `paths`, which are different, by the rule by which the `known` ones
/// were named.
Names names_of(const std::vector<Parts>& paths, const Names& known) {
  const auto from_front = [](const Parts& p, std::size_t i) { return p[i]; };
  const auto from_back = [](const Parts& p, std::size_t i) { return p[p.size() - 1 - i]; };
  const std::size_t depth = common(paths, from_front);
  const std::size_t tail = paths.size() < 2 ? 0 : common(paths, from_back);
  const auto trimmed = [&](const Parts& path) {
    return Parts(path.begin(), path.end() - static_cast<std::ptrdiff_t>(tail));
  };
  Names owners, folders;
  for (const Parts& path : paths) {
    owners[path] = end_of(trimmed(path), 1);
    folders[path] = result_name(path.empty() ? "" : path[depth]);
  }
  if (fits(owners, known)) return owners;
  if (fits(folders, known)) return folders;

  Names ends;
  std::size_t longest = 0;
  for (const Parts& path : paths) longest = std::max(longest, path.size());
  for (std::size_t count = 1; count <= longest; ++count) {
    std::map<std::string, int> uses;
    for (const Parts& path : paths) ++uses[end_of(path, count)];
    for (const Parts& path : paths)
      if (const auto name = end_of(path, count); uses[name] == 1) ends.try_emplace(path, name);
  }
  for (const Parts& path : paths) ends.try_emplace(path, end_of(path, 1));
  return ends;
}

}  // namespace

std::string result_name(const std::string& submission) {
  std::string name;
  for (std::size_t i = 0, end = 0; i < submission.size(); i = end) {
    end = i + 1;
    while (end < submission.size() && (submission[end] & 0xC0) == 0x80) ++end;  // of one character
    const std::string character = submission.substr(i, end - i);
    const bool kept =
        character != "/" && character != "\\" && printable_line(character) == character;
    const std::string shown = kept ? character : "_";
    if (name.size() + shown.size() > kLongest) break;
    name += shown;
  }
  if (name.empty() || name[0] == '.') name = "_" + name;
  // Names that the folder uses for other entries: the table, and results that are being written.
  if (name == "grades.csv" || name.ends_with(".partial")) name += '_';
  return name;
}

std::vector<std::string> result_names(const std::vector<fs::path>& submissions,
                                      const ResultOwners& owners) {
  if (submissions.empty()) return {};
  // Sorted by path, so that the order of the arguments has no effect.
  std::vector<std::size_t> order(submissions.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return plain_path(submissions[i]).string(); });

  std::vector<std::string> names(submissions.size());
  std::set<std::string> taken;
  for (const auto i : order) {
    const std::string owner = owner_of(submissions[i]);
    for (const auto& [name, whose] : owners) {
      if (whose != owner || taken.contains(name)) continue;
      names[i] = name;
      taken.insert(name);
      break;
    }
  }

  // The paths of earlier calls are included, so that new names follow the same rule.
  std::set<Parts> paths;
  for (const auto i : order) paths.insert(parts_of(plain_path(submissions[i])));
  Names known;
  for (const auto& [name, whose] : owners)
    if (!whose.empty()) known.emplace(*paths.insert(parts_of(whose)).first, name);
  const Names wanted = names_of({paths.begin(), paths.end()}, known);

  for (const auto& [name, whose] : owners)
    if (!whose.empty()) taken.insert(name);
  for (const auto i : order) {
    std::string& name = names[i];
    if (!name.empty()) continue;
    const fs::path path = plain_path(submissions[i]);
    const Parts parts = parts_of(path);
    name = wanted.at(parts);
    // "ada" may exist as a folder and as ada.zip.
    if (taken.contains(name)) name = result_name(path.filename().string());
    for (std::size_t count = 2; taken.contains(name) && count <= parts.size(); ++count)
      name = end_of(parts, count);
    const std::string base = name;
    for (int number = 2; taken.contains(name); ++number) name = fmt::format("{}-{}", base, number);
    taken.insert(name);
  }
  return names;
}

}  // namespace opgrade
