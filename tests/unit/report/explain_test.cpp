#include "grader/report/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "grader/report/verdict.hpp"

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

TEST(Explain, TheTextSaysWhatToDoNextAndFitsTheTerminal) {
  for (const auto& entry : kOutcomes) {
    const std::string text = explanation_text(entry.outcome, 60);
    EXPECT_THAT(text, AllOf(HasSubstr("Usual causes\n  - "), HasSubstr("\nExample\n    ")));
    EXPECT_EQ(text.find("\nNext\n") == text.npos, default_next(entry.outcome).empty()) << entry.id;
    EXPECT_THAT(explanation_list(60), HasSubstr("  " + std::string(entry.id) + " "));
  }
  EXPECT_THAT(explanation_list(200), HasSubstr("  crashed         The process ended by a signal"));
}

}  // namespace
}  // namespace opgrade::report
