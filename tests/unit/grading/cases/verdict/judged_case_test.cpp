// The outcome of a case, rule by rule.
#include "grader/grading/cases/verdict/judged_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "grader/report/words/reason_words.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Finding kWarning{.kind = "out_of_bounds", .file = "a.cu", .line = 3, .message = "Behind."};
const Finding kRace{.kind = "data_race", .file = "a.cu", .line = 5, .message = "Raced."};
const Finding kDecider{.kind = "misaligned", .file = "a.cu", .line = 7, .message = "Odd."};
const Finding kNote{.kind = "unset_shared_read", .file = "a.cu", .line = 8, .message = "Unset."};
const Finding kUntidy{.kind = "leak", .file = "a.cu", .line = 9, .message = "Left."};
const Finding kMissing{.kind = "not_emulated", .file = "a.cu", .line = 2, .message = "Lacks it."};

CallReport call_of(bool right) {
  CallReport call;
  call.layer = "conv1";
  call.timed = true;
  call.check = {.checked = 10, .mismatches = right ? 0 : 4, .first = right ? -1 : 0, .hint = ""};
  if (!right) call.check.hint = "the pattern";
  return call;
}

JudgedCase right_case() {
  JudgedCase c;
  c.batch = 100;
  c.calls = {call_of(true), call_of(true)};
  c.evidence.needs_times = true;
  c.evidence.memory_limit = 1 << 30;
  return c;
}

JudgedCase with_findings(std::vector<Finding> findings, JudgedCase c = right_case()) {
  c.findings = std::move(findings);
  return c;
}

const why::Crashed kCrash{.ending = {.step = why::Step::call, .operation = "convolution"},
                          .signal = SIGBUS};
constexpr const char* kCrashed = "crashed in the convolution call: SIGBUS (Bus error)";
constexpr const char* kCrashHint = "It touched an invalid address; check sizes and alignment.";

JudgedCase ended(Outcome outcome, std::vector<Finding> findings = {}) {
  JudgedCase c = with_findings(std::move(findings));
  c.evidence.failure = {outcome, kCrash};
  return c;
}

// What brings each outcome about, best hidden first: of two, the later one decides.
struct Evidence {
  const char* name;
  Outcome outcome;
  std::function<void(JudgedCase&)> add;
};

const std::vector<Evidence> kEvidence{
    {"no time", Outcome::not_credible, [](JudgedCase& c) { c.calls[1].timed = false; }},
    {"forbidden work", Outcome::refused,
     [](JudgedCase& c) { c.evidence.forbidden_work = text_reason("3 launches"); }},
    {"sanitizer", Outcome::mistake_found,
     [](JudgedCase& c) { c.evidence.of_sanitizer = kDecider; }},
    {"no end when watched", Outcome::exited_early,
     [](JudgedCase& c) {
       c.evidence.failed_when_watched = {Outcome::exited_early, text_reason("it left")};
     }},
    {"wrong accuracy", Outcome::wrong_accuracy,
     [](JudgedCase& c) {
       c.accuracy = 0.85;
       c.required_accuracy = 0.86;
     }},
    {"mistake", Outcome::mistake_found, [](JudgedCase& c) { c.findings.push_back(kDecider); }},
    {"no findings", Outcome::exited_early,
     [](JudgedCase& c) { c.evidence.findings_missing = true; }},
    {"failure", Outcome::out_of_memory,
     [](JudgedCase& c) {
       c.evidence.failure = {Outcome::out_of_memory, kCrash};
     }},
    {"wrong output", Outcome::wrong_output, [](JudgedCase& c) { c.calls.back() = call_of(false); }},
};

TEST(Verdict, ARightCasePasses) {
  const CaseVerdict verdict = case_verdict(right_case());
  EXPECT_EQ(verdict.outcome, Outcome::passed);
  EXPECT_EQ(report::sentence_of(verdict.reason), "every output element is right");
  EXPECT_EQ(report::hint_of(verdict.reason), "");
}

