/// The fields of each reason in report.json: those of the alternative that `kind` names.
///
/// A key has the same meaning and type in every alternative, because the schema documents it once.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "grader/base/core/fields.hpp"
#include "grader/base/core/reason.hpp"

namespace opgrade {

void fields(auto& io, Is<Finding> auto& f) {
  io.record("finding", "A finding of the emulated device at the student's own line.");
  io("kind", f.kind, "Kind of finding.");
  io("kernel", f.kernel, "Kernel it happened in.");
  io("file", f.file, "The student's file.");
  io("line", f.line, "Line in that file, or 0.");
  io("message", f.message, "Outcome of the case.");
}

void fields(auto& io, Is<LeftOutFile> auto& f) {
  io.record("left_out", "A file that was handed in and left out.");
  io("name", f.name, "The file.");
  io("why", f.why, "Why.");
}

namespace why {

template <class T, class... Whys>
concept IsOneOf = (Is<T, Whys> || ...);

/// A limit is stored as its text.
void limit_field(auto& io, auto& limit) {
  std::string text = limit ? text_of(*limit) : "";
  io.rare("limit", text, "The limit that ended the run.");
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(limit)>>) limit = limit_of(text);
}

/// A list that has at most one text or finding.
void only_field(auto& io, const char* key, auto& value, const char* text) {
  using Value = std::remove_cvref_t<decltype(value)>;
  std::vector<Value> list;
  if (!(value == Value{})) list.push_back(value);
  io.rare(key, list, text);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(value)>>)
    if (!list.empty()) value = list.front();
}

inline constexpr const char* kWords = "Of the student, a compiler, a driver or the task.";
inline constexpr const char* kNames = "Functions, headers, sources or what slowed the GPU.";
inline constexpr const char* kCount = "Wrong elements, launches or calls.";
inline constexpr const char* kFinding = "What decided, or came before a crash.";
inline constexpr const char* kLayer = "The computation.";
inline constexpr const char* kAnother = "The reason of another run of the case.";
inline constexpr const char* kSources = "Sources that were compiled.";
inline constexpr const char* kOutcome = "The case's, where nothing else may be told.";
inline constexpr const char* kExpected = "The interface's signature, or what to write instead.";
inline constexpr const char* kCases = "The cases that the rule counts together.";
inline constexpr const char* kFullMs = "The longest sum with full points.";
inline constexpr const char* kZeroMs =
    "The shortest sum without points; none if every time has points.";
inline constexpr const char* kShareOfRule = "The share of the rule's points.";
inline constexpr const char* kBySpeed =
    "Points between both are linear in the speed, not in the time.";
inline constexpr const char* kMs = "Time of the launches, or the sum of Op Times.";

void fields(auto& io, Is<Sentence> auto& r) {
  io.rare("words", r.words, kWords);
  io.rare("hint", r.hint, "The next action, of a reason from outside.");
}

void ending_fields(auto& io, Is<Ending> auto& e) {
  io.rare("words", e.words, kWords);
  io.rare("step", e.step, "What the submission was doing.");
  io.rare("spoiled", e.spoiled, "It wrote into the grader's channel.");
  io.rare("operation", e.operation, "What a call computes.");
  io.rare("held_bytes", e.held_bytes, "Memory that it held when it crashed, if almost all.");
  io.rare("allowed_bytes", e.allowed_bytes, "Memory that it may have.");
  io.rare("no_memory", e.no_memory, "An allocation failed.");
  io.rare("sanitizer_helps", e.sanitizer_helps, "A self-check names the line.");
  io.rare("after_right_call", e.after_right_call, "After a call whose output was right.");
  io.rare("finding", e.finding, kFinding);
}

