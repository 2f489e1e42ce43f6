// Files that the course hands out: a submission has them without handing them in.
#include "grader/grading/intake/handed_out.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace opgrade {
namespace {

using Changed = HandedOutFile::Changed;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kSources{"own.cu", "matmul.cu"};
constexpr const char* kHeader = "// the course's\nvoid product();\n";
constexpr const char* kSource = "#include \"matmul.h\"\nvoid product() {}\n";

FilesConfig course(Changed changed = Changed::use) {
  FilesConfig rules;
  rules.handed_out = {{"matmul.h", {kHeader}, changed}, {"matmul.cu", {kSource}, changed}};
  return rules;
}

tl::expected<TakenFiles, Refusal> complete(std::vector<TakenFile> files,
                                           const FilesConfig& rules = course()) {
  return with_handed_out({".", std::move(files)}, rules, kSources);
}

std::vector<std::string> names_in(const tl::expected<TakenFiles, Refusal>& taken) {
  if (!taken) return {taken.error().reason};
  std::vector<std::string> names;
  for (const auto& file : taken->files) names.push_back(file.name);
  std::ranges::sort(names);
  return names;
}

std::string text_of(const tl::expected<TakenFiles, Refusal>& taken, const std::string& name) {
  for (const auto& file : taken->files)
    if (file.name == name) return file.bytes;
  return "none";
}

TEST(HandedOut, NobodyNeedsToHandThemIn) {
  EXPECT_THAT(required_sources(course(), kSources), ElementsAre("own.cu"));
  EXPECT_THAT(required_sources({}, kSources), ElementsAre("own.cu", "matmul.cu"));
}

// Else functions of the same names would be there twice.
TEST(HandedOut, ComeAlongOnlyWhereTheyAreIncluded) {
  for (const char* text : {"", "int product();\n", "// #include \"matmul.h\"\n",
                           "#include <matmul>", "#include \"own_matmul.h\"\n", "#include \"",
                           "#include", "#", "const char* text = \"#include \\\"matmul.h\\\"\";\n"})
    EXPECT_THAT(names_in(complete({{"own.cu", text}})), ElementsAre("own.cu")) << text;
  for (const char* text :
       {"#include \"matmul.h\"\n", "#include <matmul.h>",
        "int a;\r\n  #  include\t\"matmul.h\"\r\n", "#include \"../custom/matmul.h\"\n",
        "int a;\r#include \"matmul.h\"\rint b;"})
    EXPECT_THAT(names_in(complete({{"own.cu", text}})),
                ElementsAre("matmul.cu", "matmul.h", "own.cu"))
        << text;
}

TEST(HandedOut, AreFoundThroughHeadersOfTheSubmission) {
  const char* const by_header = "#include \"tools.h\"\n";
  const char* const header = "#include \"matmul.h\"\n";
  EXPECT_THAT(names_in(complete({{"own.cu", by_header}, {"lib/tools.h", header}})),
              ElementsAre("lib/tools.h", "matmul.cu", "matmul.h", "own.cu"));
  EXPECT_THAT(names_in(complete({{"own.cu", ""}, {"other.cu", header}})),
              ElementsAre("other.cu", "own.cu"))
      << "another stage's source";
  EXPECT_THAT(names_in(complete({{"own.cu", "#include \"a.h\"\n"},
                                 {"a.h", "#include \"b.h\"\n"},
                                 {"b.h", "#include \"a.h\"\n"}})),
              ElementsAre("a.h", "b.h", "own.cu"))
      << "a circle has an end";
}

// Fifty thousand names in each of many files, which include each other.
TEST(HandedOut, EachTextIsReadOnce) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "#include \"f" + std::to_string(i % 100) + ".h\"\n";
  std::vector<TakenFile> files{{"own.cu", text}};
  for (int i = 0; i < 100; ++i) files.push_back({"f" + std::to_string(i) + ".h", text});
  files.back().bytes += "#include \"matmul.h\"\n";
  EXPECT_THAT(names_in(complete(files)), testing::IsSupersetOf({"matmul.cu", "matmul.h"}));
}

