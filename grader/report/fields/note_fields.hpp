/// The fields of each note in report.json: those of the alternative that `kind` names.
///
/// A key has the same meaning and type in every alternative, because the schema documents it once.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include "grader/base/core/fields.hpp"
#include "grader/base/core/note.hpp"
#include "grader/report/fields/reason_fields.hpp"

namespace opgrade {

void fields(auto& io, Is<LineShare> auto& l) {
  io.record("line_share", "The part of a kernel's samples that a line of its source has.");
  io("file", l.file, "The source.");
  io("line", l.line, "Line in that file.");
  io("share", l.share, "Of all samples, 0 to 1.");
}

namespace notes {

inline constexpr const char* kAbout = "The case that the note is about.";
inline constexpr const char* kStage = "The stage, if the note is about one.";
inline constexpr const char* kText = "Of a tool, the machine, the grader or an earlier version.";
inline constexpr const char* kCalls = "Calls, launches or cases.";
inline constexpr const char* kSeconds = "A limit in seconds.";
inline constexpr const char* kRun = "How another run of the case ended.";
inline constexpr const char* kName = "A tool, its part, an assignment, a sandbox or a GPU model.";
inline constexpr const char* kMade = "Start of an earlier grading in UTC, ISO 8601.";
inline constexpr const char* kLastOf = "The number that count is a part of.";

void fields(auto& io, Is<EarlierNote> auto& n) {
  io.rare("words", n.words, kText);
  io.rare("about", n.case_id, kAbout);
}
void fields(auto& io, Is<NextStep> auto& n) { io.rare("words", n.words, kText); }

void fields(auto& io, Is<WeakSandbox> auto& n) { io.rare("name", n.tier, kName); }
void fields(auto& io, Is<StageNotRun> auto& n) { why::no_device_fields(io, n.missing, kText); }
void fields(auto& io, Is<UnusedGpus> auto& n) {
  io.rare("gpus", n.gpus, "GPUs.");
  io.rare("name", n.used, kName);
}
void fields(auto& io, Is<GpuFailed> auto& n) {
  io.rare("gpu", n.gpu, "The GPU.");
  io.rare("left", n.left, "GPUs that are still in use.");
  io.rare("about", n.case_id, kAbout);
}

void fields(auto& io, Is<NotRunAgain> auto& n) {
  io.rare("stage", n.stage, kStage);
  io.rare("count", n.cases, kCalls);
  io.rare("of", n.of, kLastOf);
  io.rare("made", n.made, kMade);
}
void fields(auto& io, Is<SameFiles> auto& n) { io.rare("made", n.made, kMade); }
void fields(auto& io, Is<PracticeRun> auto& n) { io.rare("name", n.tool, kName); }
void fields(auto& io, Is<GradeOfAssignment> auto& n) {
  io.rare("name", n.assignment, kName);
  io.rare("points", n.points, "The points of the assignment.");
  io.rare("steps", n.steps, "How the points follow from the hand-ins.");
}

void fields(auto& io, Is<OpenMpIgnored> auto& n) {
  std::optional<Finding> place;
  if (!(n.place == Finding{})) place = n.place;
  io.rare("finding", place, "A place in a source.");
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(n)>>)
    if (place) n.place = *place;
}

template <why::IsOneOf<DisagreeingCalls, BusyCalls, LateCalls> Kind>
void fields(auto& io, Kind& n) {
  io.rare("layer", n.layer, "The computation.");
  io.rare("count", n.count, kCalls);
  io.rare("of", n.of, kLastOf);
  io.rare("about", n.case_id, kAbout);
}
void fields(auto& io, Is<TimedOnHost> auto& n) {
  io.rare("cause", n.cause, "Why calls are not timed with inputs on the device.");
  io.rare("operation", n.operation, "What a call computes.");
  io.rare("allowed", n.allowed, "The config allows work outside the timed call.");
  io.rare("about", n.case_id, kAbout);
}
void fields(auto& io, Is<LaunchesOutside> auto& n) {
  io.rare("count", n.launches, kCalls);
  io.rare("ms", n.ms, "Time of the launches.");
  io.rare("operation", n.operation, "What a call computes.");
  io.rare("counted", n.counted, "Their time counts into Op Time.");
  io.rare("about", n.case_id, kAbout);
}
void fields(auto& io, Is<LaunchesUnknown> auto& n) {
  io.rare("operation", n.operation, "What a call computes.");
  io.rare("words", n.words, kText);
  io.rare("about", n.case_id, kAbout);
}
void fields(auto& io, Is<LeakedMemory> auto& n) {
  io.rare("bytes", n.bytes, "Memory that each call leaves behind.");
  io.rare("on_device", n.on_device, "It is memory of the device.");
  io.rare("about", n.case_id, kAbout);
}

void fields(auto& io, Is<FindingsNotSought> auto& n) {
  io.rare("another", n.rerun, kRun);
  io.rare("begun", n.begun, "Only the end of the run was not watched.");
  io.rare("about", n.case_id, kAbout);
}
void fields(auto& io, Is<LayersNotWatched> auto& n) {
  io.rare("images", n.images, "Images on which a network's layers were to be watched.");
  io.rare("another", n.rerun, kRun);
  io.rare("about", n.case_id, kAbout);
}
void fields(auto& io, Is<NoThreadSanitizer> auto& n) { io.rare("about", n.case_id, kAbout); }
void fields(auto& io, Is<RaceRunStopped> auto& n) {
  std::optional<Outcome> outcome = n.outcome;
  io.rare("outcome", outcome, "Of another run of the case.");
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(n)>>)
    n.outcome = outcome.value_or(Outcome::not_run);
  io.rare("about", n.case_id, kAbout);
}
/// The fields of a note with a case and a text from outside.
template <why::IsOneOf<MayOverlap, RaceRunFailed, SanitizersFailed> Kind>
void fields(auto& io, Kind& n) {
  io.rare("words", n.words, kText);
  io.rare("about", n.case_id, kAbout);
}

