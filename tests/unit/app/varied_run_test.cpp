// The points of a case with findings that warn, by the runs that follow.
#include "grader/cases/varied_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "grader/core/finding_kind.hpp"

namespace opgrade {
namespace {

const Finding kWarning{.kind = "out_of_bounds", .file = "a.cu", .line = 3, .message = "Behind."};
const Finding kRace{.kind = "data_race", .file = "a.cu", .line = 5, .message = "Raced."};
const Finding kDecider{.kind = "misaligned", .file = "a.cu", .line = 7, .message = "Odd."};
const Finding kNote{.kind = "leak", .file = "a.cu", .line = 9, .message = "Left."};

// The runs in their order.
const std::string kWatchedOn = "watched OPGRADE_EMULATION_ALLOCATIONS=packed";
const std::string kPacked = "plain ";
const std::string kOtherMemory = "plain OPGRADE_EMULATION_FILL=75";
const std::string kReversed = "plain OPGRADE_EMULATION_ORDER=reversed";

CaseReport report_of(Outcome outcome, std::vector<Finding> findings = {}) {
  CaseReport report;
  report.outcome = outcome;
  report.reason = "the reason";
  report.hint = "the hint";
  report.findings = std::move(findings);
  return report;
}

/// A case that is run again; each run passes unless `ends` has another report.
struct VariedCase {
  CaseReport report;
  std::map<std::string, CaseReport> ends;
  std::vector<std::string> runs;