TEST(Verdict, EachEvidenceHasItsOutcome) {
  for (const auto& [name, outcome, add] : kEvidence) {
    JudgedCase c = right_case();
    add(c);
    EXPECT_EQ(case_verdict(c).outcome, outcome) << name;
  }
}

TEST(Verdict, OfTwoTheWorseDecides) {
  for (std::size_t worse = 1; worse < kEvidence.size(); ++worse) {
    for (std::size_t other = 0; other < worse; ++other) {
      JudgedCase c = right_case();
      kEvidence[other].add(c);
      kEvidence[worse].add(c);
      EXPECT_EQ(case_verdict(c).outcome, kEvidence[worse].outcome)
          << kEvidence[worse].name << ", " << kEvidence[other].name;
    }
  }
}

TEST(FailedWhenWatched, AWrongOutputIsAMistakeOfARightCase) {
  JudgedCase c = right_case();
  c.evidence.failed_when_watched = {Outcome::wrong_output, text_reason("3 elements are wrong")};
  const CaseVerdict verdict = case_verdict(c);
  EXPECT_EQ(verdict.outcome, Outcome::mistake_found);
  EXPECT_EQ(report::sentence_of(verdict.reason),
            "a run that watches each access failed: 3 elements are wrong");
}

TEST(NeedsAGpu, UnlessAllIsRight) {
  EXPECT_EQ(case_verdict(with_findings({kMissing})).outcome, Outcome::passed);
  JudgedCase failed = ended(Outcome::crashed, {kWarning, kMissing});
  failed.evidence.problem = "B=1";
  EXPECT_EQ(case_verdict(failed).outcome, Outcome::not_emulated);
  EXPECT_EQ(report::sentence_of(case_verdict(failed).reason), "a.cu:2: Lacks it; shape: B=1");
  JudgedCase wrong = with_findings({kMissing});
  wrong.calls[1] = call_of(false);
  EXPECT_EQ(case_verdict(wrong).outcome, Outcome::not_emulated);
  JudgedCase hidden = with_findings({kMissing});
  hidden.evidence.findings_missing = true;
  EXPECT_EQ(case_verdict(hidden).outcome, Outcome::not_emulated);
}

TEST(WrongOutput, NamesTheFirstAndALineOfTheSource) {
  JudgedCase c = right_case();
  c.calls[1] = call_of(false);
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason), "conv1: 4 of 10 elements are wrong");
  EXPECT_EQ(report::hint_of(case_verdict(c).reason), "the pattern");
  c.evidence.problem = "B=1";
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason), "conv1: 4 of 10 elements are wrong")
      << "the check has its place";
  for (const Finding& finding : {kDecider, kWarning, kNote}) {
    c.findings = {kUntidy, finding};
    EXPECT_THAT(report::hint_of(case_verdict(c).reason), StartsWith("a.cu:")) << finding.kind;
  }
  c.findings = {kUntidy};
  EXPECT_EQ(report::hint_of(case_verdict(c).reason), "the pattern") << "a leak explains nothing";
  c.calls[1].check.first = -1;
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason), "conv1: the pattern");
  EXPECT_EQ(report::hint_of(case_verdict(c).reason), "");
}

TEST(WrongOutput, NotWhereNothingWasChecked) {
  JudgedCase c = ended(Outcome::crashed);
  c.calls.push_back({});
  EXPECT_EQ(case_verdict(c).outcome, Outcome::crashed);
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason), kCrashed);
}

TEST(EndedEarly, TellsWhatTheProcessDid) {
  JudgedCase c = ended(Outcome::crashed);
  c.evidence.problem = "B=1";
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason),
            std::string(kCrashed) + ", after a call whose output was right; shape: B=1");
  EXPECT_EQ(report::hint_of(case_verdict(c).reason), kCrashHint);
  c.calls.clear();
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason), std::string(kCrashed) + "; shape: B=1");
}

TEST(EndedEarly, ACrashNamesTheSanitizedRunWhereThereIsOne) {
  JudgedCase c = ended(Outcome::crashed);
  c.usage.signal = SIGSEGV;
  EXPECT_EQ(report::hint_of(case_verdict(c).reason), kCrashHint);
  c.evidence.sanitized_check = true;
  EXPECT_THAT(report::hint_of(case_verdict(c).reason), HasSubstr("address sanitizer"));
  c.usage.signal = SIGFPE;
  EXPECT_EQ(report::hint_of(case_verdict(c).reason), kCrashHint);
}

