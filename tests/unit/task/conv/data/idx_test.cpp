#include "grader/task/conv/data/idx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/temp_dir.hpp"
#include "tests/unit/task/conv/data/files.hpp"

namespace opgrade {
namespace {

using test::idx;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class Idx : public testing::Test {
 protected:
  std::string images_complaint(const std::string& bytes) {
    test::write_file(path_, bytes);
    return test::complaint([&] { read_idx_images(path_); });
  }

  const TempDir folder_{"opgrade-test-"};
  const std::filesystem::path path_ = folder_.path() / "file-idx";
  const std::string good_ = idx(test::kImages, {2, 1, 3}, "abcxyz");
};

TEST_F(Idx, ReadsPlainAndGzippedImages) {
  for (const bool gzipped : {false, true}) {
    gzipped ? test::write_gz(path_, good_) : test::write_file(path_, good_);
    const IdxImages images = read_idx_images(path_);
    EXPECT_EQ(images.count, 2);
    EXPECT_EQ(images.height, 1);
    EXPECT_EQ(images.width, 3);
    EXPECT_THAT(images.pixels, ElementsAre('a', 'b', 'c', 'x', 'y', 'z'));
  }
}

TEST_F(Idx, ReadsLabels) {
  test::write_gz(path_, idx(test::kLabels, {3}, "\x07\x01\xff"));
  EXPECT_THAT(read_idx_labels(path_), ElementsAre(7, 1, 255));
}

TEST_F(Idx, ImagesAndLabelsAreNotMixedUp) {
  EXPECT_THAT(images_complaint(idx(test::kLabels, {3}, "abc")),
              AllOf(StartsWith(path_.string()), HasSubstr("does not hold images"),
                    HasSubstr("0x00000801, not 0x00000803")));
  test::write_file(path_, good_);
  EXPECT_THAT(test::complaint([&] { read_idx_labels(path_); }), HasSubstr("does not hold labels"));
}

TEST_F(Idx, LittleEndianHeadersAreCalledThat) {
  EXPECT_THAT(images_complaint(idx(0x03080000, {2, 1, 3}, "abcxyz")), HasSubstr("little-endian"));
}

TEST_F(Idx, EveryTruncationIsSeen) {
  for (std::size_t length = 0; length < good_.size(); ++length) {
    EXPECT_EQ(images_complaint(good_.substr(0, length)), path_.string() + " is truncated");
  }
}

TEST_F(Idx, EveryTruncationOfAGzippedFileIsSeen) {
  test::write_gz(path_, good_);
  const std::string whole = test::read_file(path_);
  for (std::size_t length = 1; length < whole.size(); ++length) {
    EXPECT_THAT(images_complaint(whole.substr(0, length)), StartsWith(path_.string())) << length;
  }
}

TEST_F(Idx, DamagedGzipIsSeen) {
  test::write_gz(path_, good_);
  std::string bytes = test::read_file(path_);
  bytes[bytes.size() - 6] ^= 1;  // inside the checksum
  EXPECT_THAT(images_complaint(bytes), HasSubstr("is damaged"));
}

TEST_F(Idx, BytesLeftOverAreSeen) {
  EXPECT_THAT(images_complaint(good_ + "!"), HasSubstr("goes on after the last byte"));
}

TEST_F(Idx, SizesAreLimitedBeforeMemoryIsTaken) {
  EXPECT_THAT(images_complaint(idx(test::kImages, {0, 1, 3}, "")), HasSubstr("has 0 images"));
  EXPECT_THAT(images_complaint(idx(test::kImages, {0xffffffff, 28, 28}, "")),
              HasSubstr("has 4294967295 images"));
  EXPECT_THAT(images_complaint(idx(test::kImages, {1, 2000, 28}, "")), HasSubstr("has 2000 rows"));
  EXPECT_THAT(images_complaint(idx(test::kImages, {1, 28, 0x80000000}, "")),
              HasSubstr("columns; 1 to 1024"));
  // A terabyte is announced; the little that is there ends it.
  EXPECT_THAT(images_complaint(idx(test::kImages, {1 << 20, 1024, 1024}, "abc")),
              HasSubstr("is truncated"));
}

TEST_F(Idx, MissingFilesAndFoldersAreNamed) {
  EXPECT_THAT(test::complaint([&] { read_idx_images(path_); }),
              AllOf(StartsWith(path_.string()), HasSubstr("No such file")));
  EXPECT_THAT(test::complaint([&] { read_idx_labels(folder_.path()); }),
              HasSubstr("is a folder, not a file"));
}

}  // namespace
}  // namespace opgrade
