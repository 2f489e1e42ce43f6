/// Renders a document in the sandbox, where it reaches no network and no file but itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/limit.hpp"
#include "grader/course/documents/document.hpp"
#include "grader/course/documents/named_pictures.hpp"
#include "grader/course/documents/renderers.hpp"
#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade::documents {

/// How far a document is shown. The document itself is a download in every case.
struct RenderEnd {
  enum class Kind {
    whole,
    more_pages,     ///< the first DocumentBounds::pages are shown
    limit_reached,  ///< the pages that were ready before are shown; Markdown is not shown
    unreadable,     ///< damaged, or locked by a password: the pages before the damage are shown
    not_installed,  ///< the machine lacks the kind's programs: nothing is shown
  };
  Kind kind = Kind::whole;
  std::optional<Limit> limit{};  ///< the limit that was reached

  bool operator==(const RenderEnd&) const = default;
};

/// A sentence for the reader of the document, with what to do; empty for `whole`.
std::string note_of(const RenderEnd& end, DocumentKind kind);

struct Document {
  DocumentKind kind = DocumentKind::markdown;
  std::string bytes;
  std::vector<NamedPicture> pictures{};  ///< only Markdown has any
};

struct RenderedDocument {
  std::vector<std::string> pages;  ///< PNG files: a PDF's pages, the one picture, or Markdown's
  std::string markdown;            ///< the tree of a Markdown document: see markdown_page.hpp
  RenderEnd end;
};

/// Runs the kind's program in the sandbox for at most DocumentBounds::wall: call it from a worker,
/// not from a thread that answers requests.
///
/// PDF: pages by pdftoppm, which runs no script and follows no link. Pictures: decoded, turned
/// upright and encoded again by netpbm, so that nothing is left of the file but its pixels.
/// Markdown: read by cmark-gfm, and the pictures of the hand-in that it shows as other pictures.
///
/// Failures that a document causes are returned in RenderEnd. Missing programs are returned there,
/// too, because the document is still a download. Throws Error if the sandbox fails, or if the
/// machine has none: strangers' bytes are never rendered without it.
RenderedDocument render(const Document& document, const DocumentBounds& bounds,
                        const Renderers& renderers, const Sandbox& sandbox);

}  // namespace opgrade::documents
