#include "grader/course/documents/named_pictures.hpp"

#include <gmock/gmock.h>

namespace opgrade::documents {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NamedPictures, AreWhatStandsBeforeTheirEndings) {
  const auto names = [](const std::string& text, const std::string& name) {
    return picture_names_in(text).contains(name);
  };
  for (const char* const text :
       {"![x](fig/times.png)", "![x](times.png)", "times.png", "\ntimes.png",
        "<img src='times.png'>", "[r]: <fig/times.png> 'T'"})
    EXPECT_TRUE(names(text, "times.png")) << text;
  EXPECT_TRUE(names("![x](my%20plot.JPG)", "my plot.JPG"));
  EXPECT_TRUE(names("![x](<my plot.jpeg>)", "my plot.jpeg"));
  EXPECT_TRUE(names("![x](plot(1).png)", "plot(1).png"));
  EXPECT_FALSE(names("![x](times.png)", "imes.png"));
  EXPECT_FALSE(names("![x](times.png)", "other.png"));
  EXPECT_THAT(picture_names_in("report.pdf, a.p ng ."), IsEmpty());
  std::string many;
  for (int i = 0; i < 50'000; ++i) many += "a.png";
  EXPECT_LT(picture_names_in(many).size(), 5000u) << "the work has a bound";
}

TEST(NamedPictures, AreFoundByPathThenByTheOnlyFileOfTheName) {
  const std::vector<NamedPicture> all{
      {"times.png", "1"}, {"a/plot.png", "2"}, {"b/plot.png", "3"}, {"b/my plot.jpg", "4"}};
  const auto found = [&](const char* destination) {
    const auto* const picture = find_picture(all, destination);
    return picture == nullptr ? "none" : picture->bytes;
  };
  EXPECT_EQ(found("times.png"), "1");
  EXPECT_EQ(found("./times.png"), "1");
  EXPECT_EQ(found("figures/times.png"), "1") << "a form in a browser sends no folders";
  EXPECT_EQ(found("b/plot.png"), "3");
  EXPECT_EQ(found("c/plot.png"), "none") << "two have the name";
  EXPECT_EQ(found("b/my%20plot.jpg"), "4");
  for (const char* const address :
       {"http://a.example/times.png", "https:times.png", "//a.example/times.png", "/times.png",
        "file:///times.png", "data:times.png", "\\\\a\\times.png", "C:times.png", ""})
    EXPECT_EQ(found(address), "none") << address;
}

TEST(NamedPictures, OfATextAreItsOwnPathsOnce) {
  EXPECT_THAT(paths_in("![a](fig/one.png) ![b](./fig/one.png) ![c][r]\n\n[r]: two%20x.JPG 'T'\n"
                       "![d](<three.jpeg>) | four.png | `five.png`"),
              ElementsAre("fig/one.png", "two x.JPG", "three.jpeg", "four.png", "five.png"));
  EXPECT_THAT(paths_in("![a](https://a.example/one.png) ![b](../one.png) ![c](/etc/one.png) "
                       "![d](.hidden/one.png) ![e](a//b.png) one.pdf png .png"),
              IsEmpty());
}

}  // namespace
}  // namespace opgrade::documents
