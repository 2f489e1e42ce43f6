// Canvas's "Download Submissions": a zip of lovelaceada_4711_90210_project.zip, with LATE_ before
// the first number where that is so. The names tell no time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "grader/core/error.hpp"
#include "grader/course/hand_in.hpp"
#include "grader/course/pack.hpp"
#include "grader/files/archives.hpp"
#include "grader/files/text_file.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

struct CanvasName {
  std::string person;  ///< sortable name in small letters, without blanks
  bool late = false;
  std::string user_id;
  std::string file;  ///< as the student named it
};

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

/// The part up to the next '_', which is removed with it.
std::string take_part(std::string& text) {
  const auto end = text.find('_');
  if (end == text.npos) return "";
  std::string part = text.substr(0, end);
  text.erase(0, end + 1);
  return part;
}

std::optional<CanvasName> parse_name(std::string text) {
  CanvasName name;
  name.person = take_part(text);
  std::string next = take_part(text);
  if (next == "LATE") {
    name.late = true;
    next = take_part(text);
  }
  name.user_id = next;
  const std::string attachment = take_part(text);
  name.file = text;
  if (name.person.empty() || !is_number(name.user_id) || !is_number(attachment) || text.empty())
    return std::nullopt;
  return name;
}

/// Canvas adds "-1" to the name of a file that was handed in again.
std::string without_version(const std::string& file) {
  const auto dot = file.rfind('.');
  const std::string stem = file.substr(0, dot);
  const auto dash = stem.rfind('-');
  if (dot == file.npos || dash == stem.npos || dash == 0 || !is_number(stem.substr(dash + 1)))
    return file;
  return stem.substr(0, dash) + file.substr(dot);
}

struct OfPerson {
  CanvasName name;
  std::map<std::string, ArchiveFile> files;  ///< by the student's names
};

tl::expected<Content, std::string> read_person(const OfPerson& person, const Due& due,
                                               const HandInOptions& options) {
  Content content;
  if (options.time) {
    content.handed_in = *options.time;
    content.time_from = "--time";
  } else if (person.name.late) {
    return tl::unexpected<std::string>(
        "Canvas marks it LATE and does not tell its time; add it with --only and --time");
  } else {
    content.handed_in = due.deadline;
    content.time_from = "Canvas, which does not mark it LATE; the time itself is not known";
  }
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

FoundHandIns canvas_export(const fs::path& zip, const HandInOptions& options) {
  auto files = read_archive(
      text_of_file(zip), [](const std::string&) { return true; }, ArchiveLimits{}.archive_bytes,
      kExportLimits);
  if (!files)
    throw UsageError(fmt::format("{}: {}", zip.string(), files.error().reason),
                     "download the export again");
  std::map<std::string, std::shared_ptr<OfPerson>> people;
  for (auto& file : *files) {
    const auto name = parse_name(file.path);
    if (!name) continue;  // is_canvas_export() saw all of them
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
    hand_in.read = [=, files_of = person](const TimeZone&, const Due& due) {
      return read_person(*files_of, due, options);
    };
    found.hand_ins.push_back(std::move(hand_in));
  }
  return found;
}

}  // namespace opgrade::course
