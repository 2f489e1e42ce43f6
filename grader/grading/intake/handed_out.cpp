#include "grader/grading/intake/handed_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using Changed = HandedOutFile::Changed;

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return text.substr(std::min(first, text.size()));
}

/// The rest of `text` behind `word`, without the blanks in between; nullopt if `text` begins
/// otherwise.
std::optional<std::string_view> behind(std::string_view text, std::string_view word) {
  text = without_blanks(text);
  if (!text.starts_with(word)) return std::nullopt;
  return without_blanks(text.substr(word.size()));
}

/// The path in `#include "../matmul.h"`, or nullopt for another line.
std::optional<std::string_view> included_in(std::string_view line) {
  const auto directive = behind(line, "#");
  const auto path = directive ? behind(*directive, "include") : std::nullopt;
  if (!path || path->empty() || (path->front() != '"' && path->front() != '<')) return std::nullopt;
  const auto end = path->find_first_of("\">", 1);
  if (end == path->npos) return std::nullopt;
  return path->substr(1, end - 1);
}

/// The last part of a path.
std::string_view name_in(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is the start
}

/// Calls `use` with the path in each include directive.
void for_each_include(std::string_view text, const auto& use) {
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of("\r\n"), text.size());
    if (const auto path = included_in(text.substr(0, end))) use(*path);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The files of a submission and those handed out to which a stage's sources lead. Each text is
/// read once.
class Reached {
 public:
  Reached(const TakenFiles& taken, const FilesConfig& rules) : rules_(rules) {
    for (const TakenFile& file : taken.files) there_.emplace(name_in(file.name), &file);
  }

  /// The names of the handed out files that are missing.
  std::set<std::string> missing_from(const std::vector<std::string>& sources) {
    for (const auto& source : sources) read(source);
    for (; !next_.empty(); next_.pop_front()) {
      const auto [folder, text] = next_.front();
      for_each_include(text, [&](std::string_view path) { include(folder, path); });
    }
    return missing_;
  }

 private:
  /// Queues all files of the submission that have this name, in any folder.
  void read(std::string_view name) {
    if (read_.contains(name)) return;
    const auto [first, end] = there_.equal_range(name);
    if (first != end) read_.emplace(name);
    for (auto file = first; file != end; ++file)
      next_.push_back({fs::path(file->second->name).parent_path(), file->second->bytes});
  }

  /// True if the compiler finds a file of the submission: beside the file that includes it, or at
  /// the top. A path with folders stands for the file of this name in any folder
  /// (build/include_aliases.hpp).
  bool is_there(const fs::path& folder, std::string_view path) const {
    const auto [first, end] = there_.equal_range(name_in(path));
    if (path.find('/') != path.npos) return first != end;
    return std::any_of(first, end, [&](const auto& file) {
      return file.second->name == (folder / path).string() || file.second->name == path;
    });
  }

  /// Follows an include directive of a file in `folder`.
  void include(const fs::path& folder, std::string_view path) {
    const std::string_view name = name_in(path);
    read(name);
    const HandedOutFile* const handed = rules_.find_handed_out(std::string(name));
    if (handed == nullptr) return;
    if (!is_there(folder, path)) {
      if (!missing_.emplace(name).second) return;
      next_.push_back({"", handed->text.bytes});
    } else if (!included_.emplace(name).second) {
      return;
    }
    for (const HandedOutFile& other : rules_.handed_out)
      if (other.name != name && fs::path(other.name).stem() == fs::path(name).stem())
        add(other.name);
  }

  /// Adds a handed out file if the top lacks it.
  void add(const std::string& name) {
    read(name);
    if (!is_there("", name) && missing_.emplace(name).second)
      next_.push_back({"", rules_.find_handed_out(name)->text.bytes});
  }

  const FilesConfig& rules_;
  /// A file to read for its include directives.
  struct Text {
    fs::path folder;  ///< in which it lies, below the top
    std::string_view bytes;
  };
  std::multimap<std::string, const TakenFile*, std::less<>> there_;  ///< by name, without folders
  std::set<std::string, std::less<>> read_, included_;
  std::set<std::string> missing_;
  std::deque<Text> next_;
};

/// `text` without what editors and archives change: line ends, blanks behind a line, a mark of
/// UTF-8.
std::string plain(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  std::string lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    lines += line.substr(0, line.find_last_not_of(" \t\r") + 1);
    lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  lines.erase(std::min(lines.find_last_not_of('\n') + 1, lines.size()));
  return lines;
}

}  // namespace

std::vector<std::string> required_sources(const FilesConfig& rules,
                                          const std::vector<std::string>& sources) {
  std::vector<std::string> required;
  std::ranges::copy_if(sources, std::back_inserter(required), [&](const std::string& name) {
    return rules.find_handed_out(name) == nullptr;
  });
  return required;
}

tl::expected<TakenFiles, Refusal> with_handed_out(TakenFiles taken, const FilesConfig& rules,
                                                  const std::vector<std::string>& sources) {
  for (TakenFile& file : taken.files) {
    const HandedOutFile* const handed = rules.find_handed_out(file.name);
    if (handed == nullptr || handed->changed == Changed::use) continue;
    if (handed->changed == Changed::refuse && plain(file.bytes) != plain(handed->text.bytes))
      return tl::unexpected(Refusal{
          fmt::format("{} is not as the course hands it out", file.name),
          "Hand in that file without changes, or leave it out: the course's is used then."});
    file.bytes = handed->text.bytes;
  }
  const auto missing = Reached(taken, rules).missing_from(sources);
  for (const auto& name : missing)
    taken.files.push_back({name, rules.find_handed_out(name)->text.bytes});
  return taken;
}

}  // namespace opgrade
