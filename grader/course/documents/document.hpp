/// Tells from a document's bytes of which kind it is, and whether the course accepts it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "grader/course/documents/document_bounds.hpp"

namespace opgrade::documents {

enum class DocumentKind { pdf, markdown, png, jpeg };

/// "PDF", "Markdown", "PNG", "JPEG".
std::string_view name_of(DocumentKind kind);

/// Decides by the bytes alone: a PDF, PNG or JPEG begins with its signature, and Markdown is UTF-8
/// text without control characters. nullopt for other bytes, such as an archive.
std::optional<DocumentKind> kind_of(std::string_view bytes);

/// The kind that a file's name has by its ending: .pdf, .md, .markdown, .png, .jpg or .jpeg in any
/// case.
std::optional<DocumentKind> kind_of_name(std::string_view name);

/// True for a name that can stand in a page, in a header and on a disk: UTF-8 of at most 100 bytes
/// that a reader sees as it is, without slashes, and not beginning with a dot or a dash.
bool is_document_name(std::string_view name);

/// Why a document is refused. The student can fix the cause.
struct DocumentRefusal {
  std::string reason;  ///< printable, even if the name is not
  std::string hint;
};

/// The kind of a document that may be handed in under this name. It is refused if the name is odd,
/// the file is empty or too large, its bytes are not what the name says, or a picture has too many
/// pixels. No program is run, so a request can afford the check.
tl::expected<DocumentKind, DocumentRefusal> check_document(std::string_view name,
                                                           std::string_view bytes,
                                                           const DocumentBounds& bounds = {});

}  // namespace opgrade::documents
