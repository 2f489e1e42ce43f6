#include "grader/course/exchange/hand_in.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/base/core/error.hpp"
#include "grader/base/core/nearest.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/files/archives.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/exchange/git_folder.hpp"
#include "grader/course/exchange/pack.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGradescopeFile = "submission_metadata.yml";

Moment moment_of_file(std::chrono::file_clock::time_point time) {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(time));
}

tl::expected<Content, std::string> read_folder(const fs::path& folder,
                                               const std::string& document) {
  auto packed = pack_folder(
      folder, [](const auto&) { return true; }, document);
  if (!packed) return tl::unexpected(packed.error());
  Content content{std::move(packed->bytes),
                  ".tar",
                  moment_of_file(packed->newest),
                  "the newest file in it",
                  {}};
  for (const auto& file : packed->left_out) content.notes.push_back("left out " + file);
  return content;
}

tl::expected<Content, std::string> read_one_archive(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  const ArchiveLimits limits;
  if (!error && size > static_cast<std::uintmax_t>(limits.archive_bytes)) {
    return tl::unexpected(
        fmt::format("the archive has {} MiB, more than {}; ask for the sources alone", size >> 20,
                    limits.archive_bytes >> 20));
  }
  const auto written = fs::last_write_time(file, error);
  if (error) return tl::unexpected("the archive cannot be read: " + error.message());
  return Content{text_of_file(file),
                 archive_ending(file.filename().string()),
                 moment_of_file(written),
                 "the file's own time",
                 {}};
}

/// The names in a zip; empty if the file is no zip.
std::vector<std::string> names_in(const fs::path& file) {
  std::error_code error;
  if (fs::file_size(file, error) > std::uintmax_t{kExportLimits.archive_bytes} || error) return {};
  const auto files = read_archive(
      text_of_file(file), [](const std::string&) { return false; }, 0, kExportLimits);
  std::vector<std::string> names;
  if (files)
    for (const auto& f : *files) names.push_back(f.path);
  return names;
}

/// True for files that desktops and unpackers leave in every folder.
bool is_of_the_desktop(const std::string& name) {
  return name == "__MACOSX" || name == ".DS_Store" || name.starts_with("._") ||
         name == "Thumbs.db" || name == "desktop.ini";
}

/// Keeps only letters, in lower case, digits, and all bytes that are not ASCII.
std::string squeezed(const std::string& text) {
  std::string kept;
  for (const unsigned char c : lowercase(text))
    if (std::isalnum(c) || c >= 0x80) kept += static_cast<char>(c);
  return kept;
}

/// The name as Canvas sorts it: "Ada Lovelace" and "Lovelace, Ada" are "lovelaceada".
std::string sorted_name(const std::string& name) {
  const auto last = name.rfind(' ');
  if (name.find(',') != name.npos || last == name.npos) return squeezed(name);
  return squeezed(name.substr(last + 1) + name.substr(0, last));
}

bool has_key(const Student& student, const std::string& key) {
  return key == student.id || key == student.login || key == student.canvas_id ||
         (!student.email.empty() && lowercase(key) == lowercase(student.email));
}

std::size_t distance(const Person& person, const Student& student) {
  std::size_t best = std::string::npos;
  const std::string mail = student.email.substr(0, student.email.find('@'));
  std::vector<std::string> wanted = person.keys;
  wanted.push_back(person.name);
  for (const auto& text : wanted) {
    if (text.empty()) continue;
    for (const auto& known : {student.id, lowercase(student.login), lowercase(mail),
                              squeezed(student.name), sorted_name(student.name)}) {
      if (known.empty()) continue;
      best = std::min(
          {best, edit_distance(lowercase(text), known), edit_distance(squeezed(text), known)});
    }
  }
  return best;
}

std::string entry_of(const Student& student) {
  return fmt::format("{} ({}, {})", student.login, student.name, student.id);
}

