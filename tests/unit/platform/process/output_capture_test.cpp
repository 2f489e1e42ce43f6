#include "grader/platform/process/output_capture.hpp"

#include <gtest/gtest.h>

#include <random>

namespace opgrade {
namespace {

TEST(OutputCapture, KeepsEverythingUpToItsSize) {
  OutputCapture capture(10);
  EXPECT_EQ(capture.text(), "");
  capture.append("0123");
  capture.append("456789");
  EXPECT_EQ(capture.text(), "0123456789");
  EXPECT_EQ(capture.total_bytes(), 10);
}

TEST(OutputCapture, CutsTheMiddleAndSaysHowMuch) {
  OutputCapture capture(10);
  capture.append("01234");
  capture.append("abc");
  capture.append("56789");
  EXPECT_EQ(capture.text(), "01234\n[... 3 bytes left out ...]\n56789");
  EXPECT_EQ(capture.total_bytes(), 13);
}

TEST(OutputCapture, OfNothingKept) {
  OutputCapture capture(0);
  capture.append("abc");
  EXPECT_EQ(capture.text(), "\n[... 3 bytes left out ...]\n");
}

TEST(OutputCapture, TheSizeOfThePiecesDoesNotMatter) {
  std::string all;
  for (int i = 0; i < 5000; ++i) all += static_cast<char>('a' + i % 26);
  OutputCapture whole(100);
  whole.append(all);
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    OutputCapture pieces(100);
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t n = random() % 130;
      pieces.append(std::string_view(all).substr(at, n));
      at += n;
    }
    EXPECT_EQ(pieces.text(), whole.text());
  }
  EXPECT_EQ(whole.text(),
            all.substr(0, 50) + "\n[... 4900 bytes left out ...]\n" + all.substr(4950));
}

}  // namespace
}  // namespace opgrade
