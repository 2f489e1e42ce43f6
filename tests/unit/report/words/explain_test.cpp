#include "grader/report/words/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "grader/base/core/finding_kind.hpp"
#include "grader/report/words/advice_words.hpp"
#include "grader/report/words/case_facts.hpp"
#include "grader/report/words/explain_findings.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Explain, EveryOutcomeHasItsMeaningThreeCausesAndAnExample) {
  std::set<std::string_view> texts;
  for (const auto& entry : kOutcomes) {
    const Explanation& e = explanation_of(entry.outcome);
    EXPECT_EQ(e.outcome, entry.outcome) << entry.id;
    EXPECT_TRUE(e.meaning.ends_with('.')) << entry.id;
    EXPECT_FALSE(e.example.empty()) << entry.id;
    EXPECT_TRUE(texts.insert(e.meaning).second) << entry.id;
    for (const auto cause : e.causes) {
      EXPECT_TRUE(cause.ends_with('.')) << entry.id << ": " << cause;
      EXPECT_TRUE(texts.insert(cause).second) << entry.id << ": " << cause;
    }
  }
}

TEST(Explain, AnOutcomeIsFoundAsReportsWriteIt) {
  for (const auto& entry : kOutcomes) {
    EXPECT_EQ(find_outcome(entry.id), entry.outcome) << entry.id;
    EXPECT_EQ(find_outcome(entry.text), entry.outcome) << entry.text;
  }
  EXPECT_EQ(find_outcome("Wrong-Output"), Outcome::wrong_output);
  EXPECT_EQ(find_outcome("wrong"), std::nullopt);
  EXPECT_EQ(find_outcome(""), std::nullopt);
}

/// All words in which a report may put its verdict, an outcome or a finding.
TEST(Explain, EveryVerdictAndFindingIsExplained) {
  const auto names = explained_names();
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  for (const auto& name : names) EXPECT_TRUE(explanation_text(name, 60)) << name;
  for (const Standing standing : kStandings)
    EXPECT_TRUE(explanation_text(title_of(standing), 60)) << title_of(standing);
  for (const auto& entry : kOutcomes) {
    EXPECT_TRUE(explanation_text(entry.id, 60)) << entry.id;
    EXPECT_TRUE(explanation_text(entry.text, 60)) << entry.text;
  }
  for (const auto kind : finding_kinds()) EXPECT_TRUE(explanation_text(kind, 60)) << kind;
  EXPECT_THAT(*explanation_text("Failed", 60),
              AllOf(HasSubstr("FAILED (a verdict)"), HasSubstr("Usual causes\n  - ")));
  EXPECT_THAT(*explanation_text("data-race", 60),
              AllOf(HasSubstr("data_race (a finding)"), HasSubstr("In self-check"),
                    HasSubstr("On a GPU\n")));
  EXPECT_THAT(*explanation_text("leak", 60),
              AllOf(HasSubstr("Points\n  It costs no points."), Not(HasSubstr("On a GPU"))));
  EXPECT_THAT(*explanation_text("api_error", 60), Not(HasSubstr("On a GPU")));
  EXPECT_FALSE(explanation_text("race", 60));
  EXPECT_FALSE(explanation_text("", 60));
}

TEST(Explain, EachFindingHasItsOwnWords) {
  std::set<std::string_view> texts;
  for (const auto& finding : finding_explanations()) {
    for (const auto text : {finding.meaning, finding.cause}) {
      EXPECT_TRUE(text.ends_with('.')) << finding.kind;
      EXPECT_TRUE(texts.insert(text).second) << finding.kind;
    }
  }
}

// The template's own macro calls exit() after an error of CUDA.
TEST(Explain, AnEarlyExitBlamesTheCallThatFailedAndNotTheCheck) {
  const std::string text = explanation_text(Outcome::exited_early, 1000);
  EXPECT_THAT(text, AllOf(HasSubstr("Keep the check"), Not(HasSubstr("never call exit"))));
}

TEST(Explain, TheTextSaysWhatToDoNextAndFitsTheTerminal) {
  for (const auto& entry : kOutcomes) {
    const std::string text = explanation_text(entry.outcome, 60);
    EXPECT_THAT(text, AllOf(HasSubstr("Usual causes\n  - "), HasSubstr("\nExample\n    ")));
    EXPECT_EQ(text.find("\nNext\n") == text.npos, default_next(entry.outcome).empty()) << entry.id;
    EXPECT_THAT(explanation_list(60), HasSubstr("  " + std::string(entry.id) + " "));
  }
  EXPECT_THAT(explanation_list(200), HasSubstr("  crashed         The process ended by a signal"));
}

TEST(Advice, HasCodeBeforeAndAfter) {
  std::set<std::string_view> texts;
  for (const auto& rule : rule_explanations()) {
    for (const auto code : {rule.before, rule.after}) {
      EXPECT_FALSE(code.empty()) << rule.rule;
      EXPECT_LE(std::ranges::count(code, '\n'), 7) << rule.rule;
      EXPECT_TRUE(texts.insert(code).second) << rule.rule;
    }
    EXPECT_THAT(*rule_text(rule.rule, 80),
                AllOf(HasSubstr("\nBefore\n    "), HasSubstr("\nAfter\n    ")));
  }
  EXPECT_THAT(*rule_text("crowded_atomics", 80),
              HasSubstr("    for (int offset = 16; offset > 0; offset /= 2)\n"
                        "      value += __shfl_down_sync(0xffffffff, value, offset);\n"));
}

TEST(Advice, TheLineOfACheckIsWhatCostsMost) {
  std::vector<ProfileAdvice> advice{
      {.rule = "shared_tile", .kernel = "conv", .saving = 0.2},
      {.rule = "uncoalesced", .kernel = "copy", .file = "a.cu", .line = 7, .saving = 0.6},
      {.rule = "idle_lanes", .kernel = "conv", .saving = 0.3}};
  EXPECT_THAT(advice_line(advice),
              AllOf(testing::StartsWith("advice: copy, a.cu:7: a warp touches"),
                    HasSubstr("It can save 60 % of the kernels' time at most. Remedy: `opgrade "
                              "explain uncoalesced`. 2 more: `opgrade profile`.")));
  advice.erase(advice.begin());
  advice.pop_back();
  EXPECT_THAT(advice_line(advice), testing::EndsWith("`opgrade explain uncoalesced`."));
  EXPECT_EQ(advice_line({}), "");
}

TEST(Advice, promises_time_unless_only_the_load_units_are_relieved) {
  ProfileAdvice advice{.rule = "constant_memory", .kernel = "conv", .saving = 0.47};
  EXPECT_NE(advice_sentence(advice).find("load units have up to 47 % less"), std::string::npos);
  EXPECT_EQ(advice_sentence(advice).find("kernels' time"), std::string::npos);
  advice.rule = "shared_tile";
  EXPECT_NE(advice_sentence(advice).find("load units have up to 47 % less"), std::string::npos);
  advice.rule = "register_tile";
  EXPECT_NE(advice_sentence(advice).find("47 % of the kernels' time"), std::string::npos);
}

}  // namespace
}  // namespace opgrade::report
