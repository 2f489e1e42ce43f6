// What the emulated device finds in a case that a GPU grades.
#include "grader/grading/cases/verdict/emulated_findings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "grader/grading/pipeline/findings_run.hpp"
#include "grader/grading/pipeline/spare_cores.hpp"
#include "grader/report/words/note_words.hpp"
#include "grader/report/words/reason_words.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Finding kRace{.kind = "data_race", .file = "a.cu", .line = 5, .message = "Raced."};
const Finding kNote{.kind = "leak", .file = "a.cu", .line = 9, .message = "Left."};
const Finding kLoop{.kind = "endless_loop", .file = "a.cu", .line = 4, .message = "Spun."};
const Finding kMissing{.kind = "not_emulated", .file = "a.cu", .line = 2, .message = "Lacks it."};

JudgedCase watched_case(std::vector<Finding> findings, std::optional<Outcome> failed = {}) {
  JudgedCase c;
  c.evidence.findings = FindingsRule::decide;
  c.findings = std::move(findings);
  if (failed) c.evidence.failure = {*failed, text_reason("it ended", "a hint")};
  judge(c);
  return c;
}

CaseReport on_gpu(Outcome outcome) {
  CaseReport c;
  c.id = "gpu/random";
  c.outcome = outcome;
  c.reason = text_reason("as the GPU had it");
  return c;
}

CaseReport with(Outcome outcome, const EmulatedFindings& found,
                FindingsRole role = FindingsRole::mistakes) {
  CaseReport c = on_gpu(outcome);
  add_emulated_findings(c, found, role);
  return c;
}

TEST(EmulatedFindings, AMistakeCostsACaseThatIsRightOnTheGpu) {
  const auto found = findings_of(watched_case({kNote, kRace}));
  for (const auto right : {Outcome::passed, Outcome::not_credible, Outcome::wrong_accuracy}) {
    const CaseReport c = with(right, found);
    EXPECT_EQ(c.outcome, Outcome::mistake_found);
    EXPECT_THAT(report::sentence_of(c.reason), HasSubstr("a.cu:5"));
    EXPECT_THAT(c.findings, SizeIs(2));
  }
}

TEST(EmulatedFindings, HowTheWatchedRunEndedIsNoMistake) {
  for (const auto end : {Outcome::crashed, Outcome::out_of_time, Outcome::exited_early}) {
    const auto found = findings_of(watched_case({}, end));
    EXPECT_EQ(with(Outcome::passed, found).outcome, Outcome::passed);
    EXPECT_TRUE(found.left_out && found.begun);
  }
  const auto slow = findings_of(watched_case({kLoop}, Outcome::out_of_time));
  EXPECT_THAT(with(Outcome::passed, slow).findings, IsEmpty()) << "its loop ended on the GPU";
  // The mistake that it had found by then counts.
  const auto found = findings_of(watched_case({kRace}, Outcome::crashed));
  EXPECT_EQ(with(Outcome::passed, found).outcome, Outcome::mistake_found);
}

TEST(EmulatedFindings, AValueThatNothingWroteIsAMistakeIfOutputsShowThatItWasUsed) {
  for (const char* kind : {"unset_shared_read", "uninitialized_copy", "uninitialized_variable"}) {
    const Finding unset{.kind = kind, .file = "a.cu", .line = 7, .message = "Was never written."};
    const auto used = findings_of(watched_case({kNote, unset}, Outcome::wrong_output));
    const CaseReport c = with(Outcome::passed, used);
    EXPECT_EQ(c.outcome, Outcome::mistake_found) << kind;
    EXPECT_THAT(report::sentence_of(c.reason), HasSubstr("a.cu:7"));
    EXPECT_THAT(report::hint_of(c.reason), HasSubstr("right by luck")) << kind;
    EXPECT_EQ(with(Outcome::passed, used, FindingsRole::notes).outcome, Outcome::passed);
    // A halo that is read and not used; a run that ended for another reason.
    EXPECT_EQ(with(Outcome::passed, findings_of(watched_case({unset}))).outcome, Outcome::passed);
    for (const auto end : {Outcome::crashed, Outcome::out_of_time, Outcome::exited_early})
      EXPECT_EQ(with(Outcome::passed, findings_of(watched_case({unset}, end))).outcome,
                Outcome::passed);
  }
  // Rounding can be wrong on one device alone.
  EXPECT_EQ(
      with(Outcome::passed, findings_of(watched_case({kNote}, Outcome::wrong_output))).outcome,
      Outcome::passed);
}

