#include "grader/base/core/finding_kind.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>

namespace opgrade {
namespace {

// The table is what a student and the staff read; the code is what counts.
TEST(FindingKind, TheDocumentationsTableIsTheCodes) {
  std::ifstream file(OPGRADE_SOURCE_DIR "/docs/emulation.md");
  const std::regex row(
      R"(^\| ((?:`\w+`(?:, )?)+) \| (decides|warns|undecided|note, explains|note) \|[^|]*\|$)");
  const std::regex name(R"(`(\w+)`)");
  const std::map<std::string, FindingWeight> words{{"decides", FindingWeight::decides},
                                                   {"warns", FindingWeight::warns},
                                                   {"undecided", FindingWeight::undecided},
                                                   {"note, explains", FindingWeight::explains},
                                                   {"note", FindingWeight::untidy}};
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    const std::string kinds = match[1], word = match[2];
    for (std::sregex_iterator kind(kinds.begin(), kinds.end(), name), end; kind != end; ++kind) {
      EXPECT_EQ(weight_of((*kind)[1].str()), words.at(word)) << line;
      ++rows;
    }
  }
  EXPECT_EQ(rows, finding_kinds().size()) << "the kinds that the code has";
}

TEST(FindingKind, AnUnknownKindDecides) {
  EXPECT_TRUE(decides({.kind = "made_up"}));
  EXPECT_FALSE(on_a_gpu("made_up").empty());
}

// SARIF and `opgrade explain` say it of any submission.
TEST(FindingKind, TheConsequenceOnAGpuSaysNothingOfTheOutputsHere) {
  for (const auto kind : finding_kinds())
    EXPECT_EQ(on_a_gpu(kind).find("right here"), std::string_view::npos) << kind;
}

TEST(FindingKind, AFindingWithoutAPlaceHasItsSentence) {
  EXPECT_EQ(text_of(Finding{.kind = "leak", .message = "4 bytes"}), "4 bytes");
  EXPECT_EQ(text_of(Finding{.kind = "leak", .file = "a.cu", .message = "4 bytes"}),
            "a.cu: 4 bytes");
  EXPECT_EQ(text_of(Finding{.kind = "leak", .file = "a.cu", .line = 3, .message = "4 bytes"}),
            "a.cu:3: 4 bytes");
}

}  // namespace
}  // namespace opgrade