TEST(EndedEarly, ACrashWithAllMemoryUsedSaysSo) {
  JudgedCase c = ended(Outcome::crashed);
  c.evidence.memory_limit = 80 << 20;
  c.usage.signal = SIGSEGV;
  c.usage.peak_memory_bytes = 70 << 20;
  EXPECT_THAT(report::hint_of(case_verdict(c).reason), StartsWith("It held "));
  EXPECT_THAT(report::hint_of(case_verdict(c).reason),
              testing::EndsWith(std::string(" ") + kCrashHint));
  c.usage.peak_memory_bytes = 60 << 20;
  EXPECT_EQ(report::hint_of(case_verdict(c).reason), kCrashHint);
  c.usage.peak_memory_bytes = 70 << 20;
  c.usage.signal = 0;
  EXPECT_EQ(report::hint_of(case_verdict(c).reason), kCrashHint);
}

TEST(EndedEarly, AMistakeIsItsReason) {
  for (const Outcome outcome : {Outcome::crashed, Outcome::exited_early}) {
    const CaseVerdict verdict = case_verdict(ended(outcome, {kWarning, kDecider}));
    EXPECT_THAT(report::sentence_of(verdict.reason),
                StartsWith(std::string("a.cu:7: Odd. Then: ") + kCrashed));
    EXPECT_EQ(report::hint_of(verdict.reason), "a.cu:7: Odd.");
  }
  EXPECT_THAT(report::sentence_of(case_verdict(ended(Outcome::out_of_time, {kDecider})).reason),
              StartsWith(kCrashed));
  const CaseVerdict noted = case_verdict(ended(Outcome::crashed, {kNote}));
  EXPECT_THAT(report::sentence_of(noted.reason), StartsWith(kCrashed));
  EXPECT_EQ(report::hint_of(noted.reason), "a.cu:8: Unset.");
}

TEST(Mistake, DecidesOrWarnsByItsKindAndTheConfig) {
  JudgedCase c = with_findings({kWarning, kDecider});
  c.evidence.problem = "B=1";
  EXPECT_EQ(case_verdict(c).outcome, Outcome::mistake_found);
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason), "a.cu:7: Odd; shape: B=1");
  EXPECT_EQ(report::hint_of(case_verdict(c).reason),
            "The outputs of this run are right by luck. A GPU stops the kernel there.");
  c.evidence.found_in = {{kWarning, "B=3"}, {kDecider, "B=2"}, {kDecider, "B=1"}};
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason), "a.cu:7: Odd; shape: B=2")
      << "where the finding came first";

  c.findings = {kNote, kWarning};
  EXPECT_EQ(case_verdict(c).outcome, Outcome::passed);
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason),
            "right here; a GPU may hide this: fix a.cu:3");
  EXPECT_THAT(report::hint_of(case_verdict(c).reason),
              StartsWith("The outputs of this run are right by luck. A GPU may"));
  c.evidence.findings = FindingsRule::decide;
  EXPECT_EQ(case_verdict(c).outcome, Outcome::mistake_found);
  EXPECT_THAT(report::hint_of(case_verdict(c).reason),
              HasSubstr("`findings: decide`, which takes the points"));

  c.findings = {kNote, kUntidy};
  EXPECT_EQ(case_verdict(c).outcome, Outcome::passed);
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason), "every output element is right");
}

