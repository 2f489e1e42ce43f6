// The points of a case with findings that warn, by the runs that follow.
#include "grader/grading/cases/rerun/varied_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "grader/base/core/finding_kind.hpp"
#include "grader/report/words/reason_words.hpp"

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

JudgedCase case_of(Outcome outcome, std::vector<Finding> findings = {}) {
  JudgedCase c;
  c.findings = std::move(findings);
  if (outcome == Outcome::wrong_output) {
    c.calls.resize(1);
    c.calls[0].check = {.checked = 1, .mismatches = 1, .first = 0};
  } else if (outcome != Outcome::passed && outcome != Outcome::mistake_found) {
    c.evidence.failure = {outcome, why::BrokeOff{{.words = "the reason"}}};
  }
  judge(c);
  return c;
}

/// The end of a run that is not judged again.
JudgedCase end_of(Outcome outcome) {
  JudgedCase c;
  c.outcome = outcome;
  c.reason = text_reason("the reason");
  return c;
}

/// A case that is run again; each run passes unless `ends` has another end.
struct VariedCase {
  JudgedCase c;
  std::map<std::string, JudgedCase> ends;
  std::vector<std::string> runs;

  void vary(bool watched) {
    opgrade::rerun_varied(c, watched, [&](const DeviceVariation& how) {
      runs.push_back((how.watched ? "watched " : "plain ") + how.environment);
      const auto end = ends.find(runs.back());
      return end != ends.end() ? end->second : case_of(Outcome::passed, {kWarning});
    });
  }
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Vary, RightInEveryRunPasses) {
  VariedCase watched{case_of(Outcome::passed, {kWarning, kRace})};
  watched.vary(true);
  EXPECT_EQ(watched.c.outcome, Outcome::passed);
  EXPECT_EQ(report::sentence_of(watched.c.reason), "right here; a GPU may hide this: fix a.cu:3");
  EXPECT_THAT(watched.runs, ElementsAre(kPacked, kOtherMemory, kReversed));
}

TEST(Vary, TheOrderMattersToRacesAlone) {
  VariedCase watched{case_of(Outcome::passed, {kWarning}),
                     {{kReversed, end_of(Outcome::wrong_output)}}};
  watched.vary(true);
  EXPECT_EQ(watched.c.outcome, Outcome::passed);
  EXPECT_THAT(watched.runs, ElementsAre(kPacked, kOtherMemory));
}

TEST(Vary, ThePlainBuildWasPackedAlready) {
  VariedCase plain{case_of(Outcome::passed, {kRace})};
  plain.vary(false);
  EXPECT_THAT(plain.runs, ElementsAre(kOtherMemory, kReversed));
}

TEST(Vary, OnlyWarningsAreVaried) {
  for (const auto& findings :
       std::vector<std::vector<Finding>>{{}, {kNote}, {kWarning, kDecider}, {kDecider}}) {
    for (const Outcome outcome : {Outcome::passed, Outcome::crashed}) {
      VariedCase one{case_of(outcome, findings)};
      one.vary(true);
      EXPECT_THAT(one.runs, IsEmpty());
    }
  }
}

TEST(Vary, NothingWhereFindingsDecide) {
  for (const Outcome outcome : {Outcome::passed, Outcome::crashed}) {
    VariedCase one{case_of(outcome, {kWarning})};
    one.c.evidence.findings = FindingsRule::decide;
    one.vary(true);
    EXPECT_EQ(one.c.outcome, outcome);
    EXPECT_THAT(one.runs, IsEmpty());
  }
}

TEST(Vary, TheFirstRunThatDecidesIsTheLast) {
  for (const auto& run : {kPacked, kOtherMemory, kReversed}) {
    VariedCase one{case_of(Outcome::passed, {kRace}), {{run, end_of(Outcome::wrong_output)}}};
    one.vary(true);
    EXPECT_EQ(one.c.outcome, Outcome::mistake_found) << run;
    EXPECT_EQ(one.runs.back(), run);
  }
}

TEST(Vary, TheHintNamesTheRun) {
  for (const auto& [run, words] :
       {std::pair(kPacked, "with allocations next to each other, as on a GPU"),
        std::pair(kOtherMemory, "with other bytes in memory that nothing wrote"),
        std::pair(kReversed, "with blocks and threads in reverse order")}) {
    VariedCase one{case_of(Outcome::passed, {kWarning, kRace}),
                   {{run, end_of(Outcome::wrong_output)}}};
    one.vary(true);
    EXPECT_EQ(report::sentence_of(one.c.reason),
              run == kReversed ? "a.cu:5: Raced." : "a.cu:3: Behind.");
    EXPECT_EQ(report::hint_of(one.c.reason),
              std::string("The outputs are right here, and wrong ") + words + ": the reason.");
  }
}

