#include "grader/course/documents/served_headers.hpp"

#include <gmock/gmock.h>

namespace opgrade::documents {
namespace {

std::string header(const ServedHeaders& served, std::string_view name) {
  for (const auto& [key, value] : served.headers)
    if (key == name) return value;
  return "";
}

TEST(ServedHeaders, ADownloadIsSavedUnderItsNameAndShownByNothing) {
  const ServedHeaders served = download_headers("Übung 1.pdf");
  EXPECT_EQ(served.type, "application/octet-stream");
  EXPECT_EQ(header(served, "Content-Disposition"),
            "attachment; filename=\"__bung_1.pdf\"; filename*=UTF-8''%C3%9Cbung%201.pdf");
  EXPECT_EQ(header(served, "X-Content-Type-Options"), "nosniff");
  EXPECT_THAT(
      header(served, "Content-Security-Policy"),
      testing::AllOf(testing::HasSubstr("sandbox"), testing::HasSubstr("default-src 'none'"),
                     testing::Not(testing::HasSubstr("allow-"))));
}

TEST(ServedHeaders, AnyNameIsOneFileNameInOneHeader) {
  for (const std::string& name :
       {std::string("../../etc/passwd"), std::string("a\r\nSet-Cookie: x=1.pdf"),
        std::string("a\0b.pdf", 7), std::string("x\u202Efdp.exe"), std::string(5000, 'n'),
        std::string("\"; filename=\"b.html"), std::string("C:\\b.pdf"), std::string("\xFF\xFE")}) {
    const std::string value = header(download_headers(name), "Content-Disposition");
    EXPECT_THAT(
        value, testing::MatchesRegex(
                   "attachment; filename=\"[A-Za-z0-9._-]+\"; filename\\*=UTF-8''[A-Za-z0-9._%-]+"))
        << name;
    EXPECT_LE(value.size(), 500u);
    EXPECT_EQ(value.find("%2F"), value.npos) << value;
    EXPECT_EQ(value.find("%E2%80%AE"), value.npos) << value;
  }
  for (const char* const name : {"", "..", "/", "-", ". ."})
    EXPECT_THAT(header(download_headers(name), "Content-Disposition"),
                testing::HasSubstr("\"document\""));
}

TEST(ServedHeaders, APageIsAPictureOfThisSite) {
  const ServedHeaders served = picture_headers();
  EXPECT_EQ(served.type, "image/png");
  EXPECT_EQ(header(served, "Cross-Origin-Resource-Policy"), "same-origin");
  EXPECT_EQ(header(served, "X-Content-Type-Options"), "nosniff");
}

}  // namespace
}  // namespace opgrade::documents
