#include "grader/course/documents/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/core/utf8.hpp"
#include "grader/course/documents/picture_header.hpp"

namespace opgrade::documents {
namespace {

constexpr std::string_view kPdfSignature = "%PDF-";
constexpr std::size_t kLongestName = 100;

bool is_control_of_text(char c) { return c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

bool is_text(std::string_view bytes) {
  const auto is_other_control = [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code < ' ' || code == 0x7F) && !is_control_of_text(c);
  };
  return is_utf8(bytes) && std::ranges::none_of(bytes, is_other_control);
}

std::string shown(std::string_view name) { return "'" + printable_line(name, kLongestName) + "'"; }

std::string_view hint_for(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::pdf:
      return "Export the report as PDF again; renaming another file does not make it one.";
    case DocumentKind::markdown:
      return "Save it as text in UTF-8.";
    case DocumentKind::png:
    case DocumentKind::jpeg:
      return "Export the picture as PNG or JPEG again; renaming another file does not make it one.";
  }
  return "";
}

/// The refusal of a file whose name says `named`, but whose bytes are of the kind `found`, or of no
/// accepted kind.
DocumentRefusal refusal_of_bytes(std::string_view name, DocumentKind named,
                                 std::optional<DocumentKind> found) {
  if (!found || *found == DocumentKind::markdown)
    return {fmt::format("{} is no {} file: its bytes are {}", shown(name), name_of(named),
                        found ? "text" : "something else"),
            std::string(hint_for(named))};
  return {fmt::format("{} is a {} file, by its bytes", shown(name), name_of(*found)),
          std::string(hint_for(named))};
}

std::string mebibytes(std::int64_t bytes) {
  constexpr double kMiB = 1 << 20;
  return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / kMiB);
}

std::optional<DocumentRefusal> refusal_of_size(std::string_view name, DocumentKind kind,
                                               std::size_t bytes, const DocumentBounds& bounds) {
  const auto size = static_cast<std::int64_t>(bytes);
  const auto most = kind == DocumentKind::markdown ? bounds.markdown_bytes : bounds.file_bytes;
  if (size == 0) return DocumentRefusal{fmt::format("{} is empty", shown(name)), "Save it again."};
  if (size <= most) return std::nullopt;
  return DocumentRefusal{fmt::format("{} has {}; a {} document may have {}", shown(name),
                                     mebibytes(size), name_of(kind), mebibytes(most)),
                         kind == DocumentKind::markdown
                             ? "Shorten it: put long tables and listings into the code."
                             : "Make its pictures smaller, then export it again."};
}

std::optional<DocumentRefusal> refusal_of_picture(std::string_view name, DocumentKind kind,
                                                  std::string_view bytes,
                                                  const DocumentBounds& bounds) {
  if (kind != DocumentKind::png && kind != DocumentKind::jpeg) return std::nullopt;
  const auto header = kind == DocumentKind::png ? png_header(bytes) : jpeg_header(bytes);
  if (!header)
    return DocumentRefusal{fmt::format("{} is a damaged {} file", shown(name), name_of(kind)),
                           std::string(hint_for(kind))};
  if (header->pixels() <= bounds.picture_pixels) return std::nullopt;
  return DocumentRefusal{
      fmt::format("{} has {} x {} pixels; a picture may have {} million in all", shown(name),
                  header->width, header->height, bounds.picture_pixels / 1'000'000),
      "Make the picture smaller."};
}

}  // namespace

std::string_view name_of(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::pdf:
      return "PDF";
    case DocumentKind::markdown:
      return "Markdown";
    case DocumentKind::png:
      return "PNG";
    case DocumentKind::jpeg:
      return "JPEG";
  }
  return "";
}

std::optional<DocumentKind> kind_of(std::string_view bytes) {
  if (bytes.starts_with(kPdfSignature)) return DocumentKind::pdf;
  if (is_png(bytes)) return DocumentKind::png;
  if (is_jpeg(bytes)) return DocumentKind::jpeg;
  if (!bytes.empty() && is_text(bytes)) return DocumentKind::markdown;
  return std::nullopt;
}

std::optional<DocumentKind> kind_of_name(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == name.npos) return std::nullopt;
  const std::string ending = lowercase(name.substr(dot + 1));
  if (ending == "pdf") return DocumentKind::pdf;
  if (ending == "md" || ending == "markdown") return DocumentKind::markdown;
  if (ending == "png") return DocumentKind::png;
  if (ending == "jpg" || ending == "jpeg") return DocumentKind::jpeg;
  return std::nullopt;
}

bool is_document_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         name.front() != '-' && name.find_first_of("/\\") == name.npos &&
         printable_line(name, kLongestName) == name;
}

tl::expected<DocumentKind, DocumentRefusal> check_document(std::string_view name,
                                                           std::string_view bytes,
                                                           const DocumentBounds& bounds) {
  const auto refuse = [](std::string reason, std::string_view hint) {
    return tl::unexpected(DocumentRefusal{std::move(reason), std::string(hint)});
  };
  if (!is_document_name(name))
    return refuse(
        fmt::format("{} is no name for a document", shown(name)),
        "Name it with visible characters, at most 100 bytes, such as report.pdf: no slash, and no "
        "dot or dash at the start.");
  const auto named = kind_of_name(name);
  if (!named)
    return refuse(fmt::format("{} is no document that is taken", shown(name)),
                  "Hand in a PDF (.pdf), Markdown (.md) or a picture (.png, .jpg).");
  if (auto size = refusal_of_size(name, *named, bytes.size(), bounds)) return tl::unexpected(*size);
  const auto found = kind_of(bytes);
  if (found != named) return tl::unexpected(refusal_of_bytes(name, *named, found));
  if (auto picture = refusal_of_picture(name, *named, bytes, bounds))
    return tl::unexpected(*picture);
  return *named;
}

}  // namespace opgrade::documents