  void vary(bool watched, FindingsRule rule = FindingsRule::warn) {
    opgrade::vary(report, watched, rule, [&](const DeviceVariation& how) {
      runs.push_back((how.watched ? "watched " : "plain ") + how.environment);
      const auto end = ends.find(runs.back());
      return end != ends.end() ? end->second : report_of(Outcome::passed, {kWarning});
    });
  }
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Vary, RightInEveryRunPasses) {
  VariedCase watched{report_of(Outcome::passed, {kWarning})};
  watched.vary(true);
  EXPECT_EQ(watched.report.outcome, Outcome::passed);
  EXPECT_EQ(watched.report.reason, "the reason");
  EXPECT_THAT(watched.runs, ElementsAre(kPacked, kOtherMemory, kReversed));
}

TEST(Vary, ThePlainBuildWasPackedAlready) {
  VariedCase plain{report_of(Outcome::passed, {kWarning})};
  plain.vary(false);
  EXPECT_THAT(plain.runs, ElementsAre(kOtherMemory, kReversed));
}

TEST(Vary, OnlyWarningsAreVaried) {
  for (const auto& findings :
       std::vector<std::vector<Finding>>{{}, {kNote}, {kWarning, kDecider}, {kDecider}}) {
    for (const Outcome outcome : {Outcome::passed, Outcome::crashed}) {
      VariedCase c{report_of(outcome, findings)};
      c.vary(true);
      EXPECT_EQ(c.report.outcome, outcome);
      EXPECT_THAT(c.runs, IsEmpty());
    }
  }
}

TEST(Vary, NothingWhereFindingsDecide) {
  for (const Outcome outcome : {Outcome::mistake_found, Outcome::passed, Outcome::crashed}) {
    VariedCase c{report_of(outcome, {kWarning})};
    c.vary(true, FindingsRule::decide);
    EXPECT_EQ(c.report.outcome, outcome);
    EXPECT_THAT(c.runs, IsEmpty());
  }
}

TEST(Vary, AWrongRunCostsThePointsAndNamesItself) {
  const std::vector<std::pair<std::string, std::string>> conditions{
      {kPacked, "with allocations next to each other, as on a GPU"},
      {kOtherMemory, "with other bytes in memory that nothing wrote"},
      {kReversed, "with blocks and threads in reverse order"}};
  for (const Outcome outcome : {Outcome::wrong_output, Outcome::wrong_accuracy, Outcome::crashed,
                                Outcome::exited_early, Outcome::mistake_found}) {
    for (const auto& [run, words] : conditions) {
      VariedCase c{report_of(Outcome::passed, {kWarning}), {{run, report_of(outcome)}}};
      c.vary(true);
      EXPECT_EQ(c.report.outcome, Outcome::mistake_found) << run;
      EXPECT_EQ(c.report.reason, "a.cu:3: Behind.");
      EXPECT_EQ(c.report.hint, "The outputs are right here, and wrong " + words + ": the reason.");
      EXPECT_EQ(c.runs.back(), run);
    }
  }
}

TEST(Vary, TheFindingThatExplainsTheRunIsNamed) {
  for (const auto& [run, reason] :
       {std::pair(kReversed, "a.cu:5: Raced."), std::pair(kOtherMemory, "a.cu:3: Behind.")}) {
    for (const auto& findings :
         {std::vector{kNote, kWarning, kRace}, std::vector{kRace, kNote, kWarning}}) {
      VariedCase c{report_of(Outcome::passed, findings), {{run, report_of(Outcome::wrong_output)}}};
      c.vary(true);
      EXPECT_EQ(c.report.reason, reason);
    }
  }
  VariedCase only{report_of(Outcome::passed, {kNote, kRace}),
                  {{kPacked, report_of(Outcome::wrong_output)}}};
  only.vary(true);
  EXPECT_EQ(only.report.reason, "a.cu:5: Raced.") << "a note explains nothing";
}

TEST(Vary, ASlowerRunIsNoWrongOutput) {
  for (const Outcome outcome :
       {Outcome::out_of_time, Outcome::out_of_memory, Outcome::over_limit}) {
    VariedCase c{report_of(Outcome::passed, {kWarning}), {{kPacked, report_of(outcome)}}};
    c.vary(true);
    EXPECT_EQ(c.report.outcome, Outcome::passed);
    EXPECT_THAT(c.runs, ElementsAre(kPacked, kOtherMemory, kReversed));
  }
}

TEST(Vary, AnUndecidedRunIsForAGpu) {
  VariedCase c{report_of(Outcome::passed, {kWarning}),
               {{kOtherMemory, report_of(Outcome::not_emulated)}}};
  c.vary(true);
  EXPECT_EQ(c.report.outcome, Outcome::not_emulated);
  EXPECT_EQ(c.report.reason, "the reason");
}

TEST(Vary, WhatFailedOtherwiseStaysFailed) {
  for (const Outcome outcome : {Outcome::out_of_time, Outcome::out_of_memory, Outcome::over_limit,
                                Outcome::mistake_found, Outcome::not_emulated}) {
    VariedCase c{report_of(outcome, {kWarning})};
    c.vary(true);
    EXPECT_EQ(c.report.outcome, outcome);
    EXPECT_THAT(c.runs, IsEmpty());
  }
  // The plain build has no checks that could be to blame.
  VariedCase plain{report_of(Outcome::crashed, {kWarning})};
  plain.vary(false);
  EXPECT_EQ(plain.report.outcome, Outcome::crashed);
  EXPECT_THAT(plain.runs, IsEmpty());
}

TEST(WatchOn, AWatchedRunThatItsChecksStoppedIsWatchedToItsEnd) {
  for (const Outcome outcome : {Outcome::crashed, Outcome::exited_early, Outcome::wrong_output}) {
    VariedCase c{report_of(outcome, {kWarning}),
                 {{kWatchedOn, report_of(Outcome::passed, {kRace, kWarning})}}};
    c.vary(true);
    EXPECT_EQ(c.report.outcome, Outcome::passed);
    EXPECT_EQ(c.report.reason, "right here; a GPU may hide this: fix a.cu:3");
    ASSERT_EQ(c.report.findings.size(), 2U) << "each once";
    EXPECT_EQ(c.report.findings[1].kind, "data_race");
    EXPECT_THAT(c.runs, ElementsAre(kWatchedOn, kPacked, kOtherMemory, kReversed));
  }
}

TEST(WatchOn, WithoutThatThereAreNoPoints) {
  for (const Outcome outcome :
       {Outcome::crashed, Outcome::exited_early, Outcome::wrong_output, Outcome::out_of_time}) {
    VariedCase c{report_of(Outcome::crashed, {kWarning}), {{kWatchedOn, report_of(outcome)}}};
    c.vary(true);
    EXPECT_EQ(c.report.outcome, Outcome::crashed) << "the first run has said why";
    EXPECT_EQ(c.report.reason, "the reason");
    EXPECT_THAT(c.runs, ElementsAre(kWatchedOn));
  }
}

TEST(WatchOn, AGpuDecidesWhatNeedsOne) {
  VariedCase c{report_of(Outcome::crashed, {kWarning}),
               {{kWatchedOn, report_of(Outcome::not_emulated)}}};
  c.vary(true);
  EXPECT_EQ(c.report.outcome, Outcome::not_emulated);
  EXPECT_THAT(c.runs, ElementsAre(kWatchedOn));
}

TEST(WatchOn, AMistakeBehindAWarningDecides) {
  CaseReport behind = report_of(Outcome::mistake_found, {kDecider});
  behind.reason = text_of(kDecider);
  VariedCase c{report_of(Outcome::crashed, {kWarning}), {{kWatchedOn, behind}}};
  c.vary(true);
  EXPECT_EQ(c.report.outcome, Outcome::mistake_found);
  EXPECT_EQ(c.report.reason, "a.cu:7: Odd.");
  EXPECT_EQ(c.report.findings.size(), 2U);
  EXPECT_THAT(c.runs, ElementsAre(kWatchedOn));
}

TEST(WatchOn, ARightRunPassesAWrongVariationDoesNot) {
  VariedCase c{report_of(Outcome::crashed, {kWarning}),
               {{kOtherMemory, report_of(Outcome::wrong_output)}}};
  c.vary(true);
  EXPECT_EQ(c.report.outcome, Outcome::mistake_found);
}

}  // namespace
}  // namespace opgrade