void fields(auto& io, Is<StoppedAtLimit> auto& r) {
  ending_fields(io, r.ending);
  limit_field(io, r.limit);
  io.rare("computed_s", r.computed_s, "CPU time until its limit.");
  io.rare("elapsed_s", r.elapsed_s, "Wall time until its limit.");
}
void fields(auto& io, Is<ThreadsRefused> auto& r) {
  ending_fields(io, r.ending);
  limit_field(io, r.limit);
}
void fields(auto& io, Is<DeviceError> auto& r) {
  ending_fields(io, r.ending);
  io.rare("emulated", r.emulated, "On the emulated device.");
}
void fields(auto& io, Is<Crashed> auto& r) {
  ending_fields(io, r.ending);
  io.rare("signal", r.signal, "The signal that ended the process.");
  io.rare("buffers", r.buffers, "Names of its buffers.");
}
void fields(auto& io, Is<Exited> auto& r) {
  ending_fields(io, r.ending);
  io.rare("exit_code", r.exit_code, "Its exit code.");
  io.rare("printed", r.printed, "It had printed something.");
}
template <IsOneOf<DoesNotLoad, Threw, BrokeOff, ClosedChannel> Why>
void fields(auto& io, Why& r) {
  ending_fields(io, r.ending);
}

void failed_call_field(auto& io, auto& failed_call) {
  io.rare("failed_call", failed_call, "The error of a CUDA call that stopped nothing.");
}

void remark_fields(auto& io, Is<PassRemarks> auto& r) {
  failed_call_field(io, r.failed_call);
  io.rare("another", r.earlier_failure, kAnother);
  io.rare("unwatched_end", r.unwatched_end, "Accesses were not checked to the end of the case.");
  io.rare("left_behind", r.left_behind, "Processes that it left behind.");
  io.rare("slow_warm_up_ms", r.slow_warm_up_ms, "The limit that its first warm-up passed.");
}
void fields(auto& io, Is<Right> auto& r) { remark_fields(io, r.remarks); }

void finding_field(auto& io, auto& finding) {
  std::optional<Finding> value = finding;
  io.rare("finding", value, kFinding);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(finding)>>)
    if (value) finding = *value;
}
void watched_fields(auto& io, auto& r) {
  finding_field(io, r.finding);
  io.rare("watched_images", r.watched_images, "Images on which a network's layers showed it.");
}
void fields(auto& io, Is<HiddenOnGpu> auto& r) {
  watched_fields(io, r);
  remark_fields(io, r.remarks);
}
void fields(auto& io, Is<Mistake> auto& r) { watched_fields(io, r); }
void fields(auto& io, Is<ToFix> auto& r) { finding_field(io, r.finding); }
void fields(auto& io, Is<NeedsGpu> auto& r) { finding_field(io, r.finding); }
void fields(auto& io, Is<SanitizerMistake> auto& r) { finding_field(io, r.finding); }
void fields(auto& io, Is<WrongWhenVaried> auto& r) {
  finding_field(io, r.finding);
  io.rare("variation", r.variation, "How the emulated device ran once more.");
  io.rare("another", r.rerun, kAnother);
}

void fields(auto& io, Is<FailedWhenWatched> auto& r) { io.rare("another", r.rerun, kAnother); }
void fields(auto& io, Is<CountNotRight> auto& r) { io.rare("another", r.rerun, kAnother); }

void element_fields(auto& io, auto& r) {
  failed_call_field(io, r.failed_call);
  io.rare("layer", r.layer, kLayer);
  io.rare("count", r.count, kCount);
  io.rare("of", r.of, "Elements that were checked.");
}
void fields(auto& io, Is<WrongElements> auto& r) {
  io.rare("words", r.pattern, kWords);
  element_fields(io, r);
}
void fields(auto& io, Is<WrongOtherwise> auto& r) {
  io.rare("words", r.words, kWords);
  element_fields(io, r);
}
void fields(auto& io, Is<WrongAccuracy> auto& r) {
  io.rare("accuracy", r.accuracy, "The accuracy.");
  io.rare("required_accuracy", r.required_accuracy, "The accuracy that the config asks for.");
  io.rare("wide_tolerance", r.wide_tolerance, "The stage's tolerance is wider than usual.");
}

