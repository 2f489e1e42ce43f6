// Nsight Compute's source page, in the form in which its command line prints it.
#include "grader/grading/profile/line_shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kTitles =
    "\"Line No\",\"Source\",\"Address\",\"Source\",\"Warp Stall Sampling (All Samples)\","
    "\"Warp Stall Sampling (Not-issued Samples)\",\"Instructions Executed\"\n";

/// A line of the source is followed by its instructions, whose samples it adds up.
const std::string kPage =
    "==PROF== Disconnected\n"
    "\"File Path\",\"/submission/lib/tile.h\"\n"
    "\"Function Name\",\"conv_forward_kernel\"\n" +
    kTitles +
    "\"12\",\"  sum += x[i] * k[j];  // \"\"hot\"\", and so "
    "on\",\"-\",\"-\",\"1,500\",\"900\",\"64\"\n"
    "\"\",\"\",\"0x7f0010\",\"FFMA R1, R2, R3, R1\",\"1,100\",\"700\",\"32\"\n"
    "\"\",\"\",\"0x7f0020\",\"LDG.E R2, [R4.64]\",\"400\",\"200\",\"32\"\n"
    "\"13\",\"}\",\"-\",\"-\",\"0\",\"0\",\"0\"\n"
    "\"File Path\",\"/usr/local/cuda/include/cuda_fp16.hpp\"\n" +
    kTitles +
    "\"7\",\"__half2 a;\",\"-\",\"-\",\"250\",\"20\",\"8\"\n"
    "\"File Path\",\"/submission/new-forward.cu\"\n"
    "\"Function Name\",\"conv_forward_kernel\"\n" +
    kTitles + "\"31\",\"y[0] = sum;\",\"-\",\"-\",\"750\",\"20\",\"8\"\n";

TEST(LineShares, ALineHasTheSamplesOfItsInstructionsOnce) {
  EXPECT_THAT(read_line_shares(kPage, "/submission"),
              ElementsAre(LineShare{"lib/tile.h", 12, 0.6}, LineShare{"new-forward.cu", 31, 0.3},
                          LineShare{"cuda_fp16.hpp", 7, 0.1}));
  EXPECT_EQ(text_of(read_line_shares(kPage, "/submission")),
            "lib/tile.h:12 60.0 %, new-forward.cu:31 30.0 %, cuda_fp16.hpp:7 10.0 %");
}

TEST(LineShares, LaunchesAreAddedUp) {
  EXPECT_EQ(read_line_shares(kPage + kPage, "/submission"), read_line_shares(kPage, "/submission"));
}

TEST(LineShares, OfManyLinesTheRestIsOneShare) {
  std::string page = "\"File Path\",\"/submission/a.cu\"\n" + kTitles;
  for (int line = 1; line <= 10; ++line)
    page += "\"" + std::to_string(line) + "\",\"x\",\"-\",\"-\",\"10\",\"0\",\"0\"\n";
  EXPECT_THAT(read_line_shares(page, "/submission"), SizeIs(10));
  EXPECT_THAT(text_of(read_line_shares(page, "/submission")),
              testing::EndsWith("a.cu:8 10.0 %, 2 other lines 20.0 %"));
}

// A submission can write the file that the page is printed of.
TEST(LineShares, WhatIsNoSuchPageHasNoLines) {
  const std::string head = "\"File Path\",\"/submission/a.cu\"\n" + kTitles;
  for (const std::string& page :
       {std::string(), std::string("==ERROR== cannot open\n"), kTitles, head,
        head + "\"1\",\"x\",\"-\",\"-\",\"nan\"\n", head + "\"1\",\"x\",\"-\",\"-\",\"inf\"\n",
        head + "\"1\",\"x\",\"-\",\"-\",\"-5\"\n", head + "\"0\",\"x\",\"-\",\"-\",\"5\"\n",
        head + "\"-1\",\"x\",\"-\",\"-\",\"5\"\n", head + "\"1\",\"x\"\n",
        head + "\"99999999999\",\"x\",\"-\",\"-\",\"5\"\n", head + "\"1\",\"x",
        head + "\"1\",\"x\",\"-\",\"-\",\"1e308\"\n\"2\",\"x\",\"-\",\"-\",\"1e308\"\n"})
    EXPECT_THAT(read_line_shares(page, "/submission"), IsEmpty()) << page;
  const auto odd = read_line_shares(
      "\"File Path\",\"/submission/\x1b[31mred\"\n" + kTitles + "\"1\",\"x\",\"-\",\"-\",\"5\"\n",
      "/submission");
  ASSERT_THAT(odd, SizeIs(1));
  EXPECT_EQ(odd.front().file.find('\x1b'), std::string::npos);
}

TEST(LineShares, OneToolHasThePage) {
  EXPECT_THAT(source_page_command(*device_tool("ncu"), "/opgrade/tool/ncu", "/report.ncu-rep"),
              testing::IsSupersetOf({"--import", "/report.ncu-rep", "source", "cuda,sass"}));
  EXPECT_THAT(source_page_command(*device_tool("nsys"), "nsys", "r"), IsEmpty());
  EXPECT_THAT(source_page_command(*device_tool("profile"), "", ""), IsEmpty());
}

}  // namespace
}  // namespace opgrade