TEST(Mistake, OfTheLayersThatWereWatchedApart) {
  JudgedCase c = with_findings({kWarning, kDecider});
  c.evidence.own_findings = 1;
  c.evidence.watched_images = 3;
  EXPECT_EQ(case_verdict(c).outcome, Outcome::mistake_found);
  EXPECT_THAT(report::hint_of(case_verdict(c).reason),
              HasSubstr("on 3 images of the network's own layers"));
  c.findings = {kWarning, kRace};
  EXPECT_EQ(case_verdict(c).outcome, Outcome::passed);
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason),
            "right here; a GPU may hide this: fix a.cu:5");
  EXPECT_THAT(report::hint_of(case_verdict(c).reason),
              HasSubstr("on 3 images of the network's own layers"));
  // They say nothing of why the case itself failed.
  c.calls[1] = call_of(false);
  c.evidence.own_findings = 0;
  EXPECT_EQ(report::hint_of(case_verdict(c).reason), "the pattern");
}

TEST(WrongAccuracy, CountsImages) {
  JudgedCase c = right_case();
  c.accuracy = 0.86;
  EXPECT_EQ(case_verdict(c).outcome, Outcome::passed) << "none is required";
  c.required_accuracy = 0.8601;
  EXPECT_EQ(case_verdict(c).outcome, Outcome::passed) << "of 100 images";
  c.required_accuracy = 0.87;
  EXPECT_EQ(report::sentence_of(case_verdict(c).reason), "accuracy 0.86, but 0.87 is required");
  EXPECT_THAT(report::hint_of(case_verdict(c).reason), HasSubstr("tell the staff"));
  c.evidence.tolerance = 1e-2;
  EXPECT_THAT(report::hint_of(case_verdict(c).reason), HasSubstr("use more precision"));
}

constexpr auto kFilled = why::Variation::filled;
constexpr auto kReversed = why::Variation::reversed;

JudgedCase varied(std::vector<Finding> findings, VariedEnd end) {
  JudgedCase c = with_findings(std::move(findings));
  c.evidence.varied = {{}, std::move(end)};
  return c;
}

TEST(Varied, AWrongRunCostsThePoints) {
  for (const Outcome outcome : {Outcome::wrong_output, Outcome::wrong_accuracy, Outcome::crashed,
                                Outcome::exited_early, Outcome::mistake_found}) {
    const CaseVerdict verdict =
        case_verdict(varied({kWarning}, {kFilled, outcome, text_reason("the reason")}));
    EXPECT_EQ(verdict.outcome, Outcome::mistake_found);
    EXPECT_EQ(report::sentence_of(verdict.reason), "a.cu:3: Behind.");
    EXPECT_EQ(report::hint_of(verdict.reason),
              "The outputs are right here, and wrong with other bytes in memory that "
              "nothing wrote: the reason.");
  }
}

TEST(Varied, TheFindingThatExplainsTheRunIsNamed) {
  for (const auto& findings :
       {std::vector{kNote, kWarning, kRace}, std::vector{kRace, kNote, kWarning}}) {
    EXPECT_EQ(report::sentence_of(
                  case_verdict(varied(findings, {kReversed, Outcome::wrong_output})).reason),
              "a.cu:5: Raced.");
    EXPECT_EQ(report::sentence_of(
                  case_verdict(varied(findings, {kFilled, Outcome::wrong_output})).reason),
              "a.cu:3: Behind.");
  }
  EXPECT_EQ(report::sentence_of(
                case_verdict(varied({kNote, kRace}, {kFilled, Outcome::wrong_output})).reason),
            "a.cu:5: Raced.")
      << "a note explains nothing";
}

TEST(Varied, ASlowerRunIsNoWrongOutput) {
  for (const Outcome outcome : {Outcome::out_of_time, Outcome::out_of_memory, Outcome::over_limit})
    EXPECT_EQ(case_verdict(varied({kWarning}, {kFilled, outcome})).outcome, Outcome::passed);
}

TEST(Varied, AnUndecidedRunIsForAGpu) {
  const CaseVerdict verdict = case_verdict(
      varied({kWarning}, {kFilled, Outcome::not_emulated, text_reason("the reason", "a hint")}));
  EXPECT_EQ(verdict.outcome, Outcome::not_emulated);
  EXPECT_EQ(report::sentence_of(verdict.reason), "the reason");
  EXPECT_EQ(report::hint_of(verdict.reason), "a hint");
}