void fields(auto& io, Is<OutsideLaunches> auto& r) {
  io.rare("operation", r.operation, "What a call computes.");
  io.rare("count", r.count, kCount);
  io.rare("ms", r.ms, kMs);
}
void fields(auto& io, Is<Throttled> auto& r) {
  io.rare("layer", r.layer, kLayer);
  io.rare("names", r.causes, kNames);
}
void fields(auto& io, Is<LateOutput> auto& r) {
  io.rare("layer", r.layer, kLayer);
  io.rare("count", r.count, kCount);
}
void fields(auto& io, Is<BelowEmptyCall> auto& r) { io.rare("layer", r.layer, kLayer); }
void fields(auto& io, Is<NoKernel> auto& r) { io.rare("layer", r.layer, kLayer); }

void no_device_fields(auto& io, Is<NoDevice> auto& r, const char* words) {
  io.rare("lack", r.lack, "What the machine lacks.");
  io.rare("can_emulate", r.can_emulate, "It has the emulated device, if the command asks for it.");
  io.rare("words", r.words, words);
}
void fields(auto& io, Is<NoDevice> auto& r) { no_device_fields(io, r, kWords); }

void fields(auto& io, Is<AfterTimeOut> auto& r) { io.rare("words", r.case_id, kWords); }

void fields(auto& io, Is<BuiltWithOthers> auto& r) { io.rare("names", r.sources, kNames); }
void fields(auto& io, Is<OtherEncoding> auto& r) {
  io.rare("words", r.encoding, kWords);
  only_field(io, "names", r.file, kNames);
}
void fields(auto& io, Is<OddCharacter> auto& r) {
  io.rare("words", r.character, kWords);
  finding_field(io, r.place);
  io.rare("expected", r.instead, kExpected);
}
void fields(auto& io, Is<CompilerError> auto& r) {
  only_field(io, "names", r.removed_name, kNames);
  io.rare("expected", r.successor, kExpected);
}
void fields(auto& io, Is<SourceTooLong> auto& r) { io.rare("count", r.most_tokens, kCount); }
void fields(auto& io, Is<HidesCode> auto& r) {
  io.rare("words", r.words, kWords);
  finding_field(io, r.place);
}
void fields(auto& io, Is<NotEmulated> auto& r) {
  io.rare("words", r.feature, kWords);
  only_field(io, "names", r.place, kNames);
}
void fields(auto& io, Is<CompilerLimit> auto& r) { limit_field(io, r.limit); }
void fields(auto& io, Is<MissingFunctions> auto& r) {
  io.rare("finding", r.declaration, kFinding);
  io.rare("names", r.functions, kNames);
  io.rare("expected", r.expected, kExpected);
}
void fields(auto& io, Is<UndefinedNames> auto& r) {
  io.rare("names", r.undefined, kNames);
  io.rare("sources", r.sources, kSources);
  io.rare("useless", r.useless, "Sources next to them that did not help.");
  io.rare("refused", r.refused, "Sources next to them that do not compile.");
  io.rare("left_out", r.left_out, "Files that were left out.");
}
void fields(auto& io, Is<MissingHeaders> auto& r) {
  io.rare("words", r.folder, kWords);
  io.rare("names", r.headers, kNames);
}
void fields(auto& io, Is<LeftOutHeader> auto& r) {
  only_field(io, "left_out", r.header, "Files that were left out.");
}
void fields(auto& io, Is<ConstructMissing> auto& r) {
  io.rare("words", r.construct, kWords);
  io.rare("sources", r.sources, kSources);
}
void fields(auto& io, Is<ConstructForbidden> auto& r) {
  io.rare("words", r.construct, kWords);
  finding_field(io, r.place);
}

