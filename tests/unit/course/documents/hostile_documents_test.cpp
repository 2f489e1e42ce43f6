// Documents of hostile students, made here. Of each, nothing runs, nothing loads from elsewhere, no
// other file is shown, and pages and output stay within the bounds.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/documents/markdown_page.hpp"
#include "grader/course/documents/picture_header.hpp"
#include "grader/course/documents/render.hpp"
#include "grader/course/documents/served_headers.hpp"
#include "grader/platform/process/tool.hpp"
#include "tests/support/must_run.hpp"
#include "tests/unit/course/documents/listener.hpp"
#include "tests/unit/course/documents/made_files.hpp"

namespace opgrade::documents {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::HasSubstr;
using testing::Not;

/// The pixels of a PNG file, as netpbm reads it.
struct Pixels {
  int width = 0, height = 0;
  std::string rgb;
  std::string at(int x, int y) const {
    return rgb.substr(static_cast<std::size_t>(3 * (y * width + x)), 3);
  }
};

Pixels pixels_of(const std::string& png) {
  const TempDir folder("opgrade-test-");
  write_whole(folder.path() / "page.png", png);
  const std::string script = "pngtopam -quiet " + (folder.path() / "page.png").string() +
                             " | ppmtoppm -quiet > " + (folder.path() / "page.ppm").string();
  const ToolResult read = run_tool({"sh", "-c", script});
  EXPECT_TRUE(read.well) << read.text;
  std::istringstream file(text_of_file(folder.path() / "page.ppm"));
  std::string magic;
  Pixels pixels;
  int maximum = 0;
  file >> magic >> pixels.width >> pixels.height >> maximum;
  file.get();
  pixels.rgb = std::string(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(magic, "P6");
  return pixels;
}

const std::string kRed("\xFF\0\0", 3), kGreen("\0\xFF\0", 3), kWhite("\xFF\xFF\xFF", 3);

bool has_pixel(const Pixels& pixels, const std::string& rgb) {
  for (std::size_t i = 0; i + 3 <= pixels.rgb.size(); i += 3)
    if (pixels.rgb.compare(i, 3, rgb) == 0) return true;
  return false;
}

class HostileDocument : public testing::Test {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("sandbox", machine().support().tier != SandboxTier::none,
                        "no sandbox here");
    OPGRADE_SKIP_UNLESS("sandbox", missing_packages(renderers).empty(),
                        "tools/install-packages.sh installs the renderers");
    // A page's content, which every user may read.
    write_whole(secret, "0 1 0 rg 0 0 612 792 re f");
    fs::permissions(folder.path(), fs::perms::all);
  }

  /// No document was reached from, and none has left anything.
  void TearDown() override {
    EXPECT_FALSE(listener.was_called());
    EXPECT_FALSE(fs::exists(marker));
  }

  static const Sandbox& machine() {
    static const Sandbox sandbox{SandboxSupport::detect()};
    return sandbox;
  }

  RenderedDocument rendered(DocumentKind kind, const std::string& bytes,
                            std::vector<NamedPicture> pictures = {}) const {
    RenderedDocument document =
        render({kind, bytes, std::move(pictures)}, bounds, renderers, machine());
    EXPECT_LE(document.pages.size(), static_cast<std::size_t>(bounds.pages));
    std::size_t all = document.markdown.size();
    for (const std::string& page : document.pages) {
      all += page.size();
      const auto header = png_header(page);
      const int side = kind == DocumentKind::pdf ? bounds.page_side + 1 : bounds.picture_side;
      EXPECT_TRUE(header && std::max(header->width, header->height) <= side);
    }
    EXPECT_LE(all, static_cast<std::size_t>(bounds.output_bytes));
    return document;
  }

  /// It is shown as one page with the red square of one_page(), and with nothing green.
  void expect_red_page(const std::string& pdf) const {
    const RenderedDocument document = rendered(DocumentKind::pdf, pdf);
    ASSERT_EQ(document.pages.size(), 1u);
    const Pixels page = pixels_of(document.pages[0]);
    EXPECT_TRUE(has_pixel(page, kRed));
    EXPECT_FALSE(has_pixel(page, kGreen));
  }

  std::string page_of_markdown(const std::string& text,
                               std::vector<NamedPicture> pictures = {}) const {
    const RenderedDocument document = rendered(DocumentKind::markdown, text, std::move(pictures));
    if (document.end.kind != RenderEnd::Kind::whole) return "";
    std::vector<std::string> addresses;
    for (const std::string& picture : document.pages)
      addresses.push_back("/" + std::string(pixels_of(picture).at(0, 0) == kRed ? "red" : "other"));
    pugi::xml_document page;
    add_markdown_document(page.append_child("section"), document.markdown, addresses);
    std::ostringstream out;
    page.print(out, "", pugi::format_raw | pugi::format_no_declaration);
    return out.str();
  }

  TempDir folder{"opgrade-test-"};
  fs::path secret = folder.path() / "other-student.txt";
  fs::path marker = folder.path() / "it-ran";
  Listener listener;
  Renderers renderers = Renderers::find();
  DocumentBounds bounds;
};

TEST_F(HostileDocument, PdfWithScripts) {
  const std::string script =
      "app.launchURL('" + listener.url("js") + "');this.submitForm('" + listener.url("js") + "');";
  expect_red_page(one_page("/OpenAction<</S/JavaScript/JS(" + script +
                               ")>>/Names<</JavaScript<<"
                               "/Names[(a)<</S/JavaScript/JS(" +
                               script + ")>>]>>>>",
                           "/AA<</O<</S/JavaScript/JS(" + script + ")>>>>"));
}

TEST_F(HostileDocument, PdfWithLinks) {
  const auto link = [](const std::string& action) {
    return "<</Type/Annot/Subtype/Link/Rect[0 0 612 792]/Border[0 0 0]/A" + action + ">>";
  };
  expect_red_page(one_page("/OpenAction<</S/URI/URI(" + listener.url("open") + ")>>",
                           "/Annots[" + link("<</S/URI/URI(" + listener.url("link") + ")>>") +
                               link("<</S/GoToR/F(" + secret.string() + ")/D[0/Fit]>>") + "]"));
}

TEST_F(HostileDocument, PdfWithAForm) {
  expect_red_page(one_page("/AcroForm<</Fields[5 0 R]/NeedAppearances true/XFA 6 0 R>>",
                           "/Annots[5 0 R]",
                           {"<</Type/Annot/Subtype/Widget/FT/Btn/Ff 65536/T(b)/Rect[0 0 612 "
                            "792]/AA<</PO<</S/SubmitForm/F<<"
                            "/FS/URL/F(" +
                                listener.url("form") + ")>>>>>>>>",
                            pdf_stream("<xdp:xdp><script>xfa.host.gotoURL('" + listener.url("xfa") +
                                       "')</script></xdp:xdp>")}));
}

TEST_F(HostileDocument, PdfWithFilesInIt) {
  expect_red_page(one_page(
      "/Names<</EmbeddedFiles<</Names[(../../../../" + marker.string() + ")5 0 R]>>>>/AF[5 0 R]",
      "",
      {"<</Type/Filespec/F(" + marker.string() + ")/UF(" + marker.string() + ")/EF<</F 6 0 R>>>>",
       pdf_stream("#!/bin/sh\n", "/Type/EmbeddedFile")}));
}

TEST_F(HostileDocument, PdfThatStartsAProgram) {
  const std::string launch = "<</S/Launch/F(/bin/sh)/Unix(/usr/bin/touch " + marker.string() +
                             ")/Win<</F(cmd.exe)/P(/c calc)>>>>";
  expect_red_page(one_page("/OpenAction" + launch, "/AA<</O" + launch + "/C" + launch + ">>"));
}

TEST_F(HostileDocument, PdfWhoseContentIsAnotherFile) {
  const std::string of_file = "<</Length 0/F(" + secret.string() + ")>>\nstream\n\nendstream";
  const std::string of_url =
      "<</Length 0/F<</FS/URL/F(" + listener.url("content") + ")>>>>\nstream\n\nendstream";
  const std::string reference = pdf_stream(
      "", "/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Ref<</F(" + secret.string() + ")/Page 0>>");
  expect_red_page(
      pdf_of({"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
              "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents[4 0 R 5 0 R 6 0 R 8 0 R]"
              "/Resources<</XObject<</X 7 0 R>>>>>>",
              pdf_stream(kRedSquare), of_file, of_url, reference, pdf_stream("/X Do")}));
}

TEST_F(HostileDocument, PdfOfTenThousandPages) {
  bounds.pages = 5;
  const RenderedDocument document = rendered(DocumentKind::pdf, pdf_of_pages(10'000));
  EXPECT_EQ(document.pages.size(), 5u);
  EXPECT_EQ(document.end.kind, RenderEnd::Kind::more_pages);
  EXPECT_EQ(rendered(DocumentKind::pdf, pdf_of_pages(5)).end.kind, RenderEnd::Kind::whole);
}

TEST_F(HostileDocument, PdfThatSaysItHasPagesWithoutEnd) {
  const RenderedDocument document = rendered(
      DocumentKind::pdf,
      pdf_of({"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 2147483647/Kids[3 0 R 3 0 R]>>",
              "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>"}));
  EXPECT_NE(document.end.kind, RenderEnd::Kind::whole);
}

TEST_F(HostileDocument, PdfThatIsABomb) {
  bounds.wall = std::chrono::seconds(1);
  const RenderedDocument document =
      rendered(DocumentKind::pdf,
               pdf_of({"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
                       "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>",
                       pdf_stream(flate_bomb(100), "/Filter[/FlateDecode/FlateDecode]")}));
  EXPECT_EQ(document.end.kind, RenderEnd::Kind::limit_reached);
  ASSERT_TRUE(document.end.limit);
  EXPECT_TRUE(document.pages.empty());
  EXPECT_THAT(note_of(document.end, DocumentKind::pdf), HasSubstr("time 1 s"));
}

TEST_F(HostileDocument, PdfOfAPageTooLarge) {
  for (const char* const box :
       {"0 0 1e9 1e9", "0 0 1000000000 1", "0 0 0 0", "612 792 0 0", "-1e38 -1e38 1e38 1e38",
        "0 0 0.0001 0.0001", "0 0 nan 5", "0 0 612"}) {
    SCOPED_TRACE(box);
    rendered(
        DocumentKind::pdf,
        pdf_of({"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
                "<</Type/Page/Parent 2 0 R/UserUnit 100000/MediaBox[" + std::string(box) + "]>>"}));
  }
}

TEST_F(HostileDocument, PdfWhoseTreesAreLoops) {
  const RenderedDocument tree = rendered(
      DocumentKind::pdf,
      pdf_of({"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 3/Kids[2 0 R 2 0 R]>>"}));
  EXPECT_TRUE(tree.pages.empty());
  EXPECT_EQ(tree.end.kind, RenderEnd::Kind::unreadable);
  // A form that draws itself, and arrays in arrays.
  expect_red_page(pdf_of({"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
                          "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents[4 0 R 6 0 R]"
                          "/Resources<</XObject<</X 5 0 R>>>>>>",
                          pdf_stream(kRedSquare),
                          pdf_stream("/X Do /X Do",
                                     "/Type/XObject/Subtype/Form/BBox[0 0 9 9]"
                                     "/Resources<</XObject<</X 5 0 R>>>>"),
                          pdf_stream("/X Do")}));
  rendered(DocumentKind::pdf, one_page("", "/Deep" + std::string(100'000, '[')));
}

TEST_F(HostileDocument, PdfWithABrokenTable) {
  std::string pdf = one_page();
  const auto start = pdf.rfind("startxref");
  // Rebuilt from the objects themselves, as viewers do.
  expect_red_page(pdf.substr(0, start) + "startxref\n99999999999999999999\n%%EOF\n");
  rendered(DocumentKind::pdf, pdf.substr(0, pdf.rfind("xref\n0")));
  for (const std::string& broken :
       {std::string("%PDF-1.7"), pdf.substr(0, 40), "%PDF-1.7\n" + std::string(100'000, '\xFF')}) {
    const RenderedDocument document = rendered(DocumentKind::pdf, broken);
    EXPECT_TRUE(document.pages.empty());
    EXPECT_EQ(document.end.kind, RenderEnd::Kind::unreadable);
    EXPECT_THAT(note_of(document.end, DocumentKind::pdf), HasSubstr("Download"));
  }
}

TEST_F(HostileDocument, PdfThatIsLocked) {
  const std::string key(32, 'k');
  const RenderedDocument document = rendered(
      DocumentKind::pdf,
      pdf_of({"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
              "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>"},
             "/Encrypt<</Filter/Standard/V 1/R 2/P -4/O(" + key + ")/U(" + key + ")>>/ID[(a)(a)]"));
  EXPECT_TRUE(document.pages.empty());
  EXPECT_EQ(document.end.kind, RenderEnd::Kind::unreadable);
  EXPECT_THAT(note_of(document.end, DocumentKind::pdf), HasSubstr("password"));
}

TEST_F(HostileDocument, PdfThatIsAlsoAPageOrAnArchive) {
  const std::string page = "<html><script>fetch('" + listener.url("html") + "')</script></html>";
  const std::string html_last = one_page() + page;
  EXPECT_EQ(kind_of(html_last), DocumentKind::pdf);
  expect_red_page(html_last);
  expect_red_page("%PDF-1.7\n%" + page + "\n" + one_page());
  // Saved by the browser, and never taken for a page, whatever is in it.
  const ServedHeaders served = download_headers("report.pdf");
  EXPECT_EQ(served.type, "application/octet-stream");
  EXPECT_FALSE(check_document("report.pdf", page + one_page()));
  const std::string archive = std::string("PK\x05\x06") + std::string(18, '\0');
  expect_red_page(one_page() + archive);
  EXPECT_FALSE(check_document("report.pdf", "PK\x03\x04" + one_page() + archive));
}

TEST_F(HostileDocument, MarkdownWithElements) {
  const std::string page = page_of_markdown(
      "# Report\n\n<script>fetch('" + listener.url("md") +
      "')</script>\n\n<img src=x onerror=f()> "
      "<iframe src=\"" +
      listener.url("frame") + "\"></iframe> vector<float>\n\n<style>@import '" +
      listener.url("css") +
      "';</style>\n\n<!-- --><base href=//evil.example>\n\n"
      "`<script>` **<b onclick=f()>**\n\n```\"><script>\n</code></pre><script>f()</script>\n```\n");
  for (const char* const element : {"<script", "<img", "<iframe", "<style", "<base", "<b ", "<!--"})
    EXPECT_THAT(page, Not(HasSubstr(element)));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;fetch("));
  EXPECT_THAT(page, HasSubstr("vector&lt;float&gt;"));
}

TEST_F(HostileDocument, MarkdownWithLinksThatRun) {
  const std::string page = page_of_markdown(
      "[a](javascript:f()) [b](JAVASCRIPT&colon;f()) [c](java\\script:f()) "
      "[d](data:text/html,<script>) "
      "[e](vbscript:f()) [f](/sign-out) [g](file:///etc/passwd) <javascript:f()> [h][r] "
      "[i](<javascript:f()> \"t\")\n\n[r]: javascript:f() \"onclick=\"\n\n[ok](" +
      listener.url("x") + ")\n");
  std::size_t links = 0;
  for (auto at = page.find("<a "); at != page.npos; at = page.find("<a ", at + 1)) ++links;
  EXPECT_EQ(links, 1u) << page;
  EXPECT_THAT(page,
              HasSubstr("href=\"" + listener.url("x") + "\" rel=\"noopener noreferrer nofollow\""));
}

TEST_F(HostileDocument, MarkdownWithPicturesFromElsewhere) {
  const std::string page = page_of_markdown(
      "![a](" + listener.url("p.png") +
      ") ![b](//127.0.0.1/p.png) ![c](data:image/svg+xml,<svg/onload=f()>) "
      "![d](../../other/report.png) ![e](file:///etc/passwd) ![f][r] [![g](" +
      listener.url("q.png") + ")](https://example.org)\n\n[r]: " + listener.url("r.png") + "\n");
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, HasSubstr(": a]"));
}

TEST_F(HostileDocument, MarkdownWithPicturesOfItsOwn) {
  const std::vector<NamedPicture> pictures{
      {"fig/red.png", plain_png(16, 16, 2, kRed)},
      {"bomb.png", png_of(60'000, 60'000, 0, deflated(std::string(1000, '\0')), 1)},
      {"svg.png", "<svg xmlns='http://www.w3.org/2000/svg' onload='f()'/>"},
      {"broken.jpg", two_squares_jpeg(1).substr(0, 30)},
      {"unnamed.png", plain_png(16, 16, 2, kGreen)}};
  const std::string page = page_of_markdown(
      "![r](fig/red.png) ![again](red.png) ![b](bomb.png) ![s](svg.png) ![j](broken.jpg) "
      "![h](" +
          listener.url("red.png") +
          ") ![f](file:///etc/red.png)\n\n"
          "<image destination=\"red.png\" opgrade-shown=\"1\"/>\n",
      pictures);
  EXPECT_THAT(page, HasSubstr("<img src=\"/red\" alt=\"r\""));
  EXPECT_THAT(page, HasSubstr("<img src=\"/red\" alt=\"again\""));
  for (const char* const text :
       {"[picture bomb.png, cannot be shown: b]", "[picture svg.png, cannot be shown: s]",
        "[picture broken.jpg, cannot be shown: j]",
        "not loaded, since it is outside of the hand-in: h]",
        "[picture file:///etc/red.png, not loaded, since it is outside of the hand-in: f]"})
    EXPECT_THAT(page, HasSubstr(text));
  EXPECT_EQ(page.find("/other"), page.npos) << "a picture that the text does not show is not drawn";
  bounds.pages = 1;
  const std::vector<NamedPicture> two{{"1.png", plain_png(16, 16, 2, kRed)},
                                      {"2.png", plain_png(16, 16, 2, kGreen)}};
  const RenderedDocument first = rendered(DocumentKind::markdown, "![a](1.png) ![b](2.png)\n", two);
  EXPECT_EQ(first.pages.size(), 1u);
  EXPECT_EQ(first.end.kind, RenderEnd::Kind::more_pages);
}

TEST_F(HostileDocument, MarkdownThatIsNestedWithoutEnd) {
  const auto size = static_cast<std::size_t>(bounds.markdown_bytes);
  bounds.wall = std::chrono::seconds(5);
  for (const char* const piece :
       {">", "[", "![", "- ", "*a **a ", "|a", "<a<", "`", "\\\n> - 1. "}) {
    SCOPED_TRACE(piece);
    std::string text;
    while (text.size() < size) text += piece;
    if (*piece == '|') text += "\n" + text.substr(0, 1000);
    const std::string page = page_of_markdown(text);
    EXPECT_LE(page.size(), 40 * size);
  }
}

TEST_F(HostileDocument, MarkdownWithCharactersThatNobodySees) {
  const std::string page = page_of_markdown("a\u202Egnp.exe\u202C &#x202E;b &#0; \u200Bc\n");
  EXPECT_THAT(page, Not(HasSubstr("\u202E")));
  EXPECT_THAT(page, Not(HasSubstr("\u200B")));
}

TEST_F(HostileDocument, PictureThatIsABomb) {
  const std::string huge = png_of(60'000, 60'000, 0, deflated(std::string(1000, '\0')), 1);
  EXPECT_FALSE(check_document("f.png", huge));
  EXPECT_EQ(rendered(DocumentKind::png, huge).end.kind, RenderEnd::Kind::unreadable);
  // A header of few pixels, and gigabytes behind it.
  EXPECT_LE(rendered(DocumentKind::png, png_of(16, 16, 0, flate_bomb(1))).pages.size(), 1u);
  const std::string text = std::string("Comment\0\0", 9) + flate_bomb(1);
  const std::string png = plain_png(16, 16, 0, "a");
  const std::string with_text =
      png.substr(0, 33) + png_chunk("zTXt", text) + png_chunk("iCCP", text) + png.substr(33);
  EXPECT_LE(rendered(DocumentKind::png, with_text).pages.size(), 1u);
}

TEST_F(HostileDocument, PictureThatIsADrawing) {
  const std::string svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='f()'><image href='" +
                          listener.url("svg") + "'/></svg>";
  EXPECT_FALSE(check_document("figure.png", svg));
  EXPECT_FALSE(check_document("figure.svg", svg));
  EXPECT_EQ(rendered(DocumentKind::png, svg).end.kind, RenderEnd::Kind::unreadable);
  EXPECT_EQ(rendered(DocumentKind::jpeg, svg).end.kind, RenderEnd::Kind::unreadable);
}

TEST_F(HostileDocument, PictureWithMoreThanPixels) {
  const std::string hidden = "<script>f()</script> by Ada, 47.37 N 8.54 E";
  const std::string png = plain_png(16, 16, 2, kRed);
  const std::string with_text = png.substr(0, 33) +
                                png_chunk("tEXt", std::string("Author\0", 7) + hidden) +
                                png.substr(33) + hidden;
  const RenderedDocument picture = rendered(DocumentKind::png, with_text);
  ASSERT_EQ(picture.pages.size(), 1u);
  EXPECT_THAT(picture.pages[0], Not(HasSubstr("script")));
  EXPECT_EQ(pixels_of(picture.pages[0]).at(8, 8), kRed);
  std::string jpeg = two_squares_jpeg(1);
  jpeg.insert(2, std::string("\xFF\xFE\0\x20", 4) + hidden.substr(0, 30));
  const RenderedDocument photo = rendered(DocumentKind::jpeg, jpeg + hidden);
  ASSERT_EQ(photo.pages.size(), 1u);
  EXPECT_THAT(photo.pages[0], Not(HasSubstr("script")));
}

TEST_F(HostileDocument, PictureThatEndsTooSoon) {
  const std::string png = plain_png(64, 64, 2, kRed), jpeg = two_squares_jpeg(6);
  for (const std::size_t part : {2u, 3u, 4u}) {
    rendered(DocumentKind::png, png.substr(0, png.size() / part));
    rendered(DocumentKind::jpeg, jpeg.substr(0, jpeg.size() * (part - 1) / part));
  }
}

// Honest ones, so that the tests above do not pass because nothing is shown.

TEST_F(HostileDocument, HonestPicturesAreShownUprightOnWhite) {
  const Pixels clear = pixels_of(
      rendered(DocumentKind::png, plain_png(16, 16, 6, std::string("\xFF\0\0\0", 4))).pages.at(0));
  EXPECT_EQ(clear.at(8, 8), kWhite);
  const std::string dark(3, '\x1C'), bright(3, '\xE4');
  struct Held {
    int orientation, width, height, dark_x, dark_y;
  };
  for (const Held& held :
       {Held{1, 16, 8, 2, 2}, Held{2, 16, 8, 13, 2}, Held{3, 16, 8, 13, 2}, Held{4, 16, 8, 2, 2},
        Held{5, 8, 16, 2, 2}, Held{6, 8, 16, 2, 2}, Held{7, 8, 16, 2, 13}, Held{8, 8, 16, 2, 13}}) {
    SCOPED_TRACE(held.orientation);
    const Pixels photo =
        pixels_of(rendered(DocumentKind::jpeg, two_squares_jpeg(held.orientation)).pages.at(0));
    EXPECT_EQ(photo.width, held.width);
    EXPECT_EQ(photo.height, held.height);
    EXPECT_EQ(photo.at(held.dark_x, held.dark_y), dark);
    EXPECT_EQ(photo.at(held.width - 1 - held.dark_x, held.height - 1 - held.dark_y), bright);
  }
}

TEST_F(HostileDocument, HonestLargePicturesAreMadeSmaller) {
  const RenderedDocument wide =
      rendered(DocumentKind::png, plain_png(5000, 100, 2, std::string("\1\2\3\4\5\6", 6), 16));
  ASSERT_EQ(wide.pages.size(), 1u);
  EXPECT_EQ(png_header(wide.pages[0])->width, 2400);
  EXPECT_EQ(png_header(wide.pages[0])->height, 48);
}

TEST_F(HostileDocument, HonestPdfIsShownWithinItsCropBox) {
  const RenderedDocument document =
      rendered(DocumentKind::pdf, one_page("", "/CropBox[0 0 306 396]"));
  ASSERT_EQ(document.pages.size(), 1u);
  const Pixels page = pixels_of(document.pages[0]);
  EXPECT_EQ(page.height, bounds.page_side);
  EXPECT_EQ(page.at(page.width - 5, 5), kRed);
}

}  // namespace
}  // namespace opgrade::documents
