#include "grader/documents/render.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"
#include "grader/documents/picture_header.hpp"
#include "grader/documents/png_stream.hpp"
#include "grader/documents/renderer_run.hpp"

namespace opgrade::documents {
namespace {

/// One page more than is shown tells that there are more.
RenderedDocument render_pdf(const RendererRun& run, const std::string& bytes,
                            const DocumentBounds& bounds) {
  const RendererEnd end =
      run.program({"pdftoppm", "-png", "-f", "1", "-l", fmt::format("{}", bounds.pages + 1),
                   "-cropbox", "-scale-to", fmt::format("{}", bounds.page_side), kDocument},
                  bytes);
  // pdftoppm rounds up.
  RenderedDocument rendered{split_pngs(end.output, bounds.page_side + 1), "", {}};
  const auto most = static_cast<std::size_t>(bounds.pages);
  if (rendered.pages.size() > most) {
    rendered.pages.resize(most);
    rendered.end.kind = RenderEnd::Kind::more_pages;
  } else if (end.limit) {
    rendered.end = {RenderEnd::Kind::limit_reached, end.limit};
  } else if (rendered.pages.empty() || !end.well) {
    rendered.end.kind = RenderEnd::Kind::unreadable;
  }
  return rendered;
}

/// pamflip's option that turns a picture upright, by Exif's number for how the camera was held; its
/// rotations are counterclockwise.
std::string turn_upright(int orientation) {
  constexpr const char* kTurns[] = {"",
                                    "-leftright",
                                    "-rotate180",
                                    "-topbottom",
                                    "-transpose",
                                    "-rotate270",
                                    "-xform=transpose,leftright,topbottom",
                                    "-rotate90"};
  return kTurns[orientation - 1];
}

/// What is transparent is shown on white, as a page is.
std::string picture_pipe(DocumentKind kind, const PictureHeader& header,
                         const DocumentBounds& bounds) {
  std::vector<std::string> steps{kind == DocumentKind::png
                                     ? R"(pngtopam -quiet -mix -background=rgb:ff/ff/ff "$0")"
                                     : R"(jpegtopnm -quiet "$0")"};
  if (std::max(header.width, header.height) > bounds.picture_side)
    steps.push_back(fmt::format("pamscale -quiet -xyfit {0} {0}", bounds.picture_side));
  if (const std::string turn = turn_upright(header.orientation); !turn.empty())
    steps.push_back("pamflip -quiet " + turn);
  steps.push_back("pnmtopng -quiet -compression=1");
  return fmt::format("{}", fmt::join(steps, " | "));
}

RenderedDocument render_picture(const RendererRun& run, DocumentKind kind, const std::string& bytes,
                                const DocumentBounds& bounds) {
  const auto header = kind == DocumentKind::png ? png_header(bytes) : jpeg_header(bytes);
  if (!header || header->pixels() > bounds.picture_pixels)
    return {{}, "", {RenderEnd::Kind::unreadable}};
  const RendererEnd end = run.pipe(picture_pipe(kind, *header, bounds), bytes);
  RenderedDocument rendered{split_pngs(end.output, bounds.picture_side), "", {}};
  if (rendered.pages.size() == 1 && end.well) return rendered;
  rendered.pages.clear();
  rendered.end = end.limit ? RenderEnd{RenderEnd::Kind::limit_reached, end.limit}
                           : RenderEnd{RenderEnd::Kind::unreadable};
  return rendered;
}

RenderedDocument render_markdown(const RendererRun& run, const std::string& bytes) {
  // Characters that are invisible or turn the text around them are shown by their number.
  const std::string text = printable(bytes, bytes.size());
  const RendererEnd end = run.program(
      {"cmark-gfm", "--to", "xml", "--extension", "table", "--extension", "strikethrough",
       "--extension", "autolink", "--extension", "tasklist", kDocument},
      text);
  if (end.limit) return {{}, "", {RenderEnd::Kind::limit_reached, end.limit}};
  if (!end.well) return {{}, "", {RenderEnd::Kind::unreadable}};
  return {{}, end.output, {}};
}

RenderedDocument render_with(const RendererRun& run, DocumentKind kind, const std::string& bytes,
                             const DocumentBounds& bounds) {
  switch (kind) {
    case DocumentKind::pdf:
      return render_pdf(run, bytes, bounds);
    case DocumentKind::png:
    case DocumentKind::jpeg:
      return render_picture(run, kind, bytes, bounds);
    case DocumentKind::markdown:
      return render_markdown(run, bytes);
  }
  return {};
}

}  // namespace

std::string note_of(const RenderEnd& end, DocumentKind kind) {
  switch (end.kind) {
    case RenderEnd::Kind::whole:
      return "";
    case RenderEnd::Kind::more_pages:
      return "The document has more pages than are shown here. Download it to read the rest.";
    case RenderEnd::Kind::limit_reached:
      return fmt::format(
          "Showing the document was stopped at the limit, {}. Download it to read what is missing.",
          end.limit ? text_of(*end.limit) : "");
    case RenderEnd::Kind::unreadable:
      return fmt::format(
          "This {} file cannot be shown in full: it is damaged, or locked by a password. Download "
          "it "
          "to try another program.",
          name_of(kind));
    case RenderEnd::Kind::not_installed:
      return fmt::format(
          "This server cannot show {} files, because its Debian package {} is missing. Download "
          "the document.",
          name_of(kind), package_for(kind));
  }
  return "";
}

RenderedDocument render(DocumentKind kind, const std::string& bytes, const DocumentBounds& bounds,
                        const Renderers& renderers, const Sandbox& sandbox) {
  if (sandbox.support().tier == SandboxTier::none)
    throw Error("no sandbox here, and documents of students are rendered in one alone",
                "run `opgrade doctor`");
  if (!renderers.can_show(kind)) return {{}, "", {RenderEnd::Kind::not_installed}};
  return render_with(RendererRun(kind, bounds, renderers, sandbox), kind, bytes, bounds);
}

}  // namespace opgrade::documents