TEST(HandedOut, AreOnlyThoseThatAreMissing) {
  const char* const own = "#include \"matmul.h\"\n";
  const auto with_header = complete({{"own.cu", own}, {"matmul.h", "mine"}});
  EXPECT_THAT(names_in(with_header), ElementsAre("matmul.cu", "matmul.h", "own.cu"));
  EXPECT_EQ(text_of(with_header, "matmul.h"), "mine");
  EXPECT_EQ(text_of(with_header, "matmul.cu"), kSource);
  EXPECT_THAT(names_in(complete({{"own.cu", own}, {"matmul.cu", "mine"}})),
              ElementsAre("matmul.cu", "matmul.h", "own.cu"));
  EXPECT_THAT(names_in(complete({{"own.cu", ""}, {"matmul.cu", "mine"}})),
              ElementsAre("matmul.cu", "own.cu"))
      << "a source of the submission's own";
}

// The compiler looks beside the including file and at the top.
TEST(HandedOut, ACopyInAnotherFolderStandsForNone) {
  const TakenFile own{"own.cu", "#include \"matmul.h\"\n"};
  EXPECT_THAT(names_in(complete({own, {"backup/matmul.h", kHeader}})),
              ElementsAre("backup/matmul.h", "matmul.cu", "matmul.h", "own.cu"));
  EXPECT_THAT(
      names_in(complete({own, {"backup/matmul.h", kHeader}, {"backup/matmul.cu", kSource}})),
      ElementsAre("backup/matmul.cu", "backup/matmul.h", "matmul.cu", "matmul.h", "own.cu"));
  EXPECT_THAT(names_in(complete({{"own.cu", "#include \"lib/own.h\"\n"},
                                 {"lib/own.h", "#include \"matmul.h\"\n"},
                                 {"lib/matmul.h", kHeader},
                                 {"matmul.cu", kSource}})),
              ElementsAre("lib/matmul.h", "lib/own.h", "matmul.cu", "matmul.h", "own.cu"))
      << "matmul.cu is at the top and has no header there";
  EXPECT_THAT(names_in(complete({{"own.cu", "#include \"lib/matmul.h\"\n"},
                                 {"lib/matmul.h", kHeader},
                                 {"matmul.cu", "void product() {}\n"}})),
              ElementsAre("lib/matmul.h", "matmul.cu", "own.cu"));
}

TEST(HandedOut, AChangedCopyFollowsTheConfig) {
  const auto with = [](Changed changed, std::string text) {
    return complete({{"own.cu", ""}, {"matmul.h", std::move(text)}}, course(changed));
  };
  EXPECT_EQ(text_of(with(Changed::use, "mine"), "matmul.h"), "mine");
  EXPECT_EQ(text_of(with(Changed::replace, "mine"), "matmul.h"), kHeader);
  const auto refused = with(Changed::refuse, "mine");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "matmul.h is not as the course hands it out");
  EXPECT_THAT(refused.error().hint, HasSubstr("leave it out"));
}

// Editors and archives do that.
TEST(HandedOut, OtherLineEndsAreNoChange) {
  for (const char* text :
       {kHeader, "// the course's\r\nvoid product();\r\n", "// the course's  \nvoid product();",
        "\xef\xbb\xbf// the course's\nvoid product();\n\n"}) {
    const auto taken = complete({{"own.cu", ""}, {"matmul.h", text}}, course(Changed::refuse));
    ASSERT_TRUE(taken) << text;
    EXPECT_EQ(text_of(taken, "matmul.h"), kHeader);
  }
  EXPECT_FALSE(complete({{"own.cu", ""}, {"matmul.h", "// the course's void product();\n"}},
                        course(Changed::refuse)));
}

// What a grade depends on.
TEST(HandedOut, TheirTextsAreInTheFingerprint) {
  FilesConfig other = course();
  other.handed_out.front().text.bytes += "// of another term\n";
  const auto sum = [](const FilesConfig& rules, const char* text) {
    return fingerprint({complete({{"own.cu", text}}, rules).value()});
  };
  EXPECT_NE(sum(course(), "#include \"matmul.h\"\n"), sum(other, "#include \"matmul.h\"\n"));
  EXPECT_EQ(sum(course(), ""), sum(other, ""));
}

}  // namespace
}  // namespace opgrade
