/// Why a case, a build or points came out as they did, as a value. grader/report/reason_words.hpp
/// makes the sentence and the next action of it.
///
/// What happened is one alternative of a variant, with the values that belong to it. `id` is the
/// alternative's name in report.json and never changes.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "grader/core/fields.hpp"
#include "grader/core/limit.hpp"
#include "grader/core/outcome.hpp"

namespace opgrade {

/// One finding of the emulated device, at the student's own line.
struct Finding {
  std::string kind;
  std::string kernel;
  std::string file;
  int line = 0;
  std::string message;
  bool operator==(const Finding&) const = default;
};

/// A file of a submission that was left out although its name fits.
struct LeftOutFile {
  std::string name;  ///< below its folder: "tile.h", "lib/tile.h"
  std::string why;   ///< "is a symbolic link"
  bool operator==(const LeftOutFile&) const = default;
};

struct Reason;

namespace why {

/// Declares an alternative's name in report.json, and its comparison.
#define OPGRADE_REASON(Type, name)              \
  static constexpr std::string_view id = #name; \
  bool operator==(const Type&) const = default

/// A sentence from outside: an Error's, a refusal's, or one of an earlier opgrade.
struct Sentence {
  std::string words;
  std::string hint;  ///< the next action
  OPGRADE_REASON(Sentence, told);
};

// How the submission's process ended, if the grader did not end it.

/// What a session was doing.
enum class Step { loading, start, prolog, call, epilog, end };

struct Ending {
  Step step = Step::loading;
  bool spoiled = false;              ///< the submission wrote into the grader's channel
  std::string operation{};           ///< what a call computes: "convolution"
  std::string words{};               ///< the last of the library, the driver or the submission
  bool no_memory = false;            ///< the words tell of an allocation that failed
  bool after_right_call = false;     ///< an earlier call of the process had a right output
  std::optional<Finding> finding{};  ///< of the emulated device, before the end: likely its cause
  bool sanitizer_helps = false;      ///< `opgrade check` has a sanitizer for this crash
  std::int64_t held_bytes = 0;       ///< if the process crashed with almost all memory used
  std::int64_t allowed_bytes = 0;    ///< its limit of memory; set with held_bytes
  bool operator==(const Ending&) const = default;
};

struct StoppedAtLimit {
  Ending ending;
  std::optional<Limit> limit{};
  double computed_s = 0;  ///< CPU time until the limit, on all cores
  double elapsed_s = 0;   ///< wall time until the limit
  OPGRADE_REASON(StoppedAtLimit, stopped_at_limit);
};
struct ThreadsRefused {
  Ending ending;
  std::optional<Limit> limit{};
  OPGRADE_REASON(ThreadsRefused, threads_refused);
};
struct DoesNotLoad {
  Ending ending;
  OPGRADE_REASON(DoesNotLoad, does_not_load);
};
struct Threw {
  Ending ending;
  OPGRADE_REASON(Threw, threw);
};
struct DeviceError {
  Ending ending;
  bool emulated = false;  ///< on the emulated device
  OPGRADE_REASON(DeviceError, device_error);
};
struct BrokeOff {
  Ending ending;
  OPGRADE_REASON(BrokeOff, broke_off);
};
struct ClosedChannel {
  Ending ending;
  OPGRADE_REASON(ClosedChannel, closed_channel);
};
struct Crashed {
  Ending ending;
  int signal = 0;
  std::string buffers{};  ///< the task's, if an invalid address is likely one of them: "x, k or y"
  OPGRADE_REASON(Crashed, crashed);
};
struct Exited {
  Ending ending;
  int exit_code = 0;
  bool printed = false;  ///< anything, before it exited
  OPGRADE_REASON(Exited, exited);
};
/// The channel of the emulated device's findings was closed.
struct FindingsMissing {
  OPGRADE_REASON(FindingsMissing, findings_missing);
};

// What the submission computed.

/// What a passed case says besides.
struct PassRemarks {
  int left_behind = 0;                  ///< processes
  bool unwatched_end = false;           ///< the run that checks accesses ended at its time limit
  std::int64_t slow_warm_up_ms = 0;     ///< the limit that the first warm-up passed: not timed
  std::string failed_call{};            ///< the error of a CUDA call that stopped nothing
  std::vector<Reason> earlier_failure;  ///< one at most, in a process that served other cases
  bool operator==(const PassRemarks&) const;
};

struct Right {
  PassRemarks remarks;
  OPGRADE_REASON(Right, right);
};
/// Right here, but the finding may show on a GPU.
struct HiddenOnGpu {
  PassRemarks remarks;
  Finding finding;
  int watched_images = 0;  ///< that showed the finding in a network's layers
  OPGRADE_REASON(HiddenOnGpu, hidden_on_gpu);
};
/// Right, but there is a finding to fix.
struct ToFix {
  Finding finding;
  OPGRADE_REASON(ToFix, to_fix);
};
struct WrongElements {
  std::string layer;
  std::int64_t count = 0;     ///< wrong elements
  std::int64_t of = 0;        ///< elements that were checked
  std::string pattern;        ///< what the wrong elements suggest
  std::string failed_call{};  ///< the error of a CUDA call that stopped nothing
  OPGRADE_REASON(WrongElements, wrong_elements);
};
/// The task's own check found no single wrong element.
struct WrongOtherwise {
  std::string layer;
  std::int64_t count = 0;
  std::int64_t of = 0;
  std::string words;          ///< the task's
  std::string failed_call{};  ///< the error of a CUDA call that stopped nothing
  OPGRADE_REASON(WrongOtherwise, wrong_otherwise);
};
struct WrongAccuracy {
  double accuracy = 0, required_accuracy = 0;
  bool wide_tolerance = false;  ///< the stage's tolerance is wider than usual
  OPGRADE_REASON(WrongAccuracy, wrong_accuracy);
};

// What a finding says.

struct NeedsGpu {
  Finding finding;
  OPGRADE_REASON(NeedsGpu, needs_gpu);
};
struct Mistake {
  Finding finding;
  int watched_images = 0;  ///< that showed the finding in a network's layers
  OPGRADE_REASON(Mistake, mistake);
};
/// How the emulated device ran once more.
enum class Variation { none, packed, filled, reversed };
struct WrongWhenVaried {
  Finding finding;
  Variation variation = Variation::none;
  std::vector<Reason> rerun;  ///< exactly one: how the varied run ended
  bool operator==(const WrongWhenVaried&) const;
  static constexpr std::string_view id = "wrong_when_varied";
};
/// Right if nothing watches, but not in a run that watches each access.
struct FailedWhenWatched {
  std::vector<Reason> rerun;  ///< exactly one: of that run, or of its build
  bool operator==(const FailedWhenWatched&) const;
  static constexpr std::string_view id = "failed_when_watched";
};
struct SanitizerMistake {
  Finding finding;
  OPGRADE_REASON(SanitizerMistake, sanitizer_mistake);
};

// Why a right case is refused or has no time.

struct OutsideLaunches {
  std::int64_t count = 0;
  double ms = 0;  ///< of the launches
  std::string operation;
  OPGRADE_REASON(OutsideLaunches, outside_launches);
};
struct Throttled {
  std::string layer;
  std::vector<std::string> causes;
  OPGRADE_REASON(Throttled, throttled);
};
struct LateOutput {
  std::string layer;
  std::int64_t count = 0;  ///< calls
  OPGRADE_REASON(LateOutput, late_output);
};
struct BelowEmptyCall {
  std::string layer;
  OPGRADE_REASON(BelowEmptyCall, below_empty_call);
};
struct Untimed {
  OPGRADE_REASON(Untimed, untimed);
};

// Why a case was skipped.

struct AfterTimeOut {
  std::string case_id;  ///< the case that ran out of time
  OPGRADE_REASON(AfterTimeOut, after_time_out);
};
struct SmallerTimedOut {
  OPGRADE_REASON(SmallerTimedOut, smaller_timed_out);
};
struct SimilarTimedOut {
  OPGRADE_REASON(SimilarTimedOut, similar_timed_out);
};
struct SmallerFailed {
  OPGRADE_REASON(SmallerFailed, smaller_failed);
};

// Of a build.

struct Built {
  OPGRADE_REASON(Built, built);
};
struct BuiltWithOthers {
  std::vector<std::string> sources;  ///< next to the stage's own
  OPGRADE_REASON(BuiltWithOthers, built_with_others);
};
struct OtherEncoding {
  std::string file;
  std::string encoding;  ///< "UTF-16"
  OPGRADE_REASON(OtherEncoding, other_encoding);
};
/// A character that an editor does not show, or shows as another one.
struct OddCharacter {
  Finding place;  ///< its message is the column
  std::string character;
  std::string instead;  ///< what to write; empty: nothing
  OPGRADE_REASON(OddCharacter, odd_character);
};
struct NotEmulated {
  std::string place;    ///< "new-forward.cu:3", or empty
  std::string feature;  ///< "Thrust (thrust/device_vector.h)"
  OPGRADE_REASON(NotEmulated, not_emulated);
};
struct CompilerLimit {
  std::optional<Limit> limit{};
  OPGRADE_REASON(CompilerLimit, compiler_limit);
};
struct MissingFunctions {
  std::vector<std::string> functions;
  std::string expected;                  ///< signature of the interface
  std::optional<Finding> declaration{};  ///< of the first one, with other parameters
  OPGRADE_REASON(MissingFunctions, missing_functions);
};
struct UndefinedNames {
  std::vector<std::string> undefined;
  std::vector<std::string> sources;  ///< that were compiled
  std::vector<LeftOutFile> left_out;
  std::vector<std::string> useless{};  ///< sources next to them that did not help
  std::vector<std::string> refused{};  ///< those that do not compile
  OPGRADE_REASON(UndefinedNames, undefined_names);
};
struct MissingHeaders {
  std::vector<std::string> headers;
  std::string folder;  ///< of the taken files in the submission, "." for its own
  OPGRADE_REASON(MissingHeaders, missing_headers);
};
struct LeftOutHeader {
  LeftOutFile header;
  OPGRADE_REASON(LeftOutHeader, left_out_header);
};
struct CompilerError {
  std::string removed_name{};  ///< that CUDA has no more; or empty
  std::string successor{};     ///< of that name
  OPGRADE_REASON(CompilerError, compiler_error);
};
/// Of the preprocessor by itself, for the rules on the code.
struct PreprocessorError {
  OPGRADE_REASON(PreprocessorError, preprocessor_error);
};
struct SourceTooLong {
  std::int64_t most_tokens = 0;  ///< that are read for the rules on the code
  OPGRADE_REASON(SourceTooLong, source_too_long);
};
struct ConstructMissing {
  std::string construct;
  std::vector<std::string> sources;  ///< that lack it
  OPGRADE_REASON(ConstructMissing, construct_missing);
};
struct ConstructForbidden {
  std::string construct;
  Finding place;
  OPGRADE_REASON(ConstructForbidden, construct_forbidden);
};

/// The sources take code out of the sight of the runs that look for mistakes.
struct HidesCode {
  std::string words;  ///< that do so
  Finding place;
  OPGRADE_REASON(HidesCode, hides_code);
};

// Of points.

struct RightOutput {
  OPGRADE_REASON(RightOutput, right_output);
};
struct EmulatedOnly {
  OPGRADE_REASON(EmulatedOnly, emulated_only);
};
struct NotRight {
  std::optional<Outcome> outcome;  ///< which gives no points
  OPGRADE_REASON(NotRight, not_right);
};
struct NotCounted {
  std::string problem;
  OPGRADE_REASON(NotCounted, not_counted);
};
struct NoKernel {
  std::string layer;  ///< in whose call no kernel ran
  OPGRADE_REASON(NoKernel, no_kernel);
};
/// A count of the layer that is nearest to the bound, or furthest beyond.
struct Count {
  std::string name;  ///< core/counts.hpp
  std::string layer{};
  double counted = 0, bound = 0;
  bool at_least = false;  ///< the bound is a lower one
  bool of_ideal = false;  ///< both are multiples of the ideal count
  bool operator==(const Count&) const = default;
};
struct CountKept {
  Count count;
  OPGRADE_REASON(CountKept, count_kept);
};
struct CountBroken {
  Count count;
  OPGRADE_REASON(CountBroken, count_broken);
};
/// Kept, but the config accepts no emulated results.
struct CountUnaccepted {
  Count count;
  OPGRADE_REASON(CountUnaccepted, count_unaccepted);
};
struct CountNotRight {
  std::vector<Reason> rerun;  ///< exactly one: of the run that counts
  bool operator==(const CountNotRight&) const;
  static constexpr std::string_view id = "count_not_right";
};
struct NotFast {
  std::optional<Outcome> outcome;  ///< which gives no points for speed
  OPGRADE_REASON(NotFast, not_fast);
};
struct NoEmulatedTime {
  OPGRADE_REASON(NoEmulatedTime, no_emulated_time);
};
struct NoTime {
  OPGRADE_REASON(NoTime, no_time);
};
struct NoReferenceTime {
  OPGRADE_REASON(NoReferenceTime, no_reference_time);
};
struct OpTime {
  double ms = 0;  ///< the sum of Op Times
  double full_ms = 0, zero_ms = 0;
  std::optional<double> reference_ms{};
  OPGRADE_REASON(OpTime, op_time);
};
struct ByStaff {
  OPGRADE_REASON(ByStaff, by_staff);
};
struct RightCases {
  std::int64_t count = 0, of = 0;  ///< cases of a group
  OPGRADE_REASON(RightCases, right_cases);
};
struct NeedsGroup {
  std::string group;
  std::string case_id;  ///< the group's first case that is not right
  OPGRADE_REASON(NeedsGroup, needs_group);
};
struct ConstructKept {
  OPGRADE_REASON(ConstructKept, construct_kept);
};

// Of a grade.

struct NothingRan {
  OPGRADE_REASON(NothingRan, nothing_ran);
};
struct AllRight {
  OPGRADE_REASON(AllRight, all_right);
};
struct CountedRight {
  OPGRADE_REASON(CountedRight, counted_right);
};
struct HiddenCase {
  std::optional<Outcome> outcome;
  OPGRADE_REASON(HiddenCase, hidden_case);
};

// Notes of a grade.

/// The toolkit's compute-sanitizer ran, or why it did not; what it found is a case's findings.
struct ComputeSanitizer {
  std::string words;
  OPGRADE_REASON(ComputeSanitizer, compute_sanitizer);
};
/// The emulated device did not look for findings in a case of a GPU.
struct FindingsNotSought {
  std::vector<Reason> rerun;  ///< exactly one: why
  bool begun = false;         ///< only the end of the emulated run was not watched
  bool operator==(const FindingsNotSought&) const;
  static constexpr std::string_view id = "findings_not_sought";
};
/// Submissions of an assignment with the same files are graded once.
struct SameFiles {
  std::string made;  ///< UTC, ISO 8601: when their one grade was made
  OPGRADE_REASON(SameFiles, same_files);
};

#undef OPGRADE_REASON

using Any = std::variant<
    Sentence, StoppedAtLimit, ThreadsRefused, DoesNotLoad, Threw, DeviceError, BrokeOff,
    ClosedChannel, Crashed, Exited, FindingsMissing, Right, HiddenOnGpu, ToFix, WrongElements,
    WrongOtherwise, WrongAccuracy, NeedsGpu, Mistake, WrongWhenVaried, FailedWhenWatched,
    SanitizerMistake, OutsideLaunches, Throttled, LateOutput, BelowEmptyCall, Untimed, AfterTimeOut,
    SmallerTimedOut, SimilarTimedOut, SmallerFailed, Built, BuiltWithOthers, OtherEncoding,
    OddCharacter, NotEmulated, CompilerLimit, MissingFunctions, UndefinedNames, MissingHeaders,
    LeftOutHeader, CompilerError, PreprocessorError, SourceTooLong, ConstructMissing,
    ConstructForbidden, HidesCode, RightOutput, EmulatedOnly, NotRight, NotCounted, NoKernel,
    CountKept, CountBroken, CountUnaccepted, CountNotRight, NotFast, NoEmulatedTime, NoTime,
    NoReferenceTime, OpTime, ByStaff, RightCases, NeedsGroup, ConstructKept, NothingRan, AllRight,
    CountedRight, HiddenCase, ComputeSanitizer, FindingsNotSought, SameFiles>;

inline constexpr std::array<std::string_view, 6> kStepNames{"loading", "start",  "prolog",
                                                            "call",    "epilog", "end"};
inline constexpr std::array<std::string_view, 4> kVariationNames{"none", "packed", "filled",
                                                                 "reversed"};
constexpr EnumNames enum_names(Step) { return {"a step", kStepNames}; }
constexpr EnumNames enum_names(Variation) { return {"a variation", kVariationNames}; }

}  // namespace why

struct Reason {
  Reason() = default;
  template <class Why>
  requires std::constructible_from<why::Any, Why> Reason(Why happened)
      : what(std::move(happened)) {}

  why::Any what;
  std::string about;                   ///< the case or the stage that a grade's reason is about
  std::string shape;                   ///< of the problem under way
  std::optional<Finding> explanation;  ///< the likely cause: the next action
  std::int64_t leaked_bytes = 0;       ///< by each call, which so had a process of its own
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
inline bool why::FindingsNotSought::operator==(const FindingsNotSought&) const = default;

inline Reason text_reason(std::string words, std::string hint = {}) {
  return why::Sentence{std::move(words), std::move(hint)};
}

/// How the process ended, of a reason that says so; else null.
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

/// The finding that decided, or that came before the process ended; null without one.
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

/// The computation that a reason is about; empty if it is about none.
inline std::string_view layer_of(const Reason& reason) {
  return std::visit(
      [](const auto& one) -> std::string_view {
        if constexpr (requires { one.layer; }) return one.layer;
        if constexpr (requires { one.count.layer; }) return one.count.layer;
        return {};
      },
      reason.what);
}

/// The error of a CUDA call that was no launch and stopped nothing; empty without one.
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