void fields(auto& io, Is<SanitizerSaid> auto& n) { io.rare("words", n.words, kText); }
void fields(auto& io, Is<SanitizerNotRun> auto& n) {
  io.rare("stage", n.stage, kStage);
  io.rare("words", n.words, kText);
}
template <why::IsOneOf<SanitizerPartLeftOut, SanitizerPartCut> Kind>
void fields(auto& io, Kind& n) {
  io.rare("name", n.part, kName);
  io.rare("seconds", n.seconds, kSeconds);
}
void fields(auto& io, Is<SanitizerPartStopped> auto& n) {
  io.rare("name", n.part, kName);
  why::limit_field(io, n.limit);
}
void fields(auto& io, Is<SanitizerFoundNothing> auto& n) { io.rare("stage", n.stage, kStage); }

/// The tool, and the stage if the tool is used for several stages.
void tool_fields(auto& io, auto& n) {
  io.rare("stage", n.stage, kStage);
  io.rare("name", n.tool, kName);
}
void fields(auto& io, Is<ToolMissing> auto& n) {
  tool_fields(io, n);
  io.rare("variable", n.variable, "Of the environment, names the program.");
  io.rare("program", n.program, "The program that is not there.");
}
void fields(auto& io, Is<ToolNeedsGpu> auto& n) { tool_fields(io, n); }
void fields(auto& io, Is<ToolNeedsNamespaces> auto& n) {
  tool_fields(io, n);
  io.rare("tier", n.tier, "Tier of the sandbox.");
}
void fields(auto& io, Is<CountersKept> auto& n) {
  tool_fields(io, n);
  io.rare("words", n.words, kText);
  io.rare("tried", n.tried, "The tool ran.");
}
void fields(auto& io, Is<KernelNotLaunched> auto& n) {
  tool_fields(io, n);
  io.rare("kernel", n.kernel, "The kernel to watch.");
}
template <why::IsOneOf<ToolWroteNothing, ToolFileNotKept, ToolFailed> Kind>
void fields(auto& io, Kind& n) {
  tool_fields(io, n);
  io.rare("words", n.words, kText);
}
void fields(auto& io, Is<ToolTimedOut> auto& n) {
  tool_fields(io, n);
  io.rare("seconds", n.seconds, kSeconds);
}
void fields(auto& io, Is<ToolStopped> auto& n) {
  tool_fields(io, n);
  why::limit_field(io, n.limit);
}
void fields(auto& io, Is<ToolFileTooLarge> auto& n) {
  tool_fields(io, n);
  io.rare("mib", n.mib, "The largest size that is kept, in MiB.");
}
void fields(auto& io, Is<ToolWatched> auto& n) {
  tool_fields(io, n);
  io.rare("call", n.call, "Sizes of the watched call.");
  io.rare("file", n.file, "The file that the tool wrote.");
  io.rare("about", n.watched, kAbout);
}
void fields(auto& io, Is<ToolSamples> auto& n) {
  tool_fields(io, n);
  io.rare("kernel", n.kernel, "The kernel to watch.");
  io.rare("lines", n.lines, "Where its samples lie, the largest share first.");
  io.rare("about", n.watched, kAbout);
}

/// A note without values has no fields.
template <class Kind>
requires(std::is_empty_v<Kind>) void fields(auto&, Kind&) {}

}  // namespace notes

void fields(auto& io, Is<Note> auto& note) {
  io.record("note", "A note as a value. Only what belongs to its kind is there.");
  io.alternatives("kind", note.what, "What is to be known.");
}

}  // namespace opgrade
