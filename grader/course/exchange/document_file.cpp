#include "grader/course/exchange/document_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/files/archives.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/documents/document.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/grading/intake/archive.hpp"

namespace opgrade::course {
namespace {

using documents::DocumentKind;
using documents::NamedPicture;

constexpr const char* kWithPictures = ".zip";
/// A report has some ten figures. Each costs a run of a renderer.
constexpr std::size_t kMostPictures = 40;

std::string size_text(std::int64_t bytes) { return fmt::format("{} KiB", (bytes + 1023) >> 10); }

bool is_markdown(const ReportRules& rules) {
  return documents::kind_of_name(rules.file) == DocumentKind::markdown;
}

bool is_picture_name(const std::string& name) {
  const auto kind = documents::kind_of_name(name);
  return kind == DocumentKind::png || kind == DocumentKind::jpeg;
}

std::string base_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The pictures that the text names. A picture below the text's folder has its path from there.
tl::expected<std::vector<NamedPicture>, std::string> pictures_of(const ArchiveFile& text,
                                                                 std::vector<ArchiveFile>& files,
                                                                 const ReportRules& rules) {
  const std::string folder = text.path.substr(0, text.path.rfind('/') + 1);
  const auto names = documents::picture_names_in(text.bytes);
  std::vector<NamedPicture> pictures;
  for (ArchiveFile& file : files) {
    if (!is_picture_name(file.path) || !names.contains(base_of(file.path))) continue;
    if (file.size > rules.largest)
      return tl::unexpected(fmt::format("{} has {}, and at most {} are taken with the report",
                                        printable_line(file.path, 100), size_text(file.size),
                                        size_text(rules.largest)));
    const bool is_below = file.path.starts_with(folder);
    pictures.push_back({file.path.substr(is_below ? folder.size() : 0), std::move(file.bytes)});
  }
  std::ranges::sort(pictures, {}, &NamedPicture::path);
  const auto same = std::ranges::unique(pictures, {}, &NamedPicture::path);
  pictures.erase(same.begin(), same.end());
  return pictures;
}

/// Why a text's pictures cannot be accepted; nullopt if they can.
std::optional<std::string> why_no_pictures(const std::vector<NamedPicture>& pictures,
                                           const std::string& text, const ReportRules& rules) {
  if (pictures.size() > kMostPictures)
    return fmt::format(
        "{} names {} pictures, and at most {} are taken: join some, or hand in a PDF", rules.file,
        pictures.size(), kMostPictures);
  std::size_t bytes = text.size();
  for (const NamedPicture& picture : pictures) {
    // Graders unpack the zip on any operating system.
    if (!std::ranges::all_of(split(picture.path, '/'), documents::is_document_name))
      return fmt::format("{} is no path for a picture: name its folders with visible characters",
                         printable_line(picture.path, 100));
    documents::DocumentBounds bounds;
    bounds.file_bytes = rules.largest;
    const auto kind = documents::check_document(base_of(picture.path), picture.bytes, bounds);
    if (!kind) return fmt::format("{}. {}", kind.error().reason, kind.error().hint);
    bytes += picture.bytes.size();
  }
  if (const auto all = static_cast<std::int64_t>(bytes); all > rules.largest)
    return fmt::format("{} and its pictures have {}, and at most {} are taken: make them smaller",
                       rules.file, size_text(all), size_text(rules.largest));
  return std::nullopt;
}

std::string with_pictures(const std::string& text, std::vector<NamedPicture> pictures,
                          const ReportRules& rules) {
  std::vector<ArchivedFile> files{{rules.file, text}};
  for (NamedPicture& picture : pictures)
    files.push_back({std::move(picture.path), std::move(picture.bytes)});
  return write_archive(files, ArchiveFormat::zip);
}

}  // namespace

std::optional<std::string> why_no_document(std::string_view bytes, const ReportRules& rules) {
  documents::DocumentBounds bounds;
  bounds.file_bytes = rules.largest;
  const auto kind = documents::check_document(rules.file, bytes, bounds);
  if (kind) return std::nullopt;
  return fmt::format("{}. {}", kind.error().reason, kind.error().hint);
}

tl::expected<std::optional<std::string>, std::string> document_in(std::string_view archive,
                                                                  const ReportRules& rules) {
  auto files = read_archive(
      archive,
      [&](const std::string& name) {
        return name == rules.file || (is_markdown(rules) && is_picture_name(name));
      },
      rules.largest);
  if (!files) return tl::unexpected(files.error().reason);
  const ArchiveFile* found = nullptr;
  const auto depth = [](const ArchiveFile& file) { return std::ranges::count(file.path, '/'); };
  for (const ArchiveFile& file : *files) {
    if (base_of(file.path) != rules.file) continue;
    if (found == nullptr || depth(file) < depth(*found)) found = &file;
  }
  if (found == nullptr) return std::nullopt;
  if (found->size > rules.largest)
    return tl::unexpected(
        fmt::format("{} has {}, and at most {} are taken: make its pictures smaller", rules.file,
                    size_text(found->size), size_text(rules.largest)));
  if (auto why = why_no_document(found->bytes, rules)) return tl::unexpected(*std::move(why));
  if (!is_markdown(rules)) return found->bytes;
  auto pictures = pictures_of(*found, *files, rules);
  if (!pictures) return tl::unexpected(pictures.error());
  if (auto why = why_no_pictures(*pictures, found->bytes, rules))
    return tl::unexpected(*std::move(why));
  if (pictures->empty()) return found->bytes;
  return with_pictures(found->bytes, *std::move(pictures), rules);
}

Submission document_submission(const Assignment& documents, const std::string& owner,
                               const std::string& bytes, Moment handed_in) {
  Submission document;
  document.assignment = documents.name;
  document.owner = owner;
  document.sha256 = sha256_of_text(bytes);
  document.handed_in = handed_in;
  const std::string& name = documents.report.file;
  // No kind of document begins like a zip.
  const std::string ending =
      bytes.starts_with("PK") && is_markdown(documents.report) && !documents::kind_of(bytes)
          ? kWithPictures
          : name.substr(name.rfind('.'));
  std::string time = iso_text(handed_in);
  std::erase(time, ':');
  std::erase(time, '-');
  document.file = fmt::format("{}/{}/{}/{}-{}{}", kSubmissions, documents.name, result_name(owner),
                              time, document.sha256.substr(0, 12), ending);
  return document;
}

DocumentKind kind_of_document(const Submission& document) {
  if (document.file.ends_with(kWithPictures)) return DocumentKind::markdown;
  return documents::kind_of_name(document.file).value();
}

documents::Document read_document(const std::filesystem::path& course, const Submission& document) {
  documents::Document read{kind_of_document(document), text_of_file(course / document.file)};
  if (!document.file.ends_with(kWithPictures)) return read;
  // with_pictures() wrote this archive, so the limits for strangers' archives were checked before.
  constexpr ArchiveLimits kOwn{.archive_bytes = std::int64_t{32} << 20,
                               .ratio = std::int64_t{1} << 20};
  auto files = read_archive(
      read.bytes, [](const std::string&) { return true; }, kOwn.archive_bytes, kOwn);
  if (!files)
    throw Error(fmt::format("{} is damaged: {}", document.file, files.error().reason),
                "opgrade course verify lists damaged files");
  read.bytes.clear();
  for (ArchiveFile& file : *files) {
    if (is_picture_name(file.path))
      read.pictures.push_back({std::move(file.path), std::move(file.bytes)});
    else
      read.bytes = std::move(file.bytes);
  }
  return read;
}

std::optional<Submission> known_document(const Store& store, const Submission& document,
                                         Among among) {
  auto all = store.submissions(document.assignment, document.owner);
  if (among == Among::newest && all.size() > 1) all.erase(all.begin(), all.end() - 1);
  const auto found = std::ranges::find(all, document.sha256, &Submission::sha256);
  return found == all.end() ? std::nullopt : std::optional(*std::move(found));
}

}  // namespace opgrade::course
