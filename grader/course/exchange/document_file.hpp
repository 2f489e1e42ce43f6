/// The document of an assignment, as it is taken in: found in the archive of the code or handed in
/// apart, and kept as a submission of "report.m1".
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

/// Why `bytes` are no document of this name and size; nothing if they are. Checks the first bytes
/// alone: nothing is rendered here.
std::optional<std::string> why_no_document(std::string_view bytes, const ReportRules& rules);

/// The document in an archive that intake reads: the file of its name with the fewest folders above
/// it; of Markdown with the pictures of the archive that it names, as the zip that is kept. None if
/// the archive lacks it; the error says why it cannot be taken.
tl::expected<std::optional<std::string>, std::string> document_in(std::string_view archive,
                                                                  const ReportRules& rules);

/// The submission that keeps a document of an owner; who and when are the caller's.
Submission document_submission(const Assignment& documents, const std::string& owner,
                               const std::string& bytes, Moment handed_in);

/// What a kept document is, by its file's name alone.
documents::DocumentKind kind_of_document(const Submission& document);

/// A kept document as it is rendered. Throws Error if its file is not as it was written.
documents::Document read_document(const std::filesystem::path& course, const Submission& document);

/// The owner's document with this content; none if it is new. A document in the archive of the code
/// keeps the time of its first coming, because students change the code alone. One that is handed
/// in apart is meant: it is known if it is the `newest`.
enum class Among { all, newest };
std::optional<Submission> known_document(const Store& store, const Submission& document,
                                         Among among);

}  // namespace opgrade::course
