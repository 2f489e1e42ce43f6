// The table of rungs against the files, the README and itself. Needs no device.
#include "kernels/ladder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "kernels/bench/layers.hpp"

namespace opgrade::kernels {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(std::string(OPGRADE_SOURCE_DIR "/kernels/") + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string file_of(const Rung& rung) {
  const std::string number = std::to_string(rung.number);
  return (number.size() == 1 ? "0" : "") + number + "_" + std::string(rung.name) + ".cu";
}

TEST(Ladder, HasTenRungsOrMoreWithRisingNumbersAndDifferentNames) {
  ASSERT_GE(ladder().size(), 10u);
  std::set<std::string_view> names;
  int last = 0;
  for (const Rung& rung : ladder()) {
    EXPECT_GT(rung.number, last);
    EXPECT_TRUE(names.insert(rung.name).second) << rung.name;
    EXPECT_FALSE(rung.idea.empty());
    EXPECT_GE(rung.products, 1);
    last = rung.number;
  }
}

TEST(Ladder, EveryRungIsAFileThatSaysItsIdeaItsBoundAndWhatIsNext) {
  for (const Rung& rung : ladder()) {
    const std::string text = read(file_of(rung));
    ASSERT_FALSE(text.empty()) << file_of(rung);
    EXPECT_EQ(text.find("// " + std::to_string(rung.number) + ". "), 0u) << file_of(rung);
    const std::string head = text.substr(0, text.find("\n#"));
    for (const char* part : {"// Idea: ", "// Bound by: ", "// Next: "})
      EXPECT_NE(head.find(part), head.npos) << file_of(rung) << " lacks " << part;
    EXPECT_EQ(head.find("// Range: ") != head.npos, !rung.any_range || rung.number == 14)
        << file_of(rung);
  }
}

TEST(Ladder, EveryRungFileIsInTheTable) {
  const std::regex rung_file("(\\d\\d)_\\w+\\.cu");
  for (const auto& entry : std::filesystem::directory_iterator(OPGRADE_SOURCE_DIR "/kernels")) {
    const std::string name = entry.path().filename().string();
    std::smatch match;
    if (!std::regex_match(name, match, rung_file)) continue;
    const Rung* rung = find_rung(std::stoi(match[1]));
    ASSERT_NE(rung, nullptr) << name;
    EXPECT_EQ(file_of(*rung), name);
  }
}

TEST(Ladder, FindsARungByItsNumber) {
  for (const Rung& rung : ladder()) EXPECT_EQ(find_rung(rung.number), &rung);
  EXPECT_EQ(find_rung(0), nullptr);
  EXPECT_EQ(find_rung(-1), nullptr);
  EXPECT_EQ(find_rung(1000), nullptr);
}

TEST(Ladder, NoRungAcceptsAShapeThatIsNone) {
  const ConvShape bad[] = {{0, 1, 1, 9, 9, 3, 1}, {1, 0, 1, 9, 9, 3, 1}, {1, 1, 0, 9, 9, 3, 1},
                           {1, 1, 1, 2, 9, 3, 1}, {1, 1, 1, 9, 2, 3, 1}, {1, 1, 1, 9, 9, 0, 1},
                           {1, 1, 1, 9, 9, 3, 0}, {-1, 1, 1, 9, 9, 3, 1}};
  for (const Rung& rung : ladder())
    for (const ConvShape& shape : bad) EXPECT_FALSE(rung.accepts(shape)) << rung.name;
}

TEST(Ladder, SomeRungsTakeAnyStrideAndTheOthersSayNo) {
  const ConvShape strided{1, 3, 3, 21, 23, 3, 2};
  for (const Rung& rung : ladder())
    EXPECT_EQ(rung.accepts(strided), rung.number <= 7 || (rung.number >= 11 && rung.number <= 13) ||
                                         rung.number == 17 || rung.number == 18)
        << rung.name;
}

TEST(Ladder, TheRungsPerLayerTakeEveryLayerOfEveryNetworkAtAnyBatch) {
  for (const NetworkLayer& layer : kNetworkLayers)
    for (const int batch : {1, 100, 8767, 10000, 100000}) {
      ConvShape s = layer.shape;
      s.B = batch;
      EXPECT_TRUE(find_rung(17)->accepts(s)) << layer.term << ' ' << layer.layer << ' ' << batch;
      EXPECT_TRUE(find_rung(18)->accepts(s)) << layer.term << ' ' << layer.layer << ' ' << batch;
    }
}

TEST(Ladder, EveryRungTakesTheNetworkThatTheTableIsAbout) {
  for (const Rung& rung : ladder()) {
    for (const NetworkLayer& layer : kNetworkLayers) {
      if (layer.term != "2020fa") continue;
      EXPECT_EQ(rung.accepts(layer.shape), rung.number != 16 || layer.shape.C == 1) << rung.name;
    }
  }
}

TEST(Ladder, OnlyTheUnrollingRungNeedsWorkspaceAndNotForTheWholeBatch) {
  const ConvShape large{10000, 16, 4, 40, 40, 7, 1};
  const std::size_t whole = std::size_t{10000} * 4 * 49 * 34 * 34 * sizeof(float);
  for (const Rung& rung : ladder()) {
    if (rung.number == 4) {
      EXPECT_GT(rung.workspace_bytes(large), 0u);
      EXPECT_LT(rung.workspace_bytes(large), whole / 8);
      EXPECT_EQ(rung.workspace_bytes({1, 2, 3, 9, 9, 3, 1}), std::size_t{27 * 49} * sizeof(float));
    } else {
      EXPECT_EQ(rung.workspace_bytes(large), 0u) << rung.name;
    }
  }
}

TEST(Ladder, AllowsWhatTheGoalSays) {
  const ConvShape layer{1, 16, 4, 40, 40, 7, 1};
  EXPECT_DOUBLE_EQ(allowed_error(Accuracy::fp32, layer), 14e-6);  // 1e-6 * sqrt(4 * 49)
  EXPECT_DOUBLE_EQ(allowed_error(Accuracy::fp16, layer), 1.0 / 512);
  EXPECT_DOUBLE_EQ(allowed_error(Accuracy::tf32, layer), 1.0 / 512);
}

TEST(Ladder, TheReadmeTableHasTheArraysRungs) {
  const std::string page = read("README.md");
  const std::size_t open = page.find("<!-- ladder -->"), close = page.find("<!-- /ladder -->");
  ASSERT_NE(open, page.npos);
  ASSERT_NE(close, page.npos);
  const std::string table = page.substr(open, close - open);
  std::vector<std::string> listed, wanted;
  const std::regex row("\n\\| (\\d+) (\\w+)(?: \\\\\\*)? \\| ([^|]+) \\|");
  for (std::sregex_iterator it(table.begin(), table.end(), row), end; it != end; ++it)
    if ((*it)[1] != "0")
      listed.push_back((*it)[1].str() + ' ' + (*it)[2].str() + ": " + (*it)[3].str());
  for (const Rung& rung : ladder())
    wanted.push_back(std::to_string(rung.number) + ' ' + std::string(rung.name) + ": " +
                     std::string(rung.idea));
  if (listed.empty()) GTEST_SKIP() << "the table is not measured yet: run opgrade-ladder on a GPU";
  EXPECT_EQ(listed, wanted) << "run opgrade-ladder --markdown kernels/README.md on a GPU";
}

}  // namespace
}  // namespace opgrade::kernels
