/// Takes in the document of an assignment. It is found in the archive of the code or handed in
/// separately, and is kept as a submission of "report.m1".
///
/// Markdown with pictures is kept as a zip of the text and the pictures that it names, so that one
/// file, one hash and one download are the whole report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "grader/course/documents/render.hpp"
#include "grader/course/folder/course_config.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::course {

/// Why `bytes` are no document of this name and size; nullopt if they are one. Checks the first
/// bytes alone: nothing is rendered here.
std::optional<std::string> why_no_document(std::string_view bytes, const ReportRules& rules);

/// The document in an archive that intake reads: the file of its name with the fewest folders above
/// it; Markdown comes with the pictures of the archive that it names, as the zip that is kept.
/// nullopt if the archive has no such file; the error says why the document is refused.
tl::expected<std::optional<std::string>, std::string> document_in(std::string_view archive,
                                                                  const ReportRules& rules);

/// Makes the submission that keeps a document of an owner. The caller fills in who added it and
/// when.
Submission document_submission(const Assignment& documents, const std::string& owner,
                               const std::string& bytes, Moment handed_in);

/// What a kept document is, by its file's name alone.
documents::DocumentKind kind_of_document(const Submission& document);

/// Reads a kept document for render(). Throws Error if its file has changed since it was written.
documents::Document read_document(const std::filesystem::path& course, const Submission& document);

/// Finds the owner's earlier document with this content; nullopt if the content is new. A document
/// in the archive of the code keeps the time when it first came, because students often change the
/// code alone: compare with `all`. A student who hands in a document separately means it, so only
/// the `newest` one counts as the same.
enum class Among { all, newest };
std::optional<Submission> known_document(const Store& store, const Submission& document,
                                         Among among);

}  // namespace opgrade::course
