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

/// The name of the file in `#include "../matmul.h"`, or nullopt for another line.
std::optional<std::string_view> included_in(std::string_view line) {
  const auto directive = behind(line, "#");
  const auto path = directive ? behind(*directive, "include") : std::nullopt;
  if (!path || path->empty() || (path->front() != '"' && path->front() != '<')) return std::nullopt;
  const auto end = path->find_first_of("\">", 1);
  if (end == path->npos) return std::nullopt;
  const auto whole = path->substr(1, end - 1);
  return whole.substr(whole.rfind('/') + 1);  // npos + 1 is the start
}

/// Calls `use` with the name in each include directive.
void for_each_include(std::string_view text, const auto& use) {
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of("\r\n"), text.size());
    if (const auto name = included_in(text.substr(0, end))) use(*name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The files of a submission and those handed out to which a stage's sources lead. Each text is
/// read once.
class Reached {
 public:
  Reached(const TakenFiles& taken, const FilesConfig& rules) : rules_(rules) {
    for (const TakenFile& file : taken.files)
      there_.emplace(fs::path(file.name).filename().string(), file.bytes);
  }

  /// The names of the handed out files that are missing.
  std::set<std::string> missing_from(const std::vector<std::string>& sources) {
    for (const auto& source : sources) read(source);
    for (; !next_.empty(); next_.pop_front())
      for_each_include(next_.front(), [&](std::string_view name) { include(name); });
    return missing_;
  }

 private:
  /// Queues all files of the submission that have this name, in any folder.
  void read(std::string_view name) {
    if (read_.contains(name)) return;
    const auto [first, end] = there_.equal_range(name);
    if (first != end) read_.emplace(name);
    for (auto file = first; file != end; ++file) next_.push_back(file->second);
  }

  void include(std::string_view name) {
    read(name);
    const HandedOutFile* const handed = rules_.find_handed_out(std::string(name));
    if (handed == nullptr || !included_.emplace(name).second) return;
    if (!there_.contains(name)) {
      missing_.emplace(name);
      next_.push_back(handed->text.bytes);
    }
    for (const HandedOutFile& other : rules_.handed_out)
      if (fs::path(other.name).stem() == fs::path(name).stem()) include(other.name);
  }

  const FilesConfig& rules_;
  std::multimap<std::string, std::string_view, std::less<>> there_;  ///< by name, without folders
  std::set<std::string, std::less<>> read_, included_;
  std::set<std::string> missing_;
  std::deque<std::string_view> next_;
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
