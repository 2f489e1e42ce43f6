#include "grader/base/files/checksum.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/base/core/temp_dir.hpp"
#include "tests/unit/task/conv/data/files.hpp"

namespace opgrade {
namespace {

// The examples of FIPS 180-2, appendix B.
constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kMillionA =
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Checksum, KnownValues) {
  EXPECT_EQ(Sha256().hex(), kEmpty);
  Sha256 sum;
  const std::string a = "a", bc = "bc";
  sum.add(std::as_bytes(std::span(a)));
  sum.add(std::as_bytes(std::span(bc)));
  EXPECT_EQ(sum.hex(), kAbc);
}

TEST(Checksum, OfFilesShortAndLong) {
  const TempDir folder("opgrade-test-");
  const auto path = folder.path() / "file";
  test::write_file(path, "");
  EXPECT_EQ(sha256_of_file(path), kEmpty);
  test::write_file(path, std::string(1000000, 'a'));
  EXPECT_EQ(sha256_of_file(path), kMillionA);
}

TEST(Checksum, UnreadableFilesAreNamed) {
  const TempDir folder("opgrade-test-");
  const auto path = folder.path() / "missing";
  EXPECT_THAT(test::complaint([&] { sha256_of_file(path); }), testing::HasSubstr(path.string()));
  EXPECT_THAT(test::complaint([&] { sha256_of_file(folder.path()); }),
              testing::HasSubstr(folder.path().string()));
}

}  // namespace
}  // namespace opgrade