TEST(Vary, WhatFailedOtherwiseStaysFailed) {
  for (const Outcome outcome :
       {Outcome::out_of_time, Outcome::out_of_memory, Outcome::over_limit, Outcome::build_failed}) {
    VariedCase one{case_of(outcome, {kWarning})};
    one.vary(true);
    EXPECT_EQ(one.c.outcome, outcome);
    EXPECT_THAT(one.runs, IsEmpty());
  }
  // The plain build has no checks that could be to blame.
  VariedCase plain{case_of(Outcome::crashed, {kWarning})};
  plain.vary(false);
  EXPECT_EQ(plain.c.outcome, Outcome::crashed);
  EXPECT_THAT(plain.runs, IsEmpty());
}

struct FurtherOrder {
  void (*rerun)(JudgedCase&, const Rerun&);
  const char* run;
  const char* kind;  ///< that counts
};

const FurtherOrder kFurtherOrders[] = {
    {interleave, "plain OPGRADE_EMULATION_ORDER=interleaved", "lost_update"},
    {delay_work, "plain OPGRADE_EMULATION_ORDER=late", "missing_wait"}};

/// The end of a rerun in one of the orders, and what it found.
void expect_verdict(const FurtherOrder& order, Outcome end, const std::vector<Finding>& found,
                    const Finding& its) {
  JudgedCase c = case_of(Outcome::passed);
  std::vector<std::string> runs;
  order.rerun(c, [&](const DeviceVariation& how) {
    runs.push_back((how.watched ? "watched " : "plain ") + how.environment);
    return case_of(end, found);
  });
  EXPECT_THAT(runs, ElementsAre(order.run));
  const bool decides = end == Outcome::wrong_output && !found.empty() && found.back() == its;
  EXPECT_EQ(c.outcome, decides ? Outcome::mistake_found : Outcome::passed);
  EXPECT_EQ(c.findings, decides ? std::vector{its} : std::vector<Finding>{});
  if (decides) {
    EXPECT_EQ(report::sentence_of(c.reason), "a.cu:6: Its.");
  }
}

TEST(FurtherOrders, AWrongOutputWithItsFindingIsAMistake) {
  for (const FurtherOrder& order : kFurtherOrders) {
    const Finding its{.kind = order.kind, .file = "a.cu", .line = 6, .message = "Its."};
    const Finding other{.kind = its.kind == "lost_update" ? "missing_wait" : "lost_update"};
    for (const Outcome end :
         {Outcome::wrong_output, Outcome::passed, Outcome::crashed, Outcome::out_of_time})
      for (const auto& found :
           std::vector<std::vector<Finding>>{{}, {kNote}, {other}, {kNote, its}})
        expect_verdict(order, end, found, its);
  }
}

TEST(FurtherOrders, OnlyWhatIsRightRunsAgain) {
  for (const FurtherOrder& order : kFurtherOrders) {
    VariedCase one{case_of(Outcome::wrong_output)};
    order.rerun(one.c, [&](const DeviceVariation&) {
      ADD_FAILURE();
      return case_of(Outcome::passed);
    });
    EXPECT_EQ(one.c.outcome, Outcome::wrong_output);
  }
}

/// Ended by its checks' time, after `calls` right calls.
JudgedCase slow_watched(int calls, std::vector<Finding> findings = {}) {
  JudgedCase c;
  c.findings = std::move(findings);
  c.calls.resize(static_cast<std::size_t>(calls));
  for (CallReport& call : c.calls) call.check.checked = 1;
  c.evidence.failure = {Outcome::out_of_time, text_reason("the reason")};
  judge(c);
  return c;
}

const Finding kSpins{.kind = "endless_loop", .file = "a.cu", .line = 4, .message = "Spins."};

TEST(DecideWithoutChecks, APlainRunThatPassesPasses) {
  VariedCase one{slow_watched(3, {kSpins, kNote}), {{kPacked, case_of(Outcome::passed)}}};
  one.vary(true);
  EXPECT_EQ(one.c.outcome, Outcome::passed);
  EXPECT_EQ(report::sentence_of(one.c.reason),
            "every output element is right; accesses were not checked to its end");
  EXPECT_EQ(one.c.findings, std::vector{kNote});
  EXPECT_THAT(one.runs, ElementsAre(kPacked));
}

TEST(DecideWithoutChecks, WhatWasFoundBeforeIsVaried) {
  VariedCase one{slow_watched(1, {kRace}),
                 {{kPacked, case_of(Outcome::passed)}, {kReversed, end_of(Outcome::wrong_output)}}};
  one.vary(true);
  EXPECT_EQ(one.c.outcome, Outcome::mistake_found);
  VariedCase decided{slow_watched(1, {kDecider}), {{kPacked, case_of(Outcome::passed)}}};
  decided.vary(true);
  EXPECT_EQ(decided.c.outcome, Outcome::mistake_found);
  EXPECT_THAT(decided.runs, ElementsAre(kPacked));
}

