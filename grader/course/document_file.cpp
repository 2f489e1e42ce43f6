#include "grader/course/document_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "grader/course/course_folder.hpp"
#include "grader/course/result_files.hpp"
#include "grader/documents/document.hpp"
#include "grader/intake/archive.hpp"
#include "grader/results/result_names.hpp"

namespace opgrade::course {
namespace {

std::string size_text(std::size_t bytes) { return fmt::format("{} KiB", (bytes + 1023) >> 10); }

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
  const auto files = read_archive(
      archive, [&](const std::string& name) { return name == rules.file; }, rules.largest);
  if (!files) return tl::unexpected(files.error().reason);
  const ArchiveFile* found = nullptr;
  const auto depth = [](const ArchiveFile& file) { return std::ranges::count(file.path, '/'); };
  for (const ArchiveFile& file : *files) {
    if (std::filesystem::path(file.path).filename() != rules.file) continue;
    if (found == nullptr || depth(file) < depth(*found)) found = &file;
  }
  if (found == nullptr) return std::nullopt;
  if (found->size > rules.largest)
    return tl::unexpected(
        fmt::format("{} has {}, and at most {} are taken: make its pictures smaller", rules.file,
                    size_text(static_cast<std::size_t>(found->size)),
                    size_text(static_cast<std::size_t>(rules.largest))));
  if (auto why = why_no_document(found->bytes, rules)) return tl::unexpected(*std::move(why));
  return found->bytes;
}

Submission document_submission(const Assignment& documents, const std::string& owner,
                               const std::string& bytes, Moment handed_in) {
  Submission document;
  document.assignment = documents.name;
  document.owner = owner;
  document.sha256 = sha256_of_text(bytes);
  document.handed_in = handed_in;
  const std::string& name = documents.report.file;
  std::string time = iso_text(handed_in);
  std::erase(time, ':');
  std::erase(time, '-');
  document.file = fmt::format("{}/{}/{}/{}-{}{}", kSubmissions, documents.name, result_name(owner),
                              time, document.sha256.substr(0, 12), name.substr(name.rfind('.')));
  return document;
}

std::optional<Submission> known_document(const Store& store, const Submission& document,
                                         Among among) {
  auto all = store.submissions(document.assignment, document.owner);
  if (among == Among::newest && all.size() > 1) all.erase(all.begin(), all.end() - 1);
  const auto found = std::ranges::find(all, document.sha256, &Submission::sha256);
  return found == all.end() ? std::nullopt : std::optional(*std::move(found));
}

}  // namespace opgrade::course
