#include "grader/course/documents/render.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/course/documents/picture_header.hpp"
#include "grader/course/documents/png_stream.hpp"
#include "grader/course/documents/renderer_run.hpp"

namespace opgrade::documents {
namespace {

/// Renders one page more than is shown, to learn whether there are more.
RenderedDocument render_pdf(const RendererRun& run, const std::string& bytes,
                            const DocumentBounds& bounds) {
  const RendererEnd end =
      run.program({"pdftoppm", "-png", "-f", "1", "-l", fmt::format("{}", bounds.pages + 1),
                   "-cropbox", "-scale-to", fmt::format("{}", bounds.page_side), kDocument},
                  bytes);
  // pdftoppm rounds sizes up, by one pixel at most.
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

/// The steps that decode, shrink, turn and encode a picture. Transparent parts become white, like a
/// page.
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

/// The pictures of the hand-in. Each is rendered when the tree first shows it.
class ShownPictures {
 public:
  ShownPictures(const DocumentBounds& bounds, const Renderers& renderers, const Sandbox& sandbox)
      : bounds_(bounds), renderers_(renderers), sandbox_(sandbox) {}

  /// The number of the picture among `pages`, from 1 on; 0 if it cannot be shown.
  std::size_t number_of(const NamedPicture& picture) {
    const auto [known, is_new] = numbers_.try_emplace(&picture, 0);
    if (is_new && draw(picture)) known->second = pages.size();
    return known->second;
  }

  std::vector<std::string> pages;
  RenderEnd end;

 private:
  bool draw(const NamedPicture& picture) {
    const auto kind = kind_of(picture.bytes);
    if (kind != DocumentKind::png && kind != DocumentKind::jpeg) return false;
    if (!renderers_.can_show(*kind)) return false;
    if (pages.size() >= static_cast<std::size_t>(bounds_.pages)) {
      end.kind = RenderEnd::Kind::more_pages;
      return false;
    }
    // What is left of the document's time and output.
    DocumentBounds own = bounds_;
    const auto used = std::chrono::steady_clock::now() - start_;
    own.wall = std::chrono::ceil<std::chrono::seconds>(bounds_.wall - used);
    for (const std::string& page : pages)
      own.output_bytes -= static_cast<std::int64_t>(page.size());
    if (own.wall.count() <= 0) {
      end = {RenderEnd::Kind::limit_reached,
             Limit{Limit::Kind::wall_time, static_cast<double>(bounds_.wall.count())}};
      return false;
    }
    if (own.output_bytes <= 0) {
      end = {RenderEnd::Kind::limit_reached,
             Limit{Limit::Kind::output, static_cast<double>(bounds_.output_bytes)}};
      return false;
    }
    RenderedDocument drawn =
        render_picture(RendererRun(*kind, own, renderers_, sandbox_), *kind, picture.bytes, own);
    if (drawn.end.kind == RenderEnd::Kind::limit_reached) end = drawn.end;
    if (drawn.pages.size() != 1) return false;
    pages.push_back(std::move(drawn.pages.front()));
    return true;
  }

  const DocumentBounds& bounds_;
  const Renderers& renderers_;
  const Sandbox& sandbox_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<const NamedPicture*, std::size_t> numbers_;
};

/// Writes into each image of the tree which picture it is. An attribute of this name that the tree
/// already has is removed, because the tree comes out of the sandbox.
void number_images(pugi::xml_node tree, const std::vector<NamedPicture>& pictures,
                   ShownPictures& shown) {
  struct Walker : pugi::xml_tree_walker {
    const std::vector<NamedPicture>* pictures = nullptr;
    ShownPictures* shown = nullptr;
    bool for_each(pugi::xml_node& node) override {
      while (node.remove_attribute(kShownAs)) continue;
      if (std::string_view(node.name()) != "image") return true;
      if (const auto* const picture =
              find_picture(*pictures, node.attribute("destination").value()))
        node.append_attribute(kShownAs) = shown->number_of(*picture);
      return true;
    }
  } walker;
  walker.pictures = &pictures;
  walker.shown = &shown;
  tree.traverse(walker);
}

RenderedDocument render_markdown(const Document& document, const DocumentBounds& bounds,
                                 const Renderers& renderers, const Sandbox& sandbox) {
  // Invisible characters, and characters that change the direction of text, are shown by their
  // number.
  const std::string text = printable(document.bytes, document.bytes.size());
  const RendererEnd end = RendererRun(DocumentKind::markdown, bounds, renderers, sandbox)
                              .program({"cmark-gfm", "--to", "xml", "--extension", "table",
                                        "--extension", "strikethrough", "--extension", "autolink",
                                        "--extension", "tasklist", kDocument},
                                       text);
  if (end.limit) return {{}, "", {RenderEnd::Kind::limit_reached, end.limit}};
  if (!end.well) return {{}, "", {RenderEnd::Kind::unreadable}};
  if (document.pictures.empty()) return {{}, end.output, {}};
  pugi::xml_document tree;
  if (!tree.load_buffer(end.output.data(), end.output.size(),
                        pugi::parse_default | pugi::parse_ws_pcdata, pugi::encoding_utf8))
    return {{}, end.output, {}};
  ShownPictures shown(bounds, renderers, sandbox);
  number_images(tree, document.pictures, shown);
  std::ostringstream numbered;
  tree.save(numbered, "", pugi::format_raw | pugi::format_no_declaration);
  return {std::move(shown.pages), numbered.str(), shown.end};
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

RenderedDocument render(const Document& document, const DocumentBounds& bounds,
                        const Renderers& renderers, const Sandbox& sandbox) {
  if (sandbox.support().tier == SandboxTier::none)
    throw Error("no sandbox here, and documents of students are rendered in one alone",
                "run `opgrade doctor`");
  const DocumentKind kind = document.kind;
  if (!renderers.can_show(kind)) return {{}, "", {RenderEnd::Kind::not_installed}};
  if (kind == DocumentKind::markdown) return render_markdown(document, bounds, renderers, sandbox);
  const RendererRun run(kind, bounds, renderers, sandbox);
  return kind == DocumentKind::pdf ? render_pdf(run, document.bytes, bounds)
                                   : render_picture(run, kind, document.bytes, bounds);
}

}  // namespace opgrade::documents