void fields(auto& io, Is<NotRight> auto& r) { io.rare("outcome", r.outcome, kOutcome); }
void fields(auto& io, Is<NotFast> auto& r) { io.rare("outcome", r.outcome, kOutcome); }
void fields(auto& io, Is<HiddenCase> auto& r) { io.rare("outcome", r.outcome, kOutcome); }
void fields(auto& io, Is<NotCounted> auto& r) { io.rare("words", r.problem, kWords); }
template <IsOneOf<CountKept, CountBroken, CountUnaccepted> Why>
void fields(auto& io, Why& r) {
  io.rare("words", r.count.name, kWords);
  io.rare("layer", r.count.layer, kLayer);
  io.rare("counted", r.count.counted, "What the kernels did.");
  io.rare("bound", r.count.bound, "What the config asks for.");
  io.rare("at_least", r.count.at_least, "The bound is a lower one.");
  io.rare("of_ideal", r.count.of_ideal, "Both are multiples of the ideal count.");
}
void fields(auto& io, Is<TooFewCores> auto& r) {
  io.rare("threads", r.threads, "Threads of the case.");
  io.rare("cores", r.cores, "Cores that opgrade may use here.");
}
void fields(auto& io, Is<NoReferenceTime> auto& r) {
  io.rare("serial", r.serial, "Of the serial solution.");
}
void fields(auto& io, Is<NoWork> auto& r) {
  io.rare("rate", r.rate, "What the config asks for.");
  io.rare("by_gpu", r.by_gpu, "The rates of the GPU may be missing, too.");
}
void fields(auto& io, Is<OpTime> auto& r) {
  io.rare("ms", r.ms, kMs);
  io.rare("full_ms", r.full_ms, kFullMs);
  io.rare("zero_ms", r.zero_ms, kZeroMs);
  io.rare("reference_ms", r.reference_ms, "The reference solution's sum here.");
  io.rare("serial_ms", r.serial_ms, "The serial solution's sum here.");
  io.rare("full_rate", r.full_rate, "The rate of `full_ms`, if the config gives one.");
  io.rare("zero_rate", r.zero_rate, "The rate of `zero_ms`, if the config gives one.");
  io.rare("by_speed", r.by_speed, kBySpeed);
}
void fields(auto& io, Is<TimeOfCase> auto& c) {
  io.record("time_of_case", "A case of a rule on several.");
  io("name", c.name, "The case.");
  io("ms", c.ms, "Its sum of Op Times; null if it is not right or was too slow.");
  io("full_ms", c.full_ms, "The longest time with full points; 0 without bounds of its own.");
  io("zero_ms", c.zero_ms, "The shortest time without points; 0 if every time has some.");
  io("share", c.share, "The case's part of the points, if each case has one.");
}
void fields(auto& io, Is<OpTimesTogether> auto& r) {
  io.rare("together", r.together, "How the cases count together.");
  io.rare("cases", r.cases, kCases);
  io.rare("ms", r.ms, kMs);
  io.rare("full_ms", r.full_ms, kFullMs);
  io.rare("zero_ms", r.zero_ms, kZeroMs);
  io.rare("share", r.share, kShareOfRule);
  io.rare("by_speed", r.by_speed, kBySpeed);
}
void fields(auto& io, Is<OpTimeSlope> auto& r) {
  io.rare("cases", r.cases, kCases);
  io.rare("over", r.over, "The size whose logarithm is the abscissa.");
  io.rare("slope", r.slope, "Of log time over log size.");
  io.rare("full_slope", r.full_slope, "The greatest slope with full points.");
  io.rare("zero_slope", r.zero_slope, "The least slope without points.");
  io.rare("share", r.share, kShareOfRule);
}
void fields(auto& io, Is<SlopeNotCounted> auto& r) {
  io.rare("words", r.name, kWords);
  io.rare("ms", r.ms, kMs);
  io.rare("zero_ms", r.below_ms, kZeroMs);
}
void fields(auto& io, Is<RightCases> auto& r) {
  io.rare("count", r.count, kCount);
  io.rare("of", r.of, "Elements that were checked.");
}
void fields(auto& io, Is<NeedsGroup> auto& r) {
  io.rare("words", r.group, kWords);
  only_field(io, "names", r.case_id, kNames);
}

/// A reason without values has no fields.
template <class Why>
requires(std::is_empty_v<Why>) void fields(auto&, Why&) {}

}  // namespace why

}  // namespace opgrade
