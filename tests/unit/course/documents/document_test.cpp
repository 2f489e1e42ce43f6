#include "grader/course/documents/document.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/course/documents/made_files.hpp"

namespace opgrade::documents {
namespace {

using namespace test;

std::string reason(std::string_view name, std::string_view bytes) {
  const auto checked = check_document(name, bytes);
  if (checked) return "";
  EXPECT_FALSE(checked.error().hint.empty()) << name;
  return checked.error().reason;
}

TEST(Document, IsOfTheKindThatItsBytesSay) {
  EXPECT_EQ(kind_of(one_page()), DocumentKind::pdf);
  EXPECT_EQ(kind_of(plain_png(1, 1, 0, "a")), DocumentKind::png);
  EXPECT_EQ(kind_of(two_squares_jpeg(1)), DocumentKind::jpeg);
  EXPECT_EQ(kind_of("# Milestone 2\r\n\tÜber `tiles`\n"), DocumentKind::markdown);
  for (const std::string& other :
       {std::string(), std::string("PK\x03\x04rest"), std::string("a\0b", 3),
        std::string("\xFF\xFEh\0i\0", 6), std::string("\x1b[2J"), std::string("GIF89a\x01"),
        std::string("\n%PDF-1.7\n\x80")})
    EXPECT_EQ(kind_of(other), std::nullopt) << other;
}

TEST(Document, WhoseNameAndBytesAgreeIsTaken) {
  EXPECT_EQ(check_document("report.pdf", one_page()), DocumentKind::pdf);
  EXPECT_EQ(check_document("Report 2.MD", "text"), DocumentKind::markdown);
  EXPECT_EQ(check_document("a.Jpeg", two_squares_jpeg(1)), DocumentKind::jpeg);
  EXPECT_EQ(check_document("Übung-1.png", plain_png(1, 1, 0, "a")), DocumentKind::png);
}

TEST(Document, WhoseNameSaysSomethingElseIsRefusedWithTheWayOut) {
  const auto text = check_document("report.pdf", "# Report\n");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().reason, "'report.pdf' is no PDF file: its bytes are text");
  const auto jpeg = check_document("photo.png", two_squares_jpeg(1));
  ASSERT_FALSE(jpeg);
  EXPECT_EQ(jpeg.error().reason, "'photo.png' is a JPEG file, by its bytes");
  EXPECT_EQ(jpeg.error().hint,
            "Export the picture as PNG or JPEG again; renaming another file does not make it one.");
  EXPECT_EQ(reason("report.docx", "PK\x03\x04"), "'report.docx' is no document that is taken");
  EXPECT_EQ(reason("report.pdf", ""), "'report.pdf' is empty");
}

TEST(Document, OfTooManyBytesOrPixelsIsRefused) {
  DocumentBounds bounds;
  bounds.file_bytes = 2 << 20;
  bounds.picture_pixels = 6'000'000;
  const std::string large = "%PDF-" + std::string(3 << 20, ' ');
  EXPECT_EQ(check_document("r.pdf", large, bounds).error().reason,
            "'r.pdf' has 3 MiB; a PDF document may have 2 MiB");
  EXPECT_EQ(check_document("f.png", plain_png(3001, 2000, 0, "a"), bounds).error().reason,
            "'f.png' has 3001 x 2000 pixels; a picture may have 6 million in all");
  EXPECT_TRUE(check_document("f.png", plain_png(3000, 2000, 0, "a"), bounds));
  EXPECT_EQ(reason("f.png", std::string(kPngSignature) + "IHDR"), "'f.png' is a damaged PNG file");
  EXPECT_EQ(reason("f.jpg", "\xFF\xD8\xFF\xE0"), "'f.jpg' is a damaged JPEG file");
}

TEST(Document, OfAnOddNameIsRefusedAndTheReasonIsPrintable) {
  const std::vector<std::string> odd{"../../course.yaml",
                                     "/etc/passwd.pdf",
                                     "a\nb.pdf",
                                     std::string("a\0.pdf", 6),
                                     "re\u202Efdp.exe.pdf",
                                     std::string(300, 'a') + ".pdf",
                                     "-rf.pdf",
                                     ".hidden.pdf",
                                     "c:\\a.pdf",
                                     "",
                                     "\xFF\xFE.pdf",
                                     "a\tb.pdf"};
  for (const std::string& name : odd) {
    EXPECT_FALSE(is_document_name(name)) << name;
    const std::string why = reason(name, one_page());
    EXPECT_NE(why.find("is no name for a document"), why.npos) << why;
    for (const char c : why) EXPECT_GE(static_cast<unsigned char>(c), ' ') << why;
    EXPECT_EQ(why.find("\u202E"), why.npos);
    EXPECT_LE(why.size(), 250u);
  }
}

}  // namespace
}  // namespace opgrade::documents