TEST(Times, ACaseNeedsOneOfEachCall) {
  JudgedCase c = right_case();
  c.calls[0].timed = false;
  EXPECT_EQ(case_verdict(c).outcome, Outcome::not_credible);
  c.evidence.needs_times = false;
  EXPECT_EQ(case_verdict(c).outcome, Outcome::passed);
  c.evidence.needs_times = true;
  c.evidence.abort_above = std::chrono::milliseconds(70);
  c.calls[0].too_slow = true;
  EXPECT_EQ(case_verdict(c).outcome, Outcome::passed);
  EXPECT_THAT(report::sentence_of(case_verdict(c).reason),
              HasSubstr("not timed, for its first warm-up took longer than "
                        "70 ms"));
}

TEST(Right, SaysWhatWasOdd) {
  JudgedCase c = right_case();
  c.evidence.stragglers = 2;
  EXPECT_THAT(report::sentence_of(case_verdict(c).reason),
              HasSubstr("; it left 2 processes behind"));
  EXPECT_THAT(report::hint_of(case_verdict(c).reason), StartsWith("They were ended."));
  c.evidence.earlier_failure = text_reason("a device error");
  EXPECT_THAT(report::sentence_of(case_verdict(c).reason),
              testing::EndsWith("used before: a device error"));
}

TEST(Leak, IsNamedWhateverTheOutcome) {
  for (JudgedCase c : {right_case(), ended(Outcome::crashed)}) {
    c.evidence.leaked = {70 << 20};
    EXPECT_THAT(report::sentence_of(case_verdict(c).reason),
                HasSubstr("; each call leaves 70.0 MiB of memory behind"));
    EXPECT_THAT(report::hint_of(case_verdict(c).reason),
                testing::EndsWith("Free in each call what it allocates."));
  }
}

TEST(Judge, TheReportHasTheVerdict) {
  JudgedCase c = ended(Outcome::exited_early, {kDecider});
  judge(c);
  const CaseVerdict verdict = case_verdict(c);
  EXPECT_EQ(c.outcome, verdict.outcome);
  EXPECT_EQ(c.reason, verdict.reason);
}

TEST(FailedCall, IsANoteBesideRightOutputs) {
  JudgedCase c = right_case();
  c.evidence.failed_call = "invalid device ordinal";
  const CaseVerdict verdict = case_verdict(c);
  EXPECT_EQ(verdict.outcome, Outcome::passed);
  EXPECT_THAT(report::sentence_of(verdict.reason),
              HasSubstr("a CUDA call returned an error: invalid device ordinal"));
  EXPECT_EQ(report::hint_of(verdict.reason), "Check every CUDA call's result.");
}

TEST(FailedCall, IsTheFirstHintBesideWrongOutputs) {
  JudgedCase c = right_case();
  c.calls[1] = call_of(false);
  c.evidence.failed_call = "invalid device symbol";
  const CaseVerdict verdict = case_verdict(c);
  EXPECT_EQ(verdict.outcome, Outcome::wrong_output);
  EXPECT_THAT(report::hint_of(verdict.reason),
              StartsWith("A CUDA call returned an error: invalid device symbol. Check every"));
  EXPECT_THAT(report::hint_of(verdict.reason), HasSubstr("the pattern"));
}

TEST(FailedCall, SavesNoOtherFailure) {
  for (const auto& evidence : kEvidence) {
    JudgedCase c = right_case();
    evidence.add(c);
    c.evidence.failed_call = "invalid argument";
    EXPECT_EQ(case_verdict(c).outcome, evidence.outcome) << evidence.name;
  }
}

TEST(DeviceError, NamesAnotherDeviceThanItsOwn) {
  for (const bool emulated : {false, true}) {
    JudgedCase c = right_case();
    c.evidence.emulated = emulated;
    c.evidence.failure = {Outcome::crashed,
                          why::DeviceError{.ending = {.words = "invalid argument"}}};
    const std::string hint = report::hint_of(case_verdict(c).reason);
    EXPECT_THAT(hint, StartsWith("Check every CUDA call's result"));
    EXPECT_EQ(hint.find("--device emulated") == hint.npos, emulated) << hint;
  }
}

}  // namespace
}  // namespace opgrade
