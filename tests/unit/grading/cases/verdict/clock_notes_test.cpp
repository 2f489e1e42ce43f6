#include "grader/grading/cases/verdict/clock_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/report/words/note_words.hpp"

namespace opgrade {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> sentences_of(const CaseReport& report) {
  std::vector<std::string> sentences;
  for (const Note& note : clock_notes(report)) sentences.push_back(report::sentence_of(note));
  return sentences;
}

CaseReport timed_case() {
  CaseReport report;
  CallReport& call = report.calls.emplace_back();
  call.layer = "conv1";
  call.timed = true;
  call.measurement.calls.resize(3);
  return report;
}

TEST(ClockNotes, ABusyMachineIsNamedAndTheNextStep) {
  CaseReport report = timed_case();
  EXPECT_THAT(clock_notes(report), IsEmpty());
  report.calls[0].disagreeing_calls = 2;
  report.calls[0].busy_calls = 1;
  const auto sentences = sentences_of(report);
  EXPECT_THAT(sentences, ElementsAre(AllOf(HasSubstr("conv1: in 2 of 3 timed calls"),
                                           HasSubstr("as on a busy machine; the grader's counts")),
                                     HasSubstr("conv1: in 1 of 3 timed calls something else had")));
  EXPECT_THAT(sentences, Each(AllOf(HasSubstr("Run it again"), Not(HasSubstr("disagree")))));
}

TEST(ClockNotes, LateOutputIsSaidWhereThereIsATime) {
  CaseReport report = timed_case();
  report.calls[0].late_calls = 1;
  EXPECT_THAT(sentences_of(report), ElementsAre(HasSubstr("Wait for all threads and the device")));
  report.calls[0].timed = false;  // the verdict says it
  EXPECT_THAT(clock_notes(report), IsEmpty());
}

}  // namespace
}  // namespace opgrade
