/// Why a case, a build or points came out as they did, as a value.
/// grader/report/words/reason_words.hpp makes the sentence and the next action of it.
///
/// What happened is one alternative of a variant, with the values that belong to it. `id` is the
/// alternative's name in report.json and never changes.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "grader/base/core/finding.hpp"
#include "grader/base/core/reasons/build.hpp"
#include "grader/base/core/reasons/finding_decides.hpp"
#include "grader/base/core/reasons/grade.hpp"
#include "grader/base/core/reasons/no_device.hpp"
#include "grader/base/core/reasons/no_time.hpp"
#include "grader/base/core/reasons/output.hpp"
#include "grader/base/core/reasons/process_end.hpp"

namespace opgrade {
namespace why {

/// A sentence that opgrade did not make from a value: from an Error, a refusal or an earlier
/// opgrade.
struct Sentence {
  std::string words;
  std::string hint;  ///< the next action
  OPGRADE_REASON(Sentence, told);
};

#undef OPGRADE_REASON

using Any = std::variant<
    Sentence, StoppedAtLimit, ThreadsRefused, DoesNotLoad, Threw, DeviceError, BrokeOff,
    ClosedChannel, Crashed, Exited, FindingsMissing, Right, HiddenOnGpu, ToFix, WrongElements,
    WrongOtherwise, WrongAccuracy, NeedsGpu, Mistake, WrongWhenVaried, FailedWhenWatched,
    SanitizerMistake, OutsideLaunches, Throttled, LateOutput, BelowEmptyCall, Untimed, NoDevice,
    AfterTimeOut, SmallerTimedOut, SimilarTimedOut, SmallerFailed, Built, BuiltWithOthers,
    OtherEncoding, OddCharacter, NotEmulated, CompilerLimit, MissingFunctions, UndefinedNames,
    MissingHeaders, LeftOutHeader, CompilerError, PreprocessorError, SourceTooLong,
    ConstructMissing, ConstructForbidden, HidesCode, RightOutput, EmulatedOnly, NotRight,
    NotCounted, NoKernel, CountKept, CountBroken, CountUnaccepted, CountNotRight, RunsAtDeadline,
    NotFast, NoEmulatedTime, NoTime, TooFewCores, NoReferenceTime, NoWork, OpTime, OpTimesTogether,
    OpTimeSlope, SlopeNotCounted, ByStaff, RightCases, NeedsGroup, ConstructKept, NothingRan,
    AllRight, CountedRight, HiddenCase>;

}  // namespace why

struct Reason {
  Reason() = default;
  template <class Why>
  requires std::constructible_from<why::Any, Why> Reason(Why happened)
      : what(std::move(happened)) {}

  why::Any what;
  std::string about;                   ///< the case or the stage that a grade's reason is about
  std::string shape;                   ///< sizes of the problem that was being computed
  std::optional<Finding> explanation;  ///< the likely cause: the next action
  std::int64_t leaked_bytes = 0;       ///< by each call, so each call had a process of its own
  bool leaked_on_device = false;

  bool operator==(const Reason&) const = default;

  template <class Why>
  const Why* get_if() const {
    return std::get_if<Why>(&what);
  }
  template <class Why>
  bool is() const {
    return std::holds_alternative<Why>(what);
  }
  bool empty() const {
    const auto* const sentence = get_if<why::Sentence>();
    return sentence != nullptr && sentence->words.empty();
  }
};

inline bool why::PassRemarks::operator==(const PassRemarks&) const = default;
inline bool why::WrongWhenVaried::operator==(const WrongWhenVaried&) const = default;
inline bool why::FailedWhenWatched::operator==(const FailedWhenWatched&) const = default;
inline bool why::CountNotRight::operator==(const CountNotRight&) const = default;

inline Reason text_reason(std::string words, std::string hint = {}) {
  return why::Sentence{std::move(words), std::move(hint)};
}

/// How the process ended, if the reason has that; else null.
inline why::Ending* ending_of(Reason& reason) {
  return std::visit(
      [](auto& one) -> why::Ending* {
        if constexpr (requires { one.ending; }) return &one.ending;
        return nullptr;
      },
      reason.what);
}
inline const why::Ending* ending_of(const Reason& reason) {
  return ending_of(const_cast<Reason&>(reason));
}

/// The finding that decided, or that came before the end of the process; null if there is none.
inline const Finding* finding_of(const Reason& reason) {
  if (const auto* const ending = ending_of(reason))
    return ending->finding ? &*ending->finding : nullptr;
  return std::visit(
      [](const auto& one) -> const Finding* {
        if constexpr (requires { one.finding; }) return &one.finding;
        return nullptr;
      },
      reason.what);
}

/// The computation that a reason is about; empty if it is about no single one.
inline std::string_view layer_of(const Reason& reason) {
  return std::visit(
      [](const auto& one) -> std::string_view {
        if constexpr (requires { one.layer; }) return one.layer;
        if constexpr (requires { one.count.layer; }) return one.count.layer;
        return {};
      },
      reason.what);
}

/// The error of a CUDA call that was no launch and did not stop the submission; empty if there is
/// none.
inline std::string_view failed_call_of(const Reason& reason) {
  return std::visit(
      [](const auto& one) -> std::string_view {
        if constexpr (requires { one.failed_call; }) return one.failed_call;
        if constexpr (requires { one.remarks; }) return one.remarks.failed_call;
        return {};
      },
      reason.what);
}

}  // namespace opgrade