FoundHandIns folder_of_students(const fs::path& folder) {
  FoundHandIns found;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  for (const auto& entry : entries) {
    const std::string name = entry.filename().string();
    if (is_of_the_desktop(name)) continue;
    std::error_code ignored;
    const bool archive = fs::is_regular_file(entry, ignored) && !archive_ending(name).empty();
    if (!name.starts_with('.') && (archive || fs::is_directory(entry, ignored)))
      found.hand_ins.push_back(hand_in_of(entry));
    else
      found.skipped.push_back(entry.string() + ": neither a folder nor an archive");
  }
  return found;
}

}  // namespace

Match match(const Person& person, const Roster& roster) {
  std::vector<const Student*> found;
  for (const auto& student : roster.students) {
    if (std::ranges::any_of(person.keys,
                            [&](const auto& key) { return !key.empty() && has_key(student, key); }))
      found.push_back(&student);
  }
  if (found.empty() && !squeezed(person.name).empty()) {
    // "Chen Wei" and "Wei Chen" are two people, but a name without blanks may have either order.
    const bool one_word = person.name.find(' ') == std::string::npos;
    const std::string name = sorted_name(person.name);
    for (const auto& student : roster.students) {
      if (name == sorted_name(student.name) || (one_word && name == squeezed(student.name)))
        found.push_back(&student);
    }
  }
  if (found.size() == 1) return {found.front(), ""};
  if (found.size() > 1) {
    std::vector<std::string> entries;
    for (const Student* student : found) entries.push_back(entry_of(*student));
    return {nullptr, "more than one roster entry fits", std::move(entries)};
  }
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<std::size_t, const Student*>> by_distance;
  for (const auto& student : roster.students)
    by_distance.emplace_back(distance(person, student), &student);
  std::ranges::stable_sort(by_distance, {}, &std::pair<std::size_t, const Student*>::first);
  by_distance.resize(std::min(by_distance.size(), kShown));
  Match none{nullptr, "no roster entry fits"};
  for (const auto& [edits, student] : by_distance) none.nearest.push_back(entry_of(*student));
  return none;
}

HandIn hand_in_of(const fs::path& path) {
  HandIn hand_in;
  hand_in.source = path.string();
  const fs::path plain = path.filename().empty() ? path.parent_path() : path;
  const std::string file_name = plain.filename().string();
  hand_in.short_name = file_name;
  std::error_code ignored;
  if (is_git_repository(plain)) {
    if (file_name.ends_with(".git")) hand_in.short_name.resize(file_name.size() - 4);
    hand_in.read = [=](const Reading& reading) { return last_commit(plain, reading); };
  } else if (fs::is_directory(plain, ignored)) {
    hand_in.read = [=](const Reading& reading) { return read_folder(plain, reading.document); };
  } else {
    hand_in.short_name.resize(file_name.size() - archive_ending(file_name).size());
    hand_in.read = [=](const Reading&) { return read_one_archive(plain); };
  }
  hand_in.people = {{{hand_in.short_name}, hand_in.short_name}};
  return hand_in;
}

FoundHandIns find_hand_ins(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw UsageError(fmt::format("{} cannot be found", path.string()), "correct the path");
  if (fs::is_directory(path, error)) {
    return fs::exists(path / kGradescopeFile, error) ? gradescope_export(path)
                                                     : folder_of_students(path);
  }
  if (archive_ending(path.filename().string()).empty()) {
    throw UsageError(fmt::format("{} is neither a folder nor an archive", path.string()),
                     "name a folder with one entry for each student, an export, or an archive");
  }
  const auto names = names_in(path);
  if (is_canvas_export(names)) return canvas_export(path);
  if (std::ranges::any_of(names, [](const std::string& name) {
        return fs::path(name).filename() == kGradescopeFile;
      })) {
    throw UsageError(fmt::format("{} is a packed export of Gradescope", path.string()),
                     fmt::format("unpack it and name the folder that has {}", kGradescopeFile));
  }
  return {{hand_in_of(path)}, {}};
}

}  // namespace opgrade::course