TEST(DecideWithoutChecks, AWrongPlainRunIsWrong) {
  VariedCase one{slow_watched(1), {{kPacked, case_of(Outcome::wrong_output)}}};
  one.vary(true);
  EXPECT_EQ(one.c.outcome, Outcome::wrong_output);
}

TEST(DecideWithoutChecks, ALoopWithoutAnEndCostsOneLimit) {
  VariedCase one{slow_watched(0, {kSpins})};
  one.vary(true);
  EXPECT_EQ(one.c.outcome, Outcome::out_of_time);
  EXPECT_THAT(one.runs, IsEmpty());
}

TEST(DecideWithoutChecks, WhatIsTooSlowWithoutThemStaysSo) {
  VariedCase one{slow_watched(1, {kSpins}), {{kPacked, end_of(Outcome::out_of_time)}}};
  one.vary(true);
  EXPECT_EQ(one.c.outcome, Outcome::out_of_time);
  EXPECT_EQ(one.c.findings, std::vector{kSpins});
}

TEST(WatchOn, AWatchedRunThatItsChecksStoppedIsWatchedToItsEnd) {
  for (const Outcome outcome : {Outcome::crashed, Outcome::exited_early, Outcome::wrong_output}) {
    VariedCase one{case_of(outcome, {kWarning}),
                   {{kWatchedOn, case_of(Outcome::passed, {kRace, kWarning})}}};
    one.vary(true);
    EXPECT_EQ(one.c.outcome, Outcome::passed);
    EXPECT_EQ(report::sentence_of(one.c.reason), "right here; a GPU may hide this: fix a.cu:3");
    ASSERT_EQ(one.c.findings.size(), 2U) << "each once";
    EXPECT_EQ(one.c.findings[1].kind, "data_race");
    EXPECT_THAT(one.runs, ElementsAre(kWatchedOn, kPacked, kOtherMemory, kReversed));
  }
}

TEST(WatchOn, WithoutThatThePlainBuildDecides) {
  for (const Outcome outcome :
       {Outcome::crashed, Outcome::exited_early, Outcome::wrong_output, Outcome::out_of_time}) {
    JudgedCase on = case_of(outcome);
    on.reason = text_reason("of the second run");
    VariedCase wrong{case_of(Outcome::crashed, {kWarning}),
                     {{kWatchedOn, on}, {kPacked, case_of(Outcome::wrong_output)}}};
    wrong.vary(true);
    EXPECT_EQ(wrong.c.outcome, Outcome::crashed);
    EXPECT_EQ(report::sentence_of(wrong.c.reason),
              "a.cu:3: Behind. Then: the run broke off while it was loaded: the reason")
        << "the first run has said why";
    EXPECT_THAT(wrong.runs, ElementsAre(kWatchedOn, kPacked));

    VariedCase right{case_of(Outcome::wrong_output, {kWarning}), {{kWatchedOn, on}}};
    right.vary(true);
    EXPECT_EQ(right.c.outcome, Outcome::passed);
    EXPECT_EQ(report::sentence_of(right.c.reason),
              "right here; a GPU may hide this: fix a.cu:3; accesses were not checked to its end");
    EXPECT_THAT(right.runs, ElementsAre(kWatchedOn, kPacked, kOtherMemory));

    VariedCase varied{case_of(Outcome::wrong_output, {kWarning}),
                      {{kWatchedOn, on}, {kOtherMemory, end_of(Outcome::wrong_output)}}};
    varied.vary(true);
    EXPECT_EQ(varied.c.outcome, Outcome::mistake_found);
  }
}

TEST(WatchOn, AGpuDecidesWhatNeedsOne) {
  JudgedCase on = case_of(Outcome::crashed, {{.kind = "not_emulated", .message = "Lacks it."}});
  VariedCase one{case_of(Outcome::crashed, {kWarning}), {{kWatchedOn, on}}};
  one.vary(true);
  EXPECT_EQ(one.c.outcome, Outcome::not_emulated);
  EXPECT_THAT(one.runs, ElementsAre(kWatchedOn));
}

TEST(WatchOn, AMistakeBehindAWarningDecides) {
  VariedCase one{case_of(Outcome::crashed, {kWarning}),
                 {{kWatchedOn, case_of(Outcome::mistake_found, {kDecider})}}};
  one.vary(true);
  EXPECT_EQ(one.c.outcome, Outcome::mistake_found);
  EXPECT_EQ(report::sentence_of(one.c.reason), "a.cu:7: Odd.");
  EXPECT_EQ(one.c.findings.size(), 2U);
  EXPECT_THAT(one.runs, ElementsAre(kWatchedOn));
}

TEST(WatchOn, ARightRunPassesAWrongVariationDoesNot) {
  VariedCase one{case_of(Outcome::crashed, {kWarning}),
                 {{kOtherMemory, end_of(Outcome::wrong_output)}}};
  one.vary(true);
  EXPECT_EQ(one.c.outcome, Outcome::mistake_found);
}

}  // namespace
}  // namespace opgrade
