#include "grader/course/hand_in.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/core/error.hpp"
#include "grader/course/pack.hpp"
#include "grader/files/archives.hpp"
#include "grader/files/text_file.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGradescopeFile = "submission_metadata.yml";

Moment moment_of_file(std::chrono::file_clock::time_point time) {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(time));
}

tl::expected<Content, std::string> read_folder(const fs::path& folder,
                                               const HandInOptions& options) {
  auto packed = pack_folder(folder);
  if (!packed) return tl::unexpected(packed.error());
  Content content{std::move(packed->bytes),
                  ".tar",
                  options.time.value_or(moment_of_file(packed->newest)),
                  options.time ? "--time" : "the newest file in it",
                  {}};
  for (const auto& file : packed->left_out) content.notes.push_back("left out " + file);
  return content;
}

tl::expected<Content, std::string> read_one_archive(const fs::path& file,
                                                    const HandInOptions& options) {
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
                 options.time.value_or(moment_of_file(written)),
                 options.time ? "--time" : "the file's own time",
                 {}};
}

/// The names in a zip; empty for what is none.
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

/// Files that desktops and unpackers leave in every folder.
bool is_of_the_desktop(const std::string& name) {
  return name == "__MACOSX" || name == ".DS_Store" || name.starts_with("._") ||
         name == "Thumbs.db" || name == "desktop.ini";
}

FoundHandIns folder_of_students(const fs::path& folder, const HandInOptions& options) {
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
      found.hand_ins.push_back(hand_in_of(entry, options));
    else
      found.skipped.push_back(entry.string() + ": neither a folder nor an archive");
  }
  return found;
}

}  // namespace

HandIn hand_in_of(const fs::path& path, const HandInOptions& options) {
  HandIn hand_in;
  hand_in.source = path.string();
  const fs::path plain = path.filename().empty() ? path.parent_path() : path;
  const std::string file_name = plain.filename().string();
  hand_in.short_name = file_name;
  std::error_code ignored;
  if (is_git_repository(plain)) {
    if (file_name.ends_with(".git")) hand_in.short_name.resize(file_name.size() - 4);
    hand_in.read = [=](const TimeZone& zone, const Due& due) {
      auto content = last_commit(plain, zone, due);
      if (content && options.time) {
        content->handed_in = *options.time;
        content->time_from = "--time";
      }
      return content;
    };
  } else if (fs::is_directory(plain, ignored)) {
    hand_in.read = [=](const TimeZone&, const Due&) { return read_folder(plain, options); };
  } else {
    hand_in.short_name.resize(file_name.size() - archive_ending(file_name).size());
    hand_in.read = [=](const TimeZone&, const Due&) { return read_one_archive(plain, options); };
  }
  hand_in.people = {{{hand_in.short_name}, hand_in.short_name}};
  return hand_in;
}

FoundHandIns find_hand_ins(const fs::path& path, const HandInOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw UsageError(fmt::format("{} cannot be found", path.string()), "correct the path");
  if (fs::is_directory(path, error)) {
    return fs::exists(path / kGradescopeFile, error) ? gradescope_export(path, options)
                                                     : folder_of_students(path, options);
  }
  if (archive_ending(path.filename().string()).empty()) {
    throw UsageError(fmt::format("{} is neither a folder nor an archive", path.string()),
                     "name a folder with one entry for each student, an export, or an archive");
  }
  const auto names = names_in(path);
  if (is_canvas_export(names)) return canvas_export(path, options);
  if (std::ranges::any_of(names, [](const std::string& name) {
        return fs::path(name).filename() == kGradescopeFile;
      })) {
    throw UsageError(fmt::format("{} is a packed export of Gradescope", path.string()),
                     fmt::format("unpack it and name the folder that has {}", kGradescopeFile));
  }
  return {{hand_in_of(path, options)}, {}};
}

}  // namespace opgrade::course