TEST(EmulatedFindings, AMissingFeatureIsToldAndCostsNothing) {
  const auto found = findings_of(watched_case({kMissing, kRace}, Outcome::crashed));
  ASSERT_TRUE(found.left_out);
  EXPECT_FALSE(found.begun);
  const CaseReport c = with(Outcome::passed, found);
  EXPECT_EQ(c.outcome, Outcome::passed);
  EXPECT_THAT(c.findings, IsEmpty());
}

TEST(EmulatedFindings, ThatWereKeptBackCostThePoints) {
  JudgedCase watched = watched_case({});
  watched.evidence.findings_missing = true;
  judge(watched);
  EXPECT_EQ(with(Outcome::passed, findings_of(watched)).outcome, Outcome::exited_early);
}

TEST(EmulatedFindings, OfACaseThatFailedExplainIt) {
  const auto found = findings_of(watched_case({kRace}));
  for (const auto failed : {Outcome::wrong_output, Outcome::crashed, Outcome::out_of_time}) {
    const CaseReport c = with(failed, found);
    EXPECT_EQ(c.outcome, failed);
    ASSERT_TRUE(c.reason.explanation);
    EXPECT_EQ(c.reason.explanation->line, 5);
  }
  for (const auto open : {Outcome::not_run, Outcome::grader_fault})
    EXPECT_THAT(with(open, found).findings, IsEmpty());
}

TEST(EmulatedFindings, AFaultOfTheGraderLeavesTheCaseOpen) {
  const EmulatedFindings fault{.fault = text_reason("no disk")};
  EXPECT_EQ(with(Outcome::passed, fault).outcome, Outcome::grader_fault);
  EXPECT_EQ(with(Outcome::wrong_output, fault).outcome, Outcome::wrong_output);
  EXPECT_EQ(with(Outcome::passed, fault, FindingsRole::notes).outcome, Outcome::passed);
}

TEST(EmulatedFindings, AsNotesTheyCostNothing) {
  const CaseReport c =
      with(Outcome::passed, findings_of(watched_case({kRace})), FindingsRole::notes);
  EXPECT_EQ(c.outcome, Outcome::passed);
  EXPECT_THAT(c.findings, SizeIs(1));
  EXPECT_THAT(report::sentence_of(c.reason), HasSubstr("a.cu:5"));
}

TEST(FindingsOnGpu, AGpuAloneAndWhereFindingsDecide) {
  Config config;
  EXPECT_FALSE(findings_on_gpu(Device::cuda, config)) << "findings: warn";
  config.findings = FindingsRule::decide;
  EXPECT_EQ(findings_on_gpu(Device::cuda, config), FindingsRole::mistakes);
  EXPECT_FALSE(findings_on_gpu(Device::emulated, config));
  EXPECT_FALSE(findings_on_gpu(Device::cpu, config));
  config.accept_emulated = false;
  EXPECT_EQ(findings_on_gpu(Device::cuda, config), FindingsRole::notes);
}

TEST(AddFound, TellsOnceWhatAllCasesLack) {
  StageReport report;
  std::map<std::string, EmulatedFindings> found;
  for (const char* const id : {"gpu/random", "gpu/small", "gpu/large"}) {
    report.cases.push_back(on_gpu(Outcome::passed));
    report.cases.back().id = id;
  }
  const auto missing = findings_of(watched_case({kMissing}, Outcome::crashed));
  found["gpu/random"] = found["gpu/small"] = missing;
  std::vector<Note> notes;
  EXPECT_THAT(add_found(report, found, FindingsRole::mistakes, notes), IsEmpty());
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_THAT(report::sentence_of(notes[0]), HasSubstr("gpu/random: findings were not looked for"));
  found["gpu/large"] = findings_of(watched_case({}, Outcome::out_of_time));
  found["gpu/small"] = findings_of(watched_case({kRace}));
  const auto changed = add_found(report, found, FindingsRole::mistakes, notes);
  ASSERT_THAT(changed, SizeIs(1));
  EXPECT_EQ(changed[0]->id, "gpu/small");
  EXPECT_EQ(report.cases[2].outcome, Outcome::passed);
  EXPECT_THAT(report::sentence_of(notes.back()),
              HasSubstr("gpu/large: findings were not looked for to the end"));
}

TEST(SpareCores, AreThoseThatRunsOnGpusLeave) {
  SpareCores none(4, 2);
  EXPECT_FALSE(none.try_take());
  none.take();  // when its own run is over, work need not wait for more cores
  std::jthread later([&] {
    none.take();
    none.give_back();
  });
  none.give_back();
  later.join();
  SpareCores two(6, 2);
  EXPECT_TRUE(two.try_take());
  EXPECT_TRUE(two.try_take());
  EXPECT_FALSE(two.try_take());
  two.give_back();
  EXPECT_TRUE(two.try_take());
}

}  // namespace
}  // namespace opgrade
