// Canvas's "Download Submissions": a zip of files such as lovelaceada_4711_90210_project.zip. Late
// ones have LATE_ before the first number. The names contain no time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <regex>

#include "grader/base/core/error.hpp"
#include "grader/base/files/archives.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/exchange/hand_in.hpp"
#include "grader/course/exchange/pack.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

struct CanvasName {
  std::string person;  ///< sortable name in small letters, without blanks
  bool late = false;
  std::string user_id;
  std::string file;  ///< as the student named it
};

/// std::regex recurses for each character, and no file system has longer names.
constexpr std::size_t kLongest = 255;

std::optional<CanvasName> parse_name(const std::string& text) {
  static const std::regex form("([^_]+)_(LATE_)?([0-9]+)_[0-9]+_(.+)");
  std::smatch part;
  if (text.size() > kLongest || !std::regex_match(text, part, form)) return std::nullopt;
  return CanvasName{part[1], part[2].matched, part[3], part[4]};
}

/// Canvas adds "-1" to the name of a file that was handed in again.
std::string without_version(const std::string& file) {
  return std::regex_replace(file, std::regex("(.)-[0-9]+(\\.[^.]*)$"), "$1$2");
}

struct OfPerson {
  CanvasName name;
  std::map<std::string, ArchiveFile> files;  ///< by the student's names
};

tl::expected<Content, std::string> read_person(const OfPerson& person, const Due& due) {
  Content content;
  if (!person.name.late) content.handed_in = due.deadline;
  content.time_from =
      person.name.late
          ? "Canvas marks it LATE and does not tell its time; add it with --only and --time"
          : "Canvas, which does not mark it LATE; the time itself is not known";
  for (const auto& [name, file] : person.files)
    if (file.bytes.empty() && file.size > 0)
      return tl::unexpected(
          fmt::format("{} has {} MiB; ask for the sources alone", name, file.size >> 20));
  const auto& [only, first] = *person.files.begin();
  if (person.files.size() == 1 && !archive_ending(only).empty()) {
    content.ending = archive_ending(only);
    content.bytes = first.bytes;
    return content;
  }
  std::map<std::string, std::string> loose;
  for (const auto& [name, file] : person.files) {
    std::string plain = without_version(name);
    if (loose.contains(plain) || (plain != name && person.files.contains(plain))) plain = name;
    if (plain != name) content.notes.push_back(fmt::format("{} is {} in Canvas", plain, name));
    loose.emplace(plain, file.bytes);
  }
  content.ending = ".tar";
  content.bytes = pack(loose);
  return content;
}

}  // namespace

bool is_canvas_export(const std::vector<std::string>& names) {
  return !names.empty() &&
         std::ranges::all_of(names, [](const auto& name) { return parse_name(name).has_value(); });
}

FoundHandIns canvas_export(const fs::path& zip) {
  auto files = read_archive(
      text_of_file(zip), [](const std::string&) { return true; }, ArchiveLimits{}.archive_bytes,
      kExportLimits);
  if (!files)
    throw UsageError(fmt::format("{}: {}", zip.string(), files.error().reason),
                     "download the export again");
  std::map<std::string, std::shared_ptr<OfPerson>> people;
  for (auto& file : *files) {
    const auto name = parse_name(file.path);
    if (!name) continue;  // does not occur: is_canvas_export() has checked all names
    auto& person = people[name->user_id];
    if (!person) person = std::make_shared<OfPerson>(OfPerson{*name, {}});
    person->name.late = person->name.late || name->late;
    person->files.emplace(name->file, std::move(file));
  }
  FoundHandIns found;
  for (const auto& [id, person] : people) {
    HandIn hand_in;
    hand_in.source = fmt::format("{}: {}_{}", zip.string(), person->name.person, id);
    hand_in.short_name = person->name.person;
    hand_in.people = {{{id}, person->name.person}};
    hand_in.read = [=, files_of = person](const Reading& reading) {
      return read_person(*files_of, reading.due);
    };
    found.hand_ins.push_back(std::move(hand_in));
  }
  return found;
}

}  // namespace opgrade::course
