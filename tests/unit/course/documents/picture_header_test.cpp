#include "grader/course/documents/picture_header.hpp"

#include <gtest/gtest.h>

#include "grader/course/documents/png_stream.hpp"
#include "tests/unit/course/documents/made_files.hpp"

namespace opgrade::documents {
namespace {

using namespace test;

TEST(PictureHeader, HasTheSizeAndHowTheCameraWasHeld) {
  const auto png = png_header(plain_png(30, 20, 2, "abc"));
  ASSERT_TRUE(png);
  EXPECT_EQ(png->width, 30);
  EXPECT_EQ(png->height, 20);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const auto jpeg = jpeg_header(two_squares_jpeg(orientation));
    ASSERT_TRUE(jpeg);
    EXPECT_EQ(jpeg->width, 16);
    EXPECT_EQ(jpeg->height, 8);
    EXPECT_EQ(jpeg->orientation, orientation);
  }
  EXPECT_EQ(jpeg_header(two_squares_jpeg(9))->orientation, 1);
  EXPECT_EQ(jpeg_header(two_squares_jpeg(0))->orientation, 1);
}

TEST(PictureHeader, OfAFileThatEndsAnywhereIsNoHeaderOrTheSame) {
  const std::string jpeg = two_squares_jpeg(6), png = plain_png(3, 2, 0, "a");
  for (std::size_t size = 0; size <= jpeg.size(); ++size) {
    if (const auto header = jpeg_header(std::string_view(jpeg).substr(0, size))) {
      EXPECT_EQ(header->width, 16);
    }
  }
  for (std::size_t size = 0; size <= png.size(); ++size) {
    if (const auto header = png_header(std::string_view(png).substr(0, size))) {
      EXPECT_EQ(header->width, 3);
    }
  }
  EXPECT_FALSE(png_header(png_of(0, 5, 0, "")));
  EXPECT_FALSE(png_header(png_of(0xFFFFFFFF, 5, 0, "")));
}

TEST(PngStream, IsSplitIntoItsWholePictures) {
  const std::string first = plain_png(3, 2, 0, "a"), second = plain_png(5, 9, 2, "abc");
  const auto pictures = split_pngs(first + second + second.substr(0, second.size() - 1), 9);
  EXPECT_EQ(pictures, (std::vector{first, second}));
  EXPECT_TRUE(split_pngs("", 9).empty());
  EXPECT_TRUE(split_pngs("text", 9).empty());
}

TEST(PngStream, EndsBeforeAPictureThatABrowserWouldNeedMuchMemoryFor) {
  const std::string small = plain_png(3, 2, 0, "a"), wide = png_of(50'000, 1, 0, "");
  EXPECT_EQ(split_pngs(small + wide + small, 1600), std::vector{small});
  EXPECT_TRUE(split_pngs(png_of(1, 50'000, 0, ""), 1600).empty());
}

TEST(PngStream, TakesNoLengthBeyondTheEnd) {
  const std::string png = plain_png(3, 2, 0, "a");
  for (std::size_t at = 8; at < png.size(); ++at) {
    std::string changed = png;
    changed[at] = '\xFF';
    for (const std::string& picture : split_pngs(changed, 9)) EXPECT_LE(picture.size(), png.size());
  }
}

}  // namespace
}  // namespace opgrade::documents
